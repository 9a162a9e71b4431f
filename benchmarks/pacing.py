"""A sender that writes messages to the raw topic at a steady pace, each with its instant.

Messages of 148 bytes in 1,000 groups, five members each; each answers its sender's last one. Made
from ready pieces, so that the sender itself takes little of the machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from struct import Struct
from typing import Final

from benchmarks.traffic import MEMBERS, MESSAGE_BYTES
from ingest.wire.bundle import pack
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.partition import partition_of
from ordering.values import GroupId, MemberId, MessageId
from sinks.kafka_client import pace_options, producer_options
from sinks.settings import KafkaSettings

GROUPS: Final = 1_000
STEPS_PER_SECOND: Final = 100
_NUMBERS: Final = Struct(">QQ")
_SEQ: Final = Struct(">Q")
_NUMBERS_AT: Final = 24


class Voice:
    """One member of one group: gives its next message in a few steps."""

    __slots__ = ("_between", "_end", "_start", "partition", "seq")

    def __init__(self, group: GroupId, member: MemberId, *, partition: int) -> None:
        parents = (MessageId(member, 1),)
        bare = Envelope(Kind.MESSAGE, group, member, 2, parents, b"", 1)
        padding = bytes(max(0, MESSAGE_BYTES - len(encode(bare))))
        whole = encode(bare._replace(payload=padding))
        parent_at = 40 + len(group.encode()) + len(member.encode())
        self._start = whole[:_NUMBERS_AT]
        self._between = whole[_NUMBERS_AT + _NUMBERS.size : parent_at]
        self._end = whole[parent_at + _SEQ.size :]
        self.partition = partition
        self.seq = 1

    def first(self, group: GroupId, member: MemberId) -> bytes:
        """The message that the others follow."""
        return encode(Envelope(Kind.MESSAGE, group, member, 1, (), b"", 1))

    def next(self, sent_at: int) -> bytes:
        """The next message."""
        parent = self.seq
        self.seq = seq = parent + 1
        numbers = _NUMBERS.pack(seq, sent_at)
        return self._start + numbers + self._between + _SEQ.pack(parent) + self._end


class Sender:
    """Writes so many messages a second until it is stopped; `sent` counts them.

    With `entries` greater than 1 it packs as many into each record, so that the pace can be high.
    """

    def __init__(self, kafka: KafkaSettings, *, per_second: int, entries: int = 1) -> None:
        from confluent_kafka import Producer

        self._kafka = kafka
        self._per_step = max(1, per_second // STEPS_PER_SECOND)
        self._entries = entries
        self._producer = Producer(producer_options(kafka) | pace_options(linger_ms=0))
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sender")
        self.sent = 0
        self.behind_seconds = 0.0
        """how far it was behind its pace at most"""

    def __enter__(self) -> Sender:
        self._thread.start()
        return self

    def __exit__(self, *_failure: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop sending; what was sent is at the broker when it returns."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()
        self._producer.flush()

    def _run(self) -> None:
        voices = self._voices()
        waiting: dict[int, list[tuple[int, bytes]]] = {}
        next_at = time.monotonic()
        while not self._is_over.is_set():
            now_us = time.time_ns() // 1_000
            for _ in range(self._per_step):
                voice = next(voices)
                some = waiting.setdefault(voice.partition, [])
                some.append((now_us, voice.next(now_us)))
                if len(some) >= self._entries:
                    self._produce(voice.partition, some)
                    some.clear()
            self._producer.poll(0)
            self.sent += self._per_step
            next_at += 1 / STEPS_PER_SECOND
            pause = next_at - time.monotonic()
            self.behind_seconds = max(self.behind_seconds, -pause)
            if pause > 0:
                self._is_over.wait(pause)

    def _produce(self, partition: int, some: list[tuple[int, bytes]]) -> None:
        value = some[0][1] if self._entries == 1 else pack(some)
        while True:
            try:
                self._producer.produce(self._kafka.topics.raw, value=value, partition=partition)
            except BufferError:
                self._producer.poll(0.1)
            else:
                return

    def _voices(self) -> Iterator[Voice]:
        """All members of all groups in turn, for ever; each begins with its first message."""
        voices = []
        for number in range(GROUPS):
            group = GroupId(f"group-{number:07d}")
            partition = partition_of(group, self._kafka.partitions)
            for member in MEMBERS:
                voice = Voice(group, member, partition=partition)
                voices.append(voice)
                first = [(1, voice.first(group, member))]
                self._produce(partition, first)
        while True:
            yield from voices
