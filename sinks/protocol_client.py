"""Kafka's own requests, sent one at a time: the offsets of partitions, and bytes of a log as it is.

The client library that everything else uses reads ahead and makes an object of every record. The
job reads stretches that it knows, from one offset to another, and wants their bytes: this asks for
just that, through the connections, the security and the protocol files of the Python client.
The option names of that client stand here and nowhere else.

Every call tries again while leaders move or a broker restarts, until it has waited
`PATIENCE_SECONDS` in vain; then it raises `DestinationError`.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, NamedTuple, TypeVar

from sinks.errors import DestinationError
from sinks.kafka_client import RETRY_SECONDS, no_broker
from sinks.settings import KafkaSettings, SecurityProtocol

MS_PER_SECOND: Final = 1_000
# As long as Spark's own clients wait for a broker that restarts.
PATIENCE_SECONDS: Final = 20.0
# What is asked for at once. The first batch comes whole, however large it is.
FETCHED_BYTES: Final = 1 << 20
# An answer that is larger is none of Kafka's.
_MOST_ANSWER_BYTES: Final = 1 << 30
# How long a broker may hold a request back if there is nothing to give.
_FETCH_WAIT_MS: Final = 100
_EARLIEST, _LATEST = -2, -1
_NONE: Final = -1
"""No replica, no epoch, no session."""
_ALL: Final = -1
"""The replicas that must have a record before it is acknowledged."""
# How often the client's loop must come round until a request is on its way.
_TURNS_TO_SEND: Final = 3
_OFFSET_OUT_OF_RANGE: Final = 1
_TOO_LARGE: Final = (10, 18)
# Versions in which partitions are named and not numbered, and offsets come one to a partition.
_FETCH_VERSIONS: Final = {"min_version": 4, "max_version": 11}
_PRODUCE_VERSIONS: Final = {"min_version": 3, "max_version": 9}
_OFFSETS_VERSIONS: Final = {"min_version": 1, "max_version": 5}

Answer = TypeVar("Answer")

# What it would write about connections to standard error, our own sentences say.
logging.getLogger("kafka").addHandler(logging.NullHandler())
logging.getLogger("kafka").propagate = False


def _nothing() -> None:
    pass


class Partition(NamedTuple):
    """One partition of one topic."""

    topic: str
    partition: int


class TooLargeError(Exception):
    """The topic does not take so much at once."""


class _NotNowError(Exception):
    """The broker says something that passes: look for the leader, and ask again."""


class _RefusedError(Exception):
    """The broker will never do it; the text says why."""


def connection_options(kafka: KafkaSettings) -> dict[str, Any]:
    """Where the broker is and how to prove who we are, in this client's words."""
    options: dict[str, Any] = {
        "bootstrap_servers": kafka.bootstrap.split(","),
        "security_protocol": kafka.security_protocol.value.upper(),
    }
    if kafka.ca_file is not None:
        options["ssl_cafile"] = str(kafka.ca_file)
    if kafka.security_protocol is SecurityProtocol.SASL_SSL:
        options["sasl_mechanism"] = "SCRAM-SHA-512"
        options["sasl_plain_username"] = kafka.username
        options["sasl_plain_password"] = kafka.read_password()
    return options


