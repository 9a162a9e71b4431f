"""`OrderedConsumer`: every delivered message once, in order, from the first one to the newest.

    from sinks import OrderedConsumer

    with OrderedConsumer("127.0.0.1:9092", tables=".precede/tables") as consumer:
        for delivery in consumer:
            print(delivery.group, delivery.position, delivery.text)

What it does, for each partition on its own:

1. The past is read from the table `deliveries` (where `tables` is given), up to the last ordinal
   that the table has; then the ordered topic goes on with the next one.
2. The first occurrence of ordinal n + 1 in the topic has an offset of at least n, because 1 ... n
   stand before it; so reading at offset n passes no record that is still wanted.
3. A record is kept if its ordinal follows the last one. A smaller one is a repeat (the job wrote a
   batch again) and is dropped. A greater one shows that something is missing: first the topic is
   read from its beginning (it may have been made anew), then the table is asked, and what is in
   neither is told as `LossError`, once; reading can go on behind it.

There is no order between groups. A consumer joins no group of the broker and commits nothing: it
knows where it is by itself, and `token` says it in a text that a program keeps with its results.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from enum import StrEnum
from types import TracebackType
from typing import NamedTuple

from ingest.wire.errors import WireError
from sinks.consumer_delivery import Delivery, delivery_of_record
from sinks.consumer_history import History
from sinks.consumer_live import LiveTopic
from sinks.consumer_token import UNKNOWN_OFFSET, Place, Token, read_token, write_token
from sinks.errors import ClosedError, LossError, RecordError, TokenError
from sinks.kafka_client import BROKER_PATIENCE_SECONDS, TopicRecord, no_broker
from sinks.records import decode_ordered
from sinks.settings import KafkaSettings

SLICE_SECONDS = 0.2
"""The longest single wait for the broker, so that `close` in another thread is soon obeyed."""

BREATH_ROWS = 1_024
"""After so many rows of groups that are not read, a look at the clock and at `close`."""


class Start(StrEnum):
    """Where to begin without a token."""

    BEGINNING = "beginning"
    """With the first message ever; what is kept nowhere any more is told as `LossError`."""
    OLDEST = "oldest"
    """With the oldest message that is still kept."""
    END = "end"
    """With what comes from now on."""


class Counts(NamedTuple):
    """What became of what was read."""

    given: int = 0
    repeats: int = 0
    lost: int = 0
    foreign: int = 0
    """Records in the topic that are none of ours; they are passed over."""


class OrderedConsumer:
    """Reads one ordered topic; an iterator that waits for more, and `poll` that waits so long."""

    def __init__(
        self,
        kafka: KafkaSettings | str,
        *,
        topic_prefix: str = "precede",
        tables: str | None = None,
        start: Start | str = Start.BEGINNING,
        groups: Collection[str] | None = None,
    ) -> None:
        """Open the topic, and the table if there is one.

        `kafka` is where the broker is (`host:port`), or whole settings; `tables` the folder of the
        Delta tables; `start` a `Start` or a token; `groups` the groups to give, all without it.
        Raises `DestinationError` where there is no broker, topic or table, and `TokenError`.
        """
        if isinstance(kafka, str):
            kafka = KafkaSettings(bootstrap=kafka, topic_prefix=topic_prefix)
        self._kafka = kafka
        self._groups = None if groups is None else tuple(sorted(set(groups)))
        self._keys = None if groups is None else {group.encode() for group in groups}
        self._maybe_history = None if tables is None else History(tables, groups=self._groups)
        self._live = LiveTopic(kafka)
        self._lock = threading.Lock()
        self._is_closed = False
        self._deadline: float | None = None
        self._tally = dict.fromkeys(Counts._fields, 0)
        try:
            self._places = self._first_places(start)
        except BaseException:
            self.close()
            raise
        self._steps = self._read()

    @property
    def token(self) -> str:
        """Where to resume, behind the last message that was given: keep it with your results."""
        return write_token(Token(self._live.topic, self._groups, self._places))

    @property
    def counts(self) -> Counts:
        """What became of everything that was read so far."""
        return Counts(**self._tally)

    def poll(self, timeout: float = 0.0) -> Delivery | None:
        """The next message; None if none comes within `timeout` seconds.

        Raises `LossError` where messages are missing; the next call goes on behind them.
        """
        return self._next_before(time.monotonic() + timeout)

    def until_end(self) -> Iterator[Delivery]:
        """Every message from here to where the topic ends at this moment; `close` ends it too."""
        ends = {number: self._live.bounds(number).high for number in self._live.partitions}
        last_progress = time.monotonic()
        before: tuple[dict[int, int], dict[int, Place]] = ({}, {})
        while True:
            try:
                delivery = self._next_before(time.monotonic() + SLICE_SECONDS)
                now = {} if delivery is not None else self._next_offsets()
            except ClosedError:
                return
            if delivery is not None:
                last_progress = time.monotonic()
                yield delivery
                continue
            if now and all(now[number] >= end for number, end in ends.items()):
                return
            if (now, self._places) != before:
                before, last_progress = (now, dict(self._places)), time.monotonic()
            elif time.monotonic() - last_progress > BROKER_PATIENCE_SECONDS:
                raise no_broker(self._kafka)

    def close(self) -> None:
        """Let the broker go; from any thread, any number of times. Iteration ends."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._live.close()

    def __iter__(self) -> Iterator[Delivery]:
        return self

    def __next__(self) -> Delivery:
        """Wait for the next message; the end comes with `close` only."""
        try:
            while True:
                delivery = self._next_before(None)
                if delivery is not None:
                    return delivery
        except ClosedError:
            raise StopIteration from None

    def __enter__(self) -> OrderedConsumer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _next_before(self, maybe_deadline: float | None) -> Delivery | None:
        """Make steps until one gives a message, or it is late."""
        self._deadline = maybe_deadline
        while True:
            with self._lock:
                self._must_be_open()
                step = next(self._steps)
            if isinstance(step, LossError):
                raise step
            if step is not None:
                return step
            if maybe_deadline is None or time.monotonic() >= maybe_deadline:
                return None

    def _next_offsets(self) -> dict[int, int]:
        with self._lock:
            self._must_be_open()
            return self._live.next_offsets()

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise ClosedError("the consumer is closed; make a new one with its token")

    def _first_places(self, start: Start | str) -> dict[int, Place]:
        partitions = self._live.partitions
        if start == Start.BEGINNING:
            return dict.fromkeys(partitions, Place(0))
        if start == Start.OLDEST:
            return dict.fromkeys(partitions, Place(None))
        if start == Start.END:
            return {number: Place(None, self._live.bounds(number).high) for number in partitions}
        places = read_token(start, topic=self._live.topic, groups=self._groups)
        if set(places) != set(partitions):
            raise TokenError(
                f"the token is of a topic with {len(places)} partitions, and {self._live.topic} "
                f"has {len(partitions)}: it was made anew; start from Start.BEGINNING"
            )
        for number, place in places.items():
            high = self._live.bounds(number).high
            if place.offset > high:
                raise TokenError(
                    f"the token goes on at offset {place.offset} of partition {number}, and "
                    f"{self._live.topic} ends at {high}: it was made anew since; "
                    "start from Start.BEGINNING"
                )
        return dict(places)

    def _read(self) -> Iterator[Delivery | LossError | None]:
        """Every step in turn; None when nothing came for a while."""
        yield from self._read_history()
        starts = {number: self._start_offset(number) for number in self._live.partitions}
        self._live.start(starts)
        may_go_back = {number for number, offset in starts.items() if offset > 0}
        while True:
            gone_back: set[int] = set()
            for record in self._live.read(self._patience()):
                number = record.partition
                if number in gone_back:
                    continue
                try:
                    ordinal = decode_ordered(record.value).ordinal
                except RecordError:
                    self._tally["foreign"] += 1
                    continue
                if self._is_gap(number, ordinal) and number in may_go_back:
                    may_go_back.discard(number)
                    gone_back.add(number)
                    self._live.go_back(number, self._live.bounds(number).low)
                    continue
                may_go_back.discard(number)
                yield from self._from_topic(record, ordinal)
            yield None

    def _read_history(self) -> Iterator[Delivery | LossError | None]:
        """The table, from the places on, one partition after the other."""
        unread = {number for number, place in self._places.items() if place.offset < 0}
        if self._maybe_history is None or not unread:
            return
        for number, extent in sorted(self._maybe_history.extents().items()):
            if number in unread:
                last = self._places[number].ordinal
                first = extent.first if last is None else max(last + 1, extent.first)
                yield from self._from_table(number, first, extent.last)

    def _from_table(
        self, number: int, first: int, last: int
    ) -> Iterator[Delivery | LossError | None]:
        assert self._maybe_history is not None
        for row in self._maybe_history.read(number, first=first, last=last):
            yield from self._give(number, row.ordinal, row.maybe_delivery, UNKNOWN_OFFSET)
            if row.maybe_delivery is None and row.ordinal % BREATH_ROWS == 0:
                yield None

    def _start_offset(self, number: int) -> int:
        place, bounds = self._places[number], self._live.bounds(number)
        offset = place.offset
        if place.ordinal is None and offset > 0:
            offset -= 1  # The record before tells which ordinal is the last one that has been.
        elif offset < 0:
            offset = place.ordinal or 0
        return offset if bounds.low <= offset <= bounds.high else bounds.low

    def _from_topic(
        self, record: TopicRecord, ordinal: int
    ) -> Iterator[Delivery | LossError | None]:
        number, place = record.partition, self._places[record.partition]
        if place.ordinal is None and record.offset < place.offset:
            self._places[number] = Place(ordinal, place.offset)
            return
        if self._is_gap(number, ordinal) and self._maybe_history is not None:
            self._maybe_history.refresh()
            yield from self._from_table(number, (place.ordinal or 0) + 1, ordinal - 1)
        delivery = None
        if self._keys is None or record.key in self._keys:
            try:
                delivery = delivery_of_record(record.key, record.value)
            except (RecordError, WireError):
                self._tally["foreign"] += 1
        yield from self._give(number, ordinal, delivery, record.offset + 1)

    def _is_gap(self, number: int, ordinal: int) -> bool:
        last = self._places[number].ordinal
        return last is not None and ordinal > last + 1

    def _give(
        self, number: int, ordinal: int, maybe_delivery: Delivery | None, next_offset: int
    ) -> Iterator[Delivery | LossError]:
        """Drop a repeat, tell a loss, give a message; the place moves on when it is given."""
        last = self._places[number].ordinal
        if last is not None and ordinal <= last:
            self._tally["repeats"] += 1
            return
        if last is not None and ordinal > last + 1:
            self._tally["lost"] += ordinal - last - 1
            yield self._loss(number, last + 1, ordinal - 1)
        self._places[number] = Place(ordinal, next_offset)
        if maybe_delivery is not None:
            self._tally["given"] += 1
            yield maybe_delivery

    def _loss(self, number: int, first: int, last: int) -> LossError:
        where, advice = "neither the topic nor the table has them", ""
        if self._maybe_history is None:
            where, advice = "the topic does not have them", "give tables=... to read the past, "
        return LossError(
            f"{last - first + 1} messages of partition {number} are missing (ordinals {first} to "
            f"{last}): {where}; {advice}"
            "look at the retention of both, or read on without them",
            partition=number,
            first=first,
            last=last,
        )

    def _patience(self) -> float:
        if self._deadline is None:
            return SLICE_SECONDS
        return min(SLICE_SECONDS, max(0.0, self._deadline - time.monotonic()))
