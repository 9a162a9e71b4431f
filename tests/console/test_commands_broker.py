"""Laws of `precede broker`: its address on standard output, an orderly stop, clear refusals."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from console.command import run
from console.errors import ExitCode
from console.terminal import terminal_of_process
from deploy.local.topics import admin_client

COMMAND = [sys.executable, "-m", "console", "broker"]
PATIENCE_SECONDS = 60.0


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


def started(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start the command; return it with the address that it printed."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def pid_of_broker(directory: Path) -> int:
    """Find the JVM by the settings file that only it was given."""
    table = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    ending = f"kafka.Kafka {directory / 'server.properties'}"
    (pid,) = [line.split()[0] for line in table.splitlines() if line.endswith(ending)]
    return int(pid)


@pytest.mark.broker
@pytest.mark.kill
def test_it_serves_the_topics_until_it_is_told_to_stop_and_goes_on_with_its_data(
    tmp_path: Path,
) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        process, bootstrap = started("--port", "0", "--directory", str(tmp_path))
        assert re.fullmatch(r"127\.0\.0\.1:\d+", bootstrap)
        topics = admin_client(bootstrap).list_topics(timeout=PATIENCE_SECONDS).topics
        assert {"precede.raw", "precede.ordered"} <= set(topics)
        process.send_signal(number)
        out, told = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == ExitCode.OK
        assert out == ""
        assert f"precede run --set kafka.bootstrap={bootstrap}" in told
        assert "stopped; the data is kept" in told
        assert "Traceback" not in told


@pytest.mark.broker
@pytest.mark.kill
def test_a_broker_that_is_killed_under_it_is_one_sentence_and_not_a_trace(tmp_path: Path) -> None:
    process, bootstrap = started("--port", "0", "--directory", str(tmp_path))
    assert bootstrap
    os.kill(pid_of_broker(tmp_path), signal.SIGKILL)
    _, told = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == ExitCode.CHECK_FAILED
    assert "The broker ended with SIGKILL" in told
    assert "Traceback" not in told


def test_a_busy_port_is_named_and_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code = precede("broker", "--port", str(port), "--directory", str(tmp_path))
    shown = capsys.readouterr()
    assert code == ExitCode.CONFIGURATION
    assert f"Port {port} is taken by another process" in shown.err
    assert shown.out == ""


def test_a_directory_that_cannot_be_written_is_named_and_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    code = precede("broker", "--port", "0", "--directory", str(tmp_path / "file" / "below"))
    assert code == ExitCode.CONFIGURATION
    assert f"cannot write in {tmp_path}/file/below" in capsys.readouterr().err


def test_a_port_that_is_none_is_a_matter_of_usage() -> None:
    assert precede("broker", "--port", "70000") == ExitCode.USAGE
