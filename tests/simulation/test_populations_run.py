import pytest

from members.membership import Membership
from simulation.populations.run import CHECKERS, NAMES, run_population


def test_a_seed_always_comes_to_the_same() -> None:
    assert run_population(11) == run_population(11)
    assert run_population(11).digest != run_population(12).digest


def test_every_checker_has_a_name_of_its_own() -> None:
    assert len(set(NAMES)) == len(CHECKERS) + 1


def test_whatever_a_member_raises_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(Membership, "on_have", fail)
    (broken,) = run_population(3).broken
    assert broken.checker == "raised"
    assert "planted" in broken.sentence
