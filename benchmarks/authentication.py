"""What authentication costs per message: `mac` and `aead` against `none`, side by side in one run.

    precede bench authentication --output json

Two sides. The agent's: one `Intake.admit`, from the captured datagram to what is published, with
tag, sender's rate and replay window. The member's: from an envelope to the bytes that it sends.
The same messages in turn for each mode; in one thread, without sockets and without Kafka. Also
what a stranger can make the agent spend: a datagram with a wrong tag, from a known and from an
unknown name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.figures import Measured, faults_of, rounded
from benchmarks.timing import Run, Say, calibration_loop_ns, now_ns, race
from ingest.authentication.gate import open_gate
from ingest.authentication.key_file import create_keys, new_keys
from ingest.authentication.keyring import Keyring
from ingest.authentication.mode import Mode
from ingest.authentication.settings import AuthenticationSettings
from ingest.datagram import Datagram
from ingest.intake import NO_GROUP, Intake
from ingest.token_bucket import TokenBucket
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.multicast import GroupAddress
from ordering.values import GroupId, MemberId, MessageId

SENDERS: Final = 16
PAYLOAD: Final = bytes(range(200))
ADDRESS: Final = GroupAddress("239.255.80.1", 5080)
SOURCE: Final = "10.0.0.7:40001"
RULES: Final = ("none=none", "mac=mac", "aead=aead")

Written = Callable[[Envelope], bytes]


class Options(NamedTuple):
    """The defaults take some ten seconds on a quiet machine."""

    messages: int = 20_000
    """in one run of a contestant"""
    repeats: int = 5
    """how often each contestant runs; its best run counts"""


DEFAULTS: Final = Options()


def measure(options: Options = DEFAULTS, *, say: Say = lambda _: None) -> Measured:
    """Measure both sides; `say` is told what is being measured."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "keys"
        create_keys(path, new_keys(made_at=1))
        written = _written(Keyring(path))
        say("members: from an envelope to its bytes")
        sending = race(
            {
                f"{mode}_send": partial(_send, write, _envelopes(mode, options.messages))
                for mode, write in written.items()
            },
            repeats=options.repeats,
        )
        say("agent: from a datagram to what is published")
        checking = race(_agents(path, written, options.messages), repeats=options.repeats)
    runs = {**sending, **checking}
    return Measured(_figures(runs), {}, faults_of(runs))


def _figures(runs: dict[str, Run]) -> dict[str, float]:
    figures = {"calibration_loop_ns": calibration_loop_ns()}
    for name, run in runs.items():
        figures[f"{name}_ns_per_message"] = run.ns_per_message
    for side in ("send", "admit"):
        plain = runs[f"none_{side}"]
        for mode in (Mode.MAC, Mode.AEAD):
            run = runs[f"{mode}_{side}"]
            added = run.ns_per_message - plain.ns_per_message
            figures[f"{mode}_{side}_added_ns_per_message"] = added
            figures[f"ratio_{mode}_{side}_to_none"] = run.ns_per_message / plain.ns_per_message
            figures[f"{mode}_{side}_messages_per_s"] = run.per_s
    return {name: rounded(figure) for name, figure in figures.items()}


def _written(keyring: Keyring) -> dict[Mode, Written]:
    return {
        Mode.NONE: encode,
        Mode.MAC: partial(keyring.protect, mode=Mode.MAC),
        Mode.AEAD: partial(keyring.protect, mode=Mode.AEAD),
    }


def _envelopes(mode: Mode, messages: int) -> list[Envelope]:
    """A conversation in the group of that name: senders in turn, each answers the one before."""
    members = [MemberId(f"member-{number}#1") for number in range(SENDERS)]
    made: list[Envelope] = []
    for number in range(messages):
        seq = number // SENDERS + 1
        parents = (MessageId(made[-1].sender, made[-1].seq),) if made else ()
        sender = members[number % SENDERS]
        made.append(
            Envelope(Kind.MESSAGE, GroupId(mode.value), sender, seq, parents, PAYLOAD, number)
        )
    return made


def _send(write: Written, envelopes: Sequence[Envelope]) -> Run:
    started = now_ns()
    sent = sum(1 for envelope in envelopes if write(envelope))
    return Run(len(envelopes), sent, now_ns() - started)


def _agents(
    path: Path, written: dict[Mode, Written], messages: int
) -> dict[str, Callable[[], Run]]:
    """An agent for each mode, and two for strangers; each run begins with fresh windows."""
    contestants: dict[str, Callable[[], Run]] = {}
    for mode, write in written.items():
        datagrams = [_captured(write(envelope)) for envelope in _envelopes(mode, messages)]
        contestants[f"{mode}_admit"] = partial(_admit, path, (), datagrams, is_refused=False)
    tagged = [written[Mode.MAC](envelope) for envelope in _envelopes(Mode.MAC, messages)]
    known = [_captured(datagram[:-1] + bytes([datagram[-1] ^ 1])) for datagram in tagged]
    unknown = [
        _captured(datagram.replace(b"member-", b"%07d" % number))
        for number, datagram in enumerate(tagged)
    ]
    first = [_captured(datagram) for datagram in tagged[:SENDERS]]
    contestants["mac_forged_known_name"] = partial(_admit, path, first, known, is_refused=True)
    contestants["mac_forged_unknown_name"] = partial(_admit, path, first, unknown, is_refused=True)
    return contestants


def _captured(data: bytes) -> Datagram:
    return Datagram(data, 1, SOURCE, ADDRESS)


def _admit(
    path: Path, before: Sequence[Datagram], datagrams: Sequence[Datagram], *, is_refused: bool
) -> Run:
    """Let an agent decide about all of them, after some that are not measured; delivered is what
    met the fate that it should.
    """
    settings = AuthenticationSettings(groups=RULES, keys_file=path)
    ticking = count(1)
    intake = Intake(
        TokenBucket(per_second=1, burst=1),
        clock=lambda: next(ticking),
        maybe_gate=open_gate(settings),
    )
    admit = intake.admit
    for datagram in before:
        admit(datagram)
    passed = 0
    started = now_ns()
    for datagram in datagrams:
        maybe_admission = admit(datagram)
        if maybe_admission is not None and maybe_admission.key != NO_GROUP:
            passed += 1
    elapsed_ns = now_ns() - started
    right = intake.refused["forged"] if is_refused else passed
    return Run(len(datagrams), right, elapsed_ns)
