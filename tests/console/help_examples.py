"""The examples that the help of every command shows, as command lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

import typer.main

from console.command import build_app, command_names, hoist_global_options

_LINE = re.compile(r"^\s+(precede .*)$", re.MULTILINE)
_CONTINUED = re.compile(r"\s*\\\n\s*")
_REMARK = re.compile(r"\s+#\s.*$")

RUN_ELSEWHERE = {
    "agent": "test_a_file_is_published_and_ends_with_0_and_a_report",
    "bench": "test_an_example_of_the_help_measures_something",
    "broker": "test_it_serves_the_topics_until_it_is_told_to_stop_and_goes_on_with_its_data",
    "chat": "test_two_people_talk_in_threads_and_a_third_comes_late",
    "demo": "test_the_demo_ends_with_nothing_wrong_and_nothing_left",
    "evaluate": "test_one_json_object_names_every_file_and_every_verdict",
    "policy": "test_the_record_stands_in_the_groups_partition",
    "rebuild": "test_the_command_finds_what_is_wrong_mends_it_and_the_tables_verify",
    "relay": "test_a_relay_runs_until_sigterm_and_then_tells_what_it_did",
    "run": "test_a_full_disk_is_one_sentence_and_the_next_start_goes_on",
    "upkeep": "test_the_command_changes_nothing_until_it_is_told_to",
    "verify": "test_the_command_says_by_its_exit_code_what_it_found_with_either_client",
    "web": "test_the_address_is_printed_once_with_the_token_and_sigterm_ends_it_well",
}
"""Commands that take processes, Spark or minutes: which test in `test_commands_NAME` runs each."""


class Example(NamedTuple):
    """One line of a help: the command that shows it, and the words after `precede`."""

    command: str
    line: str

    @property
    def words(self) -> list[str]:
        """As the shell would give them: no remark, no redirection, no pipe."""
        line = re.split(r"\s[>|&]\s?", _REMARK.sub("", self.line))[0]
        return shlex.split(line)[1:]


def whole_app() -> Any:
    """The app with every command."""
    return typer.main.get_command(build_app(command_names()))


def examples() -> Iterator[Example]:
    """Every example of every command and of its parts."""
    for path, one in parts():
        for line in _LINE.findall(_CONTINUED.sub(" ", one.epilog or "")):
            yield Example(path, line)


def parts() -> Iterator[tuple[str, Any]]:
    """Every command and every part of one, with what is typed for it."""
    for name, command in whole_app().commands.items():
        yield from _with_parts(name, command)


def _with_parts(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, part in getattr(command, "commands", {}).items():
        yield from _with_parts(f"{path} {name}", part)


def without_example() -> list[str]:
    """Commands whose help shows no example, neither theirs nor that of the group they are in."""
    shown = {example.command for example in examples()}
    return [path for path, _ in parts() if path not in shown and path.split()[0] not in shown]


def parse(app: Any, words: list[str]) -> None:
    """Parse a command line down to its last part, and run nothing; a wrong one raises."""
    context = app.make_context("precede", hoist_global_options(words))
    command, rest = app, [*context._protected_args, *context.args]
    while hasattr(command, "commands"):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, list(rest), parent=context)
        rest = [*getattr(context, "_protected_args", []), *context.args]
