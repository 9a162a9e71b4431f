"""Laws of a child: it never outlives its parent, and it ends with everything that it started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.errors import ChildFailedError
from deploy.local.child import Child, describe_exit, last_lines
from tests.processes import is_gone

pytestmark = pytest.mark.kill

SLEEP = ["sleep", "600"]
# Says so in its log when it is ready, and when it is asked to end.
POLITE = ["sh", "-c", "trap 'echo bye; exit 0' TERM; echo ready; while true; do sleep 0.05; done"]
STUBBORN = ["sh", "-c", "trap '' TERM; echo ready; while true; do sleep 0.05; done"]
TREE = ["sh", "-c", "sleep 600 & echo $!; echo ready; wait"]
PATIENCE_SECONDS = 30.0


def wait_for(condition: object, *, about: str) -> None:
    """Wait for what must happen; its time is only a bound on how long a broken test takes."""
    assert callable(condition)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {about}"
        time.sleep(0.01)


def started(command: list[str], folder: Path) -> Child:
    child = Child(command, name="The child", log_file=folder / "child.log")
    if command is not SLEEP:
        wait_for(lambda: "ready" in child.last_lines(), about="the child says that it is ready")
    return child


def test_a_polite_child_ends_by_itself_on_stop(tmp_path: Path) -> None:
    child = started(POLITE, tmp_path)
    assert child.is_running
    assert child.stop() == 0
    assert child.last_lines() == ["ready", "bye"]


def test_a_stubborn_child_is_killed_after_the_grace(tmp_path: Path) -> None:
    child = started(STUBBORN, tmp_path)
    assert child.stop(grace_seconds=0.2) == -signal.SIGKILL


def test_what_a_child_started_ends_with_it(tmp_path: Path) -> None:
    child = started(TREE, tmp_path)
    grandchild = int(child.last_lines()[0])
    child.stop()
    wait_for(lambda: is_gone(grandchild), about="the grandchild ends")


def test_what_a_child_started_ends_even_if_the_child_was_killed_by_others(tmp_path: Path) -> None:
    child = started(TREE, tmp_path)
    grandchild = int(child.last_lines()[0])
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert not is_gone(grandchild)
    child.stop()
    wait_for(lambda: is_gone(grandchild), about="the grandchild ends")


def test_a_child_has_its_own_session_so_that_ctrl_c_does_not_reach_it(tmp_path: Path) -> None:
    with started(SLEEP, tmp_path) as child:
        assert os.getsid(child.pid) == child.pid


def test_a_paused_child_can_be_resumed_and_stopped(tmp_path: Path) -> None:
    child = started(SLEEP, tmp_path)
    child.pause()
    state = Path(f"/proc/{child.pid}/stat")
    if state.exists():
        assert ") T " in state.read_text()
    child.resume()
    child.pause()
    assert child.stop() == -signal.SIGTERM
    child.pause()  # nobody is there any more


def test_stop_and_kill_may_be_called_again(tmp_path: Path) -> None:
    child = started(SLEEP, tmp_path)
    assert child.stop() == -signal.SIGTERM
    assert child.stop() == child.kill() == -signal.SIGTERM
    child.signal(signal.SIGTERM)


def test_leaving_the_context_stops_the_child(tmp_path: Path) -> None:
    with started(SLEEP, tmp_path) as child:
        pass
    assert child.exit_code == -signal.SIGTERM


def test_a_child_that_ended_shows_how_and_the_end_of_its_log(tmp_path: Path) -> None:
    child = Child(
        ["sh", "-c", "echo all is lost; exit 3"], name="The child", log_file=tmp_path / "log"
    )
    assert child.wait() == 3
    with pytest.raises(ChildFailedError, match="The child ended with exit code 3") as raised:
        child.require_running()
    assert "all is lost" in str(raised.value)
    child.stop()


def test_the_end_of_an_earlier_child_is_not_shown_as_this_ones(tmp_path: Path) -> None:
    for word in ("earlier", "later"):
        with Child(["echo", word], name="The child", log_file=tmp_path / "log") as child:
            child.wait()
            assert child.last_lines() == [word]
    assert last_lines(tmp_path / "log", count=9) == ["earlier", "later"]


def test_a_command_that_does_not_exist_is_an_early_end_with_the_reason(tmp_path: Path) -> None:
    with Child(["no-such-x"], name="The child", log_file=tmp_path / "log") as child:
        child.wait()
        with pytest.raises(ChildFailedError, match="no-such-x: No such file"):
            child.require_running()


def test_waiting_gives_up_when_the_time_has_passed(tmp_path: Path) -> None:
    with started(SLEEP, tmp_path) as child:
        assert child.wait(within_seconds=0.01) is None


def test_a_child_gets_the_environment_and_the_directory_that_it_is_given(tmp_path: Path) -> None:
    with Child(
        ["sh", "-c", "echo $WORD; pwd"],
        name="The child",
        log_file=tmp_path / "log",
        environment={**os.environ, "WORD": "heard"},
        directory=tmp_path,
    ) as child:
        child.wait()
        assert child.last_lines() == ["heard", str(tmp_path.resolve())]


PARENT = """
import sys, threading, time
from pathlib import Path
from deploy.local.child import Child
def start():
    child = Child(["sh", "-c", "sleep 600 & echo $!; wait"], name="c", log_file=Path(sys.argv[1]))
    print(child.pid, flush=True)
thread = threading.Thread(target=start)
thread.start()
thread.join()
sys.stdin.readline()
{end}
"""


def parent_that(end: str, log_file: Path) -> tuple[subprocess.Popen[str], int, int]:
    """Start a process with a child, started by a thread that has ended since, and a grandchild."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(end=end), str(log_file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    wait_for(lambda: last_lines(log_file, count=1), about="the grandchild is there")
    return process, child, int(last_lines(log_file, count=1)[0])


def test_no_orphan_is_left_when_the_parent_is_killed(tmp_path: Path) -> None:
    parent, child, grandchild = parent_that("time.sleep(600)", tmp_path / "log")
    assert not is_gone(child)
    parent.kill()
    parent.wait()
    wait_for(lambda: is_gone(child) and is_gone(grandchild), about="the child's whole tree ends")


@pytest.mark.parametrize("end", ["sys.exit(0)", "raise ValueError", "sys.exit(9)"])
def test_no_orphan_is_left_when_the_parent_just_ends(tmp_path: Path, end: str) -> None:
    parent, child, grandchild = parent_that(end, tmp_path / "log")
    parent.communicate("end now\n")
    wait_for(lambda: is_gone(child) and is_gone(grandchild), about="the child's whole tree ends")


def test_the_last_lines_of_a_large_log_are_read_without_reading_it_all(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    assert last_lines(log, count=2) == ["line 99998", "line 99999"]
    assert last_lines(tmp_path / "none", count=2) == []


def test_an_end_is_told_in_words() -> None:
    assert describe_exit(None) == "no exit code yet"
    assert describe_exit(2) == "exit code 2"
    assert describe_exit(-9) == "SIGKILL"
