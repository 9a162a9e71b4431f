"""`precede demo`, whole and broken: real broker, real Spark, real multicast."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.console.pages import Client
from tests.processes import descendants, wait_until_gone

PATIENCE_SECONDS = 1_000

pytestmark = [
    pytest.mark.kill,
    pytest.mark.broker,
    pytest.mark.spark,
    pytest.mark.timeout(PATIENCE_SECONDS + 100),
]


@contextlib.contextmanager
def demo(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "console", "demo", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def broker_of(process: subprocess.Popen[str]) -> int:
    """The broker's process id, once it serves."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for pid, command in descendants(process.pid).items():
            if " kafka.Kafka " in command:
                return pid
        time.sleep(0.1)
    raise AssertionError("the demo started no broker")


def said_until(process: subprocess.Popen[str], word: str) -> str:
    """What the demo says on standard error, up to the line with this word."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if word in line:
            return said
    raise AssertionError(f"the demo ended without saying {word!r}:\n{said}")


def test_the_demo_ends_with_nothing_wrong_and_nothing_left() -> None:
    with demo("--seconds", "5", "--seed", "3", "--loss", "20", "--output", "json") as process:
        broker = broker_of(process)
        below = descendants(process.pid)
        out, shown = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, shown
    result = json.loads(out)
    assert result["ok"] is True
    assert result["delivered"] == 151
    assert result["duplicates"] > 0
    assert [result[name] for name in ("lost", "duplicated", "out_of_order", "unseen")] == [0] * 4
    assert "captured" in shown
    assert "the page: http://127.0.0.1:" in shown
    wait_until_gone([broker, *below])
    assert "kept in" not in shown


def test_a_lost_question_is_given_up_and_everything_stays_up_to_look_around_and_to_answer() -> None:
    arguments = ["--scene", "incident", "--seconds", "8", "--seed", "5", "--output", "json"]
    with demo(*arguments, "--keep") as process:
        shown = said_until(process, "stays up")
        address, token = re.findall(r"the page: (\S+)#\S+&token=(\S+)", shown)[0]
        page = Client(address)
        with page.events("/events/overview") as events:
            (rust,) = [one for one in next(events)[2]["groups"] if one["group"] == "rust"]
        assert (rust["held"], rust["abandoned"], rust["give_up"]) == (0, 1, "release")
        with page.events("/events/conversation?group=rust") as events:
            messages = next(events)[2]["messages"]
            answers = [one for one in messages if "porky11#1:1" in one["parents"]]
            assert answers
            assert all("parent_missing" in one["marks"] for one in answers)
            answer = {"group": "rust", "text": "I am here", "in_answer_to": messages[-1]["id"]}
            sent = page.write("/api/answer", answer, token=token).json
            assert sent["ok"], sent
            deliveries = (one for _, _, data in events for one in data["messages"])
            came = next(one for one in deliveries if one["id"] == sent["id"])
        assert came["parents"] == [messages[-1]["id"]]
        below = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        out, shown = process.communicate(timeout=PATIENCE_SECONDS)
    shutil.rmtree(re.findall(r"kept in (\S+);", shown)[0])
    assert process.returncode == 0, shown
    result = json.loads(out)
    assert (result["ok"], result["lost"], result["out_of_order"]) == (True, 0, 0)
    assert result["delivered"] == 150
    wait_until_gone(below)


def test_a_broker_that_is_killed_ends_the_demo_with_one_sentence() -> None:
    with demo("--seconds", "30") as process:
        os.kill(broker_of(process), signal.SIGKILL)
        out, shown = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode != 0
    assert "Traceback" not in shown + out
    complaints = [line for line in shown.splitlines() if line.startswith("precede: ")]
    assert len(complaints) == 1, shown
    assert "broker" in complaints[0]


def test_ctrl_c_ends_the_demo_and_everything_that_it_started() -> None:
    with demo("--seconds", "30") as process:
        broker = broker_of(process)
        below = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, shown
    wait_until_gone([broker, *below])
