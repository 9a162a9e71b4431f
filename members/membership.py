"""Membership: one member in one group. It owns the group's engine and its synchronisation.

`GroupManager` (routing.py) makes one for each group that is joined and hands it what concerns the
group. What arrives goes this way:

    datagram ─> known already? ─> engine ─> delivered: to the program, in order
                    │                └────> held: what it waits for is asked for
                    └ counted
    every message that is taken is kept in the store, to answer others
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from ingest.wire.envelope import Envelope, Kind
from ingest.wire.errors import WireError
from ingest.wire.management import Join
from ingest.wire.synchronisation import (
    MESSAGE_BYTES,
    Have,
    Request,
    Response,
    SynchronisationBody,
    Wanted,
)
from members import events as told
from members.answering import Answering, covers
from members.asking import Asking, JoinPolicy, Outcome
from members.delivering import Delivering, Fate
from members.events import Effects, missing_of
from members.group_table import Group
from members.holdings import Holdings
from members.incarnation import later_pid
from members.limits import MemberLimits, Pace
from members.post import Post
from members.refusals import Refusal
from members.reliability import Reliability, Unsent, engine_policy
from members.sendable import check_datagram, check_sendable
from members.store import Store
from members.telling import Telling
from ordering.policy import GroupPolicy
from ordering.stamps import CausalStamps, Stamps
from ordering.values import MemberId, MessageId, split_pid


class Membership:
    """One member in one group."""

    def __init__(
        self,
        group: Group,
        pid: MemberId,
        *,
        policy: GroupPolicy,
        post: Post,
        rng: Random,
        limits: MemberLimits,
        pace: Pace,
        refused: Counter[str],
        now: int,
    ) -> None:
        self.group = group
        self.pid = pid
        self.policy = policy
        self.reliability: Reliability | None = None
        if policy.discipline == "causal":
            self.reliability = Reliability(group, policy, limits=limits, pace=pace)
        self.delivering = Delivering(
            group.group,
            pid,
            engine_policy(policy),
            post=post,
            maybe_confirming=None if self.reliability is None else self.reliability.confirming,
        )
        self._post = post
        self._rng = rng
        self._limits = limits
        self._refused = refused
        self._records = 0
        self._is_settling = False
        self._met: set[MemberId] = set()
        """whose messages came and were looked up already; forgotten when there are too many"""
        self.holdings = Holdings(limits)
        self.store = Store(limits)
        self.asking = Asking(self.holdings, rng=rng, limits=limits, pace=pace)
        self.answering = Answering(self.store, self.holdings, rng=rng, limits=limits, pace=pace)
        self._telling = Telling(rng=rng, pace=pace, now=now)

    def synchronise(self, policy: JoinPolicy, *, now: int, out: Effects) -> None:
        """Ask for what the policy wants. Called on joining."""
        self.asking.join(policy, now=now)
        self._ask(now=now, out=out)

    # What the program sends.

    def send(
        self,
        payload: bytes,
        *,
        parents: tuple[MessageId, ...],
        dst: tuple[str, ...] = (),
        now: int,
        out: Effects,
    ) -> None:
        """Send a message to the group, and deliver it here."""
        check_sendable(payload, parents, holdings=self.holdings, group=self.group.group)
        if self.reliability is not None and (
            self.reliability.unsent
            or not self.reliability.may_send(self.pid, next_seq=self.delivering.next_seq)
        ):
            self.reliability.keep(Unsent(payload, parents, dst))
            self.reliability.look(self.pid, next_seq=self.delivering.next_seq, now=now)
            return
        self._send(Unsent(payload, parents, dst), now=now, out=out)

    def _send(self, unsent: Unsent, *, now: int, out: Effects) -> None:
        dst, buf = unsent.dst, 0
        if self.reliability is not None:
            confirming = self.reliability.confirming
            held = self.delivering.engine.held_count + confirming.waiting
            buf = max(0, self._limits.buffers - held)
            confirming.confirmed()
        message_id, stamps = self.delivering.stamp(dst=dst, buf=buf)
        self.send_stamped(
            message_id, stamps, payload=unsent.payload, parents=unsent.parents, now=now, out=out
        )

    def send_stamped(
        self,
        message_id: MessageId,
        stamps: Stamps | None,
        *,
        payload: bytes,
        parents: tuple[MessageId, ...],
        now: int,
        out: Effects,
    ) -> None:
        """Send a message that has its id and its stamps."""
        envelope, datagram = self._post.message(
            self.group.group, message_id, parents=parents, payload=payload, stamps=stamps, now=now
        )
        check_datagram(datagram)
        out.maybe_sent = message_id
        out.datagrams.append(datagram)
        self._receive(envelope, datagram, now=now, out=out)

    # What arrives.

    def on_message(self, envelope: Envelope, datagram: bytes, *, now: int, out: Effects) -> None:
        """Take a message that its sender multicast, or that came in a page."""
        message_id = MessageId(envelope.sender, envelope.seq)
        if len(datagram) > MESSAGE_BYTES:
            self._refused[Refusal.OVERSIZED] += 1
            return
        if self.holdings.contains(message_id):
            maybe_kept = self.store.get(message_id)
            is_other = maybe_kept is not None and maybe_kept != datagram
            self._refused[Refusal.EQUIVOCATION if is_other else Refusal.DUPLICATE] += 1
            return
        is_taken = self._receive(envelope, datagram, now=now, out=out)
        if is_taken and envelope.sender == self.pid:
            self._renew(now=now, out=out)

    def take(self, datagrams: Iterable[bytes], *, now: int, out: Effects) -> Iterator[MessageId]:
        """Take the messages of a page, one by one, and give their ids."""
        for datagram in datagrams:
            try:
                envelope = self._post.read(datagram)
            except WireError as error:
                self._refused[error.reason.value] += 1
                continue
            if envelope.kind is not Kind.MESSAGE:
                self._refused[Refusal.UNEXPECTED_KIND] += 1
            elif envelope.group != self.group.group:
                self._refused[Refusal.WRONG_GROUP] += 1
            else:
                self.on_message(envelope, datagram, now=now, out=out)
                yield MessageId(envelope.sender, envelope.seq)

    def on_response(self, response: Response, *, now: int, out: Effects) -> None:
        """Take a page, whoever asked for it."""
        for message_id in self.take(response.messages, now=now, out=out):
            self.answering.on_air(message_id, now=now)
        self.answering.on_response(response, now=now)
        self.asking.on_page(response, now=now)
        self.asking.on_response(response, requested_here=response.requester == self.pid, now=now)

    def on_request(
        self, requester: MemberId, request_seq: int, request: Request, *, now: int
    ) -> None:
        """Prepare an answer, and learn from what the requester has."""
        maybe_refusal = self.answering.on_request(requester, request_seq, request, now=now)
        if maybe_refusal is not None:
            self._refused[maybe_refusal] += 1
            return
        self.asking.on_request(request, now=now)
        if request.have:
            lacking, _ = self.holdings.hear(request.have)
            for pid in lacking:
                self.asking.open(pid, now=now)

    def on_have(self, sender: MemberId, have: Have, *, now: int, out: Effects) -> bool:
        """Learn what somebody has; tell whether it knows the same members as this one."""
        requested_here = have.maybe_requester == self.pid
        if not self.asking.on_have(have, requested_here=requested_here, now=now):
            self._refused[Refusal.HEARD_FULL] += 1
        has_more = self.holdings.has_more_than(have.have, is_whole=have.is_whole)
        is_covered = covers(have.have, is_whole=have.is_whole, ours=self.holdings)
        if self.reliability is not None:
            # Every member's own word is needed here: nobody speaks for another.
            is_covered = False
            self.reliability.confirming.hear_holdings(sender, have.have)
            self._settle(now=now, out=out)
        self.answering.on_have(have, covers_ours=is_covered)
        knows_the_same = have.members_digest == self.group.digest()
        if has_more:
            self._telling.soon(now=now)
        elif is_covered and knows_the_same and not self.holdings.lacking():
            self._telling.heard_the_same(now=now)
        return knows_the_same

    def _receive(self, envelope: Envelope, datagram: bytes, *, now: int, out: Effects) -> bool:
        """Give a fresh message to the engine; tell whether it counts as received."""
        stamps = envelope.stamps
        is_others = envelope.sender != self.pid
        if is_others and self.reliability is not None and isinstance(stamps, CausalStamps):
            self.reliability.confirming.hear(envelope.sender, stamps)
        fate, waited_for = self.delivering.receive(envelope, datagram, now=now, out=out)
        if fate is not Fate.TAKEN:
            self._refused[Refusal.QUARANTINED] += 1
        if fate is Fate.REFUSED:
            return False
        message_id = MessageId(envelope.sender, envelope.seq)
        self.holdings.add(message_id)
        if fate is Fate.TAKEN:
            self.store.add(message_id, datagram, envelope.parents)
            self.answering.on_air(message_id, now=now)
        self.asking.on_received(envelope.sender, now=now)
        for pid in waited_for:
            self.asking.open(pid, now=now)
        self._telling.changed(now=now)
        self._meet(envelope.sender, out=out)
        self._settle(now=now, out=out)
        return True

    def _settle(self, *, now: int, out: Effects) -> None:
        """Do what new confirmations allow: tell what they let pass, send what waited."""
        if self.reliability is None or self._is_settling:
            return
        self._is_settling = True
        self.delivering.release(out=out)
        while True:
            next_seq = self.delivering.next_seq
            unsent = self.reliability.next_unsent(self.pid, next_seq=next_seq)
            if unsent is None:
                break
            self._send(unsent, now=now, out=out)
        self.reliability.look(self.pid, next_seq=self.delivering.next_seq, now=now)
        self._is_settling = False

    def _confirm(self, *, now: int, out: Effects) -> None:
        """Send a control message, prompt the silent and give up the failed, whatever is due."""
        if self.reliability is None:
            return
        maybe_confirms_at = self.reliability.confirming.confirms_at()
        if maybe_confirms_at is not None and maybe_confirms_at <= now:
            self._send(Unsent(b"", (), (self.pid,)), now=now, out=out)
        maybe_failed = self.reliability.prompt(self.pid, next_seq=self.delivering.next_seq, now=now)
        if maybe_failed is not None:
            out.events += [told.MemberFailed(self.group.group, one) for one in maybe_failed]
            self._post_record(Request((), Wanted.NOTHING), now=now, out=out)
            self._settle(now=now, out=out)

    def _meet(self, pid: MemberId, *, out: Effects) -> None:
        """Take whoever speaks for a member: its joining may have been lost."""
        if pid in self._met:
            return
        if len(self._met) >= self._limits.members_per_group:
            self._met.clear()
        self._met.add(pid)
        merged = self.group.merge(pid, is_left=False, limit=self._limits.members_per_group)
        if merged is Refusal.MEMBERS_FULL:
            self._refused[merged] += 1
        elif merged is True and pid != self.pid:
            out.events.append(told.MemberJoined(self.group.group, pid))

    def _renew(self, *, now: int, out: Effects) -> None:
        """Take a later incarnation: a process that lost its counter finds its old pid in use."""
        known = self.group.incarnation_of(split_pid(self.pid)[0])
        self.pid = later_pid(self.pid, known=known, rng=self._rng)
        self.delivering.renew(self.pid, self.holdings)
        self.group.merge(self.pid, is_left=False, limit=self._limits.members_per_group)
        self._records += 1
        join = self._post.management(self.group.group, self.pid, Join(), seq=self._records, now=now)
        out.datagrams.append(join)
        out.events.append(told.NewIncarnation(self.group.group, self.pid))

    # What time brings.

    def next_deadline(self) -> int:
        """Say when `advance` has something to do next. Called after every datagram."""
        earliest = self._telling.next_at
        for maybe_deadline in (
            self.asking.next_deadline(),
            self.answering.next_deadline(),
            self.delivering.engine.next_deadline(),
            None if self.reliability is None else self.reliability.next_deadline(),
        ):
            if maybe_deadline is not None and maybe_deadline < earliest:
                earliest = maybe_deadline
        return earliest

    def advance(self, *, now: int, out: Effects) -> None:
        """Let time pass: give up, ask, answer and tell what is due."""
        for pid in self.delivering.advance(now=now, out=out):
            self.asking.open(pid, now=now)
        self._confirm(now=now, out=out)
        self._ask(now=now, out=out)
        for body in self.answering.due(now=now, members_digest=self.group.digest()):
            self._post_record(body, now=now, out=out)
        if self._telling.next_at <= now:
            self.tell_holdings(now=now, out=out)

    def tell_holdings(self, *, now: int, out: Effects) -> None:
        """Tell the group what is had here."""
        self._telling.crowd(len(self.group.current()))
        self._telling.told(now=now)
        have, is_whole = self.holdings.told(most_bytes=self._limits.telling_bytes)
        self._post_record(Have(have, self.group.digest(), is_whole=is_whole), now=now, out=out)

    def _ask(self, *, now: int, out: Effects) -> None:
        asked = self.asking.due(lambda: self.delivering.needed(self.holdings), now=now)
        name = self.group.group
        for request in asked.requests:
            self._post_record(request, now=now, out=out)
        if asked.gaps:
            out.events.append(told.Gap(name, missing_of(asked.gaps)))
        if asked.unanswered or asked.outcome is Outcome.ALONE:
            out.events.append(told.Unanswered(name, missing_of(asked.unanswered)))
        if asked.outcome is Outcome.SYNCHRONISED:
            out.events.append(told.Synchronised(name))

    def _post_record(self, body: SynchronisationBody, *, now: int, out: Effects) -> None:
        self._records += 1
        seq = self.asking.next_seq() if isinstance(body, Request) else self._records
        out.datagrams.append(
            self._post.synchronisation(self.group.group, self.pid, body, seq=seq, now=now)
        )
