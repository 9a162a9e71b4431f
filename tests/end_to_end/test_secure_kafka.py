"""Every client of ours reaches a broker that asks for TLS and a password, and shows it nowhere."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.verification_sources import verify_sources
from ingest.destination import require_topic
from ingest.errors import BrokerAwayError
from ingest.publish_settings import PublishSettings
from ingest.wire.envelope import Kind, decode, encode
from sinks import kafka_client, second_client
from sinks.errors import DestinationError
from sinks.kafka_client import end_offsets, read_topic
from sinks.second_client import read_topic_again
from sinks.settings import KafkaSettings
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from streaming.ticker import Ticker
from tests.console.agent_process import PATIENCE_S, PRECEDE, agent, wait_until_ready
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all, wait_until
from tests.ingest.raw_topics import messages_in, raw_topic_of
from tests.secure_broker import PASSWORD, SecureBroker, running_secure_broker, write_certificates
from tests.topic_tools import delivered_order

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.broker, pytest.mark.spark]
SHORT_PATIENCE_S = 1.0
"""For a broker that answers and refuses; the clients try again all the while."""


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    with running_secure_broker(tmp_path_factory.mktemp("secure")) as running:
        yield running


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "refused" in request.node.name:
        for module in (kafka_client, second_client):
            monkeypatch.setattr(module, "BROKER_PATIENCE_SECONDS", SHORT_PATIENCE_S)


def _configuration(kafka: KafkaSettings, folder: Path) -> Path:
    file = folder / "precede.toml"
    fields = {
        "bootstrap": kafka.bootstrap,
        "topic_prefix": kafka.topic_prefix,
        "security_protocol": kafka.security_protocol.value,
        "ca_file": str(kafka.ca_file),
        "username": kafka.username,
        "password_file": str(kafka.password_file),
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    file.write_text("\n".join(["[kafka]", *lines, ""]), encoding="utf-8")
    return file


def _tells_the_password(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    secret = json.dumps(PASSWORD)[1:-1].encode(), PASSWORD.encode()
    return [path for path in files if any(one in path.read_bytes() for one in secret)]


def test_a_message_goes_from_the_network_to_the_tables_and_the_password_is_shown_nowhere(
    secure: SecureBroker, spark: SparkSession, tmp_path: Path
) -> None:
    kafka = secure.topics()
    file = _configuration(kafka, tmp_path)
    group = new_group()
    sent = [encode(plain(seq)) for seq in range(1, 51)]
    flags = ["--config", str(file), "--group", str(group), "--output", "json"]
    with agent(tmp_path / "spool", *flags) as running:
        wait_until_ready(running)
        send_all(sent, to=group)
        running.send_signal(signal.SIGTERM)
        told, log = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0, log
    assert messages_in(kafka) == sent
    assert list(read_topic_again(kafka, kafka.topics.raw)) == list(
        read_topic(kafka, kafka.topics.raw)
    )

    settings = JobSettings(
        checkpoint_directory=str(tmp_path / "checkpoint"),
        tables_directory=str(tmp_path / "tables"),
    )
    Job(spark, kafka=kafka, settings=settings, policies=group_policies(settings)).drain()
    assert delivered_order(kafka) == {"dev": sent}
    assert verify_sources(kafka, settings.tables_directory).ok

    before = sum(end_offsets(kafka, kafka.topics.raw).values())
    ticker = Ticker(kafka, pace_ms=100)
    ticker.start()
    wait_until(lambda: sum(end_offsets(kafka, kafka.topics.raw).values()) > before)
    ticker.stop()
    last = max(read_topic(kafka, kafka.topics.raw), key=lambda record: record.offset)
    assert decode(last.value).kind is Kind.TICK

    shown = subprocess.run(
        [*PRECEDE, "--config", str(file), "config", "show"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    for text in (told, log, shown.stdout, shown.stderr):
        assert PASSWORD not in text
    warehouse = spark.conf.get("spark.sql.warehouse.dir") or ""
    scratch = Path(warehouse.removeprefix("file:")).parent
    assert list(scratch.rglob("*.log"))
    assert _tells_the_password(tmp_path) + _tells_the_password(scratch) == []


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("password", "refuses the name or the password.*kafka.password_file"),
        ("authority", "no TLS connection to the broker can be trusted.*kafka.ca_file"),
        ("name", "no TLS connection to the broker can be trusted.*kafka.bootstrap"),
        ("plaintext", "set kafka.security_protocol"),
    ],
)
def test_a_client_that_is_refused_says_what_to_mend(
    what: str, sentence: str, secure: SecureBroker, tmp_path: Path
) -> None:
    right = secure.topics()
    (tmp_path / "password").write_text("another", encoding="utf-8")
    (tmp_path / "password").chmod(0o600)
    wrong = {
        "password": dataclasses.replace(right, password_file=tmp_path / "password"),
        "authority": dataclasses.replace(right, ca_file=write_certificates(tmp_path)[0]),
        "name": dataclasses.replace(
            right, bootstrap=right.bootstrap.replace("127.0.0.1", "localhost")
        ),
        "plaintext": KafkaSettings(bootstrap=right.bootstrap, topic_prefix=right.topic_prefix),
    }[what]
    with pytest.raises(BrokerAwayError, match=sentence) as told_by_agent:
        require_topic(raw_topic_of(wrong), PublishSettings(), within_s=SHORT_PATIENCE_S)
    with pytest.raises(DestinationError, match=sentence) as told_by_reader:
        list(read_topic(wrong, right.topics.raw))
    with pytest.raises(DestinationError, match=sentence) as told_by_second:
        list(read_topic_again(wrong, right.topics.raw))
    for told in (told_by_agent, told_by_reader, told_by_second):
        assert "\n" not in str(told.value)
        assert "another" not in str(told.value)
