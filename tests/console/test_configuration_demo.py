"""Laws of the `[demo]` section."""

from __future__ import annotations

import dataclasses

from console.configuration.demo import DemoSettings


def test_every_field_says_what_it_is() -> None:
    for field in dataclasses.fields(DemoSettings):
        assert field.metadata["help"].endswith("."), field.name


def test_the_demonstration_has_faults_unless_told_otherwise() -> None:
    settings = DemoSettings()
    assert settings.loss > 0
    assert settings.dup > 0
    assert settings.jitter_ms > 0
