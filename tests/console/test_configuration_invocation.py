"""Laws of the way in which a command gets its configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from console.configuration.invocation import GlobalOptions, load_for
from console.configuration.sources import Flag


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """A command of its own that prints what it was given."""
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()

    @app.command()
    def show(context: typer.Context, partitions: int | None = None) -> None:
        flags = [Flag("--partitions", "kafka.partitions", partitions)]
        typer.echo(load_for(context, flags).configuration.kafka.partitions)

    return app


def printed(app: typer.Typer, *arguments: str, options: GlobalOptions | None = None) -> str:
    result = CliRunner().invoke(app, list(arguments), obj=options)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_a_command_alone_has_no_global_options(app: typer.Typer) -> None:
    assert printed(app) == "2"


def test_the_global_options_count(app: typer.Typer, tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text("[kafka]\npartitions = 5\n", encoding="utf-8")
    assert printed(app, options=GlobalOptions(config_file=file)) == "5"
    assert printed(app, options=GlobalOptions(assignments=("kafka.partitions=6",))) == "6"


def test_a_commands_own_flag_counts(app: typer.Typer) -> None:
    assert printed(app, "--partitions", "7") == "7"
