"""Where the agent publishes to, asked for at the start and remembered beside the spool.

An agent that has reached its topic once may start without Kafka: the spool takes over. One that
never has is told at once that there is no Kafka, because then the address is most likely wrong.
"""

import json
from pathlib import Path
from typing import Final

from confluent_kafka import KafkaException, Producer

from ingest.errors import BrokerAwayError, TopicMissingError
from ingest.kafka_options import RawTopic, agent_options
from ingest.publish_settings import PublishSettings
from sinks.kafka_client import why_refused

FILE_NAME: Final = "destination"


def require_topic(raw: RawTopic, settings: PublishSettings, *, within_s: float) -> None:
    """Raise an operator's error unless the raw topic is there and lets us in: the first start."""
    try:
        ask_partitions(Producer(agent_options(raw, settings)), raw, within_s=within_s)
    except BrokerAwayError:
        maybe_reason = why_refused(raw.client_options)
        if maybe_reason is None:
            raise
        sentence = f"Kafka at {raw.bootstrap} can't be used: {maybe_reason}"
        raise BrokerAwayError(sentence) from None


def ask_partitions(producer: Producer, raw: RawTopic, *, within_s: float) -> int:
    """Give how many partitions the raw topic has. Raises BrokerAwayError or TopicMissingError."""
    try:
        topics = producer.list_topics(raw.topic, timeout=within_s).topics
    except KafkaException as error:
        raise BrokerAwayError(
            f"no Kafka broker answered at {raw.bootstrap} within {within_s:g} s"
            f" ({error.args[0].str()}); start it, or correct kafka.bootstrap"
        ) from None
    maybe_error = topics[raw.topic].error
    if maybe_error is not None:
        raise TopicMissingError(
            f"the topic {raw.topic} can't be used at {raw.bootstrap} ({maybe_error.str()});"
            " create it, or correct kafka.topic_prefix"
        )
    return len(topics[raw.topic].partitions)


def is_known(directory: Path, raw: RawTopic) -> bool:
    """Say whether an agent with this spool has reached this topic before."""
    try:
        text = (directory / FILE_NAME).read_text(encoding="utf-8")
        return bool(json.loads(text) == _fields(raw))
    except (OSError, ValueError, RecursionError):  # the last one: brackets, thousands deep
        return False


def remember(directory: Path, raw: RawTopic) -> None:
    """Keep in mind that this topic was reached. A disk that refuses costs only the next start."""
    try:
        (directory / FILE_NAME).write_text(json.dumps(_fields(raw)) + "\n", encoding="utf-8")
    except OSError:
        return


def _fields(raw: RawTopic) -> dict[str, str]:
    return {"bootstrap": raw.bootstrap, "topic": raw.topic}
