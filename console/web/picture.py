"""The overview that the page shows: groups, health, and what it may do. Made anew when asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from console.web.checking import Checker
from console.web.in_force import PoliciesInForce
from console.web.model import Model
from sinks.kafka_client import end_offsets
from sinks.records import Counters
from sinks.settings import KafkaSettings

LAG_EVERY_SECONDS: Final = 2.0
MADE_ANEW_AFTER_SECONDS: Final = 0.4
"""All pages that ask within this time get the same picture: one page costs what ten cost."""


class RawEnds:
    """Where each shard's log ends, asked of the broker every few seconds in a thread of its own."""

    def __init__(self, kafka: KafkaSettings) -> None:
        self._kafka = kafka
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="raw-ends", daemon=True)
        self.offsets: dict[int, int] = {}
        self.problem = ""
        """why the broker does not say, in a sentence"""

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def stop(self) -> None:
        """Ask no more."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=LAG_EVERY_SECONDS)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self.offsets = {
                    first + partition: end
                    for topic, first in self._kafka.shards.firsts().items()
                    for partition, end in end_offsets(self._kafka, topic).items()
                }
                self.problem = ""
            except Exception as error:
                # The page goes on with what it has, and tells that it stands still and why.
                self.offsets, self.problem = {}, str(error)
            self._is_over.wait(LAG_EVERY_SECONDS)


class Picture:
    """Puts together what the overview stream sends."""

    def __init__(
        self,
        model: Model,
        *,
        policies: PoliciesInForce,
        ends: RawEnds,
        checker: Checker,
        is_caught_up: Callable[[], bool],
        maybe_member: str | None,
    ) -> None:
        self._model = model
        self._policies = policies
        self._ends = ends
        self._checker = checker
        self._is_caught_up = is_caught_up
        self._maybe_member = maybe_member
        self._made: dict[str, Any] = {}
        self._made_at_s = 0.0

    def __call__(self) -> dict[str, Any]:
        """Everything, as a value for JSON."""
        if not self._made or time.monotonic() - self._made_at_s > MADE_ANEW_AFTER_SECONDS:
            self._made = self._make()
            self._made_at_s = time.monotonic()
        return self._made

    def _make(self) -> dict[str, Any]:
        groups, group_count = self._model.groups(now_second=int(time.time()))
        for group in groups:
            policy = self._policies.of(group["group"])
            group["policy_change"] = self._policies.change_of(group["group"])
            group["discipline"] = policy.discipline
            group["give_up"] = policy.give_up.value
        ends = self._ends.offsets
        counters = self._model.counters()
        return {
            "groups": groups,
            "group_count": group_count,
            "is_caught_up": self._is_caught_up(),
            "problem": self._model.problem or self._ends.problem,
            "member": self._maybe_member,
            "totals": totals([one for one, _ in counters]),
            "partitions": [
                one._asdict() | {"seen_at": seen_at, "lag": _lag(one, ends)}
                for one, seen_at in counters
            ],
            "gap_news": self._model.gap_news(),
            "verify": self._checker.result,
        }


def totals(counters: list[Counters]) -> dict[str, int]:
    """The sums over all partitions."""
    names = ("captured", "delivered", "held", "duplicates", "quarantined", "groups")
    return {name: sum(getattr(one, name) for one in counters) for name in names}


def _lag(counters: Counters, ends: dict[int, int]) -> int | None:
    """Raw records that the job has not looked at; None if the broker does not say."""
    maybe_end = ends.get(counters.partition)
    return None if maybe_end is None else max(0, maybe_end - counters.through_offset - 1)
