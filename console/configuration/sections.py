"""Which sections the configuration has, and the room that owns each one's dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from console.configuration.chat import ChatSettings
from console.configuration.demo import DemoSettings
from console.configuration.web import WebSettings
from ingest.authentication.settings import AuthenticationSettings
from ingest.mapping.settings import MappingSettings
from ingest.publish_settings import PublishSettings
from ingest.settings import AgentSettings
from ingest.spool.settings import SpoolSettings
from sinks.settings import KafkaSettings
from streaming.settings import JobSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class Configuration:
    """Everything that was chosen, checked and frozen; a command hands each room its own part."""

    kafka: KafkaSettings
    agent: AgentSettings
    spool: SpoolSettings
    publish: PublishSettings
    authentication: AuthenticationSettings
    mapping: MappingSettings
    job: JobSettings
    web: WebSettings
    demo: DemoSettings
    chat: ChatSettings


SECTIONS: Mapping[str, type] = MappingProxyType(
    {
        "kafka": KafkaSettings,
        "agent": AgentSettings,
        "spool": SpoolSettings,
        "publish": PublishSettings,
        "authentication": AuthenticationSettings,
        "mapping": MappingSettings,
        "job": JobSettings,
        "web": WebSettings,
        "demo": DemoSettings,
        "chat": ChatSettings,
    }
)
"""A section's name in the file -> the dataclass that it fills; named as in `Configuration`."""
