"""A group is protected as the first rule that fits it says."""

import re
import time

import pytest

from ingest.authentication.mode import RULE_PATTERN, GroupModes, Mode
from ordering.values import GroupId


def test_the_first_rule_that_fits_counts_and_else_the_default() -> None:
    modes = GroupModes(("floor.7=none", "floor.*=mac", "board?=aead"), default=Mode.AEAD)
    asked = {group: modes.of(GroupId(group)) for group in ("floor.7", "floor.8", "board1", "else")}
    assert asked == {
        "floor.7": Mode.NONE,
        "floor.8": Mode.MAC,
        "board1": Mode.AEAD,
        "else": Mode.AEAD,
    }


def test_a_pattern_fits_the_whole_group_and_minds_its_case() -> None:
    modes = GroupModes(("floor=mac",), default=Mode.NONE)
    assert {modes.of(GroupId(group)) for group in ("floor2", "a floor", "Floor")} == {Mode.NONE}


def test_a_group_may_have_an_equals_sign() -> None:
    assert GroupModes(("a=b=mac",), default=Mode.NONE).of(GroupId("a=b")) is Mode.MAC


@pytest.mark.parametrize("rule", ["floor", "=mac", "floor=", "floor=hmac", "floor=MAC", ""])
def test_a_rule_that_is_none_says_what_to_write(rule: str) -> None:
    with pytest.raises(ValueError, match="PATTERN=MODE"):
        GroupModes((rule,), default=Mode.NONE)
    assert re.fullmatch(RULE_PATTERN, rule) is None


def test_all_are_open_only_if_nothing_is_protected() -> None:
    assert GroupModes(("a=none",), default=Mode.NONE).are_all_open
    assert not GroupModes(("a=mac",), default=Mode.NONE).are_all_open
    assert not GroupModes((), default=Mode.AEAD).are_all_open


def test_no_group_id_can_make_a_pattern_search_for_ever() -> None:
    modes = GroupModes((f"{'*a' * 60}b=mac",), default=Mode.NONE)
    started_s = time.process_time()
    assert modes.of(GroupId("a" * 255)) is Mode.NONE
    # A pattern that tries every way would take longer than anybody waits, not seconds.
    assert time.process_time() - started_s < 30
