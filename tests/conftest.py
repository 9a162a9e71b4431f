"""What several rooms' tests share: one real broker and one Spark session for the whole run."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from deploy.local.broker import Broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Timing never decides a test: a busy machine may take its time over an example.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A real broker, started by the first test that asks; tests keep apart by topic names."""
    with Broker() as running:
        yield running


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One session for the whole run, with the job's own options."""
    from console.local_jars import jars_for
    from streaming.session import open_session
    from streaming.settings import JobSettings

    settings = JobSettings(scratch_directory=str(tmp_path_factory.mktemp("spark")))
    session = open_session(settings, jars=jars_for(settings.spark_master))
    yield session
    session.stop()


def pytest_sessionfinish() -> None:
    """Bring back what tests of the workers' collector put aside, or it is never taken apart."""
    gc.unfreeze()
