"""One shard: the groups of one raw partition, and what their messages come to.

Plain values in, plain values out; Spark's part is in `host.py`. For every raw record, in offset
order:

1. cut a bundle into its entries; a plain record is one entry;
2. decode the envelope of each; bytes that are none, and kinds that are not ordered, are quarantined
   with the reason (an agent's, if it refused them), one entry alone, or a bundle that can't be cut
   as a whole;
3. give each message to its group's engine (restored on first touch), and write what it comes to;
4. at a tick let the log's time pass: tell who still waits, and give up what is due; at a control
   record let its group go on under another policy.

Nearly every message is in order, of a known sender, and answers what is delivered. Where such ones
follow one another they go the short way (`stretch.py`).

Everything depends on the log alone: records come out in the order of the raw records that caused
them, whatever the batches were::

    raw offset   7: b answers a     8: a          9: junk
    ordered                         a b
    quarantine                                    junk
"""

from __future__ import annotations

from collections.abc import Mapping

from ingest.wire.envelope import Envelope, Kind, decode
from ingest.wire.errors import WireError
from ingest.wire.gap_notice import CAPTURE_GAP
from ingest.wire.management import decode_management
from ingest.wire.message_decoder import MessageDecoder
from ingest.wire.names import group_of
from ingest.wire.partition import partition_of
from ordering.engine import Engine
from ordering.events import Event
from ordering.policy import GroupPolicy
from ordering.values import GroupId
from ordering_udfs.control import BAD_CONTROL, read_policy_change
from ordering_udfs.errors import ControlError, PolicyTextError, StateError
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Outputs
from ordering_udfs.raw_rows import Entries, RawRows, in_offset_order, open_bundles, unopened
from ordering_udfs.reasons import (
    FOREIGN_TICK,
    UNPROCESSABLE,
    UNSUPPORTED_KIND,
    WRONG_PARTITION,
    notice_of,
    reason_of,
)
from ordering_udfs.shard_state import ShardState, decode_snapshot, encode_snapshot
from ordering_udfs.stretch import Work, order, stretches, write
from ordering_udfs.ticks import Ticks
from sinks.records import Counters

NO_KEY = b""
MOST_TOUCHED = 100_000
"""Groups that a batch keeps open at once, at some 5 kB each: one that begins a million would need
gigabytes. To put a group down and open it again costs more than to order its message."""

# What shapes messages have is worth knowing in the next batch too; it says nothing about a log.
_decoder = MessageDecoder()


