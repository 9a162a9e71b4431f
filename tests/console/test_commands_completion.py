"""`precede completion`: each shell, as a person has it, completes commands and options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.console.pseudo_terminal import PseudoTerminal
from tests.console.shop import precede

PROMPT = "ready> "
CLEAR_LINE = "\x15"  # Ctrl-U


def installed(shell: str) -> pytest.MarkDecorator:
    """Let a test run where its shell is installed."""
    return pytest.mark.skipif(
        shutil.which(shell) is None, reason=f"the shell {shell} is not installed on this machine"
    )


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A person who has just activated the environment, with a home of nothing."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_precede(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = precede(capsys, "completion", shell)
    assert said.code == 0
    assert f"_PRECEDE_COMPLETE=complete_{shell}" in said.out


def test_bash_completes_commands_and_options(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    script = precede(capsys, "completion", "bash").out
    ask = (
        f"{script}\n"
        "COMP_WORDS=(precede pend); COMP_CWORD=1; _precede_completion precede; "
        'echo "${COMPREPLY[@]}"\n'
        "COMP_WORDS=(precede tail --fr); COMP_CWORD=2; _precede_completion precede; "
        'echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "-c", ask], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == ["pending", "--from"]


@installed("zsh")
def test_zsh_completes_commands_and_options_from_the_first_tab_on(
    environment: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".zfunc").mkdir()
    script = precede(capsys, "completion", "zsh").out
    (tmp_path / ".zfunc" / "_precede").write_text(script)
    (tmp_path / ".zshrc").write_text(
        f"fpath+=~/.zfunc\nautoload -U compinit && compinit -u\nPS1='{PROMPT}'\n"
    )
    with PseudoTerminal(["zsh", "-i"], environment={**environment, "TERM": "dumb"}) as terminal:
        terminal.wait_for(PROMPT)
        for typed, completed in (("precede pend", "pending"), ("precede tail --fr", "--from")):
            terminal.forget()
            terminal.press(f"{CLEAR_LINE}{typed}\t")
            terminal.wait_for(completed)


@installed("fish")
def test_fish_completes_commands_and_options_and_says_what_they_do(
    environment: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / ".config" / "fish" / "completions"
    folder.mkdir(parents=True)
    (folder / "precede.fish").write_text(precede(capsys, "completion", "fish").out)
    ask = "complete -C 'precede pend'; complete -C 'precede tail --fr'"
    done = subprocess.run(
        ["fish", "-c", ask], capture_output=True, text=True, check=True, env=environment
    )
    words = [line.split("\t") for line in done.stdout.splitlines()]
    assert [word for word, _ in words] == ["pending", "--from"]
    assert all(meaning.endswith(".") for _, meaning in words)
