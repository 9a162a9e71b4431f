from dataclasses import fields
from typing import Any

from ingest.counters import AgentCounters


def test_every_counter_is_a_plain_value_for_json() -> None:
    values: dict[str, Any] = {field.name: n for n, field in enumerate(fields(AgentCounters))}
    values |= {"malformed": {"too_short": 1}, "refused": {}, "left_out": {}}
    assert AgentCounters(**values).as_fields() == values
