"""Options for Spark: secrets only where they must be, and only when asked for."""

from __future__ import annotations

from pathlib import Path

from sinks.settings import KafkaSettings, SecurityProtocol
from streaming.settings import JobSettings
from streaming.spark_options import (
    client_options,
    session_options,
    sink_options,
    source_options,
    table_write_options,
)


def test_a_local_session_stays_on_loopback_and_gets_the_jars(tmp_path: Path) -> None:
    jars = [Path("a.jar"), Path("b.jar")]
    options = session_options(JobSettings(tasks=3, scratch_directory=str(tmp_path)), jars=jars)
    assert options["spark.driver.bindAddress"] == "127.0.0.1"
    assert options["spark.jars"] == "a.jar,b.jar"
    assert options["spark.sql.shuffle.partitions"] == "3"
    assert options["spark.local.dir"] == str(tmp_path / "local")


def test_a_cluster_session_keeps_the_clusters_own_addresses_and_jars() -> None:
    settings = JobSettings(spark_master="spark://host:7077")
    options = session_options(settings, jars=[])
    assert "spark.driver.host" not in options
    assert "spark.jars" not in options


def test_lost_data_stops_the_source() -> None:
    options = source_options(KafkaSettings(), topics=["a", "b"], maximum_records=7)
    assert options["failOnDataLoss"] == "true"
    assert options["subscribe"] == "a,b"
    assert options["maxOffsetsPerTrigger"] == "7"


def test_the_sink_waits_for_all_replicas() -> None:
    options = sink_options(KafkaSettings())
    assert (options["kafka.acks"], options["kafka.enable.idempotence"]) == ("all", "true")


def test_a_password_with_quotes_cannot_leave_its_field(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text('a"b\\c\n')
    kafka = KafkaSettings(
        security_protocol=SecurityProtocol.SASL_SSL, username="job", password_file=secret
    )
    options = client_options(kafka)
    assert options["kafka.security.protocol"] == "SASL_SSL"
    assert options["kafka.sasl.jaas.config"].endswith('password="a\\"b\\\\c";')


def test_plain_text_says_nothing_of_security() -> None:
    assert not any("sasl" in name or "ssl" in name for name in client_options(KafkaSettings()))


def test_a_write_names_its_batch() -> None:
    assert table_write_options(writer="w", batch=3) == {"txnAppId": "w", "txnVersion": "3"}
