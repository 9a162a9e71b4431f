"""Laws of the list of sections."""

from __future__ import annotations

import dataclasses
import typing

from console.configuration.sections import SECTIONS, Configuration


def test_every_section_is_a_field_of_the_configuration_with_the_same_type() -> None:
    assert typing.get_type_hints(Configuration) == dict(SECTIONS)


def test_every_settings_dataclass_is_frozen() -> None:
    for settings_type in (*SECTIONS.values(), Configuration):
        assert dataclasses.is_dataclass(settings_type)
        assert settings_type.__dataclass_params__.frozen, settings_type  # type: ignore[attr-defined]
