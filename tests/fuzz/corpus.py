"""The inputs that are kept: one text file for each target, a line of hexadecimal for each input.

    tests/fuzz/corpus/envelope.txt      inputs that reach each outcome: run by `make test`
    tests/fuzz/crashes/envelope.txt     inputs that once crashed: they must never again

Text, so that a change can be read and a line be pasted into a test. What stands behind `#` is for
people: the outcome when the line was kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
CORPUS: Final = FOLDER / "corpus"
CRASHES: Final = FOLDER / "crashes"
MOST_BYTES: Final = 600
"""A longer input stays out of the corpus: the repository keeps what people can look at."""

MOST_CRASH_BYTES: Final = 8_192
"""A crash is shrunk, and worth more room."""

MOST_LINES: Final = 60


def read(folder: Path, name: str) -> list[bytes]:
    """Give the kept inputs of a target; none if there is no file."""
    path = folder / f"{name}.txt"
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [line.partition("#")[0].strip() for line in lines]
    return [bytes.fromhex(text) for text in texts if text]


def write(folder: Path, name: str, kept: Iterable[tuple[bytes, str]]) -> int:
    """Keep these inputs with their words; gives how many. Long ones and surplus ones stay out."""
    most = MOST_CRASH_BYTES if folder == CRASHES else MOST_BYTES
    lines = [f"{data.hex()}  # {words}" for data, words in kept if 0 < len(data) <= most]
    if not lines:
        return 0
    folder.mkdir(exist_ok=True)
    text = "\n".join(lines[:MOST_LINES])
    (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    return len(lines[:MOST_LINES])
