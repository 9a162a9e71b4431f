"""Laws of the `[kafka]` section."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from sinks.errors import OpenSecretError
from sinks.settings import KafkaSettings, SecurityProtocol


def test_a_topic_is_the_prefix_and_its_name() -> None:
    settings = KafkaSettings(topic_prefix="site")
    assert list(settings.topics) == [
        "site.raw",
        "site.ordered",
        "site.quarantine",
        "site.counters",
        "site.waits",
        "site.gaps",
        "site.requests",
        "site.answers",
        "site.membership",
    ]


def test_settings_never_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        KafkaSettings().partitions = 3  # type: ignore[misc]


def test_a_password_is_read_when_needed_and_never_part_of_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("hunter2\n", encoding="utf-8")
    file.chmod(0o600)
    settings = KafkaSettings(
        security_protocol=SecurityProtocol.SASL_SSL, username="job", password_file=file
    )
    assert settings.read_password() == "hunter2"
    assert "hunter2" not in repr(settings)


def test_a_password_that_others_may_read_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("hunter2\n", encoding="utf-8")
    file.chmod(0o640)
    settings = KafkaSettings(
        security_protocol=SecurityProtocol.SASL_SSL, username="job", password_file=file
    )
    with pytest.raises(OpenSecretError, match=f"0640.*chmod 600 {file}") as told:
        settings.read_password()
    assert "hunter2" not in str(told.value)


def test_without_a_file_there_is_no_password() -> None:
    assert KafkaSettings().read_password() is None


def test_sasl_needs_a_name_and_a_password() -> None:
    with pytest.raises(ValueError, match="needs username and password_file"):
        KafkaSettings(security_protocol=SecurityProtocol.SASL_SSL, username="job")


def test_a_name_that_would_not_be_sent_is_refused() -> None:
    with pytest.raises(ValueError, match="plaintext, which sends neither"):
        KafkaSettings(username="job")


def test_a_certificate_that_would_not_be_checked_is_refused() -> None:
    with pytest.raises(ValueError, match="checks no certificate"):
        KafkaSettings(ca_file=Path("ca.pem"))


def test_every_field_says_what_it_is() -> None:
    for field in dataclasses.fields(KafkaSettings):
        assert field.metadata["help"].endswith("."), field.name
