"""Why is it held? The whole chain from a held message to what is missing.

carol#1:4  waits for  bob#1:2      held as well
bob#1:2    waits for  alice#1:7    missing: nobody captured it
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.web.live_group import HeldMessage
from sinks.waits import EXACT, Sought

MOST_LINKS: Final = 1_000
"""Links of a chain that are told; a longer one is a chain of answers nobody would read."""


def chain_of(message_id: str, held: Mapping[str, HeldMessage]) -> list[HeldMessage]:
    """The held messages from this one to the last that is held itself; empty if it is not held."""
    chain: list[HeldMessage] = []
    seen: set[str] = set()
    maybe_next = held.get(message_id)
    while maybe_next is not None and maybe_next.id not in seen and len(chain) < MOST_LINKS:
        chain.append(maybe_next)
        seen.add(maybe_next.id)
        maybe_next = held.get(maybe_next.sought.waiting_for)
    return chain


def explain(message_id: str, held: Mapping[str, HeldMessage]) -> dict[str, Any]:
    """The chain, what is missing at its end, and how many wait for that, as a value for JSON."""
    chain = chain_of(message_id, held)
    if not chain:
        return {"id": message_id, "held": False, "chain": [], "missing": None}
    last = chain[-1].sought
    is_missing = last.waiting_for not in held
    return {
        "id": message_id,
        "held": True,
        "chain": [link.shown() | {"sentence": sentence(link.sought)} for link in chain],
        "missing": {
            **last._asdict(),
            "sentence": sentence(last),
            "waiting": sum(one.sought == last for one in held.values()),
            "behind": behind(last.waiting_for, held),
        }
        if is_missing
        else None,
    }


def behind(missing: str, held: Mapping[str, HeldMessage]) -> int:
    """How many wait for this, directly or through others."""
    waiting_by: dict[str, list[str]] = {}
    for one in held.values():
        waiting_by.setdefault(one.sought.waiting_for, []).append(one.id)
    found: set[str] = set()
    to_do = [missing]
    while to_do:
        for waiting in waiting_by.get(to_do.pop(), ()):
            if waiting not in found:
                found.add(waiting)
                to_do.append(waiting)
    return len(found)


def sentence(sought: Sought) -> str:
    """What is waited for, as people say it."""
    if sought.measure == EXACT:
        return f"waits for {sought.waiting_for}"
    sender, _, seq = sought.waiting_for.rpartition(":")
    if sought.by:
        return f"waits until {sought.by} has confirmed everything of {sender} up to {seq}"
    return f"waits until everything of {sender} up to {seq} is {sought.measure}"
