"""How a group is protected, and which group is protected how.

    none   nothing is checked: anyone who reaches the network may speak for anyone
    mac    a tag over the whole envelope: only who has the sender's key can speak for it
    aead   the same, and the payload is sealed: only who has the group's key can read it

A rule is `PATTERN=MODE`; the first whose pattern fits a group counts, else the default. Patterns
have `*`, `?` and `[...]`, as file names have.

    modes = GroupModes(("floor.*=mac", "board=aead"), default=Mode.NONE)
    modes.of(GroupId("floor.7"))        # Mode.MAC
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache
from typing import Final

from ingest.authentication import bounds
from ordering.values import GroupId

RULE_PATTERN: Final = r".{1,255}=(none|mac|aead)"
RULE_FORM: Final = "PATTERN=MODE with a mode of none, mac or aead, such as floor.*=mac"


class Mode(StrEnum):
    """How the envelopes of a group are protected."""

    NONE = "none"
    MAC = "mac"
    AEAD = "aead"


class GroupModes:
    """Says how a group is protected. Made once from the settings; asked for every datagram."""

    def __init__(self, rules: Iterable[str], *, default: Mode) -> None:
        """Read the rules; ValueError for one that is none."""
        self._rules = [_rule_of(text) for text in rules]
        self._default = default
        self.of = lru_cache(maxsize=bounds.KNOWN_GROUPS)(self._find)
        """Give the mode of a group; remembered."""

    @property
    def are_all_open(self) -> bool:
        """Is there no group whose envelopes are checked?"""
        return {self._default, *(mode for _, mode in self._rules)} == {Mode.NONE}

    def _find(self, group: GroupId) -> Mode:
        return next((mode for fits, mode in self._rules if fits.match(group)), self._default)


def _rule_of(text: str) -> tuple[re.Pattern[str], Mode]:
    pattern, mark, mode = text.rpartition("=")
    if not pattern or not mark or mode not in set(Mode):
        raise ValueError(f"{text!r} is no rule; write {RULE_FORM}")
    return re.compile(translate(pattern)), Mode(mode)
