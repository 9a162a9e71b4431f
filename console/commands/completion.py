"""`precede completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from console.terminal import terminal_of_process

ASKS = "_PRECEDE_COMPLETE=complete_"
# A shell reads one line for each word, so what a word means must not be wrapped.
ASKS_FOR_WHOLE_LINES = f"COLUMNS=10000 {ASKS}"

# zsh runs a file of its fpath as a function, at the first TAB and at every later one.
ZSH_REGISTERS = "compdef _precede_completion precede"
ZSH_ANSWERS_AND_REGISTERS = f"""\
if [[ $zsh_eval_context[-1] == (loadautofunc|shfunc) ]]; then
  _precede_completion "$@"
else
  {ZSH_REGISTERS}
fi"""


class Shell(StrEnum):
    """The shells that can be helped."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def register(app: typer.Typer) -> None:
    """Add `completion`."""
    app.command(
        "completion",
        epilog=(
            "\b\nExamples:\n"
            "  precede completion bash > ~/.local/share/bash-completion/completions/precede\n"
            "  precede completion zsh > ~/.zfunc/_precede\n"
            "  precede completion fish > ~/.config/fish/completions/precede.fish\n"
            "\n\b\n"
            "For zsh, ~/.zshrc has before compinit: fpath+=~/.zfunc. A new shell completes."
        ),
    )(completion)


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="Which shell.")],
) -> None:
    """Print the script for a shell; it asks `precede` itself what fits."""
    from typer._completion_shared import get_completion_script

    script = get_completion_script(
        prog_name="precede", complete_var="_PRECEDE_COMPLETE", shell=shell.value
    )
    script = script.replace(ASKS, ASKS_FOR_WHOLE_LINES)
    script = script.replace(ZSH_REGISTERS, ZSH_ANSWERS_AND_REGISTERS)
    terminal_of_process(os.environ).emit(script)
