"""Laws of our end of the guard: one guard, replaced if it dies, and none of it in a fork."""

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from deploy.local.guardian import Guardian

pytestmark = pytest.mark.kill


@pytest.fixture
def guardian() -> Iterator[Guardian]:
    made = Guardian()
    yield made
    made.close()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


def guard_of(guardian: Guardian) -> subprocess.Popen[bytes]:
    guardian.pipe()
    assert guardian._guard is not None
    return guardian._guard


def test_there_is_one_guard_however_many_children(guardian: Guardian) -> None:
    assert guard_of(guardian) is guard_of(guardian)


def test_closing_ends_every_group_that_is_left(
    guardian: Guardian, sleeper: subprocess.Popen[bytes]
) -> None:
    guardian.watch(sleeper.pid)
    guardian.close()
    with pytest.raises(ProcessLookupError):
        os.kill(sleeper.pid, 0)


def test_a_guard_that_was_killed_is_replaced_and_told_everything(
    guardian: Guardian, sleeper: subprocess.Popen[bytes]
) -> None:
    guardian.watch(sleeper.pid)
    first = guard_of(guardian)
    first.kill()
    first.wait()
    assert guard_of(guardian) is not first
    guardian.close()
    with pytest.raises(ProcessLookupError):
        os.kill(sleeper.pid, 0)


def test_a_group_that_has_ended_is_forgotten(
    guardian: Guardian, sleeper: subprocess.Popen[bytes]
) -> None:
    guardian.watch(sleeper.pid)
    guardian.forget(sleeper.pid)
    guardian.close()
    assert sleeper.poll() is None


def test_a_fork_neither_holds_the_pipe_nor_ends_the_children_of_its_parent(
    guardian: Guardian, sleeper: subprocess.Popen[bytes]
) -> None:
    guardian.watch(sleeper.pid)
    forked = os.fork()
    if forked == 0:
        is_clean = guardian._guard is None and not guardian._groups
        guardian.close()
        if is_clean:
            signal.pause()
        os._exit(1)
    try:
        assert sleeper.poll() is None
        guardian.close()  # returns only if the fork does not keep the pipe open
        assert os.waitpid(forked, os.WNOHANG) == (0, 0)
    finally:
        os.kill(forked, signal.SIGKILL)
        os.waitpid(forked, 0)
