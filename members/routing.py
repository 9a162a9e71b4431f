"""The group manager: a member in all its groups, without sockets, clock or chance of its own.

A program calls the verbs; a host (`members.host`, or a simulated world) passes in what arrives and
what time it is, and multicasts what comes back:

    manager = GroupManager("alice", incarnation=1, seed=7)
    effects = manager.create("dev", description="those who build", now=now)
    effects = manager.send("dev", b"hello", now=now)             effects.maybe_sent: its id
    effects = manager.receive(datagram, now=now)                 effects.events: Delivered ...
    effects = manager.advance(now)                               at manager.next_deadline()

`now` is in microseconds since the epoch and never goes back; an earlier one counts as the latest.
The same calls with the same seed give the same effects, byte for byte. Whatever arrives, no call
but a program's own can raise.
"""

from collections import Counter
from random import Random
from typing import Final

from ingest.wire.envelope import Envelope, Kind
from ingest.wire.errors import WireError
from ingest.wire.management import Create, Join, Leave, check_group
from ingest.wire.multicast import DATAGRAM_BYTES
from ingest.wire.names import member_of
from ingest.wire.synchronisation import Have, Request, decode_synchronisation
from members import events as told
from members.asking import ALL, JoinPolicy
from members.errors import MemberError, UnknownGroupError
from members.events import Effects
from members.group_joining import GroupJoining, seen
from members.group_table import Group, Order, Standing
from members.limits import MemberLimits, Pace, engine_limits
from members.membership import Membership
from members.orders import check_order
from members.post import Post
from members.quota import Quotas
from members.refusals import Refusal
from ordering.disciplines.registry import names as discipline_names
from ordering.policy import Acceptance, GroupPolicy
from ordering.values import INCARNATION_MARK, GroupId, MemberId, MessageId, split_pid

OWN_WORDS: Final = 256
"""Own datagrams that are known by their bytes when the network gives them back, which it does at
once. The store knows the older ones."""

PAGE_MESSAGES: Final = 16
"""A page costs its sender one more datagram of its quota for so many messages: an honest one has
fewer, a page of a thousand tiny ones costs what a thousand cost to read."""


