"""Where the topics are and how a client proves who it is: the `[kafka]` section.

Filled by the command line from file, environment and flags; read by everything that speaks to
Kafka. Field metadata is plain data (`help`, `minimum`, `maximum`, `choices`, `pattern`, ...), so
that this room needs nothing of the command line; `docs/reference/configuration.md` is made from it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from ingest.closed_file import why_open
from sinks.errors import OpenSecretError
from sinks.shards import RAW_TOPIC_FORM, RAW_TOPIC_PATTERN, Shards, parse_raw_topics
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
    raw_topics: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Raw topics to read, in an order that never changes; empty: PREFIX.raw with "
            "`partitions`. Every other topic has as many partitions as these together. An agent "
            "writes into the first.",
            "pattern": RAW_TOPIC_PATTERN,
            "form": RAW_TOPIC_FORM,
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
            "help": "File that holds the client's password and nothing else, closed to others "
            "(chmod 600); needed by sasl_ssl.",
            "readable_file": True,
            "secret_file": "password",
        },
    )

    def __post_init__(self) -> None:
        """Refuse halves: a password without a name, a name that would travel in the clear."""
        parse_raw_topics(self.raw_topics)
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
        """The full names of the topics; `raw` is the first of the raw topics."""
        topics = Topics.with_prefix(self.topic_prefix)
        raw_topics = parse_raw_topics(self.raw_topics)
        return topics._replace(raw=next(iter(raw_topics))) if raw_topics else topics

    @property
    def shards(self) -> Shards:
        """The partitions of all raw topics."""
        raw_topics = parse_raw_topics(self.raw_topics)
        return Shards.of(raw_topics or {self.topics.raw: self.partitions})

    def read_password(self) -> str | None:
        """Read the password when a client needs it, so that no settings value ever holds it.

        Raises `OpenSecretError` if others may read it too.
        """
        if self.password_file is None:
            return None
        with self.password_file.open(encoding="utf-8") as file:
            maybe_problem = why_open(self.password_file, os.fstat(file.fileno()))
            if maybe_problem is not None:
                raise OpenSecretError(f"kafka.password_file {self.password_file} {maybe_problem}")
            return file.read().strip()