class Shard:
    """Takes the raw records of one partition; gives the records of the output topics.

    `engines` may bring those of groups that an earlier batch left as the state has them
    (`warm_shards.py`); the shard adds the ones that it restores. `partitions` are those of the raw
    topic, `raw_partition` is which of them this is: the shard's own number, unless there are
    several raw topics (`sinks.shards`).
    """

    def __init__(
        self,
        state: ShardState,
        *,
        policies: GroupPolicies,
        partitions: int,
        engines: dict[str, Engine] | None = None,
        raw_partition: int | None = None,
    ) -> None:
        self.state = state
        self.outputs = Outputs(state)
        self.engines = {} if engines is None else engines
        self._policies = policies
        self._partitions = partitions
        self._raw_partition = state.partition if raw_partition is None else raw_partition
        self._touched: dict[str, Engine] = {}
        self._works: dict[bytes, Work] = {}
        """by the bytes of the group's name"""
        self._ticks = Ticks(state, outputs=self.outputs)

    def receive(
        self, rows: RawRows, *, poisoned: Mapping[tuple[int, int], str] | None = None
    ) -> None:
        """Take the next records of the partition.

        What is `poisoned`, by offset and entry, is quarantined without a look (`poison.py`); then
        nothing takes the short way either.

        Spark promises no order within a key, so the offsets are looked at and sorted only if they
        are out of order. An offset that was taken before means that the log is not the one that
        this state was made from.
        """
        rows = in_offset_order(rows)
        if not rows.offsets:
            return
        if rows.offsets[0] <= self.state.through_offset:
            raise StateError(
                f"partition {self.state.partition} gives offset {rows.offsets[0]} again after "
                f"{self.state.through_offset}: was the raw topic deleted and made anew? "
                "Start with a new checkpoint and new tables"
            )
        self._ticks.begin(rows.captured_at[0])
        if poisoned is not None:
            self._take_all_but(poisoned, open_bundles(rows))
        else:
            taken = self._take_all(unopened(rows))
            if taken < len(rows.values):
                self._take_all(open_bundles(rows.piece(taken)))
        self._note_works()
        self.state.through_offset = rows.offsets[-1]

    def finish(self) -> ShardState:
        """The state with every touched group's snapshot in it; the last call of a batch."""
        self._write_down()
        self.engines.update(self._touched)  # those touched last stand last
        self._ticks.finish()
        return self.state

    def counters(self, *, state_bytes: int = 0) -> Counters:
        """What this partition came to, for the counters topic; call after `finish`."""
        state = self.state
        waiting = state.waiting.values()
        return Counters(
            partition=state.partition,
            through_offset=state.through_offset,
            captured=state.captured,
            delivered=state.delivered,
            held=state.held,
            duplicates=state.duplicates,
            quarantined=state.quarantined,
            groups=len(state.groups),
            deadlines=len(state.deadlines),
            waits=state.waits,
            membership=state.membership,
            gaps=sum(missing for missing, _ in waiting),
            oldest_held_at=min((oldest for _, oldest in waiting), default=0),
            state_bytes=state_bytes,
            reasons=dict(state.reasons),
        )

    def _take_all(self, entries: Entries) -> int:
        """Take captured datagrams: stretches of messages, and what stands between them.

        Stops before a bundle that was not opened; gives how many it took.
        """
        state, outputs = self.state, self.outputs

        def take(number: int) -> None:
            self._take(entries.contents[number], entries.origin(number), entries)

        for stretch, maybe_behind in stretches(entries, _decoder):
            if stretch.groups:
                outcome = order(
                    stretch, entries, open_work=self._open_work, decoder=_decoder, now=state.now
                )
                write(stretch, outcome, entries, outputs=outputs, state=state, take=take)
            if maybe_behind is not None:
                if entries.is_unopened(maybe_behind):
                    state.captured += maybe_behind
                    return maybe_behind
                take(maybe_behind)
            if len(self._touched) > MOST_TOUCHED:
                self._put_down()
        state.captured += len(entries.contents)
        return len(entries.contents)

    def _take_all_but(self, poisoned: Mapping[tuple[int, int], str], entries: Entries) -> None:
        self.state.captured += len(entries.contents)
        for at, content in enumerate(entries.contents):
            origin = entries.origin(at)
            maybe_detail = poisoned.get(origin[:2])
            if maybe_detail is None:
                self._take(content, origin, entries)
            else:
                self.outputs.refuse(NO_KEY, origin, UNPROCESSABLE, maybe_detail, content)

    def _take(self, content: bytes, origin: tuple[int, int, int], entries: Entries) -> None:
        """Take one captured datagram, whatever it is."""
        try:
            group, maybe_message = _decoder.decode(content, origin)
        except WireError as error:
            error = entries.damage.get(origin[0], error)
            self.outputs.refuse(NO_KEY, origin, *reason_of(content, error), content)
            return
        if maybe_message is None:
            self._take_other_kind(content, origin, is_packed=origin[0] in entries.packed)
            return
        key = group.encode()
        maybe_work, overdue = self._open_work(key)
        if maybe_work is None:
            detail = f"group {group} belongs to partition {partition_of(group, self._partitions)}"
            self.outputs.refuse(key, origin, WRONG_PARTITION, detail, content)
            return
        _, engine = maybe_work
        for event in (*overdue, *engine.receive(maybe_message, now=self.state.now)):
            self.outputs.tell(key, event)

    def _open_work(self, key: bytes) -> tuple[Work | None, list[Event]]:
        """Bring a group up to the log's time at its first message since the last tick.

        Gives what its engine has to tell about that too. None if these bytes name no group of this
        partition; one that has a state is of it.
        """
        maybe_work = self._works.get(key)
        if maybe_work is not None:
            return maybe_work, []
        state = self.state
        try:
            group = GroupId(key.decode())
            if group not in state.groups:
                group = group_of(key)
                if partition_of(group, self._partitions) != self._raw_partition:
                    return None, []
        except (UnicodeDecodeError, WireError):
            return None, []
        engine = self._engine(group)
        work = self._works[key] = (group, engine)
        return work, engine.advance(state.now)

    def _take_other_kind(self, content: bytes, origin: tuple[int, ...], *, is_packed: bool) -> None:
        """Take an envelope that is no message.

        The job writes its ticks as plain records, so one in a bundle is not the job's: an agent
        packed what somebody sent. Only the job moves time on.
        """
        envelope = decode(content)
        if envelope.kind is Kind.CONTROL:
            self._take_control(envelope, content, origin, is_packed=is_packed)
        elif envelope.kind is Kind.GROUP_MANAGEMENT:
            self._take_management(envelope, content, origin)
        elif envelope.kind is not Kind.TICK:
            detail = f"kind {envelope.kind.name.lower()} is not ordered"
            self.outputs.refuse(envelope.group.encode(), origin, UNSUPPORTED_KIND, detail, content)
        elif is_packed:
            detail = "a tick that came over the network; only the job may move time on"
            self.outputs.refuse(NO_KEY, origin, FOREIGN_TICK, detail, content)
        else:
            self.state.captured -= 1
            self._note_works()
            self._ticks.pass_to(envelope.sent_at, offset=origin[0], open_engine=self._engine)

    def _take_management(self, envelope: Envelope, content: bytes, origin: tuple[int, ...]) -> None:
        """Keep what a member told about a group, in its place among the group's deliveries.

        A group that is only talked about gets no engine: its name costs nothing.
        """
        group, key = envelope.group, envelope.group.encode()
        try:
            if not envelope.is_sealed:
                decode_management(envelope.payload)
        except WireError as error:
            self.outputs.refuse(key, origin, error.reason.value, error.detail, content)
            return
        expected = partition_of(group, self._partitions)
        if expected != self._raw_partition:
            detail = f"group {group} belongs to partition {expected}"
            self.outputs.refuse(key, origin, WRONG_PARTITION, detail, content)
            return
        is_known = group in self.engines or group in self.state.groups
        position = self._engine(group).delivered_count if is_known else 0
        self.outputs.tell_membership(key, origin, position, content)

    def _take_control(
        self, envelope: Envelope, content: bytes, origin: tuple[int, ...], *, is_packed: bool
    ) -> None:
        """Take a control record: change a policy, or keep an agent's notice where people look.

        Only agents pack, and an agent changes no policy.
        """
        group, key = envelope.group, envelope.group.encode()
        maybe_notice = notice_of(envelope)
        if maybe_notice is not None:
            self.outputs.refuse(key, origin, CAPTURE_GAP, maybe_notice, content)
            return
        try:
            text = read_policy_change(envelope.payload)
            policy = self._policies.of(group, text)
        except (ControlError, PolicyTextError) as error:
            self.outputs.refuse(key, origin, BAD_CONTROL, str(error), content)
            return
        if is_packed or partition_of(group, self._partitions) != self._raw_partition:
            detail = "a change of policy that was packed by an agent, or of another partition"
            self.outputs.refuse(key, origin, BAD_CONTROL, detail, content)
            return
        self.state.captured -= 1
        engine, events = self._engine(group).changed(policy, now=self.state.now)
        self.engines[group] = self._touched[group] = engine
        self._works.pop(key, None)
        self.state.policies[group] = text
        for event in events:
            self.outputs.tell(key, event)
        self._ticks.note([(group, engine)])

    def _put_down(self) -> None:
        """Write all touched groups down and forget their engines, as between two batches."""
        self._note_works()
        self._write_down()
        self._touched.clear()

    def _write_down(self) -> None:
        """Put the snapshots of all touched groups into the state, and forget their engines."""
        groups, forget = self.state.groups, self.engines.pop
        for group, engine in self._touched.items():
            groups[group] = encode_snapshot(engine.snapshot())
            forget(group, None)

    def _note_works(self) -> None:
        """Note who was touched since the last tick, and begin anew."""
        self._ticks.note(self._works.values())
        self._works.clear()

    def _engine(self, group: str) -> Engine:
        """The group's engine, restored if nobody has it; it will be written down again."""
        maybe_engine = self.engines.get(group)
        if maybe_engine is None:
            policy = self._policies.of(group, self.state.policies.get(group))
            maybe_saved = self.state.groups.get(group)
            if maybe_saved is None:
                maybe_engine = Engine(policy)
            else:
                maybe_engine = _restored(policy, maybe_saved, group)
            self.engines[group] = maybe_engine
        self._touched[group] = maybe_engine
        return maybe_engine


def _restored(policy: GroupPolicy, saved: bytes, group: str) -> Engine:
    try:
        return Engine.restore(policy, decode_snapshot(saved))
    except Exception as error:  # whatever damaged bytes lead to: it is the state's fault
        raise StateError(f"the saved state of group {group} cannot be read: {error}") from error
