"""A running job answers how it is, with the numbers that its topics have."""

from __future__ import annotations

import dataclasses
import json
import re
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from sinks.cloud_events import OrderedFormat
from streaming.job import Job
from streaming.observer import query_vitals, with_last_batch
from streaming.policy import group_policies
from streaming.vitals import QueryVitals
from tests.conversations import shuffled_conversation
from tests.ingest.told import Told
from tests.messages import wire
from tests.streaming.test_job import job_settings
from tests.topic_tools import new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE_SECONDS = 240.0


def test_sparks_report_of_a_batch_is_read_in_our_words() -> None:
    progress = {
        "batchId": 4,
        "numInputRows": 2,
        "sources": [
            {"startOffset": '{"raw": {"0": 5, "1": 0}}', "endOffset": '{"raw": {"0": 15, "1": 10}}'}
        ],
        "durationMs": {"addBatch": 250},
        "stateOperators": [{"memoryUsedBytes": 100}, {"memoryUsedBytes": 20}],
    }
    vitals = query_vitals(progress, is_active=True, silent_seconds=1.0)
    assert (vitals.batch, vitals.rows, vitals.state_memory_bytes) == (4, 20, 120)
    assert vitals.phases == {"addBatch": 0.25}
    assert query_vitals(None, is_active=True, silent_seconds=1.0).batch == -1


def test_a_trigger_that_had_nothing_to_do_leaves_the_last_batch_standing() -> None:
    ran = QueryVitals(batch=4, rows=20, phases={"addBatch": 0.25, "triggerExecution": 0.3})
    idle = QueryVitals(batch=5, is_active=True, phases={"triggerExecution": 0.01})
    assert with_last_batch(idle, ran) == idle._replace(rows=20, phases=ran.phases)
    assert with_last_batch(ran, idle) is ran
    assert with_last_batch(idle, None) is idle


class Asker(threading.Thread):
    """Asks a job how it is until it is ready and has delivered, then asks it to stop."""

    def __init__(self, address: str, *, delivered: int) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._delivered = delivered
        self.is_over = threading.Event()
        self.metrics = ""
        self.ready: dict[str, object] = {}

    def run(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and not self._is_satisfied():
            time.sleep(0.2)
        self.is_over.set()

    def wait_for_a_look(self) -> None:
        """Wait until the observer has looked once: it measures what is ordered from then on."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "precede_job_lag_records{" not in self._get("/metrics"):
            assert time.monotonic() < deadline, "the observer does not look"
            time.sleep(0.05)

    def _is_satisfied(self) -> bool:
        self.metrics = self._get("/metrics")
        self.ready = json.loads(self._get("/readyz") or "{}")
        found = re.findall(r"precede_job_delivered_total\{.*\} (\d+)", self.metrics)
        is_told = re.search(r"precede_job_gaps\{.*\} 1\n", self.metrics) is not None
        is_measured = "latency_seconds_count" in self.metrics
        is_kept = 'query_up{query="history"} 1' in self.metrics
        is_all = sum(map(int, found)) == self._delivered
        return bool(is_all and is_told and is_measured and is_kept and self.ready.get("ok"))

    def _get(self, path: str) -> str:
        try:
            with urllib.request.urlopen(self._address + path, timeout=30) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return str(error.read().decode())
        except OSError:
            return ""


@pytest.mark.spark
@pytest.mark.broker
@pytest.mark.parametrize("ordered_format", OrderedFormat)
def test_a_running_job_tells_its_numbers_and_that_it_is_ready(
    spark: SparkSession, broker: Broker, tmp_path: Path, ordered_format: OrderedFormat
) -> None:
    kafka = new_topics(broker.bootstrap)
    (port,) = free_ports(1)
    settings = dataclasses.replace(
        job_settings(tmp_path),
        status_address=f"127.0.0.1:{port}",
        ordered_format=ordered_format,
    )
    conversation = shuffled_conversation(seed=41, groups=3, messages=120, duplicates=0)
    told = Told()
    job = Job(spark, kafka=kafka, settings=settings, policies=group_policies(settings), tell=told)
    asker = Asker(f"http://127.0.0.1:{port}", delivered=120)

    def on_ready() -> None:
        asker.wait_for_a_look()
        produce(kafka, [*conversation, wire("z", 1, ("nobody", 7))])
        asker.start()

    job.run(is_stopping=asker.is_over.is_set, on_ready=on_ready)
    asker.join(PATIENCE_SECONDS)
    assert asker.ready == {"ok": True, "reasons": []}, asker.metrics
    assert 'precede_job_latency_seconds_bucket{discipline="semantic",le="+Inf"}' in asker.metrics
    assert 'precede_job_batch_seconds{query="ordering",phase="addBatch"}' in asker.metrics
    assert re.search(r'oldest_held_seconds\{partition="\d"\} 0?[.\d]*[1-9]', asker.metrics)
    assert re.search(r"precede_job_state_bytes\{.*\} [1-9]", asker.metrics)
    assert told.names == ["history_started", "stopping"]
