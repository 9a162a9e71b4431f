"""The edge agent: captures multicast groups and publishes every message unchanged.

    multicast ─> kernel buffer ─> Capture (a thread per address) ─> Intake ─> Publisher ─> raw topic

Where a datagram can end: published; withheld (can't be decoded and over the limit, counted by
reason); dropped by the kernel (counted by it); failed (Kafka did not take it, counted, and the
agent ends). Started by `precede agent` and by the demo.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ingest.capture import Capture
from ingest.intake import Intake
from ingest.kafka_options import RawTopic
from ingest.publisher import Publisher
from ingest.settings import AgentSettings
from ingest.token_bucket import TokenBucket
from ingest.wire.multicast import GroupAddress

_LOOK_EVERY_S: Final = 0.2
_END_WITHIN_S: Final = 5.0
_MILLISECONDS_PER_SECOND: Final = 1_000
_NANOSECONDS_PER_MICROSECOND: Final = 1_000
_BURST_SECONDS: Final = 2
"""A quiet address may publish this many seconds' worth of bad datagrams at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentCounters:
    """What became of everything that reached the agent, at one instant."""

    received: int
    published: int
    waiting: int
    failed: int
    malformed: dict[str, int]
    withheld: int
    oversized: int
    kernel_drops: int
    blocked: int
    receive_buffer_asked_bytes: int
    receive_buffer_got_bytes: int

    def as_fields(self) -> dict[str, Any]:
        """Give the counters as plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


class Agent:
    """An agent that has joined its groups and reached Kafka. `run` it, once."""

    def __init__(self, settings: AgentSettings, raw: RawTopic) -> None:
        """Connect and join. Raises an operator's error, after a bounded time, if it can't."""
        self._settings = settings
        self._drain_within_s = settings.drain_within_ms / _MILLISECONDS_PER_SECOND
        self._publisher = Publisher(raw, settings)
        self._intakes: list[Intake] = []
        self._captures: list[Capture] = []
        try:
            for group in settings.group_addresses():
                self._add_capture(group)
        except BaseException:
            self._abandon()
            raise

    def run(
        self, *, is_stopping: threading.Event, on_look: Callable[[AgentCounters], None]
    ) -> None:
        """Capture until `is_stopping` is set; then hand over what has arrived, and return.

        `on_look` gets the counters a few times a second. Raises BrokerAwayError when Kafka goes
        away or does not take what is left, and then counts that as failed.
        """
        for capture in self._captures:
            capture.start()
        try:
            while not is_stopping.is_set():
                self._publisher.check(now_s=time.monotonic())
                self._require_captures()
                on_look(self.counters())
                is_stopping.wait(_LOOK_EVERY_S)
            if self._stop_captures(within_s=self._drain_within_s):
                self._publisher.close(within_s=self._drain_within_s)
        except BaseException:
            self._abandon()
            raise
        self._abandon()

    def counters(self) -> AgentCounters:
        """Give what became of everything so far; exact once `run` has returned."""
        malformed: Counter[str] = Counter()
        for intake in self._intakes:
            malformed.update(intake.malformed)
        return AgentCounters(
            received=sum(capture.received for capture in self._captures),
            published=self._publisher.published,
            waiting=self._publisher.waiting,
            failed=self._publisher.failed,
            malformed=dict(malformed),
            withheld=sum(intake.withheld for intake in self._intakes),
            oversized=sum(capture.oversized for capture in self._captures),
            kernel_drops=sum(capture.kernel_drops for capture in self._captures),
            blocked=self._publisher.blocked,
            receive_buffer_asked_bytes=self._settings.receive_buffer_bytes,
            receive_buffer_got_bytes=min(capture.buffer_got_bytes for capture in self._captures),
        )

    def _add_capture(self, group: GroupAddress) -> None:
        """Join one group, with a limit of its own for bad datagrams."""
        per_second = self._settings.quarantined_per_s
        bucket = TokenBucket(per_second=per_second, burst=per_second * _BURST_SECONDS)
        intake = Intake(bucket, clock=_monotonic_us)
        publish = self._publisher.publish

        def take(datagram: bytes) -> None:
            maybe_key = intake.key_for(datagram)
            if maybe_key is not None:
                publish(maybe_key, datagram)

        capture = Capture(
            group,
            interface=self._settings.interface,
            buffer_bytes=self._settings.receive_buffer_bytes,
            take=take,
        )
        self._intakes.append(intake)
        self._captures.append(capture)

    def _require_captures(self) -> None:
        for capture in self._captures:
            if capture.maybe_failure is not None:
                raise capture.maybe_failure

    def _stop_captures(self, *, within_s: float) -> bool:
        """Stop them all; say whether all ended in time. One that waits for room may not."""
        for capture in self._captures:
            capture.ask_to_stop()
        deadline_s = time.monotonic() + within_s
        return all(
            capture.has_ended(within_s=max(0.0, deadline_s - time.monotonic()))
            for capture in self._captures
        )

    def _abandon(self) -> None:
        """Let go of everything: what Kafka has not taken is failed, and no thread is left."""
        self._publisher.abandon()
        self._stop_captures(within_s=_END_WITHIN_S)


def _monotonic_us() -> int:
    return time.monotonic_ns() // _NANOSECONDS_PER_MICROSECOND
