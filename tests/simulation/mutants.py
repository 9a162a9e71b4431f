"""Planted bugs: each one a small change to the text of the engine, made while it is imported.

A mutant names a module of `ordering`, a piece of its text and what to put there instead. `hunt`
imports the engine and the simulator afresh with that change and runs seeds until a checker speaks.
It runs in a process of its own, so nothing of the change is left behind.

The piece of text must occur exactly once. When the engine is rewritten and it does not, the mutant
is reported as gone, so that nobody believes in a check that checks nothing.
"""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final, NamedTuple

MOST_SEEDS: Final = 2_000
"""A planted bug has to be caught within so many seeds."""

LONGEST_SEED_S: Final = 10
"""Of the process's own work, not of the clock on the wall: a thousand times what a seed takes."""

ORDERING: Final = Path(__file__).resolve().parents[2] / "ordering"


class Mutant(NamedTuple):
    """One planted bug."""

    name: str
    module: str
    text: str
    instead: str
    discipline: str | None = None  # hunt it in groups of this discipline alone


class Caught(NamedTuple):
    """Which checker spoke first, at which seed, and what it said."""

    mutant: str
    checker: str
    seed: int
    sentence: str


class MutantGoneError(Exception):
    """The text of a mutant does not occur exactly once in its module."""


class EngineHangsError(Exception):
    """An engine with a bug in it does not come back."""


def source_of(module: str) -> Path:
    """The file of a module of the engine."""
    return ORDERING.parent.joinpath(*module.split(".")).with_suffix(".py")


def planted(mutant: Mutant, *, source: str) -> str:
    """The text of the module with the bug in it."""
    found = source.count(mutant.text)
    if found != 1:
        raise MutantGoneError(f"{mutant.name}: its text occurs {found} times in {mutant.module}")
    return source.replace(mutant.text, mutant.instead)


class _PlantingLoader(SourceFileLoader):
    """Loads one module with a bug in it, and neither reads nor writes compiled files."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(source_of(mutant.module)))
        self._mutant = mutant

    def get_data(self, path: str) -> bytes:
        return planted(self._mutant, source=Path(path).read_text(encoding="utf-8")).encode()

    def path_stats(self, path: str) -> dict[str, float]:
        raise OSError(f"{path} has a bug in it: nothing compiled is used")

    def set_data(self, path: str, data: object, *, _mode: int = 0) -> None:
        del path, data


class _PlantingFinder(PathFinder):
    """Finds the one module that has a bug in it."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(  # type: ignore[override]
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        del path, target
        if fullname != self._mutant.module:
            return None
        loader = _PlantingLoader(self._mutant)
        return spec_from_file_location(fullname, loader.path, loader=loader)


def hunt(mutant: Mutant, *, seeds: int = MOST_SEEDS) -> Caught | None:
    """Run seeds with the bug in the engine until a checker speaks. Call it in a fresh process."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("ordering", "simulation")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _PlantingFinder(mutant))
    run = importlib.import_module("simulation.run")
    signal.signal(signal.SIGVTALRM, _hang)
    for seed in range(seeds):
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_SEED_S)
        try:
            violations = run.run_seed(seed, discipline=mutant.discipline).violations
        except EngineHangsError as hang:
            return Caught(mutant.name, "raised", seed, str(hang))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if violations:
            first = violations[0]
            return Caught(mutant.name, first.checker, seed, str(first))
    return None


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise EngineHangsError(f"the engine was still busy after {LONGEST_SEED_S} s of work")
