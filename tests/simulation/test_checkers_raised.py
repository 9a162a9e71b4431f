"""Laws of the checker `raised`."""

from __future__ import annotations

from ordering.events import Event
from ordering.values import Message
from simulation.checkers import raised
from simulation.judge import judge_endpoint
from simulation.ledger import Ledger
from tests.simulation.transcripts import Script


class Raising:
    """An engine that raises at whatever it is given."""

    def receive(self, message: Message, *, now: int) -> list[Event]:
        raise KeyError(f"{message.id.seq} at {now}")


def test_an_exception_is_the_last_word_of_an_endpoint() -> None:
    script = Script()
    first, second = script.message("alice#1", 1), script.message("alice#1", 2)
    script.endpoint.engine = Raising()  # type: ignore[assignment]
    script.endpoint.receive(first, now=5)
    script.endpoint.receive(second, now=6)
    assert len(script.endpoint.steps) == 1
    (found,) = judge_endpoint(Ledger(script.endpoint))
    assert found.checker == raised.NAME
    assert found.sentence.startswith("KeyError: '1 at 5' at test_checkers_raised.py:")


def test_an_engine_that_raises_nothing_is_fine() -> None:
    assert not list(raised.check(Script().ledger()))
