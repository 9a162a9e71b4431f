"""The sender: reads on from the spool, packs, hands Kafka the records, moves the cursor behind.

    spool ─read─> packer ─record─> Kafka client ─answer─> acknowledgements ─cursor─> spool

One thread does all of it. Kafka being away is nothing special: the client's memory fills, the
sender stands still, the spool grows; when Kafka is back it goes on where it stood. Within one
session of the idempotent producer every record is in the topic once and in order. Should the
client give up for good (Kafka refuses a record, or has forgotten the session), the next session
begins behind the cursor: what was in flight is sent again, in the same order, and the job drops
what it has seen.
"""

import threading
import time
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from ingest.acknowledgements import Acknowledgements
from ingest.destination import ask_partitions, remember
from ingest.errors import BrokerAwayError, EdgeError, TopicMissingError
from ingest.kafka_options import RawTopic, agent_options
from ingest.packing import Packer, Record
from ingest.publish_settings import PublishSettings
from ingest.publisher_state import KafkaState
from ingest.spool.backlog import READ_ENTRIES
from ingest.spool.spool import Spool
from ingest.telemetry.journal import Level, Tell, silent
from sinks.kafka_client import maybe_refusal

_ASK_WITHIN_S: Final = 1.0
"""How long one question for the topic may take; asked again and again, and an end need not wait
longer than this for an answer that will not come."""
_LOOK_EVERY_S: Final = 0.05
_LOOK_FOR_ANSWERS_EVERY_S: Final = 0.005
_WAIT_FOR_ROOM_S: Final = 0.02
_NEXT_SESSION_S: Final = 1.0
_LET_GO_WITHIN_S: Final = 1.0
_MILLISECONDS_PER_SECOND: Final = 1_000


class _SessionOverError(Exception):
    """This session can't go on; the next one begins behind the cursor."""


