"""Every option of Spark, its Kafka connector and Delta that the job sets: here and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

from sinks.settings import KafkaSettings, SecurityProtocol
from streaming.settings import JobSettings

# Modules that must never be loaded from a client's configuration (remote look-ups by name).
_FORBIDDEN_LOGIN_MODULES = (
    "com.sun.security.auth.module.JndiLoginModule,com.sun.security.auth.module.LdapLoginModule"
)

# How long a client waits for a broker that does not answer before the query fails with a clear
# sentence. The connector's own default is a minute, and it tries three times.
BROKER_PATIENCE_MS = 20_000


# How many tasks list a table's folder for VACUUM; the default of 10,000 takes minutes.
LISTING_TASKS = "8"

# Spark itself never reaches beyond a vector's end; to check that for every value takes a tenth of
# the time in which rows go to Python and come back.
_ARROW_UNCHECKED = (
    "-Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false"
)

# On a local disk every file of a checkpoint is given its mode by a `chmod` of its own, eight of
# them in a batch: this is the quick way to start one, which takes half the time of the default.
_QUICK_HELPERS = "-Djdk.lang.Process.launchMechanism=VFORK " if sys.platform == "linux" else ""

# What Spark says goes here, in the scratch folder.
LOG_FILE = "spark.log"
_LOG_CONFIGURATION = Path(__file__).parent / "log4j2.properties"


def session_options(settings: JobSettings, *, jars: list[Path]) -> dict[str, str]:
    """Options of the Spark session."""
    scratch = _scratch(settings)
    options = query_options(settings, jars=jars) | {
        # A shard is one value, which every batch reads and writes as a whole: a map in memory does
        # that with less than a database, which takes a tenth of a short batch to be opened.
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
        ),
        # Spark goes on as a checkpoint was begun: those of earlier releases are in RocksDB.
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
        "spark.sql.adaptive.enabled": "false",
        # A shard's whole state goes to Python again with every Arrow batch of its rows.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": LISTING_TASKS,
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        # Nearly every id is another one, and so is what is said: a dictionary of them is made in
        # vain.
        "spark.hadoop.parquet.enable.dictionary#id": "false",
        "spark.hadoop.parquet.enable.dictionary#parent": "false",
        "spark.hadoop.parquet.enable.dictionary#payload": "false",
        "spark.executor.extraJavaOptions": _ARROW_UNCHECKED,
        "spark.ui.showConsoleProgress": "false",
        "spark.redaction.regex": "(?i)secret|password|token|jaas|access[.]key|sasl",
        "spark.driver.extraJavaOptions": (
            f"{_ARROW_UNCHECKED} {_QUICK_HELPERS}"
            f"-Dlog4j2.configurationFile={_LOG_CONFIGURATION.as_uri()} "
            f"-Dprecede.spark.log={scratch / LOG_FILE} "
            f"-Dorg.apache.kafka.disallowed.login.modules={_FORBIDDEN_LOGIN_MODULES} "
            "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls="
        ),
    }
    return options | _options_of_this_machine(settings) | _memory_options(settings)


def _options_of_this_machine(settings: JobSettings) -> dict[str, str]:
    """What may be simpler where files stay on this machine."""
    options = {}
    if "://" not in settings.checkpoint_directory:
        # On a disk of this machine a rename is all that a checkpoint file needs: the file appears
        # whole or not at all. The default does the same through helper processes, which takes a
        # quarter of a short batch. Where the directory is a URI the default stays.
        manager = (
            "org.apache.spark.sql.execution.streaming.checkpointing"
            ".FileSystemBasedCheckpointFileManager"
        )
        options["spark.sql.streaming.checkpointFileManagerClass"] = manager
        options["spark.hadoop.spark.sql.streaming.checkpointFileManagerClass"] = manager
    if settings.spark_master.startswith("local"):
        options["spark.local.dir"] = str(_scratch(settings) / "local")
        # What one stage leaves for the next stays on this machine and is read once: not worth
        # packing, nor summing up in two ways.
        options["spark.shuffle.compress"] = "false"
        options["spark.shuffle.checksum.enabled"] = "false"
        options["spark.sql.shuffle.orderIndependentChecksum.enabled"] = "false"
        options["spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch"] = "false"
    return options


def _scratch(settings: JobSettings) -> Path:
    return Path(settings.scratch_directory).absolute()


def _memory_options(settings: JobSettings) -> dict[str, str]:
    chosen = {
        "spark.driver.memory": settings.driver_memory,
        "spark.executor.memory": settings.executor_memory,
    }
    return {name: size for name, size in chosen.items() if size is not None}


def query_options(settings: JobSettings, *, jars: list[Path]) -> dict[str, str]:
    """Options of any session that asks the tables; `spark-sql` is given these and no others."""
    options = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # For the job it is fixed by the checkpoint at the first start; the manifest records it.
        "spark.sql.shuffle.partitions": str(settings.tasks),
        "spark.sql.session.timeZone": "UTC",
        # Each write that happens once reads the table's log; the default of 50 makes that seconds.
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
    }
    if jars:
        options["spark.jars"] = ",".join(str(jar) for jar in jars)
    if settings.spark_master.startswith("local"):
        options["spark.driver.host"] = "127.0.0.1"
        options["spark.driver.bindAddress"] = "127.0.0.1"
    return options


def as_properties(options: dict[str, str]) -> list[str]:
    """Options as the lines of a file for Spark's `--properties-file`."""
    escaped = {name: value.replace("\\", "\\\\") for name, value in options.items()}
    return [f"{name}={value}" for name, value in escaped.items()]


