"""Flags win over the configuration, as everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from console.answers.places import load_places
from console.configuration.invocation import GlobalOptions
from console.shared_options import Source


def test_places_come_from_flags_then_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("precede.toml").write_text('[job]\ntables_directory = "there"\n[kafka]\npartitions = 3\n')
    context = typer.Context(typer.main.get_command(typer.Typer(callback=print)))
    context.obj = GlobalOptions()
    assert load_places(context).tables == "there"
    places = load_places(context, tables="here", topic_prefix="floor")
    assert (places.tables, places.kafka.topic_prefix) == ("here", "floor")


def test_rows_of_waits_come_from_where_they_are_asked_for(shop: str) -> None:
    from console.answers.places import Places
    from sinks.settings import KafkaSettings

    rows = list(Places(KafkaSettings(), shop).wait_rows(Source.TABLES))
    assert {row.id for row in rows} >= {"bob#1:2", "fay#1:2"}
    assert all(isinstance(row.at, int) for row in rows)
