"""The edge agent: captures multicast groups and publishes every message unchanged.

    multicast ─> kernel ─> Capture (a thread per group) ─> Intake ─> Spool ─> Publisher ─> raw topic
    capture file ─> FileSource ─────────────────────────────┘

Where a datagram can end: published; withheld (malformed or refused and over the limit, counted by
reason); passed over (members synchronise, nothing is to be ordered; counted); dropped by the kernel
(counted by it); dropped by the spool if the operator wants it so (counted, and told in the raw
topic). Kafka may come and go. Started by `precede agent` and by the demo.
"""

import platform
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingest.authentication.gate import open_gate
from ingest.authentication.settings import AuthenticationSettings
from ingest.counters import AgentCounters
from ingest.destination import is_known, require_topic
from ingest.kafka_options import RawTopic
from ingest.listening import Listening
from ingest.mapping.mapping import open_mapping
from ingest.mapping.settings import MappingSettings
from ingest.metrics import render
from ingest.publish_settings import PublishSettings
from ingest.publisher import Publisher
from ingest.replaying import Replay, Replaying
from ingest.settings import AgentSettings
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from ingest.telemetry.journal import Level, Tell, silent
from ingest.telemetry.status_server import Condition, Program, StatusServer
from ingest.vitals import Vitals
from ingest.wire.addresses import GroupAddress

_LOOK_EVERY_S: Final = 0.2
_END_WITHIN_S: Final = 5.0
_MILLISECONDS_PER_SECOND: Final = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPlan:
    """All that was chosen about an agent, one part for each section of the configuration."""

    agent: AgentSettings
    spool: SpoolSettings
    publish: PublishSettings = field(default_factory=PublishSettings)
    authentication: AuthenticationSettings = field(default_factory=AuthenticationSettings)
    mapping: MappingSettings = field(default_factory=MappingSettings)
    maybe_replay: Replay | None = None
    """A capture file to read instead of the groups."""


