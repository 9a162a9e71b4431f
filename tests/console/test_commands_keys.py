"""Laws of `precede keys`: keys go into files that are closed, and onto no screen."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from console.command import run
from console.errors import ExitCode
from console.terminal import terminal_of_process
from ingest.authentication.key_file import read_keys
from ingest.authentication.keyring import Keyring, Proof
from ingest.authentication.mode import Mode
from ingest.wire.envelope import decode
from tests.ingest.envelopes import plain


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("PRECEDE")]:
        monkeypatch.delenv(name)
    return tmp_path


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


def test_a_new_file_is_closed_and_listed_without_its_key(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert precede("keys", "new", "--file", "keys") == ExitCode.OK
    assert precede("keys", "list", "--file", "keys") == ExitCode.OK
    assert precede("keys", "list", "--file", "keys", "--output", "json") == ExitCode.OK
    assert stat.S_IMODE((folder / "keys").stat().st_mode) == 0o600
    (key,) = read_keys(folder / "keys").keys
    told = capsys.readouterr()
    assert key.secret.fingerprint() in told.out
    assert key.secret.reveal().hex() not in told.out + told.err
    listed = json.loads(told.out.splitlines()[-1])
    assert listed["ok"] is True
    assert [set(one) for one in listed["keys"]] == [
        {"id", "made_at", "age_days", "fingerprint", "use"}
    ]


def test_a_rotation_adds_a_key_and_keeps_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    precede("keys", "new", "--file", "keys")
    for _ in range(2):
        assert precede("keys", "rotate", "--file", "keys", "--output", "json") == ExitCode.OK
    listed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [(one["id"], one["use"]) for one in listed["keys"]] == [
        (2, "accepted"),
        (3, "sent with and accepted"),
    ]
    assert len(read_keys(folder / "keys").keys) == 2


def test_the_configuration_names_the_file(folder: Path) -> None:
    (folder / "precede.toml").write_text(
        '[authentication]\ndefault = "mac"\nkeys_file = "site.keys"\n', encoding="utf-8"
    )
    assert precede("keys", "new") == ExitCode.OK
    assert read_keys(folder / "site.keys").newest.id == 1


def test_protection_can_be_configured_before_there_are_keys(folder: Path) -> None:
    (folder / "precede.toml").write_text('[authentication]\ndefault = "mac"\n', encoding="utf-8")
    assert precede("keys", "new", "--file", "keys") == ExitCode.OK


def test_a_member_gets_its_own_keys_and_no_others(folder: Path) -> None:
    precede("keys", "new", "--file", "keys")
    give = ["keys", "give", "--file", "keys", "--group", "dev"]
    assert precede(*give, "--member", "alice", "--to", "alice.keys") == ExitCode.OK
    assert precede(*give, "--to", "dev.keys") == ExitCode.OK
    agent, alice = Keyring(folder / "keys"), Keyring(folder / "alice.keys")
    datagram = alice.protect(plain(), mode=Mode.AEAD)
    assert agent.verify(decode(datagram), datagram, mode=Mode.AEAD) is Proof.AUTHENTIC
    assert Keyring(folder / "dev.keys").maybe_open(decode(datagram), datagram) == b"hello"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["list"], ExitCode.USAGE, "--file FILE"),
        (["list", "--file", "none"], ExitCode.CONFIGURATION, "precede keys new"),
        (["rotate", "--file", "none"], ExitCode.CONFIGURATION, "precede keys new"),
        (["new", "--file", "keys"], ExitCode.CONFIGURATION, "never overwritten"),
        (["rotate", "--file", "dev.keys"], ExitCode.CONFIGURATION, "rotate the site's file"),
        (
            ["give", "--file", "dev.keys", "--group", "ops", "--to", "x"],
            ExitCode.CONFIGURATION,
            "the group dev",
        ),
        (
            ["give", "--file", "keys", "--group", "", "--to", "x"],
            ExitCode.USAGE,
            "give another name",
        ),
        (
            ["give", "--file", "keys", "--group", "dev", "--member", "a\nb", "--to", "x"],
            ExitCode.USAGE,
            "control character",
        ),
    ],
)
def test_what_can_not_be_is_one_sentence_that_says_what_to_do(
    arguments: list[str], code: ExitCode, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    precede("keys", "new", "--file", "keys")
    precede("keys", "give", "--file", "keys", "--group", "dev", "--to", "dev.keys")
    capsys.readouterr()
    assert precede("keys", *arguments) == code
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert not told.out
