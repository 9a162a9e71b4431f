"""Publish to the raw topic: accepted means that Kafka has it on all its replicas, or we say so.

The queue is the client's own, bounded by number and by bytes. When it is full, `publish` blocks the
capture thread: messages then wait in the kernel's buffer, and what does not fit there is dropped
and counted by the kernel. Nothing is dropped here.

The first delivery that fails for good makes `check` raise: an agent that loses messages and goes on
would look healthy.
"""

import threading
import time
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from ingest.errors import BrokerAwayError, PublisherClosedError, TopicMissingError
from ingest.kafka_options import RawTopic, agent_options
from ingest.settings import AgentSettings

_SERVE_EVERY_S: Final = 0.1
_WAIT_FOR_ROOM_S: Final = 0.02
_PROBE_WITHIN_S: Final = 1.0


class Publisher:
    """One producer for all capture threads. Made by the agent; raises if Kafka is not there."""

    def __init__(self, raw: RawTopic, settings: AgentSettings) -> None:
        """Connect. Raises BrokerAwayError or TopicMissingError, after a bounded time."""
        self._raw = raw
        self._away_after_s = settings.broker_away_after_ms / 1_000
        self._lock = threading.Lock()
        self._accepted = 0
        self._failed = 0
        self.blocked = 0
        """How often a capture thread had to wait for room."""
        self._maybe_error: KafkaError | None = None
        self._is_in_doubt = False
        self._maybe_away_since_s: float | None = None
        self._is_closed = False
        self._is_over = False
        self._producer = Producer(
            {
                **agent_options(raw, settings),
                "error_cb": self._on_error,
                "on_delivery": self._on_delivery,
            }
        )
        self._require_topic()
        self._server = threading.Thread(target=self._serve, name="publisher", daemon=True)
        self._server.start()

    @property
    def waiting(self) -> int:
        """How many messages are accepted and not yet acknowledged; 0 at the end."""
        return 0 if self._is_over else len(self._producer)

    @property
    def failed(self) -> int:
        """How many messages were accepted and never confirmed by Kafka."""
        return self._failed

    @property
    def published(self) -> int:
        """How many messages Kafka has acknowledged; exact once the publisher has ended."""
        return max(0, self._accepted - self._failed - self.waiting)

    def publish(self, key: bytes, value: bytes) -> None:
        """Accept one message; wait for room if there is none. Called by the capture threads."""
        while True:
            if self._is_closed:
                with self._lock:
                    self._accepted += 1
                    self._failed += 1
                raise PublisherClosedError
            try:
                self._producer.produce(self._raw.topic, value=value, key=key)
            except BufferError:
                self.blocked += 1
                time.sleep(_WAIT_FOR_ROOM_S)
                continue
            with self._lock:
                self._accepted += 1
            return

    def check(self, *, now_s: float) -> None:
        """Raise BrokerAwayError if a delivery failed, or if Kafka has been silent for too long;
        what is left is then given up.

        Called by the agent a few times a second with a clock that never goes back. Only when the
        client reported trouble is Kafka asked for a sign of life, so that this is cheap.
        """
        maybe_error = self._maybe_error
        if maybe_error is not None:
            self.abandon()
            raise BrokerAwayError(
                f"Kafka at {self._raw.bootstrap} did not take {self._failed} of {self._accepted}"
                f" captured messages ({maybe_error.str()}); look after it and start the agent again"
            )
        if not self._is_in_doubt:
            return
        self._is_in_doubt = False
        try:
            self._producer.list_topics(self._raw.topic, timeout=_PROBE_WITHIN_S)
            self._maybe_away_since_s = None
        except KafkaException as error:
            self._is_in_doubt = True
            if self._maybe_away_since_s is None:
                self._maybe_away_since_s = now_s
            elif now_s - self._maybe_away_since_s > self._away_after_s:
                self.abandon()
                raise self._away(error) from None

    def close(self, *, within_s: float) -> None:
        """Hand Kafka what is left. Raises BrokerAwayError if it does not take all of it in time."""
        self._producer.flush(within_s)
        self.abandon()
        if self._failed:
            raise BrokerAwayError(
                f"Kafka at {self._raw.bootstrap} did not take {self._failed} of {self._accepted}"
                f" captured messages within {within_s:g} s; look after it and start the agent again"
            )

    def abandon(self) -> None:
        """Give up what is left, counting it as failed, and end. Doing it again is harmless."""
        if self._is_closed:
            return
        self._is_closed = True
        self._server.join()
        self._producer.purge()
        self._producer.flush(_PROBE_WITHIN_S)
        # All that was purged has been reported as failed: whatever else there was is in Kafka.
        self._is_over = True

    def _require_topic(self) -> None:
        try:
            topics = self._producer.list_topics(self._raw.topic, timeout=self._away_after_s).topics
        except KafkaException as error:
            raise self._away(error) from None
        maybe_error = topics[self._raw.topic].error
        if maybe_error is not None:
            raise TopicMissingError(
                f"the topic {self._raw.topic} can't be used at {self._raw.bootstrap}"
                f" ({maybe_error.str()}); create it, or correct kafka.topic_prefix"
            )

    def _away(self, error: KafkaException) -> BrokerAwayError:
        lost = f", and {self._failed} of {self._accepted} captured messages were not taken"
        return BrokerAwayError(
            f"no Kafka broker answered at {self._raw.bootstrap} within {self._away_after_s:g} s"
            f" ({error.args[0].str()}){lost if self._failed else ''};"
            " start it, or correct kafka.bootstrap"
        )

    def _serve(self) -> None:
        """Let the client call back: it does so only from within `poll`."""
        while not self._is_closed:
            self._producer.poll(_SERVE_EVERY_S)

    def _on_delivery(self, maybe_error: KafkaError | None, _message: Message) -> None:
        if maybe_error is not None:
            with self._lock:
                self._failed += 1
            self._maybe_error = self._maybe_error or maybe_error

    def _on_error(self, error: KafkaError) -> None:
        if error.fatal():
            self._maybe_error = self._maybe_error or error
        self._is_in_doubt = True
