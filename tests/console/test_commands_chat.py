"""Laws of `precede chat`, driven through real pseudo-terminals over real multicast."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.wire.multicast import LOOPBACK_INTERFACE
from tests.console.pseudo_terminal import PseudoTerminal
from tests.ingest.loopback import new_group

CHAT = (sys.executable, "-m", "console", "chat")
ENTER, ESCAPE, TREE, UP = "\r", "\x1b", "\x14", "\x1b[A"


def chat(tmp_path: Path, name: str, address: str, *more: str) -> PseudoTerminal:
    environment = {
        **os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor",
        "PRECEDE_HOME": str(tmp_path),
    }  # fmt: skip
    command = (*CHAT, "--name", name, "--address", address, *more)
    return PseudoTerminal((*command, "--interface", LOOPBACK_INTERFACE), environment=environment)


@pytest.mark.kill
def test_two_people_talk_in_threads_and_a_third_comes_late(tmp_path: Path) -> None:
    address = str(new_group())
    with (
        chat(tmp_path, "alice", address) as alice,
        chat(tmp_path, "bob", address) as bob,
    ):
        for person in (alice, bob):
            person.wait_for("a new thread, as")
        alice.press(f"/create dev{ENTER}")
        bob.wait_for("Enter joins")
        bob.press(f"/join dev{ENTER}")
        alice.press(f"who has the [b]key[/b]?{ENTER}")
        bob.wait_for("who has the [b]key[/b]?")
        bob.press(f"{TREE}{ENTER}")
        bob.wait_for("in answer to")
        bob.press(f"in the drawer{ENTER}")
        alice.wait_for("└─ bob")
        with chat(tmp_path, "carol", address, "--group", "dev") as carol:
            carol.wait_for("who has the [b]key[/b]?")
            carol.wait_for("in the drawer")
            carol.press(f"/quit{ENTER}")
            assert carol.end() == 0
        for person in (alice, bob):
            person.press("\x11")
            assert person.end() == 0


def test_without_a_terminal_it_says_what_to_use() -> None:
    done = subprocess.run(
        [*CHAT, "--name", "alice"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_address_that_is_no_group_is_one_sentence_and_the_terminal_is_whole(
    tmp_path: Path,
) -> None:
    with chat(tmp_path, "alice", "10.0.0.1:5080") as alice:
        assert alice.end() == 4
        assert "10.0.0.1" in alice.text


def test_an_interface_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with PseudoTerminal(
        (*CHAT, "--name", "alice", "--interface", "nowhere0"),
        environment={**os.environ, "TERM": "xterm-256color", "PRECEDE_HOME": str(tmp_path)},
    ) as alice:
        assert alice.end() == 4
        assert "nowhere0" in alice.text
