"""Run `verify` beside the page: now and then while there is little to read, and when asked.

A verification reads everything, so on a large system it runs only when a person asks for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from console.verification_report import Report

EVERY_SECONDS: Final = 15.0
MOST_BY_ITSELF: Final = 100_000
"""Captured messages up to which it runs by itself: some seconds of one core."""

_STEP_SECONDS: Final = 0.5


class Checker:
    """One thread; the newest result is `result`."""

    def __init__(
        self, verify: Callable[[], Report], *, captured: Callable[[], int], every_s: float
    ) -> None:
        self._verify = verify
        self._captured = captured
        self._every_s = every_s
        self._is_over = threading.Event()
        self._is_asked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="checker", daemon=True)
        self.result: dict[str, Any] = {"state": "not yet"}

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the verification that runs, or without it after a moment: it only reads."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=2.0)

    def ask(self) -> None:
        """Verify as soon as the one that runs is done."""
        self._is_asked.set()

    def _run(self) -> None:
        seen, next_at = -1, time.monotonic()
        while not self._is_over.wait(_STEP_SECONDS):
            captured = self._captured()
            is_due = time.monotonic() >= next_at and captured != seen
            if self._is_asked.is_set() or (is_due and 0 < captured <= MOST_BY_ITSELF):
                self._is_asked.clear()
                self.check()
                # What was only behind is looked at again, though nothing new was captured.
                seen = captured if self.result.get("ok") else -1
                next_at = time.monotonic() + self._every_s

    def check(self) -> None:
        """Verify now."""
        from console.commands.verify import is_only_lagging

        began_s = time.monotonic()
        try:
            report = self._verify()
        except Exception as error:
            self.result = {"state": "failed", "problem": str(error)}
            return
        is_lagging = not report.ok and is_only_lagging(report)
        self.result = {
            "state": "lagging" if is_lagging else "ok" if report.ok else "wrong",
            "ok": report.ok,
            "violations": 0 if is_lagging else sum(report.anomalies.values()),
            "anomalies": report.anomalies,
            "counts": report.counts,
            "examples": report.examples,
            "at": time.time_ns() // 1_000,
            "took_s": round(time.monotonic() - began_s, 2),
        }
