"""The members' benchmark: from send to delivery, between processes on the loopback.

Five members in five processes talk over real multicast, together 1,000 messages a second, each
answering what was delivered to it. For every delivery of another's message the time from its
sender's clock to the receiver's is taken; both are the clock of this machine. A member's delivery
of its own message is immediate and is left out, or it would make the figures look better.

Wall time, unlike in the other benchmarks: a message that waits for a core is late. So the figures
are those of a machine that has nothing else to do; `busy_share` says how much of the processors
the members themselves took.

Beside it, in processor time: how many messages a second one member takes on one core, that what it
keeps does not grow beyond its bound, and a long talk at ten thousand a second
(`benchmarks.members_sustained`); and over real multicast, three members that together say ten
thousand a second, all of which everybody must deliver.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from typing import Any, Final, NamedTuple

from benchmarks.figures import Measured, at_least, at_most, rounded
from benchmarks.members_sustained import MESSAGES, sustain
from benchmarks.timing import NS_PER_S, Say, now_ns
from members.host import wall_clock
from members.participant import READY, percentile
from members.routing import GroupManager

MEMBERS: Final = 5
PER_SECOND: Final = 1_000
SECONDS: Final = 10
SETTLING_S: Final = 2.0
"""Time for joining before the talk, and for the last gaps after it."""

ENDS_WITHIN_S: Final = 60
MICROSECONDS_PER_MS: Final = 1_000

RECEIVED: Final = 40_000
"""Messages that one member takes in this process, more than its store holds."""

SENDERS: Final = 4

FAST_MEMBERS: Final = 3
FAST_PER_SECOND: Final = 10_000
FAST_SECONDS: Final = 5

GOALS: Final = {
    "long_talk_messages_per_s": at_least(10_000),
    "long_talk_grown_bytes_per_message": at_most(10.0),
    "fast_talk_undelivered": at_most(0.0),
    "one_member_takes_messages_per_s": at_least(10_000),
    "send_to_delivery_median_ms": at_most(1.0),
    "send_to_delivery_p99_ms": at_most(5.0),
}


class Load(NamedTuple):
    """How much is said."""

    members: int = MEMBERS
    per_second: int = PER_SECOND
    seconds: float = SECONDS

    @property
    def messages_each(self) -> int:
        return int(self.per_second * self.seconds / self.members)


FAST: Final = Load(FAST_MEMBERS, FAST_PER_SECOND, FAST_SECONDS)


def measure(
    *, say: Say, load: Load | None = None, fast: Load = FAST, long_talk: int = MESSAGES
) -> Measured:
    """Let the members talk and give how late their messages were."""
    load = load or Load()
    say(f"{load.members} members, {load.per_second} messages/s for {load.seconds:g} s ...")
    began_s = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = talk(load)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    say(f"one member takes {RECEIVED} messages ...")
    taken_per_s, kept = take(RECEIVED)
    busy_share = used_s / (time.monotonic() - began_s) / (os.cpu_count() or 1)
    measured = measured_of(ended, load, busy_share=busy_share)
    measured.figures["one_member_takes_messages_per_s"] = rounded(taken_per_s)
    measured.figures["one_member_keeps_messages"] = float(kept)
    say(f"a long talk of {long_talk} messages ...")
    sustained = sustain(long_talk)
    measured.figures["long_talk_messages_per_s"] = rounded(sustained.messages_per_s)
    measured.figures["long_talk_grown_bytes_per_message"] = rounded(
        sustained.grown_bytes_per_message
    )
    say(f"{fast.members} members, {fast.per_second} messages/s for {fast.seconds:g} s ...")
    measured.figures.update(fast_figures(talk(fast), fast))
    return measured


def fast_figures(ended: list[dict[str, Any]], load: Load) -> dict[str, float]:
    """Turn what the members of the fast talk printed into figures."""
    measured = measured_of(ended, load, busy_share=0.0)
    expected = load.messages_each * load.members * load.members
    return {
        "fast_talk_messages_per_s": float(load.per_second),
        "fast_talk_undelivered": expected - measured.figures["deliveries"],
        "fast_talk_median_ms": measured.figures["send_to_delivery_median_ms"],
        "fast_talk_p99_ms": measured.figures["send_to_delivery_p99_ms"],
        "fast_talk_dropped_by_kernel": measured.figures["dropped_by_kernel"],
    }


def take(count: int) -> tuple[float, int]:
    """Let one member take messages of several; give how fast, and how many it keeps in the end.

    In processor time, as the other benchmarks: this is what a core can do.
    """
    senders = [GroupManager(f"s{at}", incarnation=1, seed=at) for at in range(SENDERS)]
    member = GroupManager("member", incarnation=1, seed=9)
    now = wall_clock()
    for one in (*senders, member):
        one.create("dev", now=now)
    datagrams: list[bytes] = []
    for number in range(count):
        sent = senders[number % SENDERS].send("dev", f"{number:0148}", now=now + number)
        datagrams += sent.datagrams
    began_ns = now_ns()
    for number, datagram in enumerate(datagrams):
        # A message every 100 microseconds: ten thousand a second, as the quota sees it.
        member.receive(datagram, now=now + 100 * number)
        member.next_deadline()
    taken_per_s = count * NS_PER_S / (now_ns() - began_ns)
    return taken_per_s, member.membership("dev").store.count


def measured_of(ended: list[dict[str, Any]], load: Load, *, busy_share: float) -> Measured:
    """Turn what the members printed into figures."""
    samples: list[int] = []
    for result in ended:
        own = f"{result['member']}:"
        samples += [
            late_us
            for late_us, message_id in zip(result["samples_us"], result["delivered"], strict=True)
            if not message_id.startswith(own)
        ]
    samples.sort()
    expected = load.messages_each * load.members
    faults = tuple(
        f"{result['member']} delivered {len(result['delivered'])} of {expected} messages"
        for result in ended
        if len(result["delivered"]) != expected
    )
    figures = {
        "send_to_delivery_median_ms": rounded(percentile(samples, 50) / MICROSECONDS_PER_MS),
        "send_to_delivery_p99_ms": rounded(percentile(samples, 99) / MICROSECONDS_PER_MS),
        "send_to_delivery_worst_ms": rounded(percentile(samples, 100) / MICROSECONDS_PER_MS),
        "messages_per_s": float(load.per_second),
        "members": float(load.members),
        "deliveries": float(sum(len(result["delivered"]) for result in ended)),
        "dropped_by_kernel": float(sum(result["dropped_by_kernel"] for result in ended)),
        "busy_share": rounded(busy_share),
    }
    return Measured(figures, GOALS, faults)


def talk(load: Load) -> list[dict[str, Any]]:
    """Start the members, let them talk to the end, and give what each prints."""
    address = f"239.255.{os.getpid() % 256}.7:{_free_port()}"
    processes = [_start(number, address, load) for number in range(load.members)]
    try:
        for process in processes:
            assert process.stderr is not None
            if not process.stderr.readline().startswith(READY):
                raise RuntimeError("a member did not start; run python -m members.participant")
        time.sleep(load.seconds + 2 * SETTLING_S)
        for process in processes:
            process.send_signal(signal.SIGTERM)
        return [json.loads(process.communicate(timeout=ENDS_WITHIN_S)[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _start(number: int, address: str, load: Load) -> subprocess.Popen[str]:
    first = ["--create"] if number == 0 else []
    # Members are started one after the other; they begin to talk when all are there.
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "members.participant", "--name", f"member{number}"),
            *("--address", address, "--samples", "--seed", str(number), *first),
            *("--messages", str(load.messages_each), "--length", "148"),
            *("--per-second", str(load.per_second / load.members)),
            *("--start-after-s", str(SETTLING_S)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