def source_options(
    kafka: KafkaSettings, *, topics: list[str], maximum_records: int
) -> dict[str, str]:
    """Options of a streaming read of some topics, from their beginning."""
    return client_options(kafka) | {
        "subscribe": ",".join(topics),
        "startingOffsets": "earliest",
        "failOnDataLoss": "true",
        "maxOffsetsPerTrigger": str(maximum_records),
        # All that a fetch brings. Larger fetches than the usual megabyte only fill the heap: the
        # consumer of each partition keeps its last one.
        "kafka.max.poll.records": "10000",
        # Behind the last record that there is, Kafka holds a request back for so long. Spark asks
        # something else right after it, on the same connection, so that every task that reads to
        # the end of a partition would wait: by default for half a second.
        "kafka.fetch.max.wait.ms": "10",
        "fetchOffset.numRetries": "1",
    }


def client_options(kafka: KafkaSettings) -> dict[str, str]:
    """Where the broker is and how to prove who we are."""
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap,
        "kafka.default.api.timeout.ms": str(BROKER_PATIENCE_MS),
        "kafka.request.timeout.ms": str(BROKER_PATIENCE_MS),
    }
    if kafka.security_protocol is not SecurityProtocol.PLAINTEXT:
        options["kafka.security.protocol"] = kafka.security_protocol.value.upper()
        if kafka.ca_file is not None:
            options["kafka.ssl.truststore.type"] = "PEM"
            options["kafka.ssl.truststore.location"] = str(kafka.ca_file)
    if kafka.security_protocol is SecurityProtocol.SASL_SSL:
        options["kafka.sasl.mechanism"] = "SCRAM-SHA-512"
        options["kafka.sasl.jaas.config"] = (
            "org.apache.kafka.common.security.scram.ScramLoginModule required "
            f'username="{_quoted(kafka.username)}" password="{_quoted(kafka.read_password())}";'
        )
    return options


def _quoted(maybe_text: str | None) -> str:
    return (maybe_text or "").replace("\\", "\\\\").replace('"', '\\"')


def table_write_options(*, writer: str, batch: int) -> dict[str, str]:
    """Make a write to a Delta table one that happens once, however often it is tried."""
    return {"txnAppId": writer, "txnVersion": str(batch)}


CHECKPOINT_LOCATION = "checkpointLocation"
QUERY_ID_PROPERTY = "sql.streaming.queryId"
