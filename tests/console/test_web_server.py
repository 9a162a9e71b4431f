"""The server from start to stop."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest

from console.errors import ExitCode, OperatorError
from console.web.server import listen
from deploy.local.broker import Broker
from tests.console.desk import Desk, said
from tests.console.pages import serving, wait_for


def test_an_address_that_is_taken_is_an_operators_sentence() -> None:
    with listen("127.0.0.1:0") as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OperatorError, match=r"web\.address") as error:
            listen(f"127.0.0.1:{port}")
    assert error.value.exit_code == ExitCode.CANNOT_CONNECT


def test_ipv6_and_ports_that_are_none() -> None:
    with listen("[::1]:0") as listener:
        assert listener.getsockname()[0] == "::1"
    with pytest.raises(OperatorError):
        listen("127.0.0.1:99999")


@pytest.mark.broker
def test_a_stop_ends_open_streams_and_every_thread(broker: Broker, tmp_path: Path) -> None:
    desk = Desk(broker.bootstrap)
    desk.say(said("a", 1))
    before = threading.active_count()
    with contextlib.ExitStack() as stack:
        with serving(desk, tmp_path) as client:
            events = stack.enter_context(client.events("/events/overview"))
            next(events)
            listening = threading.Thread(target=lambda: list(events))
            listening.start()
        listening.join(60)
        assert not listening.is_alive()
    wait_for(lambda: threading.active_count() <= before, "the end of every thread")
