"""Laws of the guard: what the parent leaves behind is ended, what has ended is left alone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import guard

pytestmark = pytest.mark.kill

Sleeper = subprocess.Popen[bytes]
DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE_SECONDS = 30.0
STUBBORN = "trap '' TERM; echo ready; while true; do sleep 0.05; done"


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """A process that leads a group of its own."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


def wait_until_deaf(pid: int) -> None:
    """Wait until a guard has come far enough to ignore signals, as the kernel's table shows."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("needs /proc to see which signals a process ignores")
    wanted = sum(1 << (number - 1) for number in DEAF_TO)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
        if int(fields["SigIgn"], 16) & wanted == wanted:
            return
        time.sleep(0.01)
    pytest.fail("the guard never began to ignore signals")


def start_guard() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__], stdin=subprocess.PIPE, start_new_session=True
    )


def close(started: subprocess.Popen[bytes], announcements: bytes) -> None:
    """Announce and go, as a parent that dies."""
    assert started.stdin is not None
    started.stdin.write(announcements)
    started.stdin.close()


def test_a_group_that_is_left_when_the_pipe_closes_is_ended(sleeper: Sleeper) -> None:
    started = start_guard()
    close(started, b"+%d\n" % sleeper.pid)
    assert sleeper.wait(timeout=PATIENCE_SECONDS) == -signal.SIGTERM


def test_a_group_that_was_taken_off_the_list_is_left_alone(sleeper: Sleeper) -> None:
    start_guard().communicate(b"+%d\n-%d\n" % (sleeper.pid, sleeper.pid))
    assert sleeper.poll() is None


def test_a_guard_outlives_the_signals_that_end_its_parent(sleeper: Sleeper) -> None:
    started = start_guard()
    wait_until_deaf(started.pid)
    for number in DEAF_TO:
        started.send_signal(number)
    close(started, b"+%d\n" % sleeper.pid)
    assert sleeper.wait(timeout=PATIENCE_SECONDS) == -signal.SIGTERM
    assert started.wait(timeout=PATIENCE_SECONDS) == 0


def test_what_ignores_sigterm_is_killed_with_all_that_it_started() -> None:
    command = ["sh", "-c", STUBBORN]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        guard.end({process.pid}, grace_seconds=0.1)
        assert process.wait(timeout=PATIENCE_SECONDS) == -signal.SIGKILL


def test_a_paused_group_is_ended_too(sleeper: Sleeper) -> None:
    sleeper.send_signal(signal.SIGSTOP)
    guard.end({sleeper.pid}, grace_seconds=0.2)
    assert sleeper.wait(timeout=PATIENCE_SECONDS) in (-signal.SIGTERM, -signal.SIGKILL)


def test_a_launched_command_has_announced_itself_and_does_not_hold_the_pipe() -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-I", "-S", guard.__file__, guard.LAUNCH, str(writing)]
    with subprocess.Popen([*command, "cat"], pass_fds=[writing], stdin=subprocess.PIPE) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as announcements:
            # Reading to the end returns while `cat` still runs: it has no copy of the pipe.
            assert announcements.read() == b"+%d\n" % process.pid
        assert process.poll() is None


def test_a_command_that_does_not_exist_ends_with_127_and_its_name() -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-I", "-S", guard.__file__, guard.LAUNCH, str(writing), "no-such-x"]
    answer = subprocess.run(
        command, pass_fds=[writing], capture_output=True, text=True, check=False
    )
    os.close(reading)
    os.close(writing)
    assert answer.returncode == 127
    assert "no-such-x: No such file or directory" in answer.stderr
