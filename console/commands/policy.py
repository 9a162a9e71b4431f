"""`precede policy`: change how one group is ordered, from here in its log on."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from console.configuration.invocation import load_for
from console.errors import ExitCode, OperatorError
from console.shared_options import TABLE, Output
from console.terminal import OutputFormat, printable, terminal_of_process

if TYPE_CHECKING:
    from sinks.settings import KafkaSettings

OPERATOR = "operator#1"
PATIENCE_SECONDS = 10.0


def register(app: typer.Typer) -> None:
    """Add `policy`."""
    app.command(
        "policy",
        epilog=(
            "\b\nExamples:\n"
            "  precede policy floor.7 fifo\n"
            "  precede policy chat semantic,release,5000\n"
            "  precede policy chat fifo --topic south.raw      # there are several raw topics"
        ),
    )(policy)


def policy(
    context: typer.Context,
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group.")],
    text: Annotated[
        str,
        typer.Argument(
            metavar="POLICY", help="DISCIPLINE[:LEVEL][,GIVE_UP[,AFTER_MS]], as in job.groups."
        ),
    ],
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="TOPIC", help="The raw topic in which the group lives, if there are several."
        ),
    ] = None,
    output: Output = TABLE,
) -> None:
    """Write a control record into the group's log: what comes after it is ordered by this policy.

    What was delivered stays delivered; what is held is judged anew. Every replay of the log changes
    the policy at the same message.
    """
    from console.answers.group_home import raw_topic_of
    from ordering_udfs.group_policies import parse_policy
    from streaming.policy import group_policies

    terminal = terminal_of_process(os.environ)
    configuration = load_for(context).configuration
    try:
        parse_policy(text, default=group_policies(configuration.job).default)
    except ValueError as error:
        raise OperatorError(str(error), ExitCode.CONFIGURATION) from error
    home = raw_topic_of(
        group, kafka=configuration.kafka, tables=configuration.job.tables_directory, wanted=topic
    )
    written = write_change(configuration.kafka, group, text, topic=home)
    if output is OutputFormat.JSON:
        terminal.emit_json({"ok": True, "group": group, "policy": text, **written._asdict()})
    else:
        terminal.emit(
            f"{printable(group)} is ordered by {text} from offset {written.offset} of "
            f"{written.topic}, partition {written.partition}, on"
        )


class Written(NamedTuple):
    """Where the record stands."""

    topic: str
    partition: int
    offset: int


def write_change(kafka: KafkaSettings, group: str, text: str, *, topic: str) -> Written:
    """Write the record into the group's partition of its raw topic."""
    from confluent_kafka import Producer

    from ingest.wire.envelope import Envelope, Kind, encode
    from ingest.wire.errors import WireError
    from ingest.wire.partition import partition_of
    from ordering.values import GroupId, MemberId
    from ordering_udfs.control import write_policy_change
    from sinks.kafka_client import partition_count, producer_options

    name = GroupId(group)
    payload = write_policy_change(text)
    now = time.time_ns() // 1_000
    try:
        value = encode(
            Envelope(Kind.CONTROL, name, MemberId(OPERATOR), 1, payload=payload, sent_at=now)
        )
    except WireError as error:
        raise OperatorError(f"this is no group: {error.detail}", ExitCode.CONFIGURATION) from error
    partition = partition_of(name, partition_count(kafka, topic))
    written: list[int] = []
    producer = Producer(producer_options(kafka))
    producer.produce(
        topic,
        value=value,
        key=group.encode(),
        partition=partition,
        on_delivery=lambda error, message: written.append(-1 if error else message.offset() or 0),
    )
    producer.flush(PATIENCE_SECONDS)
    if not written or written[0] < 0:
        raise OperatorError(
            f"the broker at {kafka.bootstrap} did not take the record; try again",
            ExitCode.CANNOT_CONNECT,
        )
    return Written(topic, partition, written[0])
