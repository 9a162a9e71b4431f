"""The job, unchanged, on a real Spark cluster: a worker dies in mid-run and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local.broker import Broker
from tests.end_to_end.cluster_run import run_on_cluster

pytestmark = [pytest.mark.kill, pytest.mark.broker, pytest.mark.spark]


@pytest.mark.timeout(1_800)
def test_the_job_on_a_cluster_goes_on_without_a_worker_and_loses_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    result = run_on_cluster(broker, tmp_path)
    assert result.ok, result
