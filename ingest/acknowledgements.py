"""Which part of the spool Kafka has acknowledged, when answers come for each partition by itself.

    sent       p0: 1..4   p1: 2..3   p0: 5..9        (the lowest number of each record counts)
    answered   p0: 1..4              p0: 5..9
    through    1                                      2 may still be lost, so the cursor waits there

Kafka answers for one partition in the order of sending, so the oldest record of each partition
decides.
"""

from collections import deque


class Acknowledgements:
    """The records that wait for an answer, by partition. Made for each session of the publisher."""

    def __init__(self) -> None:
        self._waiting: dict[int, deque[int]] = {}
        self.outstanding = 0
        """How many records wait for an answer."""

    def sent(self, partition: int, first: int) -> None:
        """Note a record whose lowest number is `first`."""
        self._waiting.setdefault(partition, deque()).append(first)
        self.outstanding += 1

    def answered(self, partition: int) -> None:
        """Note that Kafka has the oldest record of this partition."""
        self._waiting[partition].popleft()
        self.outstanding -= 1

    def through(self, taken: int, *, maybe_unsent: int | None) -> int:
        """Give up to which number Kafka has everything.

        `taken` is the last number that was taken from the spool, `maybe_unsent` the lowest of those
        that stand in no record yet.
        """
        firsts = [waiting[0] for waiting in self._waiting.values() if waiting]
        if maybe_unsent is not None:
            firsts.append(maybe_unsent)
        return min(firsts) - 1 if firsts else taken
