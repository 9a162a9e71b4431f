"""The demo from the first process to the last: start, talk, watch, drain, verify, stop.

Every process is a child that dies with this one. A child that ends before its time ends the demo
with one sentence: its own last complaint if it made one.
"""

from __future__ import annotations

import contextlib
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from console.commands.run import READY_LINE
from console.configuration.demo import DemoSettings
from console.demo import cast
from console.demo.cast import Place
from console.demo.page import address_to_open, show_page, write_token
from console.demo.scene import SCENES
from console.demo.view import Delivery, View
from console.errors import ExitCode, OperatorError
from console.terminal import Terminal
from console.verification_report import Report
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
from ordering.values import GroupId, MemberId
from sinks.errors import DestinationError
from sinks.identity import id_text
from sinks.kafka_client import end_offsets, follow_topic
from sinks.records import OrderedRecord, decode_counters, decode_ordered
from sinks.settings import KafkaSettings
from sinks.topics import Topics
from streaming.policy import group_policies
from streaming.settings import JobSettings

# Between "start" and the first word, so that every member is there.
CURTAIN_SECONDS = 1.5
# After the last word: the slowest resend, the last batches, the last commit.
DRAIN_SECONDS = 180.0
START_SECONDS = 300.0
POLL_SECONDS = 0.1
STOP_GRACE_SECONDS = 60.0
COMPLAINT_MARK = "precede: "
WARM_UP_GROUP = "warm-up"
SENTENCE_WIDTH = 79


class Performance:
    """One run of the demo; `run` does it all."""

    def __init__(self, directory: Path, *, demo: DemoSettings, terminal: Terminal) -> None:
        self._directory = directory
        self._demo = demo
        self._terminal = terminal
        self._scene = SCENES[demo.scene]
        self._script = self._scene.script()
        self._children: list[Child] = []
        self._maybe_broker: Broker | None = None

    def run(self, *, show: Callable[[Report], None]) -> Report:
        """Give the report of the verification; raises an operator's error if a part fails.

        `show` is called with it when it is there: at the end, or before everything stays up.
        """
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
            parts = [relay, agent, job]
            if self._demo.page:
                parts.append(self._start(stack, "page", cast.page_command(place)))
            with terminal.step("starting Spark, the agent and the relay"):
                for child in parts:
                    self._wait_until_ready(child)
            with terminal.step("warming up: one message all the way"):
                self._warm_up(place, kafka)
            self._show_page(place)
            self._talk(stack, place)
            self._watch(kafka)
            with terminal.step("writing the tables and verifying"):
                if not self._stays:
                    self._stop(relay)
                    self._stop(agent)
                report = self._verified(kafka, place)
            if self._stays:
                show(report)
                self._stay(place)
            for child in parts:
                if child in self._children:
                    self._stop(child)
        if not self._stays:
            show(report)
        return report

    @property
    def _stays(self) -> bool:
        """Does everything stay up at the end, for a person to look around?"""
        return self._demo.keep and self._demo.page

    def _show_page(self, place: Place) -> None:
        if not self._demo.page:
            return
        token = place.token_file.read_text(encoding="ascii")
        address = address_to_open(
            place.page_address, group=self._script.lines[0].group, token=token
        )
        self._terminal.say(f"the page: {address}")
        show_page(address, is_terminal=self._terminal.is_progress_live)

    def _stay(self, place: Place) -> None:
        self._terminal.say(f"all of it stays up at {place.page_address} until Ctrl-C")
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                self._check()
                time.sleep(POLL_SECONDS)

    def _prepare(self, broker: Broker) -> tuple[Place, KafkaSettings]:
        place = Place(self._directory, broker.bootstrap, *free_ports(3))
        write_token(place.token_file)
        place.configuration_file.write_text(
            cast.configuration_text(place, self._scene), encoding="utf-8"
        )
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
                place, self._scene, self._script,
                member=member, start_at=start_at, seconds=self._demo.seconds,
            )  # fmt: skip
            # A member ends when it has said its lines, so it is not among those that must run.
            child = Child(command, name=member, log_file=self._directory / "members.log")
            stack.callback(child.kill)
        names = ", ".join(self._script.members)
        for line in (
            f"{self._scene.name}: {self._scene.meaning}",
            f"members: {names}; {len(self._script.lines)} messages",
            f"network: {self._demo.loss:g} % lost and resent, {self._demo.dup:g} % doubled, "
            f"up to {self._demo.jitter_ms} ms late, seed {self._demo.seed}",
        ):
            self._terminal.say(textwrap.fill(line, SENTENCE_WIDTH, subsequent_indent="  "))

    def _watch(self, kafka: KafkaSettings) -> None:
        """Show what is delivered until everything is, or the time is over."""
        topics = kafka.topics
        view = View(self._terminal, beside=1)  # the warm-up
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
                is_whole = view.delivered >= self._scene.delivered(self._script)
                if (is_whole and view.is_counted) or time.monotonic() > deadline:
                    is_over.set()
        view.finish()

    def _verified(self, kafka: KafkaSettings, place: Place) -> Report:
        """Verify once the job has looked at everything and the tables have it."""
        from console.verification_sources import verify_sources

        policies = group_policies(JobSettings(groups=self._scene.rules))
        deadline = time.monotonic() + DRAIN_SECONDS
        while True:
            self._check()
            is_last = time.monotonic() > deadline
            try:
                report = verify_sources(kafka, str(place.tables), policies=policies)
            except DestinationError:
                # On a slow machine the first commit of a table may still be under way.
                if is_last:
                    raise
            else:
                if is_last or (report.ok and not report.counts["behind"]):
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
            message_id=f"{envelope.group} {envelope.sender}:{envelope.seq}",
            parent=f"{envelope.group} {id_text(envelope.parents[0])}" if envelope.parents else None,
            sender=envelope.sender.rpartition("#")[0],
            text=envelope.payload.decode(errors="replace"),
            position=record.position,
        )
    )
