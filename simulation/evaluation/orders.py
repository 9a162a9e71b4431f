"""The orders that are compared, each as messages and a policy for the production engine.

`waits` calls `prepare` once per group and order. What each message must follow:
- Sb: its parents. The engine's `semantic`.
- FIFO: its sender's earlier messages. The engine's `fifo`.
- causal, known links: its sender's earlier messages and its parents, and all that those follow; or
  its recorded vector clock where the source has one. The least that a causal protocol can order.
  The engine's `causal`.
- causal, all seen: every message sent before it, by the rule that a sender has seen everything
  before it in the log. The most that a causal protocol can order. The engine's `causal`.
- total: the message sent just before it, as under one clock for all. A chain of parents for the
  engine's `semantic`: its own `total` takes the captured log for the order, in which nothing waits.

    alice 1 <- bob 1 (answers alice 1),  carol 1 (answers nothing),  alice 2 (answers carol 1)
    alice 2 follows   Sb: carol 1   FIFO: alice 1   known links: both   all seen: all three
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ordering.policy import GroupPolicy
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from simulation.evaluation.records import Sent


class Order(Enum):
    """The orders by the names that charts and tables use."""

    SEMANTIC = "Sb"
    FIFO = "FIFO"
    CAUSAL_LINKS = "causal, known links"
    CAUSAL_ALL = "causal, all seen"
    TOTAL = "total"


DISCIPLINES = {
    Order.SEMANTIC: "semantic",
    Order.FIFO: "fifo",
    Order.CAUSAL_LINKS: "causal",
    Order.CAUSAL_ALL: "causal",
    Order.TOTAL: "semantic",
}


class Prepared(NamedTuple):
    """A group ready for the engine: messages in sending order, and what their stamps cost."""

    policy: GroupPolicy
    messages: list[Message]
    stamp_entries: int


def prepare(group: Sequence[Sent], order: Order) -> Prepared:
    """The group's messages as `order` needs them."""
    policy = GroupPolicy(discipline=DISCIPLINES[order])
    if order in (Order.CAUSAL_LINKS, Order.CAUSAL_ALL):
        return _causal(group, order, policy)
    messages = []
    maybe_previous: Sent | None = None
    for sent in group:
        parents = sent.parents
        if order is Order.TOTAL:
            parents = (maybe_previous.id,) if maybe_previous else ()
        messages.append(Message(sent.id, parents, b""))
        maybe_previous = sent
    entries = 0 if order is Order.FIFO else sum(len(message.parents) for message in messages)
    return Prepared(policy, messages, entries)


def _causal(group: Sequence[Sent], order: Order, policy: GroupPolicy) -> Prepared:
    """Stamps `csn` in sending order: the next seq of each member that the sender doesn't know.

    An entry that stood in the sender's message before is left out of the stamps, since it follows
    from that message; what the stamps cost is counted with it, as a protocol would send it.
    """
    seen: dict[MemberId, int] = {}
    known_to: dict[MemberId, dict[MemberId, int]] = {}
    known_at: dict[MessageId, dict[MemberId, int]] = {}
    stamped: dict[MemberId, dict[MemberId, int]] = {}
    messages = []
    entries = 0
    for sent in group:
        sender, seq = sent.id
        if order is Order.CAUSAL_ALL:
            vector = dict(seen)
        elif sent.clock:
            vector = {name: count + 1 for name, count in sent.clock if count}
        else:
            vector = dict(known_to.get(sender, {}))
            for parent in sent.parents:
                _learn(vector, known_at.get(parent, {}))
                _learn(vector, {parent.sender: parent.seq + 1})
            known_to[sender] = known_at[sent.id] = vector
        before = stamped.get(sender, {})
        news = {
            name: following
            for name, following in vector.items()
            if name != sender and following > before.get(name, 0)
        }
        messages.append(Message(sent.id, (), b"", CausalStamps(tuple(news), tuple(news.values()))))
        entries += len(vector)
        stamped[sender] = vector
        seen[sender] = max(seen.get(sender, 0), seq + 1)
    return Prepared(policy, messages, entries)


def _learn(vector: dict[MemberId, int], other: dict[MemberId, int]) -> None:
    for name, following in other.items():
        if vector.get(name, 0) < following:
            vector[name] = following