class Publisher:
    """Brings the spool to Kafka until it is closed. Made and started by the agent."""

    def __init__(
        self,
        spool: Spool,
        raw: RawTopic,
        settings: PublishSettings,
        *,
        away_after_s: float,
        tell: Tell = silent,
    ) -> None:
        self.records = 0
        """How many records Kafka has acknowledged, since the start."""
        self.sessions = 0
        """How many sessions were begun; more than one means that something went wrong."""
        self.unpublishable = 0
        """How many messages were passed over because no Kafka would ever take them."""
        self.maybe_failure: Exception | None = None
        self._spool = spool
        self._raw = raw
        self._settings = settings
        self._tell = tell
        self.state = KafkaState(away_after_s=away_after_s, tell=tell, waiting=lambda: spool.waiting)
        self._linger_s = settings.linger_ms / _MILLISECONDS_PER_SECOND
        self._closing = threading.Event()
        self._give_up_at_s = float("inf")
        self._maybe_error: KafkaError | None = None
        self._maybe_refusal: str | None = None
        self._acknowledgements = Acknowledgements()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        """Begin to publish."""
        self._thread.start()

    def close(self, *, within_s: float) -> None:
        """Publish what is left as far as Kafka takes it within the time, and end.

        What is not taken stays in the spool; `spool.waiting` says how much.
        """
        self._give_up_at_s = time.monotonic() + within_s
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            while not self._is_over():
                try:
                    self._run_session()
                except _SessionOverError as reason:
                    if not self._is_over():
                        self.state.refused(str(reason))
                    self._closing.wait(_NEXT_SESSION_S)
        except Exception as error:  # the thread has no caller: the agent looks here
            self.maybe_failure = error

    def _run_session(self) -> None:
        self.sessions += 1
        self._maybe_error = None
        self._acknowledgements = Acknowledgements()
        producer = Producer(
            {
                **agent_options(self._raw, self._settings),
                "error_cb": self._on_error,
                "on_delivery": self._on_delivery,
            }
        )
        try:
            packer = Packer(
                partitions=self._find_topic(producer),
                pack_bytes=self._settings.pack_bytes,
                linger_s=self._linger_s,
            )
            self._publish(producer, packer)
        finally:
            producer.purge()
            producer.flush(_LET_GO_WITHIN_S)

    def _find_topic(self, producer: Producer) -> int:
        """Wait until Kafka answers, as long as it takes; give the number of partitions."""
        while not self._is_over():
            try:
                partitions = ask_partitions(producer, self._raw, within_s=_ASK_WITHIN_S)
            except BrokerAwayError as error:
                self._maybe_refusal = None
                producer.poll(0)
                self.state.doubt(self._maybe_refusal or str(error))
            except TopicMissingError as error:
                self.state.doubt(str(error))
                self._closing.wait(_NEXT_SESSION_S)
            else:
                self.state.answered()
                remember(self._spool.directory, self._raw)
                return partitions
        raise _SessionOverError("closed before Kafka answered")

    def _publish(self, producer: Producer, packer: Packer) -> None:
        """Read on, pack and produce, until closed or until something goes wrong."""
        spool = self._spool
        spool.rewind()
        taken = spool.cursor
        while True:
            entries = spool.read(taken, wait_s=self._wait_s(packer))
            now_s = time.monotonic()
            for entry in entries:
                maybe_record = packer.add(entry, now_s=now_s)
                taken = entry.sequence
                if maybe_record is not None:
                    self._produce(producer, maybe_record)
            for record in packer.due(now_s=now_s):
                self._produce(producer, record)
            self._settle(producer, taken, packer)
            if len(entries) < READ_ENTRIES:
                self._let_gather(packer)
            if self._is_over():
                return
            self._look_after(producer)

    def _wait_s(self, packer: Packer) -> float:
        """Give how long a read may wait: not at all while a bundle is open."""
        if packer.maybe_due_at_s is not None:
            return 0.0
        is_waiting = self._acknowledgements.outstanding > 0
        return _LOOK_FOR_ANSWERS_EVERY_S if is_waiting else _LOOK_EVERY_S

    def _let_gather(self, packer: Packer) -> None:
        """Leave an open bundle alone until it is due: waking for each message would cost more."""
        if packer.maybe_due_at_s is not None:
            left_s = packer.maybe_due_at_s - time.monotonic()
            if left_s > 0:
                time.sleep(left_s)

    def _settle(self, producer: Producer, taken: int, packer: Packer) -> None:
        """Take Kafka's answers, and move the cursor."""
        producer.poll(0)
        maybe_error = self._maybe_error
        if maybe_error is not None:
            raise _SessionOverError(self._sentence(maybe_error))
        through = self._acknowledgements.through(taken, maybe_unsent=packer.maybe_first)
        self._spool.release(through)

    def _produce(self, producer: Producer, record: Record) -> None:
        """Hand over one record; wait for room as long as it takes, unless all is over."""
        while True:
            try:
                producer.produce(
                    self._raw.topic,
                    value=record.value,
                    key=record.maybe_key,
                    partition=record.partition,
                )
            except BufferError:
                producer.poll(_WAIT_FOR_ROOM_S)
                self._look_after(producer)
                if self._maybe_error is not None or self._is_past_end():
                    raise _SessionOverError("gave up waiting for room") from None
            except KafkaException as error:
                self._pass_over(record, error)
                return
            else:
                self._acknowledgements.sent(record.partition, record.first)
                return

    def _pass_over(self, record: Record, error: KafkaException) -> None:
        """Count what no Kafka takes, such as a record that is too long, rather than stop for it."""
        reason: KafkaError = error.args[0]
        if reason.code() != KafkaError.MSG_SIZE_TOO_LARGE:
            raise _SessionOverError(self._sentence(reason)) from None
        self.unpublishable += record.messages
        self._tell(
            Level.ERROR,
            "unpublishable",
            f"A record is too long for Kafka and was passed over ({reason.str()});"
            " lower publish.pack_bytes",
            messages=record.messages,
            record_bytes=len(record.value),
        )

    def _look_after(self, producer: Producer) -> None:
        """Judge whether Kafka is there; ask it where nothing is under way that would tell."""
        if self._acknowledgements.outstanding:
            self.state.look()
        elif self.state.is_in_doubt and self.state.is_time_to_ask():
            try:
                ask_partitions(producer, self._raw, within_s=_LET_GO_WITHIN_S)
            except EdgeError as error:
                self.state.doubt(str(error))
            else:
                self.state.answered()

    def _is_over(self) -> bool:
        if not self._closing.is_set():
            return False
        return self._spool.cursor >= self._spool.last or self._is_past_end()

    def _is_past_end(self) -> bool:
        return self._closing.is_set() and time.monotonic() > self._give_up_at_s

    def _on_delivery(self, maybe_error: KafkaError | None, message: Message) -> None:
        if maybe_error is not None:
            self._maybe_error = self._maybe_error or maybe_error
        elif self._maybe_error is None:
            # After an error the order of answers means nothing; the next session sends again.
            self._acknowledgements.answered(int(message.partition() or 0))
            self.records += 1
            self.state.taken()

    def _on_error(self, error: KafkaError) -> None:
        if error.fatal():
            self._maybe_error = self._maybe_error or error
        if error.code() != KafkaError._ALL_BROKERS_DOWN:  # which only sums up what came before it
            maybe_reason = maybe_refusal(error)
            told = f"Kafka at {self._raw.bootstrap} can't be used: {maybe_reason}"
            self._maybe_refusal = told if maybe_reason else None
        self.state.doubt(self._maybe_refusal or self._sentence(error))

    def _sentence(self, error: KafkaError) -> str:
        return f"Kafka at {self._raw.bootstrap}: {error.str()}"
