"""Reading real topics for a verification (whole reports are in `test_commands_verify`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.verification_sources import verify_sources
from deploy.local.broker import Broker
from sinks.errors import DestinationError, RecordError
from tests.topic_tools import new_topics, produce_to


@pytest.mark.broker
def test_tables_that_were_never_made_are_named(broker: Broker, tmp_path: Path) -> None:
    kafka = new_topics(broker.bootstrap)
    with pytest.raises(DestinationError, match="deliveries"):
        verify_sources(kafka, str(tmp_path))


@pytest.mark.broker
def test_a_counters_topic_with_foreign_records_is_named(broker: Broker, tmp_path: Path) -> None:
    kafka = new_topics(broker.bootstrap)
    topic = kafka.topics.counters
    produce_to(kafka, topic, [(b"", b"not ours")])
    with pytest.raises(RecordError, match="counters record"):
        verify_sources(kafka, str(tmp_path))
