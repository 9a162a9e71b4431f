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

WANTED = new_manifest(raw_topics={"precede.raw": 2}, tasks=2, policies="semantic")


def test_a_manifest_reads_as_it_was_written() -> None:
    assert parse_manifest(json.dumps(WANTED._asdict())) == WANTED


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", '{"format_version": 2, "x": 2}'])
def test_a_damaged_manifest_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError, match="damaged"):
        parse_manifest(text)


def test_a_manifest_of_another_format_is_refused() -> None:
    with pytest.raises(CheckpointError, match="format 1, this release reads 2 and 3"):
        parse_manifest(json.dumps(WANTED._asdict() | {"format_version": 1}))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            WANTED._replace(raw_topics={"precede.raw": 4}),
            r"raw=2, the configuration says precede\.raw=4",
        ),
        (WANTED._replace(tasks=1), "tasks = 2, the configuration says 1"),
        (WANTED._replace(policies="fifo"), "policies = semantic, the configuration says fifo"),
        (WANTED._replace(raw_topics={"x": 2}), r"precede\.raw=2, the configuration says x=2"),
        (WANTED._replace(raw_topics={}), "the configuration says :"),
    ],
)
def test_another_value_is_refused_with_both_values(changed: Manifest, words: str) -> None:
    with pytest.raises(CheckpointError, match=words):
        check_manifest(WANTED, changed)


def test_a_raw_topic_may_be_added_after_the_others() -> None:
    check_manifest(WANTED, WANTED._replace(raw_topics={"precede.raw": 2, "south.raw": 1}))
    turned = WANTED._replace(raw_topics={"south.raw": 1, "precede.raw": 2})
    with pytest.raises(CheckpointError, match="raw_topics"):
        check_manifest(WANTED, turned)


def test_a_manifest_of_the_release_before_names_its_one_topic() -> None:
    earlier = {
        "format_version": 2, "raw_topic": "precede.raw", "partitions": 2, "tasks": 2,
        "policies": "semantic",
    }  # fmt: skip
    assert parse_manifest(json.dumps(earlier)) == WANTED


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
    with pytest.raises(CheckpointError, match=r"raw_topics = precede\.raw=2"):
        open_manifest(spark, directory, WANTED._replace(raw_topics={"precede.raw": 3}))


@pytest.mark.spark
def test_an_added_raw_topic_is_written_down(spark: SparkSession, tmp_path: Path) -> None:
    directory = str(tmp_path / "checkpoint")
    more = WANTED._replace(raw_topics={"precede.raw": 2, "south.raw": 1})
    open_manifest(spark, directory, WANTED)
    open_manifest(spark, directory, more)
    assert parse_manifest((Path(directory) / FILE_NAME).read_text()) == more
    with pytest.raises(CheckpointError, match=r"south\.raw=1"):
        open_manifest(spark, directory, WANTED)
