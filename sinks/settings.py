"""Where the topics are and how a client proves who it is: the `[kafka]` section.

Filled by the command line from file, environment and flags; read by everything that speaks to
Kafka. Field metadata is plain data (`help`, `minimum`, `maximum`, `choices`, `pattern`, ...), so
that this room needs nothing of the command line; `docs/reference/configuration.md` is made from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from sinks.topics import Topics

MOST_PARTITIONS = 1_024
"""A partition is one shard with one state, opened in every batch; more of them only cost time."""


class SecurityProtocol(StrEnum):
    """How clients speak to the broker; a password travels over TLS only."""

    PLAINTEXT = "plaintext"
    SSL = "ssl"
    SASL_SSL = "sasl_ssl"


@dataclass(frozen=True, kw_only=True, slots=True)
class KafkaSettings:
    """The broker, the names of the topics and the client's security."""

    bootstrap: str = field(
        default="127.0.0.1:9092",
        metadata={
            "help": "Addresses of the brokers to ask first, as host:port, separated by commas.",
            "pattern": r"[^\s,:]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}",
            "pattern_per_item": True,
            "form": "host:port[,host:port...]",
        },
    )
    topic_prefix: str = field(
        default="precede",
        metadata={
            "help": "First word of every topic, as in PREFIX.raw and PREFIX.ordered.",
            "pattern": r"[A-Za-z0-9._-]{1,200}",
            "form": "[A-Za-z0-9._-]+",
        },
    )
    partitions: int = field(
        default=2,
        metadata={
            "help": "Partitions of every topic; fixed at the first start, as a group lives in one.",
            "minimum": 1,
            "maximum": MOST_PARTITIONS,
        },
    )
    security_protocol: SecurityProtocol = field(
        default=SecurityProtocol.PLAINTEXT,
        metadata={"help": "How clients speak to the broker; sasl_ssl is SCRAM-SHA-512 over TLS."},
    )
    ca_file: Path | None = field(
        default=None,
        metadata={
            "help": "Certificates (PEM) that vouch for the broker; without it the system's own.",
            "readable_file": True,
        },
    )
    username: str | None = field(
        default=None, metadata={"help": "Name of the client; needed by sasl_ssl."}
    )
    password_file: Path | None = field(
        default=None,
        metadata={
            "help": "File that holds the client's password and nothing else; needed by sasl_ssl.",
            "readable_file": True,
            "secret_file": "password",
        },
    )

    def __post_init__(self) -> None:
        """Refuse halves: a password without a name, a name that would travel in the clear."""
        is_sasl = self.security_protocol is SecurityProtocol.SASL_SSL
        if is_sasl and (self.username is None or self.password_file is None):
            raise ValueError(
                "security_protocol is sasl_ssl, which needs username and password_file; set both"
            )
        if not is_sasl and (self.username is not None or self.password_file is not None):
            raise ValueError(
                "username or password_file is set, but security_protocol is "
                f"{self.security_protocol.value}, which sends neither; "
                "set security_protocol to sasl_ssl or remove them"
            )
        if self.security_protocol is SecurityProtocol.PLAINTEXT and self.ca_file is not None:
            raise ValueError(
                "ca_file is set, but security_protocol is plaintext, which checks no certificate; "
                "set security_protocol to ssl or sasl_ssl, or remove ca_file"
            )

    @property
    def topics(self) -> Topics:
        """The full names of the topics."""
        return Topics.with_prefix(self.topic_prefix)

    def read_password(self) -> str | None:
        """Read the password when a client needs it, so that no settings value ever holds it."""
        if self.password_file is None:
            return None
        return self.password_file.read_text(encoding="utf-8").strip()
