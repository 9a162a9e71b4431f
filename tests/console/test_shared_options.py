"""Laws of the options that several commands have."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_type_hints

import pytest

from console import shared_options
from console.commands import agent, verify

COMMANDS = Path(inspect.getfile(agent)).parent


@pytest.mark.parametrize("command", [agent.agent, verify.verify])
def test_a_shared_option_is_the_same_in_every_command(command: object) -> None:
    hints = get_type_hints(command, include_extras=True)
    assert hints["bootstrap"] is shared_options.Bootstrap
    assert hints["topic_prefix"] is shared_options.TopicPrefix
    assert hints["output"] is shared_options.Output


def test_no_command_writes_a_shared_option_again() -> None:
    again = [
        path.name
        for path in sorted(COMMANDS.glob("*.py"))
        if "A table for people or one JSON object." in path.read_text(encoding="utf-8")
        or "Address of the broker; else" in path.read_text(encoding="utf-8")
    ]
    assert not again, again
