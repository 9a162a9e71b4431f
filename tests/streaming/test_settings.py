"""Laws of the `[job]` section."""

from __future__ import annotations

import dataclasses
import re

import pytest

from ordering.policy import GiveUp
from streaming.settings import JobSettings


def test_every_field_says_what_it_is() -> None:
    for field in dataclasses.fields(JobSettings):
        assert field.metadata["help"].endswith("."), field.name


def test_a_message_is_held_for_ever_unless_somebody_says_otherwise() -> None:
    assert JobSettings().give_up is GiveUp.HOLD


def test_settings_never_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        JobSettings().tasks = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local[*]", "local[2,3]", "spark://h:7077", "k8s://https://h"]
)
def test_every_kind_of_master_is_allowed(master: str) -> None:
    fields = {field.name: field for field in dataclasses.fields(JobSettings)}
    assert re.fullmatch(fields["spark_master"].metadata["pattern"], master)
