"""The job is ready if what comes in goes out, and says why if it does not."""

from __future__ import annotations

from typing import Any

from streaming.vitals import JobVitals, QueryVitals

RUNNING = QueryVitals(is_active=True, batch=3, progress_before_seconds=1.0)


def job(**chosen: Any) -> JobVitals:
    values: dict[str, Any] = {
        "now": 2_000_000, "looked_before_seconds": 0.1, "is_ready": True,
        "queries": {"ordering": RUNNING, "history": RUNNING},
        "counters": {}, "lag": {0: 0}, "latency": {}, "ticks": 0,
    }  # fmt: skip
    return JobVitals(**values | chosen)


def test_a_job_whose_queries_run_is_ready() -> None:
    assert job().is_live
    assert job().reasons_not_ready() == []


def test_a_main_loop_that_hangs_is_not_live() -> None:
    hanging = job(looked_before_seconds=500.0)
    assert not hanging.is_live
    assert "has not come round for 500 s" in hanging.reasons_not_ready()[0]


def test_a_query_that_does_not_run_or_does_not_get_on_is_named() -> None:
    dead = job(queries={"ordering": RUNNING, "history": QueryVitals()})
    assert dead.reasons_not_ready() == ["the history query does not run"]
    silent = {"ordering": RUNNING._replace(progress_before_seconds=90.0)}
    assert job(queries=silent).reasons_not_ready() == []
    (reason,) = job(queries=silent, lag={0: 2, 1: 5}).reasons_not_ready()
    assert reason == "7 records wait, and none was ordered for 90 s"
    assert job(is_ready=False).reasons_not_ready() == ["the job is starting"]
