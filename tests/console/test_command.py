"""Laws of the command line as a whole."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import console.command as command
from console.command import command_names, commands_needed, hoist_global_options, run
from console.errors import ExitCode, OperatorError
from console.terminal import terminal_for

HEAVY = ("pyspark", "pandas", "pyarrow", "numpy", "delta", "deltalake", "confluent_kafka", "kafka")


class Outcome:
    """What one command line did."""

    def __init__(self, code: int, told: str) -> None:
        self.code = code
        self.told = told


def outcome(*arguments: str) -> Outcome:
    progress = io.StringIO()
    code = run(list(arguments), terminal=terminal_for(io.StringIO(), progress, {}))
    return Outcome(code, progress.getvalue())


@pytest.fixture(autouse=True)
def _folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A crash report, should there be one, is not left in the repository."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """Make `precede config` raise what the test puts into the list."""
    errors: list[BaseException] = []

    def build(_: list[str]) -> typer.Typer:
        app = typer.Typer(pretty_exceptions_enable=False)
        app.callback()(lambda: None)

        @app.command()
        def config() -> None:
            raise errors[0]

        return app

    monkeypatch.setattr(command, "build_app", build)
    return errors


def test_help_lists_every_command_and_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome("--help").code == ExitCode.OK
    page = capsys.readouterr().out
    assert "Examples:" in page
    for name in command_names():
        assert f"\n  {name}" in page


def test_no_line_of_the_list_of_commands_is_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    """A command whose first clause is too long for a line needs a `short_help` of its own."""
    outcome("--help")
    _, _, listed = capsys.readouterr().out.partition("Commands:\n")
    listed, _, _ = listed.partition("\n\n")
    assert [line for line in listed.splitlines() if line.endswith("...")] == []


def test_a_brief_ends_at_the_first_pause() -> None:
    assert command.brief("\n  Order all: raw in. More.") == "Order all."


def test_help_loads_nothing_heavy() -> None:
    """A person who asks for help waits for no JVM bridge and no data frame library."""
    program = (
        "import sys; from console.command import build_app, command_names;"
        "build_app(command_names());"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", command_names())
def test_every_command_module_registers_the_command_of_its_name(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(name, "--help").code == ExitCode.OK
    assert f"precede {name}" in capsys.readouterr().out


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome("--version").code == ExitCode.OK
    assert capsys.readouterr().out == f"precede {command.version()}\n"


def test_an_unknown_command_is_a_usage_error_that_names_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert outcome("confg").code == ExitCode.USAGE
    assert "Did you mean 'config'?" in capsys.readouterr().err


def test_global_options_may_stand_anywhere() -> None:
    assert hoist_global_options(["run", "--config", "f", "-x"]) == ["--config", "f", "run", "-x"]
    assert hoist_global_options(["run", "--set=a.b=c=d"]) == ["--set", "a.b=c=d", "run"]
    assert hoist_global_options(["run", "--", "--config"]) == ["run", "--", "--config"]
    assert hoist_global_options(["run", "--config"]) == ["--config", "run"]


def test_the_command_meant_is_found_behind_options() -> None:
    assert commands_needed(["--config", "f", "--set", "a.b=c", "config", "show"]) == ["config"]


def test_all_commands_are_needed_to_list_them_and_none_for_the_version() -> None:
    for arguments in ([], ["--help"], ["confg"]):
        assert commands_needed(arguments) == command_names()
    assert commands_needed(["--version"]) == []


def test_an_operators_error_is_its_sentence_and_its_code(failing: list[BaseException]) -> None:
    failing.append(OperatorError("no broker at h:1; start one", ExitCode.CANNOT_CONNECT))
    ended = outcome("config")
    assert (ended.code, ended.told) == (3, "precede: no broker at h:1; start one\n")


def test_every_line_of_an_operators_error_is_marked(failing: list[BaseException]) -> None:
    failing.append(OperatorError("one\ntwo", ExitCode.CONFIGURATION))
    assert outcome("config").told == "precede: one\nprecede: two\n"


def test_an_interrupt_ends_with_its_code(failing: list[BaseException]) -> None:
    failing.append(KeyboardInterrupt())
    ended = outcome("config")
    assert (ended.code, ended.told) == (130, "precede: interrupted\n")


def test_a_fault_of_ours_is_one_sentence_and_a_report(
    failing: list[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PRECEDE_DEBUG", raising=False)
    failing.append(RuntimeError("boom"))
    ended = outcome("config")
    assert ended.code == 70
    assert ended.told.count("\n") == 1
    assert "Traceback" not in ended.told
    (report,) = (tmp_path / ".precede" / "crashes").iterdir()
    assert report.name in ended.told
    assert "RuntimeError: boom" in report.read_text(encoding="utf-8")


def test_the_stack_is_shown_to_those_who_ask(
    failing: list[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEDE_DEBUG", "1")
    failing.append(RuntimeError("boom"))
    ended = outcome("config")
    assert ended.code == ExitCode.CRASH
    assert "Traceback" in ended.told


def test_an_exit_code_of_a_command_is_kept(failing: list[BaseException]) -> None:
    failing.append(typer.Exit(1))
    assert outcome("config").code == ExitCode.CHECK_FAILED


def test_nothing_heavy_is_loaded_to_show_the_help() -> None:
    program = (
        "import sys\n"
        "from console.command import build_app, command_names\n"
        "build_app(command_names())\n"
        "heavy = {'pyspark', 'pandas', 'pyarrow', 'deltalake', 'confluent_kafka', 'duckdb',\n"
        "         'starlette', 'uvicorn', 'textual', 'markdown_it', 'rich'}\n"
        "print(*sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
