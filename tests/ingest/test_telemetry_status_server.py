import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ingest.telemetry.exposition import CONTENT_TYPE
from ingest.telemetry.status_server import OFF, Condition, Program, StatusServer
from tests.ingest.told import Told

HEALTHY = Condition(True, [])


def program(condition: Condition) -> Program:
    return Program("agent", "agent.status_address", lambda: condition, lambda: "received 1\n")


@contextmanager
def serving(condition: Condition) -> Iterator[str]:
    server = StatusServer("127.0.0.1:0", program=program(condition), tell=Told())
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.close()


def _get(address: str) -> tuple[int, str, str]:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers["Content-Type"], answer.read().decode()


def test_a_healthy_program_answers_200_to_everything() -> None:
    with serving(HEALTHY) as address:
        for path in ("/livez", "/readyz"):
            status, _, body = _get(address + path)
            assert (status, json.loads(body)) == (200, {"ok": True, "reasons": []})
        status, content_type, body = _get(address + "/metrics")
    assert (status, content_type) == (200, CONTENT_TYPE)
    assert body == "received 1\n"


def test_what_does_not_go_on_is_unready_with_the_reason_and_still_live() -> None:
    with serving(Condition(True, ["Kafka is away: no answer"])) as address:
        assert _get(f"{address}/livez")[0] == 200
        status, _, body = _get(f"{address}/readyz")
    assert status == 503
    assert "Kafka is away" in json.loads(body)["reasons"][0]


def test_a_program_that_hangs_is_not_live() -> None:
    with serving(Condition(False, ["it hangs"])) as address:
        assert _get(f"{address}/livez")[0] == 503


def test_another_path_names_the_known_ones() -> None:
    with serving(HEALTHY) as address:
        status, _, body = _get(f"{address}/")
    assert status == 404
    assert "/readyz" in body


def test_one_who_connects_and_says_nothing_does_not_keep_the_others_out_for_long() -> None:
    with serving(HEALTHY) as address:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)):
            assert _get(f"{address}/livez")[0] == 200


def test_an_address_that_is_taken_is_told_and_keeps_nothing_back() -> None:
    told = Told()
    with serving(HEALTHY) as address:
        taken = StatusServer(address.removeprefix("http://"), program=program(HEALTHY), tell=told)
        taken.start()
        assert taken.port == 0
        taken.close()
    assert told.names == ["status_unavailable"]
    assert "agent.status_address" in told.sentences[0]


@pytest.mark.parametrize("is_started", [True, False])
def test_off_answers_nobody(is_started: bool) -> None:
    server = StatusServer(OFF, program=program(HEALTHY), tell=Told())
    if is_started:
        server.start()
    assert server.port == 0
    server.close()