class GroupManager:
    """One member, in all its groups."""

    def __init__(
        self,
        name: str,
        *,
        incarnation: int,
        seed: int,
        post: Post | None = None,
        limits: MemberLimits | None = None,
        pace: Pace | None = None,
    ) -> None:
        """Prepare a member. Raises WireError for a name that can't go over the wire."""
        self.pid = member_of(f"{name}{INCARNATION_MARK}{incarnation}".encode())
        self.name = name
        self.incarnation = incarnation
        self.refused: Counter[str] = Counter()
        """what arrived and was not taken, by reason"""
        self.memberships: dict[GroupId, Membership] = {}
        self._post = post or Post()
        self._limits = limits or MemberLimits()
        self._pace = pace or Pace()
        self._rng = Random(seed)
        self._joining = GroupJoining(
            self.pid,
            self.memberships,
            post=self._post,
            rng=self._rng,
            limits=self._limits,
            pace=self._pace,
            refused=self.refused,
        )
        self._quotas = Quotas(
            per_second=self._limits.datagrams_per_second,
            burst=self._limits.datagrams_burst,
            names=self._limits.names,
        )
        self._said: dict[bytes, None] = {}
        self._created = 0
        self._now = 0

    # What the program calls.

    def create(
        self,
        maybe_name: str | None = None,
        *,
        description: str = "",
        policy: GroupPolicy | None = None,
        now: int,
    ) -> Effects:
        """Create a group and be in it; without a name it is called after its creator.

        Raises MemberError if there is such a group already, WireError for a bad name.
        """
        now = self._pass_to(now)
        out = Effects()
        self._created += 1
        group = check_group(maybe_name or f"{self.pid}/{self._created}")
        known = self._joining.find(group)
        if known is not None and (known.current() or known.standing is Standing.JOINED):
            raise MemberError(f"there is a group {group} already; join it, or choose another name")
        policy = check_order(policy or GroupPolicy(limits=engine_limits()))
        order = Order(policy.discipline, policy.acceptance.value)
        entry = self._joining.enter(group, description=description, order=order)
        membership = self._enter(entry, policy, now=now)
        body = Create(description, *order)
        out.datagrams.append(self._joining.record(group, membership.pid, body, now=now))
        return out

    def join(
        self,
        group: GroupId | str,
        history: JoinPolicy = ALL,
        *,
        policy: GroupPolicy | None = None,
        now: int,
    ) -> Effects:
        """Join a group; `history` says what is wanted of what was said before.

        A group that was seen is joined under its creator's order; `policy` says how for one that
        was not, and whatever the wire does not tell (give-up rule, conflicts, bounds).
        """
        now = self._pass_to(now)
        out = Effects()
        name = check_group(group)
        if name in self.memberships:
            raise MemberError(f"{self.name} is in {name} already")
        policy = check_order(policy or _policy_of(self._joining.find(name)))
        order = Order(policy.discipline, policy.acceptance.value)
        entry = self._joining.enter(name, description="", order=order)
        membership = self._enter(entry, policy, now=now)
        out.datagrams.append(self._joining.record(name, membership.pid, Join(), now=now))
        membership.synchronise(history, now=now, out=out)
        return out

    def leave(self, group: GroupId | str, *, now: int) -> Effects:
        """Leave a group; all that is known of its messages is forgotten."""
        now = self._pass_to(now)
        out = Effects()
        membership = self.membership(group)
        name = membership.group.group
        membership.group.merge(membership.pid, is_left=True, limit=self._limits.members_per_group)
        self._joining.leave(membership.group)
        del self.memberships[name]
        out.datagrams.append(self._joining.record(name, membership.pid, Leave(), now=now))
        return out

    def refuse(self, group: GroupId | str) -> None:
        """Do not tell of this group again until the next advertisement."""
        self._joining.refuse(GroupId(group))

    def advertise(self, *, now: int) -> Effects:
        """Say that this member is here; whoever hears it tells of its groups."""
        now = self._pass_to(now)
        out = Effects()
        out.datagrams.append(self._joining.advertise(now=now))
        return out

    def send(
        self,
        group: GroupId | str,
        content: str | bytes,
        *,
        in_answer_to: MessageId | tuple[MessageId, ...] = (),
        dst: tuple[str, ...] = (),
        now: int,
    ) -> Effects:
        """Send a message to a group, in answer to one, several or none that were delivered.

        Raises UnknownGroupError, UnknownMessageError, TooLongError; then nothing was sent.
        """
        now = self._pass_to(now)
        out = Effects()
        payload = content.encode("utf-8") if isinstance(content, str) else content
        parents = (in_answer_to,) if isinstance(in_answer_to, MessageId) else in_answer_to
        self.membership(group).send(payload, parents=parents, dst=dst, now=now, out=out)
        for datagram in out.datagrams:
            self._said[datagram] = None
        while len(self._said) > OWN_WORDS:
            del self._said[next(iter(self._said))]
        return out

    def synchronise(self, group: GroupId | str, history: JoinPolicy = ALL, *, now: int) -> Effects:
        """Ask the others for what they have, though nothing is known to be missing."""
        now = self._pass_to(now)
        out = Effects()
        self.membership(group).synchronise(history, now=now, out=out)
        return out

    def groups(self) -> list[told.GroupSeen]:
        """Give the groups that are known, joined ones too."""
        return [seen(group) for group in self._joining.all()]

    # What the host calls.

    def receive(self, datagram: bytes, *, now: int) -> Effects:
        """Take one datagram, whatever it is."""
        now = self._pass_to(now)
        out = Effects()
        if datagram in self._said:
            return out  # its own words, as multicast gives them back
        if len(datagram) > DATAGRAM_BYTES:
            self.refused[Refusal.OVERSIZED] += 1
            return out
        try:
            envelope = self._post.read(datagram)
            self._route(envelope, datagram, now=now, out=out)
        except WireError as error:
            self.refused[error.reason.value] += 1
        return out

    def take(self, group: GroupId, datagrams: list[bytes], *, now: int) -> Effects:
        """Take messages of a group that came another way, whatever they are: from the service."""
        now = self._pass_to(now)
        out = Effects()
        for _ in self.membership(group).take(datagrams, now=now, out=out):
            pass
        return out

    def advance(self, now: int) -> Effects:
        """Let time pass; call it at `next_deadline`, or whenever."""
        now = self._pass_to(now)
        out = Effects()
        self._joining.advance(now=now, out=out)
        for membership in self.memberships.values():
            if membership.next_deadline() <= now:
                membership.advance(now=now, out=out)
        return out

    def next_deadline(self) -> int | None:
        """Say when `advance` has something to do next, or None while there is nothing."""
        deadlines = [membership.next_deadline() for membership in self.memberships.values()]
        maybe_telling_at = self._joining.next_deadline()
        if maybe_telling_at is not None:
            deadlines.append(maybe_telling_at)
        return min(deadlines, default=None)

    def _pass_to(self, now: int) -> int:
        self._now = max(self._now, now)
        return self._now

    # Routing.

    def _route(self, envelope: Envelope, datagram: bytes, *, now: int, out: Effects) -> None:
        kind, sender = envelope.kind, envelope.sender
        maybe_membership = self.memberships.get(envelope.group)
        own = self.pid if maybe_membership is None else maybe_membership.pid
        if kind is Kind.MESSAGE:
            if maybe_membership is None:
                self.refused[Refusal.NOT_A_MEMBER] += 1
                return
            if (
                sender == own
                and maybe_membership.store.get(MessageId(sender, envelope.seq)) == datagram
            ):
                return  # its own words, as multicast gives them back
        elif sender in (own, self.pid):
            return
        if not self._quotas.take(split_pid(sender)[0], now=now):
            self.refused[Refusal.OVER_QUOTA] += 1
        elif kind is Kind.MESSAGE and maybe_membership is not None:
            maybe_membership.on_message(envelope, datagram, now=now, out=out)
        elif kind is Kind.GROUP_MANAGEMENT:
            self._joining.on_record(envelope, now=now, out=out)
        elif kind is Kind.SYNCHRONISATION:
            self._on_synchronisation(envelope, maybe_membership, now=now, out=out)
        else:
            self.refused[Refusal.UNEXPECTED_KIND] += 1

    def _on_synchronisation(
        self, envelope: Envelope, maybe_membership: Membership | None, *, now: int, out: Effects
    ) -> None:
        if maybe_membership is None:
            self.refused[Refusal.NOT_A_MEMBER] += 1
            return
        body = decode_synchronisation(envelope.payload)
        if isinstance(body, Request):
            maybe_membership.on_request(envelope.sender, envelope.seq, body, now=now)
        elif isinstance(body, Have):
            if not maybe_membership.on_have(envelope.sender, body, now=now, out=out):
                self._joining.put_right(maybe_membership.group, now=now)
        elif self._quotas.take(
            split_pid(envelope.sender)[0], now=now, count=len(body.messages) // PAGE_MESSAGES
        ):
            maybe_membership.on_response(body, now=now, out=out)
        else:
            self.refused[Refusal.OVER_QUOTA] += 1

    # Entering.

    def _enter(self, entry: Group, policy: GroupPolicy, *, now: int) -> Membership:
        """Begin to be in a group, under the next incarnation if this one has been in it before."""
        known = entry.incarnation_of(self.name)
        pid = self.pid
        if known >= self.incarnation:
            pid = MemberId(f"{self.name}{INCARNATION_MARK}{known + 1}")
        entry.merge(pid, is_left=False, limit=self._limits.members_per_group)
        membership = Membership(
            entry,
            pid,
            policy=policy,
            post=self._post,
            rng=self._rng,
            limits=self._limits,
            pace=self._pace,
            refused=self.refused,
            now=now,
        )
        self.memberships[entry.group] = membership
        return membership

    def membership(self, group: GroupId | str) -> Membership:
        """Give this member's side of a group that it is in. Raises UnknownGroupError."""
        membership = self.memberships.get(GroupId(group))
        if membership is None:
            raise UnknownGroupError(f"{self.name} is not in {group}; join it, or create it")
        return membership


def _policy_of(maybe_group: Group | None) -> GroupPolicy:
    """Give the policy of a group that was seen; semantic order for one that was not."""
    if maybe_group is None:
        return GroupPolicy(limits=engine_limits())
    discipline, acceptance = maybe_group.order
    if discipline not in discipline_names() or acceptance not in set(Acceptance):
        raise MemberError(
            f"{maybe_group.group} is kept in the order {discipline!r} ({acceptance!r}), which this"
            " version does not know; give a policy, or upgrade"
        )
    return GroupPolicy(
        discipline=discipline, acceptance=Acceptance(acceptance), limits=engine_limits()
    )
