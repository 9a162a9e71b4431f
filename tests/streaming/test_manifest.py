"""A checkpoint goes on only with what it was made for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streaming.errors import CheckpointError
from streaming.manifest import (
    FILE_NAME,
    Manifest,
    check_manifest,
    new_manifest,
    open_manifest,
    parse_manifest,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WANTED = new_manifest(raw_topic="precede.raw", partitions=2, tasks=2)


def test_a_manifest_reads_as_it_was_written() -> None:
    assert parse_manifest(json.dumps(WANTED._asdict())) == WANTED


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", '{"format_version": 1, "x": 2}'])
def test_a_damaged_manifest_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError, match="damaged"):
        parse_manifest(text)


def test_a_manifest_of_another_format_is_refused() -> None:
    with pytest.raises(CheckpointError, match="format 2, this release reads format 1"):
        parse_manifest(json.dumps(WANTED._asdict() | {"format_version": 2}))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (WANTED._replace(partitions=4), "partitions = 2, the configuration says 4"),
        (WANTED._replace(tasks=1), "tasks = 2, the configuration says 1"),
        (WANTED._replace(raw_topic="x"), "raw_topic = precede.raw, the configuration says x"),
    ],
)
def test_another_value_is_refused_with_both_values(changed: Manifest, words: str) -> None:
    with pytest.raises(CheckpointError, match=words):
        check_manifest(WANTED, changed)


@pytest.mark.spark
def test_the_first_start_writes_it_and_the_second_reads_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    directory = str(tmp_path / "checkpoint")
    open_manifest(spark, directory, WANTED)
    assert [path.name for path in Path(directory).iterdir() if path.suffix == ".json"] == [
        FILE_NAME
    ]
    open_manifest(spark, directory, WANTED)
    with pytest.raises(CheckpointError, match="partitions = 2"):
        open_manifest(spark, directory, WANTED._replace(partitions=3))
