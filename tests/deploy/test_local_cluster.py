"""The local cluster's own laws; the job runs on it in tests/end_to_end/cluster_run.py."""

from __future__ import annotations

import pytest

from deploy.errors import ClusterFailedError
from deploy.local.child import Child
from deploy.local.cluster import Cluster, spark_home


def test_the_installed_spark_has_the_script_that_starts_a_cluster() -> None:
    assert (spark_home() / "bin" / "spark-class").is_file()


def test_a_cluster_that_was_not_started_has_no_workers_and_closes_quietly() -> None:
    cluster = Cluster()
    assert cluster.workers == []
    assert cluster.living_workers() == 0
    cluster.close()


def test_a_process_that_ends_at_once_is_one_error_with_its_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        Cluster,
        "_child",
        lambda self, name, *_: Child(
            ["sh", "-c", "echo no room for a heap; exit 3"],
            name=name,
            log_file=self._directory / f"{name}.log",
        ),
    )
    with pytest.raises(ClusterFailedError, match=r"(?s)exit code 3.*no room for a heap"):
        Cluster().start()
