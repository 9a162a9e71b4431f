"""Create topics so that doing it again is harmless, and refuse one that is not as it was asked for.

Called by the demo and the tests before anything is produced, and by whoever sets up a broker by
hand.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError, KafkaException

# All three are public; the package's type information says so of the first alone.
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    NewTopic,
)

from deploy.errors import BrokerUnreachableError, TopicDiffersError

DEFAULT_PREFIX = "precede"
ANSWERS_WITHIN_SECONDS = 30.0
_LOOK_EVERY_SECONDS = 0.05

# The broker's own time stands on each raw record: what is ordered, and what is given up when,
# follows from the log and not from the clocks of those who wrote it.
# Kafka's own bound on a record is just too small for the largest payload in its envelope.
_RAW_BYTES = 2 * 1024 * 1024
RAW_SETTINGS: Mapping[str, str] = {
    "message.timestamp.type": "LogAppendTime",
    "max.message.bytes": str(_RAW_BYTES),
}
# What is made of a raw record has that record in it, and facts about it around. If the largest one
# did not fit, the job would stop at it for ever.
OUTPUT_SETTINGS: Mapping[str, str] = {"max.message.bytes": str(_RAW_BYTES + 64 * 1024)}

# Nobody waits for an answer for an hour: a member asks again within a minute. How old a request is
# must not depend on the clock of who asks.
ASKING_SETTINGS: Mapping[str, str] = {**RAW_SETTINGS, "retention.ms": "3600000"}


@dataclass(frozen=True, kw_only=True)
class TopicSpec:
    """A topic as it shall be: `settings` are the ones that differ from the broker's defaults."""

    name: str
    partitions: int
    settings: Mapping[str, str] = field(default_factory=dict)
    replicas: int = 1


def precede_topics(
    *,
    prefix: str = DEFAULT_PREFIX,
    partitions: int,
    raw_topics: Mapping[str, int] | None = None,
) -> list[TopicSpec]:
    """Return the topics of a Precede.

    All have the same number of partitions, so that a group has the same partition in each. Where
    there are several raw topics, the others have as many as those together.
    """
    raw_topics = raw_topics or {f"{prefix}.raw": partitions}
    partitions = sum(raw_topics.values())
    raw = [
        TopicSpec(name=name, partitions=number, settings=RAW_SETTINGS)
        for name, number in raw_topics.items()
    ]
    others = ("ordered", "quarantine", "counters", "waits", "gaps", "membership")
    asking = ("requests", "answers")
    return [
        *raw,
        *(
            TopicSpec(name=f"{prefix}.{word}", partitions=partitions, settings=OUTPUT_SETTINGS)
            for word in others
        ),
        *(
            TopicSpec(name=f"{prefix}.{word}", partitions=partitions, settings=ASKING_SETTINGS)
            for word in asking
        ),
    ]


def create_topics(
    bootstrap: str,
    specs: Iterable[TopicSpec],
    *,
    within_seconds: float = ANSWERS_WITHIN_SECONDS,
) -> list[str]:
    """Create the topics that are not there yet; return the names of those that were created.

    1. Ask for all of them; one that exists already is no error.
    2. Wait until each can be written to.
    3. Compare those that existed with what was asked for.

    Raises `BrokerUnreachableError`, or `TopicDiffersError` with both numbers.
    """
    wanted = list(specs)
    admin = admin_client(bootstrap)
    require_broker(admin, bootstrap=bootstrap, within_seconds=within_seconds)
    created = _create(admin, wanted, within_seconds=within_seconds)
    _wait_until_writable(admin, wanted, within_seconds=within_seconds)
    existed = [spec for spec in wanted if spec.name not in created]
    _refuse_other_partitions(admin, existed, within_seconds=within_seconds)
    _refuse_other_settings(admin, existed, within_seconds=within_seconds)
    return created


def admin_client(bootstrap: str) -> AdminClient:
    """Return a client that keeps quiet: the caller turns its errors into a sentence."""
    return AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})


def require_broker(
    admin: AdminClient, *, bootstrap: str, within_seconds: float = ANSWERS_WITHIN_SECONDS
) -> None:
    """Raise `BrokerUnreachableError` unless a broker answers a metadata call."""
    try:
        admin.list_topics(timeout=within_seconds)
    except KafkaException as error:
        raise BrokerUnreachableError(
            f"No Kafka broker answered at {bootstrap} within {within_seconds:g} s "
            f"({error.args[0].str()}); start one with `precede broker`, or correct the address."
        ) from error


def _create(admin: AdminClient, wanted: list[TopicSpec], *, within_seconds: float) -> list[str]:
    requests = [
        NewTopic(
            spec.name,
            num_partitions=spec.partitions,
            replication_factor=spec.replicas,
            config=dict(spec.settings),
        )
        for spec in wanted
    ]
    answers = admin.create_topics(requests, request_timeout=within_seconds) if requests else {}
    created: list[str] = []
    for name, answer in answers.items():
        try:
            answer.result()
            created.append(name)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise TopicDiffersError(
                    f"Topic {name} could not be created: {error.args[0].str()}."
                ) from error
    return created


def _wait_until_writable(
    admin: AdminClient, wanted: list[TopicSpec], *, within_seconds: float
) -> None:
    deadline = time.monotonic() + within_seconds
    while True:
        topics = admin.list_topics(timeout=within_seconds).topics
        late = [spec.name for spec in wanted if not _has_leaders(topics.get(spec.name))]
        if not late:
            return
        if time.monotonic() > deadline:
            raise BrokerUnreachableError(
                f"The broker did not make {', '.join(late)} writable within {within_seconds:g} s; "
                "look into its log."
            )
        time.sleep(_LOOK_EVERY_SECONDS)


def _has_leaders(topic: Any) -> bool:
    if topic is None or topic.error is not None or not topic.partitions:
        return False
    return all(partition.leader >= 0 for partition in topic.partitions.values())


def _refuse_other_partitions(
    admin: AdminClient, existed: list[TopicSpec], *, within_seconds: float
) -> None:
    topics = admin.list_topics(timeout=within_seconds).topics
    for spec in existed:
        found = len(topics[spec.name].partitions)
        if found != spec.partitions:
            raise TopicDiffersError(
                f"Topic {spec.name} has {found} partitions and shall have {spec.partitions}: "
                "a group would change its partition. Use another prefix, or delete the topic."
            )


def _refuse_other_settings(
    admin: AdminClient, existed: list[TopicSpec], *, within_seconds: float
) -> None:
    by_name = {spec.name: spec for spec in existed if spec.settings}
    if not by_name:
        return
    asked = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in by_name]
    answers = admin.describe_configs(asked, request_timeout=within_seconds)
    for resource, answer in answers.items():
        entries = answer.result()
        for setting, wanted in by_name[resource.name].settings.items():
            found = entries[setting].value if setting in entries else None
            if found != wanted:
                raise TopicDiffersError(
                    f"Topic {resource.name} has {setting}={found} and shall have {wanted}. "
                    "Change the setting, or use another prefix."
                )
