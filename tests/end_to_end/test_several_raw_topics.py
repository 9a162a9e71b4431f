"""A job with two raw topics, and every command that reads or writes what it keeps."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.errors import ExitCode
from console.web.in_force import PoliciesInForce
from deploy.local.broker import Broker
from ingest.wire.envelope import decode, encode, tick
from ordering_udfs.control import read_policy_change
from sinks.consumer import OrderedConsumer
from sinks.follower import Followed, Follower
from sinks.kafka_client import read_topic
from sinks.settings import KafkaSettings
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.console.shop import Said, precede
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.topic_tools import alone, delivered_order, expected_order, produce, two_raw_topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]

HELD = "late#1:2"
PATIENCE_SECONDS = 60.0
LATER = 2**51


class Sites:
    """Two sites with a raw topic each, and one job."""

    def __init__(self, broker: Broker, spark: SparkSession, folder: Path) -> None:
        self.kafka: KafkaSettings = two_raw_topics(broker.bootstrap)
        self.north, self.south = self.kafka.shards.topics
        self.settings = JobSettings(
            checkpoint_directory=str(folder / "checkpoint"),
            tables_directory=str(folder / "tables"),
            scratch_directory=str(folder / "spark"),
        )
        self._spark = spark

    def say(self, topic: str, *messages: bytes) -> None:
        produce(alone(self.kafka, topic), messages)

    def order(self) -> None:
        policies = group_policies(self.settings)
        Job(self._spark, kafka=self.kafka, settings=self.settings, policies=policies).drain()

    def precede(self, capsys: pytest.CaptureFixture[str], *words: str) -> Said:
        chosen = {
            "kafka.bootstrap": self.kafka.bootstrap,
            "kafka.topic_prefix": self.kafka.topic_prefix,
            "kafka.raw_topics": ",".join(self.kafka.raw_topics),
            "job.checkpoint_directory": self.settings.checkpoint_directory,
            "job.tables_directory": self.settings.tables_directory,
        }
        flags = [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
        return precede(capsys, *flags, *words)


@pytest.fixture(scope="module")
def sites(broker: Broker, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Sites:
    """Groups `north-N` in one topic and `south-N` in the other, one message of each site held."""
    made = Sites(broker, spark, tmp_path_factory.mktemp("sites"))
    for seed, topic in enumerate((made.north, made.south), start=71):
        site = topic.rpartition(".")[2]
        log = shuffled_conversation(seed=seed, groups=3, messages=150)
        made.say(topic, *(value.replace(b"group", site.encode()) for value in log))
        made.say(topic, wire("late", 2, ("nobody", 1), group=f"{site}-1"))
        made.say(topic, *_ticks(made.kafka.shards.topics[topic]))
    made.order()
    return made


def _ticks(partitions: int) -> list[bytes]:
    """Ticks have no group and go anywhere: enough of them reach every partition."""
    return [encode(tick(LATER + number)) for number in range(40 * partitions)]


def test_what_is_delivered_is_what_each_topic_comes_to(sites: Sites) -> None:
    expected = {
        group: envelopes
        for topic in (sites.north, sites.south)
        for group, envelopes in expected_order(alone(sites.kafka, topic)).items()
    }
    assert delivered_order(sites.kafka) == expected


def test_verify_judges_all_of_them(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    said = sites.precede(capsys, "verify", "--output", "json")
    result = json.loads(said.out)
    assert said.code == ExitCode.OK, result
    assert (result["delivered"], result["held"]) == (300, 2)


def test_pending_gaps_and_why_know_who_waits_in_each(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    for source in ("tables", "topics"):
        said = sites.precede(capsys, "pending", "--source", source, "--output", "jsonl")
        held = {(row["group"], row["id"]) for row in map(json.loads, said.lines)}
        assert held == {("north-1", HELD), ("south-1", HELD)}
        said = sites.precede(capsys, "gaps", "--source", source, "--output", "jsonl")
        assert {json.loads(line)["group"] for line in said.lines} == {"north-1", "south-1"}
        said = sites.precede(capsys, "why", HELD, "--group", "south-1", "--source", source)
        assert said.code == ExitCode.OK
        assert "held in south-1" in said.out
        assert "nobody#1:1" in said.out


def test_inspect_and_tail_show_the_groups_of_all(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(sites.precede(capsys, "inspect", "--output", "json").out)
    assert list(found["manifest"]["raw_topics"]) == [sites.north, sites.south]
    assert [row["partition"] for row in found["partitions"]] == [0, 1, 2]
    said = sites.precede(capsys, "tail", "--exit", "-f", r"%k\n")
    assert set(said.lines) == {f"{site}-{n}" for site in ("north", "south") for n in range(3)}
    assert len(said.lines) == 300


def test_a_replay_gives_what_the_job_gave(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    said = sites.precede(capsys, "replay", "--output", "jsonl")
    replayed: dict[str, list[str]] = {}
    for row in map(json.loads, said.lines):
        replayed.setdefault(row["group"], []).append(row["id"])
    ordered = {
        group: [f"{one.sender}:{one.seq}" for one in map(decode, envelopes)]
        for group, envelopes in delivered_order(sites.kafka).items()
    }
    assert replayed == ordered


def test_a_follower_and_a_consumer_have_every_delivery(sites: Sites) -> None:
    wanted = {
        (record.partition, record.value)
        for record in read_topic(sites.kafka, sites.kafka.topics.ordered)
    }
    followed: list[Followed] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    with Follower(sites.kafka, policies=group_policies(sites.settings)) as follower:
        while len(followed) < len(wanted) and time.monotonic() < deadline:
            followed += follower.read(timeout=0.2)
    assert {(one.partition, one.value) for one in followed} == wanted
    tables = sites.settings.tables_directory
    with OrderedConsumer(sites.kafka, tables=tables) as consumer:
        assert len(list(consumer.until_end())) == len(wanted)


def test_a_change_of_policy_goes_where_the_group_lives(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    for group, topic in (("south-2", sites.south), ("north-2", sites.north)):
        said = sites.precede(capsys, "policy", group, "fifo", "--output", "json")
        assert said.code == ExitCode.OK, said.progress
        written = json.loads(said.out)
        assert written["topic"] == topic
        record = next(
            one
            for one in read_topic(sites.kafka, topic)
            if (one.partition, one.offset) == (written["partition"], written["offset"])
        )
        assert decode(record.value).group == group
        assert read_policy_change(decode(record.value).payload) == "fifo"
    sites.order()
    found = json.loads(sites.precede(capsys, "inspect", "--output", "json").out)
    policies = {row["group"]: row["policy"] for row in found["groups"]}
    assert (policies["north-2"], policies["south-2"], policies["south-1"]) == ("fifo", "fifo", None)
    page = PoliciesInForce(
        group_policies(sites.settings), checkpoint_directory=sites.settings.checkpoint_directory
    )
    page.look()
    shown = [page.of(group).discipline for group in ("north-2", "south-2", "south-1")]
    assert shown == ["fifo", "fifo", "semantic"]
    assert sites.precede(capsys, "verify").code == ExitCode.OK


def test_where_the_topic_cannot_be_told_it_is_asked_for(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    said = sites.precede(capsys, "policy", "unheard-of", "fifo")
    assert said.code == ExitCode.USAGE
    assert f"--topic, one of {sites.north}, {sites.south}" in said.progress
    said = sites.precede(capsys, "policy", "unheard-of", "fifo", "--topic", "elsewhere")
    assert said.code == ExitCode.USAGE
    assert "elsewhere is no raw topic" in said.progress
    said = sites.precede(capsys, "policy", "unheard-of", "fifo", "--topic", sites.south)
    assert said.code == ExitCode.OK
    assert f"of {sites.south}, partition 0, on" in said.out


def test_one_name_in_two_topics_is_told_and_everything_else_still_judged(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last of this module: what is in a log stays there."""
    for topic in (sites.north, sites.south):
        sites.say(topic, wire("a", 1, group="both"), wire("b", 1, ("a", 1), group="both"))
    sites.order()
    said = sites.precede(capsys, "verify")
    assert said.code == ExitCode.CHECK_FAILED
    assert f"duplicated: group both is in {sites.north} and in {sites.south}" in said.out
    assert "lost 0  duplicated 1  out_of_order 0  unseen 0  payload_mismatch 0" in said.out
    said = sites.precede(capsys, "policy", "both", "fifo")
    assert said.code == ExitCode.USAGE
    assert f"both is in {sites.north}, {sites.south}" in said.progress
