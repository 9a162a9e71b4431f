"""A scripted conversation: who says what, when, and in answer to what.

One JSON object per line:

    {"group": "rust", "sender": "Jezza", "seq": 2, "parent": ["fwiw", 1], "at": 12.5, "data": "..."}

`sender` is a member's name; a script is spoken by each member's first incarnation (`Jezza#1`).
`seq` counts from 1 for each sender in each group. `parent` is the message that this one answers,
or null; `also` may hold further parents. `at` is in seconds from the start of the conversation.
`clock` may hold a vector clock, `{"Jezza": 2, "fwiw": 1}`: how much of whom its sender had seen,
for a causal group.

Read strictly: a script with a slip would look like a fault of the network that carries it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from ingest.wire.errors import WireError
from ingest.wire.names import group_of, member_of
from members.errors import ScriptError
from ordering.values import GroupId, MemberId, MessageId

FIRST_INCARNATION: Final = 1
MOST_LINES: Final = 100_000
"""A script is read as a whole; a hundred thousand lines are some 50 MB."""

_MICROSECONDS_PER_SECOND: Final = 1_000_000

Reference = tuple[str, int]


class _Written(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A line as it is written."""

    group: str
    sender: str
    seq: int
    parent: Reference | None
    at: float
    data: str
    also: tuple[Reference, ...] = ()
    clock: dict[str, int] | None = None


class Line(NamedTuple):
    """One message of a script, `at_us` microseconds after the start."""

    group: GroupId
    id: MessageId
    parents: tuple[MessageId, ...]
    at_us: int
    text: str
    clock: tuple[tuple[MemberId, int], ...] = ()
    """how many messages of whom precede it, its own number among them; empty without a clock"""


class Script(NamedTuple):
    """A whole conversation, in the order of the file."""

    lines: tuple[Line, ...]

    @property
    def members(self) -> tuple[str, ...]:
        """The names of all who speak, in the order of their first words."""
        names = dict.fromkeys(name_of(line.id.sender) for line in self.lines)
        return tuple(names)

    @property
    def duration_us(self) -> int:
        """When the last word is spoken."""
        return max((line.at_us for line in self.lines), default=0)

    def spoken_by(self, name: str) -> tuple[Line, ...]:
        """The lines of one member. Raises ScriptError if it has none."""
        found = tuple(line for line in self.lines if name_of(line.id.sender) == name)
        if not found:
            raise ScriptError(
                f"{name!r} says nothing in this script; its members are {', '.join(self.members)}"
            )
        return found


def read_script(path: Path) -> Script:
    """Read a script from a file. Raises ScriptError, which names the line."""
    try:
        with path.open(encoding="utf-8") as file:
            return parse_script(file, source=str(path))
    except OSError as error:
        raise ScriptError(f"can't read the script {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ScriptError(f"the script {path} is not UTF-8 at its byte {error.start}") from None


def parse_script(rows: Iterable[str], *, source: str) -> Script:
    """Check the lines of a script and put them together. `source` is named in errors.

    1. Each row is an object with exactly the known fields, and its names can go over the wire.
    2. Each sender's seq counts 1, 2, 3 ... in each group.
    3. Each parent is a message of the same group, anywhere in the script, and not itself.
    """
    lines: list[Line] = []
    next_seq: dict[tuple[str, str], int] = {}
    for number, row in _numbered(rows, source=source):
        line = _line_of(row, where=f"{source}:{number}")
        key = (line.group, line.id.sender)
        expected = next_seq.get(key, 1)
        if line.id.seq != expected:
            raise ScriptError(
                f"{source}:{number}: {name_of(line.id.sender)}'s seq in {line.group} is"
                f" {line.id.seq}; {expected} comes next"
            )
        next_seq[key] = expected + 1
        lines.append(line)
    known = {(line.group, line.id) for line in lines}
    for line in lines:
        for parent in line.parents:
            if (line.group, parent) not in known or parent == line.id:
                raise ScriptError(
                    f"{source}: {name_of(line.id.sender)}'s message {line.id.seq} answers message"
                    f" {parent.seq} of {name_of(parent.sender)}, which is not another message of"
                    f" {line.group} in this script"
                )
    if not lines:
        raise ScriptError(f"the script {source} is empty; it needs at least one message")
    return Script(tuple(lines))


def name_of(member: MemberId) -> str:
    """The name of a member, without its incarnation."""
    return member.rpartition("#")[0]


def pid_of(name: str) -> MemberId:
    """The pid under which a member speaks a script. WireError for a name that can't be sent."""
    return member_of(f"{name}#{FIRST_INCARNATION}".encode())


def _numbered(rows: Iterable[str], *, source: str) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(rows, start=1):
        if number > MOST_LINES:
            raise ScriptError(f"the script {source} has more than {MOST_LINES} lines; split it")
        yield number, row


def _line_of(row: str, *, where: str) -> Line:
    try:
        written = _DECODER.decode(row)
        sender = pid_of(written.sender)
        references = (() if written.parent is None else (written.parent,)) + written.also
        parents = tuple(MessageId(pid_of(name), seq) for name, seq in references)
        group = group_of(written.group.encode())
        clock = tuple((pid_of(name), count) for name, count in (written.clock or {}).items())
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ScriptError(f"{where}: {error}") from None
    except WireError as error:
        raise ScriptError(f"{where}: {error.detail}") from None
    if not written.at >= 0:
        raise ScriptError(
            f"{where}: at is {written.at}; it is in seconds from the start, 0 or more"
        )
    if clock and dict(clock).get(sender) != written.seq:
        raise ScriptError(f"{where}: the clock counts {dict(clock).get(sender)} of its own sender"
                          f", whose seq is {written.seq}; the two must be the same")  # fmt: skip
    at_us = round(written.at * _MICROSECONDS_PER_SECOND)
    return Line(group, MessageId(sender, written.seq), parents, at_us, written.data, clock)


_DECODER: Final = msgspec.json.Decoder(_Written)
