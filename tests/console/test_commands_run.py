"""`precede run` as an operator meets it: what it says when it cannot work."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from tests.conversations import shuffled_conversation
from tests.topic_tools import new_topics, produce

PATIENCE_SECONDS = 300


def run(directory: Path, **options: object) -> subprocess.CompletedProcess[str]:
    given = {
        "job.scratch_directory": directory.parent / "spark",
        "job.checkpoint_directory": directory / "checkpoint",
        "job.tables_directory": directory / "tables",
    } | {name.replace("__", "."): value for name, value in options.items()}
    flags = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    return subprocess.run(
        [sys.executable, "-m", "console", "run", "--once", *flags],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in done.stdout + done.stderr
    return [line for line in done.stderr.splitlines() if line.startswith("precede: ")]


def test_a_wrong_word_in_the_configuration_is_told_before_anything_starts(tmp_path: Path) -> None:
    done = run(tmp_path, job__give_up="relaese")
    assert done.returncode == 4
    assert "release" in complaints(done)[0]


@pytest.mark.kill
def test_no_broker_is_one_sentence(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    done = run(tmp_path, kafka__bootstrap=f"127.0.0.1:{port}")
    assert done.returncode == 3
    assert complaints(done) == [
        f"precede: no broker answers at 127.0.0.1:{port}: start it (precede broker), "
        "or set kafka.bootstrap to where it is"
    ]


@contextlib.contextmanager
def small_disk(directory: Path, *, kilobytes: int) -> Iterator[Path]:
    directory.mkdir()
    options = f"size={kilobytes}k"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(directory)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a small disk, which this user does not have")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


@pytest.mark.kill
@pytest.mark.broker
def test_a_full_disk_is_one_sentence_and_the_next_start_goes_on(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    produce(kafka, shuffled_conversation(seed=31, groups=2, messages=300))
    options = {"kafka__bootstrap": kafka.bootstrap, "kafka__topic_prefix": kafka.topic_prefix}
    with small_disk(tmp_path / "disk", kilobytes=64) as disk:
        done = run(disk, **options)
        assert done.returncode == 3, done.stderr
        (complaint,) = complaints(done)
        assert "is full" in complaint
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        done = run(disk, **options)
        assert done.returncode == 0, done.stderr
