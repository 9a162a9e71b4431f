"""The demo from the first process to the last: start, talk, watch, drain, verify, stop.

Every process is a child that dies with this one. A child that ends before its time ends the demo
with one sentence: its own last complaint if it made one.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from console.commands.run import READY_LINE
from console.configuration.demo import DemoSettings
from console.demo import cast
from console.demo.cast import Place
from console.demo.view import Delivery, View
from console.errors import ExitCode, OperatorError
from console.terminal import Terminal
from console.verification import Report
from deploy.local.broker import Broker
from deploy.local.child import Child, describe_exit
from deploy.local.ports import free_ports
from deploy.local.topics import create_topics, precede_topics
from ingest.wire.envelope import Envelope, Kind, decode, encode
from ingest.wire.multicast import (
    LOOPBACK_INTERFACE,
    open_sender,
    parse_group_address,
    send,
)
from members.script import read_script
from ordering.values import GroupId, MemberId
from sinks.identity import id_text
from sinks.kafka_client import end_offsets, follow_topic
from sinks.records import OrderedRecord, decode_counters, decode_ordered
from sinks.settings import KafkaSettings
from sinks.topics import Topics

SCRIPT_FILE = Path(__file__).parent.parent / "excerpt" / "rust.jsonl"
# Between "start" and the first word, so that every member is there.
CURTAIN_SECONDS = 1.5
# After the last word: the slowest resend, the last batches, the last commit.
DRAIN_SECONDS = 60.0
START_SECONDS = 120.0
POLL_SECONDS = 0.1
STOP_GRACE_SECONDS = 60.0
COMPLAINT_MARK = "precede: "
WARM_UP_GROUP = "warm-up"


class Performance:
    """One run of the demo; `run` does it all."""

    def __init__(self, directory: Path, *, demo: DemoSettings, terminal: Terminal) -> None:
        self._directory = directory
        self._demo = demo
        self._terminal = terminal
        self._script = read_script(SCRIPT_FILE)
        self._children: list[Child] = []
        self._maybe_broker: Broker | None = None

    def run(self) -> Report:
        """Give the report of the verification; raises an operator's error if a part fails."""
        with contextlib.ExitStack() as stack:
            terminal = self._terminal
            with terminal.step("starting a Kafka broker"):
                broker = self._maybe_broker = stack.enter_context(
                    Broker(self._directory / "broker", keep=True)
                )
                place, kafka = self._prepare(broker)
            job = self._start(stack, "job", cast.job_command(place))
            agent = self._start(stack, "agent", cast.agent_command(place))
            relay = self._start(stack, "relay", cast.relay_command(place, self._demo))
            with terminal.step("starting Spark, the agent and the relay"):
                for child in (agent, relay, job):
                    self._wait_until_ready(child)
            with terminal.step("warming up: one message all the way"):
                self._warm_up(place, kafka)
            self._talk(stack, place)
            self._watch(kafka)
            with terminal.step("draining"):
                self._stop(relay)
                self._stop(agent)
                report = self._verified(kafka, place)
                self._stop(job)
        return report

    def _prepare(self, broker: Broker) -> tuple[Place, KafkaSettings]:
        members_port, agent_port = free_ports(2)
        place = Place(self._directory, broker.bootstrap, members_port, agent_port)
        place.configuration_file.write_text(cast.configuration_text(place), encoding="utf-8")
        kafka = KafkaSettings(
            bootstrap=broker.bootstrap, topic_prefix=cast.TOPIC_PREFIX, partitions=cast.PARTITIONS
        )
        create_topics(
            broker.bootstrap,
            precede_topics(prefix=cast.TOPIC_PREFIX, partitions=cast.PARTITIONS),
        )
        return place, kafka

    def _start(self, stack: contextlib.ExitStack, name: str, command: list[str]) -> Child:
        child = Child(command, name=name, log_file=self._directory / f"{name}.log")
        stack.callback(child.kill)
        self._children.append(child)
        return child

    def _warm_up(self, place: Place, kafka: KafkaSettings) -> None:
        """Send a first message of a group of its own: Spark's first batch takes seconds."""
        to = parse_group_address(f"{cast.MEMBERS_ADDRESS}:{place.members_port}")
        envelope = Envelope(
            Kind.MESSAGE,
            GroupId(WARM_UP_GROUP),
            MemberId("demo#1"),
            1,
            payload=b"hello?",
        )
        with open_sender(interface=LOOPBACK_INTERFACE) as sender:
            send(sender, encode(envelope), to=to)
        ordered = kafka.topics.ordered
        self._wait(lambda: sum(end_offsets(kafka, ordered).values()) > 0, "the first message")

    def _talk(self, stack: contextlib.ExitStack, place: Place) -> None:
        start_at = int((time.time() + CURTAIN_SECONDS) * 1_000_000)
        for member in self._script.members:
            command = cast.member_command(
                place, SCRIPT_FILE, self._script,
                member=member, start_at=start_at, seconds=self._demo.seconds,
            )  # fmt: skip
            # A member ends when it has said its lines, so it is not among those that must run.
            child = Child(command, name=member, log_file=self._directory / "members.log")
            stack.callback(child.kill)
        names = ", ".join(self._script.members)
        self._terminal.say(
            f"{len(self._script.lines)} messages of {names}; "
            f"{self._demo.loss:g} % lost and resent, {self._demo.dup:g} % doubled, "
            f"up to {self._demo.jitter_ms} ms late, seed {self._demo.seed}"
        )

    def _watch(self, kafka: KafkaSettings) -> None:
        """Show what is delivered until everything is, or the time is over."""
        topics = kafka.topics
        view = View(self._terminal)
        deadline = time.monotonic() + CURTAIN_SECONDS + self._demo.seconds + DRAIN_SECONDS
        is_over = threading.Event()
        seen: dict[int, int] = {}
        for topic, value in _follow_all(kafka, topics, is_over):
            if topic == topics.counters:
                view.count(decode_counters(value))
            elif topic == topics.ordered:
                record = decode_ordered(value)
                if record.ordinal > seen.get(record.partition, 0):
                    seen[record.partition] = record.ordinal
                    _show(view, record)
            else:
                self._check()
                view.update()
                if view.delivered >= len(self._script.lines) or time.monotonic() > deadline:
                    is_over.set()
        view.finish()

    def _verified(self, kafka: KafkaSettings, place: Place) -> Report:
        """Verify once the job has looked at everything and the tables have it."""
        from console.verification_sources import verify_sources

        deadline = time.monotonic() + DRAIN_SECONDS
        captured = sum(end_offsets(kafka, kafka.topics.raw).values())
        while True:
            self._check()
            report = verify_sources(kafka, str(place.tables))
            is_all = report.counts["captured"] >= captured and not report.counts["behind"]
            if (is_all and report.ok) or time.monotonic() > deadline:
                return report
            time.sleep(POLL_SECONDS * 5)

    def _wait_until_ready(self, child: Child) -> None:
        """Every long-running command says so on a line of its own."""

        def is_ready() -> bool:
            return any(line.startswith(READY_LINE) for line in child.last_lines(200))

        self._wait(is_ready, f"the start of the {child.name}")

    def _wait(self, is_done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_done():
            self._check()
            if time.monotonic() > deadline:
                raise OperatorError(
                    f"{what} took more than {START_SECONDS:.0f} s; look into {self._directory}",
                    ExitCode.CHECK_FAILED,
                )
            time.sleep(POLL_SECONDS)

    def _check(self) -> None:
        """Raise one sentence if something that must run does not."""
        if self._maybe_broker is not None and not self._maybe_broker.is_running:
            raise OperatorError(
                "the Kafka broker of the demo is gone (was it killed?); "
                f"its log is {self._maybe_broker.log_file}; run the demo again",
                ExitCode.CANNOT_CONNECT,
            )
        for child in self._children:
            if not child.is_running:
                raise _complaint_of(child)

    def _stop(self, child: Child) -> None:
        self._children.remove(child)
        code = child.stop(grace_seconds=STOP_GRACE_SECONDS)
        if code != ExitCode.OK:
            raise _complaint_of(child)


def _complaint_of(child: Child) -> OperatorError:
    """A child's own last sentence if it made one, else how it ended and where its log is."""
    said = [
        line.split(COMPLAINT_MARK, 1)[1]
        for line in child.last_lines(50)
        if line.startswith(COMPLAINT_MARK)
    ]
    how = said[-1] if said else f"it ended with {describe_exit(child.exit_code)}"
    code = child.exit_code if said and child.exit_code is not None else ExitCode.CHECK_FAILED
    return OperatorError(f"the {child.name} of the demo failed: {how} (see {child.log_file})", code)


def _follow_all(
    kafka: KafkaSettings, topics: Topics, is_over: threading.Event
) -> Iterator[tuple[str, bytes]]:
    """Records of the ordered and the counters topic as they come; an empty name after each look."""
    wait_seconds = POLL_SECONDS / 2
    ordered = follow_topic(kafka, topics.ordered, is_over=is_over.is_set, wait_seconds=wait_seconds)
    counters = follow_topic(
        kafka, topics.counters, is_over=is_over.is_set, wait_seconds=wait_seconds
    )
    for deliveries, counts in zip(ordered, counters, strict=False):
        yield from ((topics.ordered, record.value) for record in deliveries)
        yield from ((topics.counters, record.value) for record in counts)
        yield "", b""


def _show(view: View, record: OrderedRecord) -> None:
    envelope = decode(record.envelope)
    if envelope.group == WARM_UP_GROUP:
        return
    view.deliver(
        Delivery(
            message_id=f"{envelope.sender}:{envelope.seq}",
            parent=id_text(envelope.parents[0]) if envelope.parents else None,
            sender=envelope.sender.rpartition("#")[0],
            text=envelope.payload.decode(errors="replace"),
            position=record.position,
        )
    )
