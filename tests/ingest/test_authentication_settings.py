"""The settings of authentication refuse what could not protect."""

from pathlib import Path

import pytest

from ingest.authentication.mode import Mode
from ingest.authentication.settings import AuthenticationSettings
from ordering.values import GroupId


def test_by_default_nothing_is_checked_and_no_keys_are_needed() -> None:
    settings = AuthenticationSettings()
    assert settings.modes().are_all_open
    assert settings.keys_file is None


@pytest.mark.parametrize("changes", [{"default": Mode.MAC}, {"groups": ("floor.*=aead",)}])
def test_protection_without_keys_is_refused_with_what_to_do(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="precede keys new"):
        AuthenticationSettings(**changes)  # type: ignore[arg-type]  # mypy sees one dict for all
    AuthenticationSettings(keys_file=Path("k"), **changes)  # type: ignore[arg-type]  # the same


def test_rules_go_before_the_default() -> None:
    settings = AuthenticationSettings(
        default=Mode.MAC, groups=("lobby=none",), keys_file=Path("keys")
    )
    assert settings.modes().of(GroupId("lobby")) is Mode.NONE
    assert settings.modes().of(GroupId("floor")) is Mode.MAC
