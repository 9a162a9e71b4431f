"""`precede verify` against real topics and tables (`test_verification` plants each anomaly)."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from deltalake import write_deltalake

from console.commands.verify import counts_line, is_only_lagging, show_report
from console.terminal import OutputFormat, Terminal
from console.verification_report import ANOMALIES, Report
from console.verification_sources import Client
from deploy.local.broker import Broker
from sinks.decoding import arrow_schema, delivery_row
from sinks.records import (
    Counters,
    MarkBits,
    OrderedRecord,
    Origin,
    encode_counters,
    encode_ordered,
)
from sinks.settings import KafkaSettings
from sinks.tables import DELIVERIES, TABLES
from tests.messages import wire
from tests.topic_tools import new_topics, produce, produce_to


def report(**anomalies: int) -> Report:
    counts = {"behind": anomalies.pop("behind", 0)}
    examples = {name: [f"an example of {name}"] for name in anomalies}
    return Report(dict.fromkeys(ANOMALIES, 0) | anomalies, examples, counts)


def shown(result: Report, output: OutputFormat) -> str:
    out = io.StringIO()
    quiet = Terminal(out, io.StringIO(), False, False, False)
    show_report(result, quiet, output)
    return out.getvalue()


def test_waiting_helps_only_what_time_can_mend() -> None:
    assert is_only_lagging(report(unseen=3))
    assert is_only_lagging(report(behind=1))
    assert not is_only_lagging(report())
    assert not is_only_lagging(report(unseen=3, lost=1))


def test_the_table_ends_in_the_line_of_anomalies() -> None:
    lines = shown(report(lost=2), OutputFormat.TABLE).splitlines()
    assert lines[-1] == "lost 2  duplicated 0  out_of_order 0  unseen 0  payload_mismatch 0"
    assert "lost: an example of lost" in lines


def test_what_is_seldom_there_is_told_only_if_it_is() -> None:
    counts = {"captured": 0, "delivered": 0, "held": 0, "expired": 0, "behind": 2}
    assert counts_line(counts) == "captured 0  delivered 0  held 0  behind 2"


def test_json_is_one_object_with_ok() -> None:
    result = json.loads(shown(report(unseen=1), OutputFormat.JSON))
    assert result["ok"] is False
    assert result["unseen"] == 1


def verify(
    kafka: KafkaSettings, tables: Path, client: Client = Client.CONFLUENT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable, "-m", "console", "verify",
            "--bootstrap", kafka.bootstrap,
            "--topic-prefix", kafka.topic_prefix,
            "--tables", str(tables),
            "--client", client.value,
            "--output", "json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.broker
@pytest.mark.parametrize("client", list(Client))
def test_the_command_says_by_its_exit_code_what_it_found_with_either_client(
    client: Client, broker: Broker, tmp_path: Path
) -> None:
    import pyarrow as pa

    kafka = new_topics(broker.bootstrap, partitions=1)
    topics = kafka.topics
    produce(kafka, [wire("a", 1), wire("b", 1, ("a", 1))])
    first = encode_ordered(OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, wire("a", 1)))
    produce_to(kafka, topics.ordered, [(b"g", first)])
    schema = arrow_schema(DELIVERIES).remove(len(DELIVERIES.columns))
    rows = pa.Table.from_pylist([delivery_row(b"g", first)], schema=schema)
    write_deltalake(DELIVERIES.path(str(tmp_path)), rows)
    for table in (one for one in TABLES if one is not DELIVERIES):
        nothing = arrow_schema(table).remove(len(table.columns)).empty_table()
        write_deltalake(table.path(str(tmp_path)), nothing)
    counters = Counters(0, through_offset=0, captured=1, delivered=1, groups=1)
    produce_to(kafka, topics.counters, [(b"0", encode_counters(counters))])
    healthy = verify(kafka, tmp_path, client)
    assert healthy.returncode == 0, healthy.stderr
    assert json.loads(healthy.stdout)["behind"] == 1
    further = encode_counters(counters._replace(through_offset=1))
    produce_to(kafka, topics.counters, [(b"0", further)])
    spoilt = verify(kafka, tmp_path, client)
    assert spoilt.returncode == 1
    assert json.loads(spoilt.stdout)["lost"] == 1


@pytest.mark.broker
def test_no_table_is_one_sentence(broker: Broker, tmp_path: Path) -> None:
    done = verify(new_topics(broker.bootstrap), tmp_path)
    assert done.returncode == 3
    assert "there is no Delta table" in done.stderr
    assert "Traceback" not in done.stderr
