"""What every source of datagrams can do, live or from a file: the agent knows no more than this.

start ─> calls take(datagrams) as they come, in a thread of its own ─> ask_to_stop ─> has_ended
"""

from collections import Counter
from typing import Protocol


class Source(Protocol):
    """A capture of a group (`ingest/capture.py`) or a capture file (`ingest/files/source.py`)."""

    maybe_failure: Exception | None
    """What ended its thread before it was asked to stop."""

    @property
    def received(self) -> int:
        """How many datagrams it was handed; all of them are given on but the oversized."""

    @property
    def oversized(self) -> int:
        """How many were longer than any may be."""

    @property
    def kernel_drops(self) -> int:
        """How many the kernel dropped where they were captured."""

    @property
    def left_out(self) -> Counter[str]:
        """How many records of a file gave no datagram, by reason."""

    @property
    def buffer_got_bytes(self) -> int:
        """The kernel's buffer; 0 where there is none."""

    @property
    def has_finished(self) -> bool:
        """Whether it has come to an end of its own, which only a file does."""

    def start(self) -> None:
        """Begin to read."""

    def ask_to_stop(self) -> None:
        """Ask its thread to hand on what has arrived, and end."""

    def has_ended(self, *, within_s: float) -> bool:
        """Wait for the end of its thread and say whether it came."""