class ProtocolClient:
    """One program's connections to the brokers. Opened by the first request; not for several
    threads.
    """

    def __init__(self, kafka: KafkaSettings) -> None:
        self._kafka = kafka
        self._maybe_manager: Any = None

    def close(self) -> None:
        """Leave the brokers; the next request would connect again."""
        if self._maybe_manager is not None:
            manager, self._maybe_manager = self._maybe_manager, None
            manager.close()
            manager._net.close()

    def first_offsets(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """The oldest offset that each partition still has."""
        return self._offsets(partitions, _EARLIEST)

    def end_offsets(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """For each partition, the offset that its next record will get."""
        return self._offsets(partitions, _LATEST)

    def fetch(self, partition: Partition, offset: int) -> bytes:
        """The log's bytes from the batch on that has this offset; none if there is nothing yet.

        Raises `LookupError` if the partition does not have the offset: it has expired, or the
        topic was made anew.
        """
        from kafka.protocol.consumer import FetchRequest

        topic = FetchRequest.FetchTopic
        request = FetchRequest(
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=1,
            max_bytes=FETCHED_BYTES,
            isolation_level=0,
            session_id=0,
            session_epoch=_NONE,
            topics=[
                topic(
                    topic=partition.topic,
                    partitions=[
                        topic.FetchPartition(
                            partition=partition.partition,
                            current_leader_epoch=_NONE,
                            fetch_offset=offset,
                            last_fetched_epoch=_NONE,
                            log_start_offset=_NONE,
                            partition_max_bytes=FETCHED_BYTES,
                        )
                    ],
                )
            ],
            forgotten_topics_data=[],
            rack_id="",
            **_FETCH_VERSIONS,
        )

        async def ask() -> bytes:
            answer = await self._send(request, await self._leader(partition))
            (found,) = (one for topic in answer.responses for one in topic.partitions)
            if found.error_code == _OFFSET_OUT_OF_RANGE:
                raise LookupError(f"{partition.topic} has no offset {offset}")
            _look_at(found.error_code)
            return bytes(found.records or b"")

        return self._patiently(ask, (partition,))

    def produce(
        self, partition: Partition, batch: bytes, *, meanwhile: Callable[[], None] = _nothing
    ) -> None:
        """Write a batch of records, and wait until every replica that is in order has it.

        `meanwhile` is done once while the broker is at work. The batch is sent again until it is
        acknowledged, so it may be there twice; what is written after it stands behind it. Raises
        `TooLargeError` if the topic does not take so large a one.
        """
        from kafka.protocol.producer import ProduceRequest

        topic = ProduceRequest.TopicProduceData
        request = ProduceRequest(
            transactional_id=None,
            acks=_ALL,
            timeout_ms=int(PATIENCE_SECONDS * MS_PER_SECOND),
            topic_data=[
                topic(
                    name=partition.topic,
                    partition_data=[
                        topic.PartitionProduceData(index=partition.partition, records=batch)
                    ],
                )
            ],
            **_PRODUCE_VERSIONS,
        )

        async def ask() -> None:
            answer = await self._send(request, await self._leader(partition))
            (found,) = (one for topic in answer.responses for one in topic.partition_responses)
            if found.error_code in _TOO_LARGE:
                raise TooLargeError
            _look_at(found.error_code)

        self._patiently(ask, (partition,), meanwhile=meanwhile)

    def _offsets(self, partitions: Iterable[Partition], when: int) -> dict[Partition, int]:
        wanted = tuple(partitions)

        async def ask() -> dict[Partition, int]:
            by_leader: dict[int, list[Partition]] = defaultdict(list)
            for one in wanted:
                by_leader[await self._leader(one)].append(one)
            found: dict[Partition, int] = {}
            for leader, theirs in by_leader.items():
                answer = await self._send(_offsets_request(theirs, when), leader)
                for topic in answer.topics:
                    for one in topic.partitions:
                        _look_at(one.error_code)
                        found[Partition(topic.name, one.partition_index)] = one.offset
            return found

        return self._patiently(ask, wanted)

    async def _leader(self, partition: Partition) -> int:
        """Who has the partition; whoever is told that it moved asks for the metadata anew."""
        from kafka.structs import TopicPartition

        maybe_leader = self._maybe_manager.cluster.leader_for_partition(TopicPartition(*partition))
        if maybe_leader is None or maybe_leader < 0:
            raise _NotNowError(f"{partition.topic} has no leader")
        return int(maybe_leader)

    async def _send(self, request: object, leader: int) -> Any:
        manager = self._maybe_manager
        sent = manager.send(request, node_id=leader)
        return await manager.wait_for(sent, PATIENCE_SECONDS * MS_PER_SECOND)

    def _patiently(
        self,
        ask: Callable[[], Awaitable[Answer]],
        partitions: Iterable[Partition],
        *,
        meanwhile: Callable[[], None] = _nothing,
    ) -> Answer:
        """Ask until there is an answer, or nobody has given one for too long."""
        from kafka.errors import KafkaError

        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self._connect(partitions)
                asked = self._begin(ask)
                meanwhile, do = _nothing, meanwhile
                do()
                answer: Answer = self._maybe_manager.run(_answer_of, asked)
            except _RefusedError as error:
                raise DestinationError(
                    f"the broker at {self._kafka.bootstrap} refuses {_named(partitions)}: {error}"
                ) from error
            except (KafkaError, OSError, _NotNowError) as error:
                if time.monotonic() > deadline:
                    self.close()
                    if isinstance(error, _NotNowError):
                        raise DestinationError(
                            f"the broker at {self._kafka.bootstrap} does not give "
                            f"{_named(partitions)}: {error}; is kafka.topic_prefix right?"
                        ) from error
                    raise no_broker(self._kafka) from error
                time.sleep(RETRY_SECONDS)
                self._look_anew()
            else:
                return answer

    def _begin(self, ask: Callable[[], Awaitable[Answer]]) -> Awaitable[Answer]:
        """Let a request leave; the answer is to be waited for."""
        manager = self._maybe_manager
        asked: Awaitable[Answer] = manager.call_soon(ask)
        for _ in range(_TURNS_TO_SEND):
            manager._net.poll(timeout_ms=0)
        return asked

    def _connect(self, partitions: Iterable[Partition]) -> None:
        """Open connections, if there are none, and know who leads what."""
        from kafka.net.manager import KafkaConnectionManager
        from kafka.net.selector import NetworkSelector

        if self._maybe_manager is None:
            options = connection_options(self._kafka) | {
                "receive_message_max_bytes": _MOST_ANSWER_BYTES,
                "request_timeout_ms": PATIENCE_SECONDS * MS_PER_SECOND,
            }
            manager = KafkaConnectionManager(NetworkSelector(**options), **options)
            manager.cluster.config["allow_auto_create_topics"] = False
            self._maybe_manager = manager
            manager.bootstrap(PATIENCE_SECONDS * MS_PER_SECOND)
        manager = self._maybe_manager
        known = manager.cluster.topics(exclude_internal_topics=False)
        new = {one.topic for one in partitions} - known
        if new:
            for topic in new:
                manager.cluster.add_topic(topic)
            manager.run(manager.cluster.refresh_metadata)

    def _look_anew(self) -> None:
        """Ask who leads what before the next try; if nobody answers, connect anew."""
        from kafka.errors import KafkaError

        if self._maybe_manager is None:
            return
        try:
            self._maybe_manager.run(self._maybe_manager.cluster.refresh_metadata)
        except (KafkaError, OSError):
            self.close()


async def _answer_of(asked: Awaitable[Answer]) -> Answer:
    return await asked


def _offsets_request(partitions: Iterable[Partition], when: int) -> object:
    from kafka.protocol.consumer import ListOffsetsRequest

    topic = ListOffsetsRequest.ListOffsetsTopic
    by_topic: dict[str, list[int]] = defaultdict(list)
    for name, partition in partitions:
        by_topic[name].append(partition)
    return ListOffsetsRequest(
        replica_id=_NONE,
        isolation_level=0,
        topics=[
            topic(
                name=name,
                partitions=[
                    topic.ListOffsetsPartition(
                        partition_index=number, current_leader_epoch=_NONE, timestamp=when
                    )
                    for number in numbers
                ],
            )
            for name, numbers in by_topic.items()
        ],
        **_OFFSETS_VERSIONS,
    )


def _look_at(error_code: int) -> None:
    """Raise what an answer's error means, if it has one."""
    from kafka.errors import for_code

    if error_code:
        error = for_code(error_code)
        if getattr(error, "retriable", False):
            raise _NotNowError(error.__name__)
        raise _RefusedError(f"{error.__name__}: {getattr(error, 'description', '')}")


def _named(partitions: Iterable[Partition]) -> str:
    return ", ".join(f"partition {number} of {topic}" for topic, number in partitions)
