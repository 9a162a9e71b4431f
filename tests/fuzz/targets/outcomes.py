"""Name an outcome so that two inputs on the same way through a parser have the same name."""

from __future__ import annotations

import re
from typing import Final

ACCEPTED: Final = "accepted"
_VALUES: Final = re.compile(r"b?'(?:[^'\\]|\\.)*'|b?\"(?:[^\"\\]|\\.)*\"|-?\d[\d,.]*|0x[0-9a-f]+")
_MOST_LETTERS: Final = 80


def refused(reason: str, detail: str = "") -> str:
    """A reason and the sentence about it, without the values that differ from input to input."""
    return f"{reason}: {_VALUES.sub('_', detail)}"[:_MOST_LETTERS]
