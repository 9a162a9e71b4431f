"""A participant: a whole member as a program, which talks by itself. For trying out and for tests.

    python -m members.participant --name alice --group dev --address 239.255.80.1:5080
        --messages 200 --per-second 50 --create

It joins the group (or creates it), sends its messages at a steady pace, each in answer to something
that was delivered or to nothing, and listens. SIGTERM ends it: it prints one JSON object with what
was delivered, in order, and how long that took from the sender's clock to its own.
A line on standard error says when it is ready; SIGUSR1 asks for a line with how far it has come,
SIGUSR2 makes it ask everybody, and the service, for everything.
"""

import argparse
import asyncio
import gc
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final
from zlib import crc32

from ingest.wire.errors import MulticastError, WireError
from ingest.wire.multicast import LOOPBACK_INTERFACE, parse_group_address
from members.archive import Archive
from members.errors import IncarnationError, MemberError
from members.events import Delivered, MemberEvent, Synchronised
from members.host import MemberHost, wall_clock
from members.incarnation import clock_incarnation, counted_incarnation
from members.limits import Pace, engine_limits
from members.multicast_transport import MulticastTransport
from members.routing import GroupManager
from ordering.policy import Acceptance, GroupPolicy
from ordering.values import MessageId

READY: Final = "ready:"
"""How the line on standard error begins that says that the member listens."""

ANSWERS_AMONG: Final = 50
"""How far back it looks for something to answer."""

_PERCENTILES: Final = (50, 99)


class Participant:
    """What the program remembers of what it was told."""

    def __init__(
        self, *, seed: int, keeps_texts: bool = False, tells_samples: bool = False
    ) -> None:
        self._rng = Random(seed)
        self._keeps_texts = keeps_texts
        self._tells_samples = tells_samples
        self.delivered: list[MessageId] = []
        self.texts: list[str] = []
        self.late_by_us: list[int] = []
        self.own = 0
        self.is_synchronised = False

    def on_event(self, event: MemberEvent) -> None:
        """Take in an event of the member."""
        if isinstance(event, Delivered):
            self.late_by_us.append(wall_clock() - event.sent_at)
            self.delivered.append(event.id)
            if self._keeps_texts:
                self.texts.append(event.text)
        elif isinstance(event, Synchronised):
            self.is_synchronised = True

    def choose(self) -> tuple[MessageId, ...]:
        """Choose something to answer; one time in three, nothing."""
        recent = self.delivered[-ANSWERS_AMONG:]
        if not recent or self._rng.random() < 1 / 3:
            return ()
        return (self._rng.choice(recent),)

    def status(self) -> dict[str, Any]:
        """Give what SIGUSR1 asks for: how much was sent and delivered, and what, in a number."""
        told = ",".join(sorted(f"{sender}:{seq}" for sender, seq in self.delivered))
        return {
            "sent": self.own,
            "delivered": len(self.delivered),
            "digest": crc32(told.encode("utf-8")),
        }

    def summary(self, host: MemberHost, transport: MulticastTransport) -> dict[str, Any]:
        """Give what the program prints at its end."""
        manager = host.manager
        late = sorted(self.late_by_us)
        return {
            "ok": True,
            "member": manager.pid,
            "sent": self.own,
            "delivered": [f"{sender}:{seq}" for sender, seq in self.delivered],
            "texts": self.texts,
            "late_by_us": {f"p{at}": percentile(late, at) for at in _PERCENTILES},
            "samples_us": self.late_by_us if self._tells_samples else [],
            "refused": dict(manager.refused),
            "dropped_by_kernel": transport.dropped(),
            "unsent": host.unsent,
        }


