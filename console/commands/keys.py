"""`precede keys`: make, list, rotate and hand out the keys of protected groups; never show one."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode, OperatorError
from console.shared_options import TABLE, Output
from console.terminal import OutputFormat, Terminal, terminal_of_process

if TYPE_CHECKING:
    from ingest.authentication.key_file import Key, Keys

MICROSECONDS_PER_SECOND = 1_000_000
NANOSECONDS_PER_MICROSECOND = 1_000
SECONDS_PER_DAY = 86_400

File = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="The key file; else authentication.keys_file."),
]


def register(app: typer.Typer) -> None:
    """Add `keys new`, `keys list`, `keys rotate` and `keys give`."""
    group = typer.Typer(
        help="Make, list, rotate and hand out keys.",
        epilog=(
            "\b\nExamples:\n"
            "  precede keys new --file /etc/precede/keys\n"
            "  precede keys list\n"
            "  precede keys rotate\n"
            "  precede keys give --group floor --member alice --to alice.keys"
        ),
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("new", short_help="Make a key file with a first key.")(new)
    group.command("list", short_help="Show ids, ages and fingerprints.")(list_)
    group.command("rotate", short_help="Add a key; the one before is still accepted.")(rotate)
    group.command("give", short_help="Write the keys of one group or member to a file.")(give)
    app.add_typer(group, name="keys")


def new(context: typer.Context, file: File = None, output: Output = TABLE) -> None:
    """Make a key file that only its owner may read. A file that exists is never overwritten."""
    from ingest.authentication.key_file import create_keys, new_keys

    path = _path(context, file)
    keys = new_keys(made_at=_now())
    create_keys(path, keys)
    _show(path, keys, output, says=f"made {path}; copy it to the agents, and keep it closed")


def list_(context: typer.Context, file: File = None, output: Output = TABLE) -> None:
    """Show which keys a file holds, how old they are, and fingerprints to compare them by."""
    from ingest.authentication.key_file import read_keys

    path = _path(context, file)
    _show(path, read_keys(path), output)


def rotate(context: typer.Context, file: File = None, output: Output = TABLE) -> None:
    """Add a new key to send with; the one before is still accepted, an older one no more.

    Give the new file to the agents first and reload them (SIGHUP), then to the members: an agent
    accepts both keys, so that nobody has to wait.
    """
    from ingest.authentication.errors import KeysError
    from ingest.authentication.key_file import read_keys, replace_keys, rotated

    path = _path(context, file)
    keys = read_keys(path)
    if keys.maybe_group is not None:
        raise KeysError(
            f"{path} holds keys that were derived for {_reach(keys)}; rotate the site's file, and "
            "hand out new ones with `precede keys give`"
        )
    keys = rotated(keys, made_at=_now())
    replace_keys(path, keys)
    _show(path, keys, output, says="rotated; give it to the agents first (SIGHUP), then to members")


def give(
    context: typer.Context,
    group: Annotated[str, typer.Option("--group", metavar="GROUP", help="For this group only.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The file to write.")],
    member: Annotated[
        str | None,
        typer.Option(
            "--member", metavar="NAME", help="For this member only, named without its incarnation."
        ),
    ] = None,
    file: File = None,
    output: Output = TABLE,
) -> None:
    """Write what one group, or one member of it, needs: nothing else follows from that file.

    A member that only speaks needs its own keys. One that also checks what others say, and a reader
    that opens sealed payloads, needs the group's.
    """
    from ingest.authentication.derivation import narrowed
    from ingest.authentication.key_file import create_keys, read_keys
    from ingest.wire.errors import WireError
    from ingest.wire.names import group_of, member_of

    try:
        group_of(group.encode("utf-8", "replace"))
        if member is not None:
            member_of(f"{member}#1".encode("utf-8", "replace"))
    except WireError as error:
        raise OperatorError(f"{error.detail}; give another name", ExitCode.USAGE) from None
    keys = narrowed(read_keys(_path(context, file)), group=group, maybe_name=member)
    create_keys(to, keys)
    _show(to, keys, output, says=f"made {to}, for {_reach(keys)} only")


def _path(context: typer.Context, maybe_file: Path | None) -> Path:
    flag = Flag(
        "--file", "authentication.keys_file", None if maybe_file is None else str(maybe_file)
    )
    maybe_path = load_for(context, [flag]).configuration.authentication.keys_file
    if maybe_path is None:
        raise OperatorError(
            "no key file is named; give --file FILE, or set authentication.keys_file",
            ExitCode.USAGE,
        )
    return maybe_path


def _show(path: Path, keys: Keys, output: OutputFormat, *, says: str = "") -> None:
    terminal: Terminal = terminal_of_process(os.environ)
    if says:
        terminal.say(says)
    described = [_described(key, is_newest=key is keys.newest) for key in keys.keys]
    if output is OutputFormat.JSON:
        result: dict[str, Any] = {"ok": True, "file": str(path), "group": keys.maybe_group}
        terminal.emit_json(result | {"member": keys.maybe_member, "keys": described})
        return
    rows = [
        [str(one["id"]), one["made_at"], f"{one['age_days']:.1f}", one["fingerprint"], one["use"]]
        for one in described
    ]
    terminal.emit_table(["ID", "MADE", "AGE (DAYS)", "FINGERPRINT", "USE"], rows)


def _described(key: Key, *, is_newest: bool) -> dict[str, Any]:
    made = datetime.fromtimestamp(key.made_at / MICROSECONDS_PER_SECOND, UTC)
    age_s = (_now() - key.made_at) / MICROSECONDS_PER_SECOND
    return {
        "id": key.id,
        "made_at": made.isoformat(timespec="seconds"),
        "age_days": round(max(0.0, age_s / SECONDS_PER_DAY), 1),
        "fingerprint": key.secret.fingerprint(),
        "use": "sent with and accepted" if is_newest else "accepted",
    }


def _reach(keys: Keys) -> str:
    member = "" if keys.maybe_member is None else f"{keys.maybe_member} in "
    return f"{member}the group {keys.maybe_group}"


def _now() -> int:
    return time.time_ns() // NANOSECONDS_PER_MICROSECOND
