"""The order that a log must come to, by the simplest program that can be right.

For each record in offset order: deliver the message if everything that it answers was delivered,
else keep it in a list; after each delivery, deliver depth first whatever in the list answers what
was just delivered. No index, no runs, no state to save.
"""

from __future__ import annotations

from collections.abc import Iterable

from ingest.wire.envelope import Envelope, Kind, decode
from ingest.wire.errors import WireError
from ordering.values import MessageId


def semantic_order(log: Iterable[bytes]) -> dict[str, list[bytes]]:
    """For each group the envelopes in delivery order; `log` is one partition in offset order."""
    delivered: dict[str, list[bytes]] = {}
    held: dict[str, list[tuple[Envelope, bytes]]] = {}
    known: dict[str, set[MessageId]] = {}
    received: dict[str, set[MessageId]] = {}
    for content in log:
        try:
            envelope = decode(content)
        except WireError:
            continue
        message_id = MessageId(envelope.sender, envelope.seq)
        group = envelope.group
        if envelope.kind is not Kind.MESSAGE or message_id in envelope.parents:
            continue
        if message_id in received.setdefault(group, set()):
            continue
        received[group].add(message_id)
        waiting = held.setdefault(group, [])
        stack = [(envelope, content)]
        while stack:
            candidate, bytes_of_it = stack.pop()
            if not set(candidate.parents) <= known.setdefault(group, set()):
                waiting.append((candidate, bytes_of_it))
                continue
            candidate_id = MessageId(candidate.sender, candidate.seq)
            known[group].add(candidate_id)
            delivered.setdefault(group, []).append(bytes_of_it)
            freed = [item for item in waiting if candidate_id in item[0].parents]
            for item in freed:
                waiting.remove(item)
            stack.extend(reversed(freed))
    return delivered