def percentile(ascending: list[int], at: int) -> int:
    """Give the value that `at` percent do not exceed; 0 of nothing."""
    if not ascending:
        return 0
    return ascending[min(len(ascending) - 1, len(ascending) * at // 100)]


async def take_part(chosen: argparse.Namespace) -> dict[str, Any]:
    """Be a member until SIGTERM, then give the summary."""
    incarnation = (
        counted_incarnation(chosen.incarnations)
        if chosen.incarnations is not None
        else clock_incarnation(wall_clock())
    )
    pace = Pace() if chosen.service is None else Pace(asks=2)
    manager = GroupManager(chosen.name, incarnation=incarnation, seed=chosen.seed, pace=pace)
    group = parse_group_address(chosen.address)
    maybe_listens_to = None if chosen.listen is None else parse_group_address(chosen.listen)
    transport = MulticastTransport(group, interface=chosen.interface, listens_to=maybe_listens_to)
    participant = Participant(
        seed=chosen.seed, keeps_texts=chosen.texts, tells_samples=chosen.samples
    )
    is_stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, is_stopping.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _show, participant)
    maybe_archive = _maybe_archive(chosen)
    policy = GroupPolicy(
        discipline=chosen.discipline,
        acceptance=Acceptance(chosen.acceptance),
        limits=engine_limits(),
    )
    async with MemberHost(
        manager, transport, on_event=participant.on_event, archive=maybe_archive
    ) as host:
        if chosen.create:
            host.create(chosen.group, policy=policy)
        else:
            host.join(chosen.group, policy=policy)
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGUSR2, host.synchronise, chosen.group
        )
        print(f"{READY} {manager.pid} in {chosen.group}", file=sys.stderr, flush=True)
        # What is alive by now lives as long as the process: the collector need not look at it.
        gc.freeze()
        await _talk(host, participant, chosen, is_stopping=is_stopping)
        await is_stopping.wait()
        return participant.summary(host, transport)


def _maybe_archive(chosen: argparse.Namespace) -> Archive | None:
    if chosen.service is None:
        return None
    from members.kafka_archive import KafkaArchive
    from sinks.settings import KafkaSettings

    return KafkaArchive(
        KafkaSettings(
            bootstrap=chosen.service,
            topic_prefix=chosen.topic_prefix,
            partitions=chosen.partitions,
        )
    )


def _show(participant: Participant) -> None:
    print(json.dumps(participant.status()), file=sys.stderr, flush=True)


async def _talk(
    host: MemberHost,
    participant: Participant,
    chosen: argparse.Namespace,
    *,
    is_stopping: asyncio.Event,
) -> None:
    """Send at a steady pace; what is due late because the machine was busy goes out at once."""
    loop = asyncio.get_running_loop()
    began_at_s = loop.time() + chosen.start_after_s
    for number in range(chosen.messages):
        wait_s = began_at_s + number / chosen.per_second - loop.time()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        if is_stopping.is_set():
            return
        text = f"{chosen.name} says {number + 1}".ljust(chosen.length)
        host.send(chosen.group, text, in_answer_to=participant.choose())
        participant.own += 1


def main(arguments: Sequence[str]) -> int:
    """Take part, then print the summary."""
    chosen = _parser().parse_args(arguments)
    try:
        summary = asyncio.run(take_part(chosen))
    except (MulticastError, IncarnationError) as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except (MemberError, WireError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(summary))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m members.participant", description="Take part in a group and talk by itself."
    )
    parser.add_argument("--name", required=True)
    parser.add_argument("--group", default="dev")
    parser.add_argument("--address", required=True, help="multicast address and port to speak to")
    parser.add_argument("--listen", help="address to listen to, if it is another: a relay's")
    parser.add_argument("--interface", default=LOOPBACK_INTERFACE)
    parser.add_argument("--create", action="store_true", help="create the group, do not join it")
    parser.add_argument("--discipline", default="semantic")
    parser.add_argument("--acceptance", default=Acceptance.CAUSAL.value)
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--per-second", type=float, default=10.0)
    parser.add_argument("--start-after-s", type=float, default=0.0)
    parser.add_argument("--length", type=int, default=0, help="pad the texts to this length")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--incarnations", type=Path, help="file that counts starts; else the clock")
    parser.add_argument("--service", metavar="HOST:PORT", help="broker of a service to ask too")
    parser.add_argument("--topic-prefix", default="precede", help="first word of its topics")
    parser.add_argument("--partitions", type=int, default=2, help="partitions of its topics")
    parser.add_argument("--samples", action="store_true", help="print each delivery's lateness")
    parser.add_argument("--texts", action="store_true", help="print the texts as well")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
