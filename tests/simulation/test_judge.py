"""Laws of the panel of checkers."""

from __future__ import annotations

import importlib
import pkgutil

import simulation.checkers
from simulation.judge import CHECKERS, OF_ONE_ENDPOINT, judge_endpoint
from simulation.ledger import Ledger
from tests.simulation.transcripts import Script, delivered
from tests.simulation.worlds import honest_chain

NOT_CHECKERS = {"violation", "differences"}


def test_every_checker_of_the_folder_is_on_the_panel() -> None:
    modules = {module.name for module in pkgutil.iter_modules(simulation.checkers.__path__)}
    assert modules - NOT_CHECKERS == set(CHECKERS)


def test_every_checker_defines_itself_in_words_with_an_example() -> None:
    for name in CHECKERS:
        module = importlib.import_module(f"simulation.checkers.{name}")
        assert module.__doc__ is not None
        assert "Example" in module.__doc__
        assert name == module.NAME


def test_an_endpoint_at_which_all_is_well_is_passed_by_all() -> None:
    assert len(OF_ONE_ENDPOINT) >= 7
    assert judge_endpoint(Ledger(honest_chain(5, crash_after=2))) == []


def test_a_broken_promise_is_told_by_the_checker_that_watches_it() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("bob#1", 1, answers=[parent])
    script.receive(child, delivered(1, child))
    assert {found.checker for found in judge_endpoint(script.ledger())} == {"out_of_order"}
