"""Laws of the waiting figures: every wait has one cause, and orders that ask more wait more."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ordering.values import MemberId, MessageId
from simulation.evaluation.delay_law import exponential_law
from simulation.evaluation.errors import MissingChatError
from simulation.evaluation.options import DEFAULT_SEED, Options, Size
from simulation.evaluation.orders import Order
from simulation.evaluation.records import Sent, read_sets
from simulation.evaluation.registry import find_evaluation
from simulation.evaluation.waiting_figures import arrivals_of, measure, measure_set

PROJECT = Path(__file__).resolve().parents[2]
DOCUMENTS = PROJECT / "docs" / "evaluation"
PUBLISHED = PROJECT.parent / "shared" / "data"
EXCERPT = Options(size=Size.SMALL, data_directory=PROJECT / "console" / "excerpt")


def sent(seq: int, *, sent_at: int, maybe_arrived_at: int | None = None) -> Sent:
    message_id = MessageId(MemberId("a#1"), seq)
    return Sent(message_id, (), sent_at, seq, maybe_arrived_at, (), is_linked=True)


def test_recorded_arrivals_are_kept_and_others_are_drawn_from_the_law() -> None:
    recorded = [sent(1, sent_at=5, maybe_arrived_at=90), sent(2, sent_at=6, maybe_arrived_at=80)]
    law = exponential_law(1.0)
    arrivals = arrivals_of(recorded, law=law, generator=random.Random(1))
    assert [(a.arrived_at, a.number) for a in arrivals] == [(80, 1), (90, 0)]
    drawn = arrivals_of([sent(1, sent_at=5)], law=law, generator=random.Random(1))
    assert drawn[0].arrived_at == 5 + law(random.Random(1).random())


def test_every_wait_of_the_excerpt_has_one_cause_and_sb_waits_for_ancestors_alone() -> None:
    (chat,) = measure(EXCERPT).sets
    for summary in chat.orders:
        causes = summary.for_ancestor + summary.for_own + summary.for_unrelated
        assert causes + summary.never_delivered == summary.waiting
    semantic = chat.of(Order.SEMANTIC)
    assert semantic.waiting == semantic.for_ancestor > 0


def test_only_fifo_lets_a_child_through_before_its_parent() -> None:
    (chat,) = measure(EXCERPT).sets
    broken = {summary.order for summary in chat.orders if summary.before_parent}
    assert broken == {Order.FIFO}


def test_an_order_that_asks_more_waits_more() -> None:
    (chat,) = measure(EXCERPT).sets
    orders = (Order.SEMANTIC, Order.CAUSAL_LINKS, Order.CAUSAL_ALL, Order.TOTAL)
    waits = [chat.of(order).mean_waited_seconds for order in orders]
    assert waits == sorted(waits)
    assert waits[2] == waits[3]


def test_data_without_chat_is_an_error_that_names_what_there_is(tmp_path: Path) -> None:
    span = {"group": "g", "sender": "s", "seq": 1, "parent": None, "at": 1.0, "data": {"start": 1}}
    (tmp_path / "trace.jsonl").write_text(json.dumps(span) + "\n")
    with pytest.raises(MissingChatError, match=r"1 sets \(trace\)"):
        measure(Options(size=Size.SMALL, data_directory=tmp_path))


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published sets are not here")
def test_the_figures_of_the_documents_come_out_again() -> None:
    recorded = find_evaluation("waiting").recall((DOCUMENTS / "waiting.json").read_bytes())
    assert recorded.seed == DEFAULT_SEED
    again = {
        one.name: measure_set(one, seed=recorded.seed)
        for one in read_sets(PUBLISHED / "vector-clocks")
    }
    for one in recorded.sets:
        if one.name in again:
            assert again.pop(one.name) == one
    assert not again
