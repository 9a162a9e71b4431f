"""Which sections the configuration has, and the room that owns each one's dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from console.configuration.demo import DemoSettings
from ingest.settings import AgentSettings
from sinks.settings import KafkaSettings
from streaming.settings import JobSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class Configuration:
    """Everything that was chosen, checked and frozen; a command hands each room its own part."""

    kafka: KafkaSettings
    agent: AgentSettings
    job: JobSettings
    demo: DemoSettings


SECTIONS: Mapping[str, type] = MappingProxyType(
    {
        "kafka": KafkaSettings,
        "agent": AgentSettings,
        "job": JobSettings,
        "demo": DemoSettings,
    }
)
"""A section's name in the file -> the dataclass that it fills; named as in `Configuration`."""
