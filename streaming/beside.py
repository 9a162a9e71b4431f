"""Work that goes on beside the queries: a thread that is started once and stopped once."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod


class Beside(ABC):
    """What the ticker, the observer and the answering have in common.

    `_run` goes on until `_is_over` is set. It raises nothing: what goes wrong beside the queries
    must not end them.
    """

    def __init__(self, name: str) -> None:
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; returns when what was begun is done. Nothing happens if it was never started."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Do the work, in the thread."""
