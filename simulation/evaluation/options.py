"""What a person chooses when the evaluations are run: the seed, the size and where the data is.

`precede evaluate` fills this from its flags; every `*_figures.measure` takes it. The same options
give the same figures, byte for byte, on every machine.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import NamedTuple

DEFAULT_SEED = 1


class Size(Enum):
    """How much is measured: FULL is what `docs/evaluation` shows, SMALL is for tests."""

    FULL = "full"
    SMALL = "small"


class DataSource(Enum):
    """Which real messages are read; the page says so."""

    WHOLE = "the whole published sets"
    EXCERPT = "the small excerpt that is shipped with the code"
    NAMED = "a directory named on the command line"


class Options(NamedTuple):
    """The whole input of an evaluation."""

    seed: int = DEFAULT_SEED
    size: Size = Size.FULL
    data_directory: Path = Path("../shared/data")
    data_source: DataSource = DataSource.WHOLE
