"""A catalogue hears of the job's runs, and can never do anything to it."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from deploy.local.ports import free_ports
from sinks.settings import KafkaSettings
from streaming import lineage
from streaming.lineage import RunState, reported
from streaming.settings import JobSettings
from tests.ingest.told import Told

KAFKA = KafkaSettings(bootstrap="broker:9092,other:9092", topic_prefix="site")


class Catalogue:
    """A catalogue that keeps what it is told, or answers badly."""

    def __init__(self, *, status: int = 201) -> None:
        self.events: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        catalogue = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                catalogue.events.append(json.loads(body))
                catalogue.headers.append(dict(self.headers))
                self.send_response(status)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/api/v1/lineage"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def states(self) -> list[str]:
        return [event["eventType"] for event in self.events]


@pytest.fixture
def catalogue() -> Iterator[Catalogue]:
    running = Catalogue()
    yield running
    running.close()


def settings(url: str, **more: Any) -> JobSettings:
    return dataclasses.replace(
        JobSettings(tables_directory="s3a://lake/tables"), openlineage_url=url, **more
    )


def test_a_run_is_told_from_its_start_to_its_end(catalogue: Catalogue, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open sesame\n")
    told = Told()
    with reported(KAFKA, settings(catalogue.url, openlineage_token_file=token), tell=told):
        pass
    assert catalogue.states == ["START", "COMPLETE"]
    start, end = catalogue.events
    assert start["run"] == end["run"]
    assert start["job"] == {"namespace": "precede", "name": "site"}
    assert start["inputs"] == [{"namespace": "kafka://broker:9092", "name": "site.raw"}]
    outputs = {(one["namespace"], one["name"]) for one in start["outputs"]}
    assert ("kafka://broker:9092", "site.ordered") in outputs
    assert ("s3a://lake", "tables/deliveries") in outputs
    assert catalogue.headers[0]["Authorization"] == "Bearer open sesame"
    assert told.names == []


def test_a_failure_is_told_with_its_reason_and_raised(catalogue: Catalogue) -> None:
    with (
        pytest.raises(RuntimeError),
        reported(KAFKA, settings(catalogue.url), tell=Told()),
    ):
        raise RuntimeError("the disk is full")
    assert catalogue.states == ["START", "FAIL"]
    facet = catalogue.events[1]["run"]["facets"]["errorMessage"]
    assert facet["message"] == "the disk is full"


def test_a_long_run_says_that_it_still_runs(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineage, "RUNNING_EVERY_SECONDS", 0.01)
    with reported(KAFKA, settings(catalogue.url), tell=Told()):
        deadline = threading.Event()
        for _ in range(6_000):
            if catalogue.states.count("RUNNING") >= 2:
                break
            deadline.wait(0.01)
    assert catalogue.states[0] == "START"
    assert catalogue.states.count("RUNNING") >= 2
    assert catalogue.states[-1] == RunState.COMPLETE


@pytest.mark.parametrize("status", [301, 404, 500])
def test_a_catalogue_that_answers_badly_costs_one_line(status: int) -> None:
    bad = Catalogue(status=status)
    told = Told()
    with reported(KAFKA, settings(bad.url), tell=told):
        pass
    bad.close()
    assert bad.states == ["START", "COMPLETE"], "and is not followed anywhere"
    assert told.names == ["lineage_unavailable"]


def test_a_catalogue_that_is_not_there_costs_one_line() -> None:
    (port,) = free_ports(1)
    told = Told()
    with reported(KAFKA, settings(f"http://127.0.0.1:{port}/"), tell=told):
        pass
    assert told.names == ["lineage_unavailable"]


def test_without_an_address_nothing_is_sent() -> None:
    told = Told()
    with reported(KAFKA, JobSettings(), tell=told):
        pass
    assert told.names == []