class Agent:
    """An agent that has joined its groups. `run` it, once."""

    def __init__(self, plan: AgentPlan, raw: RawTopic, *, tell: Tell = silent) -> None:
        """Open the spool, look for Kafka, join. Raises an operator's error, after a bounded time.

        An agent whose spool has reached this topic before does not wait for Kafka: what it hears
        goes into the spool until Kafka is there.
        """
        settings = plan.agent
        self._settings = settings
        self._spool_maximum_bytes = plan.spool.maximum_bytes
        self._looked_at_s = time.monotonic()
        self._is_ending = False
        self._tell = tell
        self._drain_within_s = settings.drain_within_ms / _MILLISECONDS_PER_SECOND
        away_after_s = settings.broker_away_after_ms / _MILLISECONDS_PER_SECOND
        self._gate = open_gate(plan.authentication)
        self.spool = Spool(plan.spool, agent=settings.name or platform.node(), tell=tell)
        try:
            if not is_known(Path(plan.spool.directory), raw):
                require_topic(raw, plan.publish, within_s=away_after_s)
            self.publisher = Publisher(
                self.spool, raw, plan.publish, away_after_s=away_after_s, tell=tell
            )
            self._listening = self._open_listening(plan)
            self.status = StatusServer(settings.status_address, program=self._program(), tell=tell)
        except BaseException:
            self.spool.close(within_s=_END_WITHIN_S)
            raise

    def _program(self) -> Program:
        """Say how this agent is asked how it is."""

        def condition() -> Condition:
            now = self.vitals()
            return Condition(now.is_live, now.reasons_not_ready())

        return Program("agent", "agent.status_address", condition, lambda: render(self.vitals()))

    def run(
        self, *, is_stopping: threading.Event, on_look: Callable[[AgentCounters], None]
    ) -> None:
        """Capture until `is_stopping` is set, or a file ends; then hand over what has arrived.

        `on_look` gets the counters a few times a second. What Kafka does not take in time at the
        end stays in the spool for the next start.
        """
        self.status.start()
        self.publisher.start()
        self._listening.start()
        try:
            while not is_stopping.is_set() and not self._listening.has_finished:
                self._looked_at_s = time.monotonic()
                self._require_threads()
                on_look(self.counters())
                is_stopping.wait(_LOOK_EVERY_S)
        except BaseException:
            self._end(drain_within_s=0.0)
            raise
        self._end(drain_within_s=self._drain_within_s)

    def reload(self, settings: AgentSettings) -> None:
        """Read the keys again and listen to these groups; told in the journal. At SIGHUP.

        Raises MulticastError if a group can't be joined; all is then as before.
        """
        maybe_keyring = self._gate.maybe_keyring
        if maybe_keyring is not None:
            reloaded = maybe_keyring.reload()
            level = Level.INFO if reloaded.is_fresh else Level.ERROR
            self._tell(level, "keys_reloaded", reloaded.sentence)
        changed = self._listening.change(settings)
        self._tell(
            Level.INFO,
            "groups_reloaded",
            "The groups were read again",
            joined=" ".join(changed.joined),
            left=" ".join(changed.left),
        )

    def counters(self) -> AgentCounters:
        """Give what became of everything so far; exact once `run` has returned."""
        heard = self._listening.heard()
        spool, publisher = self.spool, self.publisher
        return AgentCounters(
            received=heard.received,
            published=max(0, spool.published - publisher.unpublishable),
            waiting=spool.waiting,
            recovered=spool.recovered.waiting,
            dropped=spool.dropped,
            missing=spool.missing,
            unpublishable=publisher.unpublishable,
            malformed=dict(heard.malformed),
            refused=dict(heard.refused),
            repeats=heard.repeats,
            withheld=heard.withheld,
            passed_over=heard.passed_over,
            oversized=heard.oversized,
            left_out=dict(heard.left_out),
            kernel_drops=heard.kernel_drops,
            blocked=spool.blocked,
            receive_buffer_asked_bytes=self._settings.receive_buffer_bytes,
            receive_buffer_got_bytes=self._listening.buffer_got_bytes,
        )

    def vitals(self) -> Vitals:
        """Give the state at this instant, for health checks and metrics."""
        spool, kafka = self.spool, self.publisher.state
        return Vitals(
            counters=self.counters(),
            looked_before_s=self._looked_before_s(),
            groups=len(self._listening.groups),
            is_kafka_away=kafka.is_away,
            has_kafka_answered=kafka.has_answered,
            kafka_reason=kafka.reason,
            kafka_sessions=self.publisher.sessions,
            kafka_records=self.publisher.records,
            spool_bytes=spool.total_bytes,
            spool_maximum_bytes=self._spool_maximum_bytes,
            spool_pending_bytes=spool.pending_bytes,
            spool_damaged_bytes=spool.damaged_bytes,
            spool_durable=spool.durable,
            spool_cursor=spool.cursor,
            spool_syncs=spool.syncs,
            spool_disk_failures=spool.disk_failures,
            maybe_disk_trouble=spool.maybe_trouble,
            is_spool_full=spool.is_full,
        )

    @property
    def elsewhere(self) -> Counter[GroupAddress]:
        """How many datagrams of a file went to addresses that this agent does not listen to."""
        listening = self._listening
        return listening.elsewhere if isinstance(listening, Replaying) else Counter()

    def _open_listening(self, plan: AgentPlan) -> Listening | Replaying:
        maybe_mapping = open_mapping(plan.mapping)
        gate, accept = self._gate, self.spool.append_all
        if plan.maybe_replay is None:
            return Listening(plan.agent, gate=gate, accept=accept, maybe_mapping=maybe_mapping)
        return Replaying(
            plan.maybe_replay, plan.agent, gate=gate, accept=accept, maybe_mapping=maybe_mapping
        )

    def _looked_before_s(self) -> float:
        """Give how long the main loop has not come round; draining at the end is no hanging."""
        return 0.0 if self._is_ending else time.monotonic() - self._looked_at_s

    def _require_threads(self) -> None:
        """Raise what ended a thread that should run: a fault of ours, or a network that is gone."""
        self._listening.require_running()
        for maybe_failure in (self.publisher.maybe_failure, self.spool.maybe_failure):
            if maybe_failure is not None:
                raise maybe_failure

    def _end(self, *, drain_within_s: float) -> None:
        """Stop listening, publish what is left within the time, and bring the rest to the disk."""
        self._is_ending = True
        deadline_s = time.monotonic() + drain_within_s
        self.spool.lift_bounds()
        self._listening.stop(within_s=_END_WITHIN_S)
        self.publisher.close(within_s=max(0.0, deadline_s - time.monotonic()))
        self.spool.close(within_s=_END_WITHIN_S)
        self.status.close()
