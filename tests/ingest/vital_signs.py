"""A healthy agent's state, for the tests of what is made from it."""

from dataclasses import fields
from typing import Any

from ingest.counters import AgentCounters
from ingest.vitals import Vitals


def counters(**chosen: Any) -> AgentCounters:
    """Counters that differ from each other, so that a mix-up shows."""
    values: dict[str, Any] = {
        field.name: number for number, field in enumerate(fields(AgentCounters), start=1)
    }
    values |= {"malformed": {"too_short": 3, "not_ours": 4}, "refused": {}, "left_out": {}}
    return AgentCounters(**values | chosen)


def healthy(**chosen: Any) -> Vitals:
    """The state of an agent that works."""
    values: dict[str, Any] = {name: number for number, name in enumerate(Vitals._fields, start=100)}
    values |= {
        "counters": counters(), "looked_before_s": 0.25, "is_kafka_away": False,
        "has_kafka_answered": True, "kafka_reason": "no answer", "maybe_disk_trouble": None,
        "is_spool_full": False,
    }  # fmt: skip
    return Vitals(**values | chosen)
