"""Ten thousand messages a second in one group, for long: does a member grow?

Four senders speak in turn, a message every 100 microseconds of the group's time, each answering the
one before. One member takes them all, in this process, as fast as it can; what its process holds is
looked at after half of the way, when every store is full, and at the end. Beside it, over real
multicast: three processes that together say 10,000 messages a second.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.timing import NS_PER_S, now_ns
from members.host import wall_clock
from members.routing import GroupManager

SENDERS: Final = 4
MESSAGES: Final = 300_000
"""Half a minute of the group's time; each sender alone says more than four times what is kept."""

EVERY_US: Final = 100
CHUNK: Final = 5_000
STATM: Final = Path("/proc/self/statm")
PAGE_BYTES: Final = 4_096


class Sustained(NamedTuple):
    """What a long talk came to."""

    delivered: int
    messages_per_s: float
    grown_bytes_per_message: float


def sustain(messages: int = MESSAGES) -> Sustained:
    """Let one member take a long talk; give how fast it was and how much it grew after half."""
    senders = [GroupManager(f"s{at}", incarnation=1, seed=at) for at in range(SENDERS)]
    member = GroupManager("member", incarnation=1, seed=9)
    now = wall_clock()
    for one in (*senders, member):
        one.create("dev", now=now)
    delivered, spent_ns, half_bytes = 0, 0, 0
    for start in range(0, messages, CHUNK):
        datagrams = [
            senders[number % SENDERS].send("dev", f"{number:0148}", now=now + EVERY_US * number)
            for number in range(start, start + CHUNK)
        ]
        began_ns = now_ns()
        for number, sent in enumerate(datagrams, start=start):
            at = now + EVERY_US * number
            for datagram in sent.datagrams:
                delivered += len(member.receive(datagram, now=at).events)
            if (member.next_deadline() or at) < at:
                member.advance(at)
        spent_ns += now_ns() - began_ns
        if start <= messages // 2 < start + CHUNK:
            half_bytes = resident_bytes()
    grown = resident_bytes() - half_bytes
    return Sustained(
        delivered,
        messages * NS_PER_S / spent_ns,
        max(0, grown) / (messages / 2),
    )


def resident_bytes() -> int:
    """What this process has in memory now."""
    gc.collect()
    return int(STATM.read_text(encoding="ascii").split()[1]) * PAGE_BYTES
