"""The groups that an agent listens to: a capture and an intake for each, changed while it runs.

    listening = Listening(settings, gate=gate, accept=spool.append_all)
    listening.start()
    listening.change(other_settings)      SIGHUP: joins what is new, then leaves what is gone

`accept` gets the time of capture, the key and the value of everything that the intake admits, as
many at a time as came together, in the capture's thread, and may wait.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ingest.authentication.gate import Gate
from ingest.capture import Capture
from ingest.datagram import Datagram, Take
from ingest.intake import Admitted, Intake
from ingest.mapping.mapping import Mapping
from ingest.sender_limits import SenderLimits
from ingest.settings import AgentSettings
from ingest.source import Source
from ingest.token_bucket import TokenBucket
from ingest.wire.addresses import Subscription

_BURST_SECONDS: Final = 2
"""A quiet address may publish this many seconds' worth of bad datagrams at once."""

_LEAVE_WITHIN_S: Final = 5.0
_NANOSECONDS_PER_MICROSECOND: Final = 1_000

Accept = Callable[[Sequence[Admitted]], object]


class Heard(NamedTuple):
    """What all groups came to, those included that were left."""

    received: int
    oversized: int
    kernel_drops: int
    withheld: int
    passed_over: int
    repeats: int
    malformed: Counter[str]
    refused: Counter[str]
    left_out: Counter[str]
    """Records of a file that gave no datagram."""

    def plus(self, other: "Heard") -> "Heard":
        """Give both as one."""
        return Heard(
            self.received + other.received,
            self.oversized + other.oversized,
            self.kernel_drops + other.kernel_drops,
            self.withheld + other.withheld,
            self.passed_over + other.passed_over,
            self.repeats + other.repeats,
            self.malformed + other.malformed,
            self.refused + other.refused,
            self.left_out + other.left_out,
        )


NOTHING_HEARD: Final = Heard(0, 0, 0, 0, 0, 0, Counter(), Counter(), Counter())


class _Ear(NamedTuple):
    """One group: its capture, and what decides about its datagrams."""

    capture: Capture
    intake: Intake

    def heard(self) -> Heard:
        return heard_by(self.capture, self.intake)


class Changed(NamedTuple):
    """What a reload came to: which groups were joined, and which were left."""

    joined: list[str]
    left: list[str]


class Listening:
    """All groups of an agent. Raises MulticastError if one of them can't be joined."""

    def __init__(
        self,
        settings: AgentSettings,
        *,
        gate: Gate,
        accept: Accept,
        maybe_mapping: Mapping | None = None,
    ) -> None:
        self._maybe_mapping = maybe_mapping
        self._settings = settings
        self._gate = gate
        self._accept = accept
        self._is_started = False
        self._left = NOTHING_HEARD
        self._ears: dict[tuple[Subscription, str], _Ear] = {}
        try:
            for subscription in settings.subscriptions():
                self._join(subscription, settings)
        except BaseException:
            self.stop(within_s=_LEAVE_WITHIN_S)
            raise

    @property
    def buffer_got_bytes(self) -> int:
        """The smallest buffer that the kernel gave."""
        return min((ear.capture.buffer_got_bytes for ear in self._ears.values()), default=0)

    @property
    def has_finished(self) -> bool:
        """Never: groups have no end."""
        return False

    @property
    def groups(self) -> list[str]:
        """The groups that are joined, as an operator writes them."""
        return [str(subscription) for subscription, _ in self._ears]

    def start(self) -> None:
        """Begin to read. What arrived since a group was joined waits in the kernel's buffer."""
        self._is_started = True
        for ear in self._ears.values():
            ear.capture.start()

    def change(self, settings: AgentSettings) -> Changed:
        """Listen to these groups from now on; what stays is not disturbed.

        Joins first: if one can't be joined (MulticastError), nothing has changed.
        """
        wanted = {(one, settings.interface): one for one in settings.subscriptions()}
        joined: list[tuple[Subscription, str]] = []
        try:
            for key, subscription in wanted.items():
                if key not in self._ears:
                    self._join(subscription, settings)
                    joined.append(key)
        except BaseException:
            for key in joined:
                self._leave(key)
            raise
        left = [key for key in self._ears if key not in wanted]
        for key in left:
            self._leave(key)
        if self._is_started:
            for key in joined:
                self._ears[key].capture.start()
        self._settings = settings
        return Changed([str(key[0]) for key in joined], [str(key[0]) for key in left])

    def require_running(self) -> None:
        """Raise what ended a capture that should run."""
        for ear in self._ears.values():
            if ear.capture.maybe_failure is not None:
                raise ear.capture.maybe_failure

    def stop(self, *, within_s: float) -> bool:
        """Leave all groups, hand on what has arrived; say whether all ended in time."""
        ears = list(self._ears.values())
        for ear in ears:
            ear.capture.ask_to_stop()
        deadline_s = time.monotonic() + within_s
        # Not until the first that has not ended: each of them is to be waited for.
        ends = [
            ear.capture.has_ended(within_s=max(0.0, deadline_s - time.monotonic())) for ear in ears
        ]
        return all(ends)

    def heard(self) -> Heard:
        """Give what all groups came to so far."""
        total = self._left
        for ear in list(self._ears.values()):
            total = total.plus(ear.heard())
        return total

    def _join(self, subscription: Subscription, settings: AgentSettings) -> None:
        """Join one group, with a limit of its own for bad datagrams."""
        intake = make_intake(
            settings, gate=self._gate, maybe_mapping=self._maybe_mapping, clock=_monotonic_us
        )
        capture = Capture(
            subscription,
            interface=settings.interface,
            buffer_bytes=settings.receive_buffer_bytes,
            take=make_take(intake, self._accept),
        )
        self._ears[subscription, settings.interface] = _Ear(capture, intake)

    def _leave(self, key: tuple[Subscription, str]) -> None:
        ear = self._ears.pop(key)
        ear.capture.ask_to_stop()
        ear.capture.has_ended(within_s=_LEAVE_WITHIN_S)
        self._left = self._left.plus(ear.heard())


def make_intake(
    settings: AgentSettings,
    *,
    gate: Gate,
    maybe_mapping: Mapping | None,
    clock: Callable[[], int],
) -> Intake:
    """Make what decides about the datagrams of one source, with limits of its own."""
    per_second = settings.quarantined_per_s
    return Intake(
        TokenBucket(per_second=per_second, burst=per_second * _BURST_SECONDS),
        clock=clock,
        maybe_gate=gate,
        maybe_limits=SenderLimits(per_second=settings.sender_messages_per_s),
        maybe_mapping=maybe_mapping,
    )


def heard_by(source: Source, intake: Intake) -> Heard:
    """Give what one source came to so far."""
    return Heard(
        source.received, source.oversized, source.kernel_drops, intake.withheld,
        intake.passed_over, intake.repeats,
        Counter(intake.malformed), Counter(intake.refused), source.left_out,
    )  # fmt: skip


def make_take(intake: Intake, accept: Accept) -> Take:
    """Make what a source calls with its datagrams: the hot path of the agent."""
    admit_all = intake.admit_all

    def take(datagrams: Sequence[Datagram]) -> None:
        admitted = admit_all(datagrams)
        if admitted:
            accept(admitted)

    return take


def _monotonic_us() -> int:
    return time.monotonic_ns() // _NANOSECONDS_PER_MICROSECOND
