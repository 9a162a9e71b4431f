"""The job, unchanged, on a real Spark cluster, of which a worker dies in mid-run."""

from __future__ import annotations

import os
import signal
import sys
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from console import submit
from deploy.local.broker import Broker
from deploy.local.child import Child
from deploy.local.cluster import Cluster, spark_home
from deploy.local.jars import spark_jars
from deploy.local.ports import LOOPBACK
from sinks.kafka_client import end_offsets
from sinks.settings import KafkaSettings
from tests.conversations import shuffled_conversation
from tests.end_to_end.arrivals import Seen
from tests.end_to_end.outcome import Outcome, outcome_of, wait_until_drained
from tests.end_to_end.readers import OrderedReader, TableReader, TableSeen
from tests.processes import descendants
from tests.tidy.repository import ROOMS, ROOT
from tests.topic_tools import new_topics, produce

PATIENCE_SECONDS = 600.0


def packed_code(directory: Path) -> Path:
    """Our packages in one file, as a wheel has them, for `--py-files`."""
    packed = directory / "precede.zip"
    with zipfile.ZipFile(packed, "w") as opened:
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*.py")):
                opened.write(path, path.relative_to(ROOT))
    return packed


def python_without_our_code(directory: Path) -> Path:
    """An interpreter with the libraries and without Precede, as a machine of a cluster may have."""
    venv.create(directory / "python", with_pip=False)
    libraries = next(path for path in sys.path if path.endswith("site-packages"))
    (site,) = (directory / "python").glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(libraries)
    return directory / "python" / "bin" / "python"


def submitted(cluster: Cluster, kafka: KafkaSettings, directory: Path) -> Child:
    """`spark-submit` as docs/deploy/cluster.md says."""
    conf = {
        "spark.driver.host": LOOPBACK,
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.executor.cores": "1",
    }
    settings = {
        "kafka.bootstrap": kafka.bootstrap,
        "kafka.topic_prefix": kafka.topic_prefix,
        "kafka.partitions": str(kafka.partitions),
        "job.checkpoint_directory": str(directory / "checkpoint"),
        "job.tables_directory": str(directory / "tables"),
        "job.scratch_directory": str(directory / "spark"),
        "job.max_messages_per_batch": "600",
    }
    command = [str(spark_home() / "bin" / "spark-submit"), "--master", cluster.master_url]
    delta = [str(jar) for jar in spark_jars() if jar.name.startswith("delta")]
    command += ["--jars", ",".join(delta)]
    command += ["--py-files", str(packed_code(directory))]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    command += [submit.__file__, "run"]
    command += [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    environment = os.environ | {
        "SPARK_LOCAL_IP": LOOPBACK,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYSPARK_PYTHON": str(python_without_our_code(directory)),
    }
    return Child(
        command, name="spark-submit", log_file=directory / "submit.log", environment=environment
    )


def python_of(driver: Child) -> int:
    """The job's own process, below the JVM that `spark-submit` is, which starts short-lived helpers
    too.
    """
    below = descendants(driver.pid)
    beginning = f"{sys.executable} {submit.__file__}"
    (pid,) = (pid for pid, command in below.items() if command.startswith(beginning))
    return pid


def wait_for(condition: Callable[[], bool], driver: Child, what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        driver.require_running()
        assert time.monotonic() < deadline, f"{what} took too long: {driver.last_lines(40)}"
        time.sleep(0.2)


class ClusterResult(NamedTuple):
    """What a run came to."""

    outcome: Outcome
    topic: Seen
    table: TableSeen
    seconds: float

    @property
    def ok(self) -> bool:
        """Was every promise kept?"""
        return self.outcome.ok and self.topic.is_kept and self.table.is_kept


def run_on_cluster(broker: Broker, directory: Path) -> ClusterResult:
    """Submit the job to a master and two workers, kill one of these, and let the job end."""
    began_at = time.monotonic()
    kafka = new_topics(broker.bootstrap)
    log = shuffled_conversation(seed=31, groups=6, messages=1_800)
    produce(kafka, log[:900])
    tables = str(directory / "tables")
    with (
        Cluster(workers=2) as cluster,
        OrderedReader(kafka) as topic,
        TableReader(tables) as table,
        submitted(cluster, kafka, directory) as driver,
    ):
        wait_for(lambda: topic.count > 200, driver, "the first deliveries")
        wait_for(lambda: cluster.busy_cores() == 2, driver, "taking both workers")
        produce(kafka, log[900:1_350])
        cluster.kill_worker(0)
        wait_for(lambda: cluster.living_workers() == 1, driver, "missing the worker")
        produce(kafka, log[1_350:])
        wait_until_drained(kafka, tables, driver)
        ordered = sum(end_offsets(kafka, kafka.topics.ordered).values())
        wait_for(lambda: topic.count == ordered, driver, "reading the end")
        os.kill(python_of(driver), signal.SIGTERM)
        assert driver.wait(within_seconds=PATIENCE_SECONDS) == 0, driver.last_lines(40)
        table.look()
        seconds = round(time.monotonic() - began_at, 1)
        return ClusterResult(outcome_of(kafka, tables), topic.seen(), table.seen, seconds)
