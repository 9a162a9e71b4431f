"""A real Spark cluster on one machine: a master and its workers, each a process of its own.

    with Cluster(workers=2) as cluster:
        submit(master=cluster.master_url)
        cluster.kill_worker(0)

Called by the tests, and by whoever wants to see what a cluster changes (nothing). Every process is
a `Child`, so that it ends with us whatever ends us; a worker's executors are in its process group
and die with it. It listens on the loopback interface alone.
"""

import http.client
import importlib.util
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deploy.errors import ChildFailedError, ClusterFailedError
from deploy.local.child import Child
from deploy.local.java import find_java
from deploy.local.place import state_directory
from deploy.local.ports import LOOPBACK, free_ports

READY_WITHIN_SECONDS = 120.0
STOP_GRACE_SECONDS = 5.0
_ANSWERS_WITHIN_SECONDS = 5.0
_LOOK_EVERY_SECONDS = 0.1
_CLUSTERS_FOLDER = "clusters"
_ALIVE = "ALIVE"
# Master and workers only keep lists; the work is done in executors of their own.
_DAEMON_MEMORY = "256m"


class Cluster:
    """A master and some workers that run while the context is open."""

    def __init__(
        self,
        *,
        workers: int = 2,
        cores: int = 1,
        memory_megabytes: int = 1_024,
        ready_within_seconds: float = READY_WITHIN_SECONDS,
    ) -> None:
        """Nothing happens yet. `cores` and `memory_megabytes` are what each worker offers."""
        self._worker_count = workers
        self._cores = cores
        self._memory_megabytes = memory_megabytes
        self._ready_within_seconds = ready_within_seconds
        self._maybe_directory: Path | None = None
        self._children: list[Child] = []
        self._ports = (0, 0)

    @property
    def master_url(self) -> str:
        """What to give to `spark-submit --master`."""
        return f"spark://{LOOPBACK}:{self._ports[0]}"

    @property
    def workers(self) -> list[Child]:
        """The workers' processes, dead ones too."""
        return self._children[1:]

    def start(self) -> None:
        """Start everything; return when every worker has registered."""
        find_java()
        parent = state_directory() / _CLUSTERS_FOLDER
        parent.mkdir(parents=True, exist_ok=True)
        self._maybe_directory = Path(tempfile.mkdtemp(dir=parent))
        port, page = free_ports(2)
        self._ports = (port, page)
        try:
            where = ["--host", LOOPBACK, "--port", str(port), "--webui-port", str(page)]
            self._children.append(self._child("master", "master.Master", *where))
            self._wait_for_workers(0)
            for number in range(self._worker_count):
                self._start_worker(number)
            self._wait_for_workers(self._worker_count)
        except BaseException:
            self.close()
            raise

    def kill_worker(self, number: int) -> None:
        """End a worker and its executors as a power cut would."""
        self.workers[number].kill()

    def living_workers(self) -> int:
        """How many workers the master counts on now."""
        listed = self._ask_master().get("workers", [])
        return sum(worker["state"] == _ALIVE for worker in listed)

    def busy_cores(self) -> int:
        """How many cores of living workers are given to applications."""
        listed = self._ask_master().get("workers", [])
        return sum(int(worker["coresused"]) for worker in listed if worker["state"] == _ALIVE)

    def close(self) -> None:
        """End all of it and remove what it wrote. May be called again."""
        for child in reversed(self._children):
            child.stop(grace_seconds=STOP_GRACE_SECONDS)
        self._children.clear()
        if self._maybe_directory is not None:
            shutil.rmtree(self._maybe_directory, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start_worker(self, number: int) -> None:
        name = f"worker-{number}"
        offer = ["--cores", str(self._cores), "--memory", f"{self._memory_megabytes}m"]
        where = ["--host", LOOPBACK, "--webui-port", "0"]
        where += ["--work-dir", str(self._directory / name)]
        self._children.append(self._child(name, "worker.Worker", *where, *offer, self.master_url))

    def _child(self, name: str, role: str, *arguments: str) -> Child:
        home = spark_home()
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_PUBLIC_DNS": LOOPBACK,
            "SPARK_DAEMON_MEMORY": _DAEMON_MEMORY,
        }
        return Child(
            [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *arguments],
            name=f"Spark's {name}",
            log_file=self._directory / f"{name}.log",
            environment=environment,
        )

    def _wait_for_workers(self, count: int) -> None:
        deadline = time.monotonic() + self._ready_within_seconds
        while not (self._master_answers() and self.living_workers() >= count):
            for child in self._children:
                try:
                    child.require_running()
                except ChildFailedError as error:
                    raise ClusterFailedError(str(error)) from error
            if time.monotonic() > deadline:
                raise ClusterFailedError(
                    f"The cluster was not ready within {self._ready_within_seconds:g} s; the end "
                    "of its log:\n" + "\n".join(self._children[-1].last_lines())
                )
            time.sleep(_LOOK_EVERY_SECONDS)

    def _master_answers(self) -> bool:
        return self._ask_master().get("status") == _ALIVE

    def _ask_master(self) -> dict[str, Any]:
        """Ask for what the master's page shows; nothing while it does not answer."""
        connection = http.client.HTTPConnection(
            LOOPBACK, self._ports[1], timeout=_ANSWERS_WITHIN_SECONDS
        )
        try:
            connection.request("GET", "/json/")
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
        except (OSError, ValueError, http.client.HTTPException):
            return {}
        finally:
            connection.close()
        return answer

    @property
    def _directory(self) -> Path:
        if self._maybe_directory is None:
            raise ClusterFailedError("The cluster has not been started; call start() first.")
        return self._maybe_directory


def spark_home() -> Path:
    """Where the installed Spark is: its scripts and jars."""
    maybe_spec = importlib.util.find_spec("pyspark")
    if maybe_spec is None or maybe_spec.origin is None:
        raise ClusterFailedError("Spark is not installed here; run `make setup`.")
    return Path(maybe_spec.origin).parent
