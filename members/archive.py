"""The archive seam: how a member asks the service for what no other member has.

`KafkaArchive` (kafka_archive.py) is the real one: requests go over one topic, pages come back over
another. `SimulatedArchive` (simulated_archive.py) answers in one process, for programs' own tests.
Nothing of it is in the way of a message: a member without an archive is a whole member.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

OnPage: TypeAlias = Callable[[bytes], None]


class Archive(Protocol):
    """Carries requests to the service and its pages back: late, perhaps twice, perhaps not."""

    def open(self, on_page: OnPage) -> None:
        """Begin to listen, inside a running event loop; called once, by the host."""
        ...

    def ask(self, request: bytes) -> None:
        """Send a request, without waiting. What can't be sent is lost, and asked again later."""
        ...

    def close(self) -> None:
        """Stop listening and asking. May be called again."""
        ...
