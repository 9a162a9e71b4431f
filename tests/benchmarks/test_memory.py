"""Memory is that of a process and of all that it started."""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks.memory import resident_bytes


def test_a_child_counts_and_a_stranger_does_not() -> None:
    before = sum(resident_bytes(os.getpid()).values())
    program = "import sys; kept = bytearray(b'x') * 50_000_000; print(len(kept), flush=True); "
    program += "sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        own = sum(resident_bytes(child.pid).values())
        after = sum(resident_bytes(os.getpid()).values())
        child.communicate()
    assert own > 50_000_000
    assert after > before + 40_000_000


def test_a_process_that_is_not_there_has_nothing() -> None:
    assert resident_bytes(2**22 + 1) == {}
