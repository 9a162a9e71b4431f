"""Options for Spark: secrets only where they must be, and only when asked for."""

from __future__ import annotations

from pathlib import Path

from sinks.settings import KafkaSettings, SecurityProtocol
from streaming.settings import JobSettings
from streaming.spark_options import (
    as_properties,
    client_options,
    query_options,
    session_options,
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


def test_whoever_only_asks_is_told_of_delta_and_nothing_of_the_job() -> None:
    asking = query_options(JobSettings(), jars=[Path("a.jar")])
    assert asking["spark.jars"] == "a.jar"
    assert not any("streaming" in name or "memory" in name for name in asking)
    assert asking.items() <= session_options(JobSettings(), jars=[Path("a.jar")]).items()


def test_a_backslash_survives_the_file_of_properties() -> None:
    assert as_properties({"name": "a\\b"}) == ["name=a\\\\b"]


def test_lost_data_stops_the_source() -> None:
    options = source_options(KafkaSettings(), topics=["a", "b"], maximum_records=7)
    assert options["failOnDataLoss"] == "true"
    assert options["subscribe"] == "a,b"
    assert options["maxOffsetsPerTrigger"] == "7"


def test_memory_is_what_somebody_says_and_else_enough_for_a_batch() -> None:
    usual = session_options(JobSettings(), jars=[])
    assert usual["spark.driver.memory"] == "2g"
    assert "spark.executor.memory" not in usual
    chosen = JobSettings(driver_memory="3g", executor_memory="512m")
    options = session_options(chosen, jars=[])
    assert options["spark.driver.memory"] == "3g"
    assert options["spark.executor.memory"] == "512m"


def test_what_stays_on_this_machine_is_not_packed_and_what_crosses_a_network_is() -> None:
    for master, packed in (("local[2]", "false"), ("spark://a:7077", None)):
        options = session_options(JobSettings(spark_master=master), jars=[])
        assert options.get("spark.shuffle.compress") == packed


def test_a_password_with_quotes_cannot_leave_its_field(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text('a"b\\c\n')
    secret.chmod(0o600)
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


def test_only_a_checkpoint_on_a_disk_of_this_machine_is_written_by_plain_renames() -> None:
    name = "spark.sql.streaming.checkpointFileManagerClass"
    assert name in session_options(JobSettings(checkpoint_directory="somewhere"), jars=[])
    remote = JobSettings(checkpoint_directory="s3a://bucket/checkpoint")
    assert name not in session_options(remote, jars=[])
