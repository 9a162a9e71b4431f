"""A thread beside the queries ends when it is told to, and what it had begun is done by then."""

from __future__ import annotations

import threading

from streaming.beside import Beside


class Counting(Beside):
    """Counts its rounds, and says when it is in one."""

    def __init__(self) -> None:
        super().__init__("counting")
        self.is_at_work = threading.Event()
        self.finished = 0

    def _run(self) -> None:
        while not self._is_over.is_set():
            self.is_at_work.set()
            self._is_over.wait()
            self.finished += 1


def test_stop_waits_for_the_round_that_runs() -> None:
    counting = Counting()
    counting.start()
    assert counting.is_at_work.wait(60)
    counting.stop()
    assert counting.finished == 1
    assert not any(one.name == "counting" for one in threading.enumerate())


def test_one_that_was_never_started_is_stopped_at_once_and_twice() -> None:
    counting = Counting()
    counting.stop()
    counting.stop()
    assert counting.finished == 0
