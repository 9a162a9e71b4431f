"""Laws of the significant figures: stamps say what the relations say, documents come out again."""

from __future__ import annotations

import random
from pathlib import Path

from ordering.stamps import CausalStamps, SignificantStamps
from simulation.evaluation.options import DEFAULT_SEED, Options, Size
from simulation.evaluation.registry import find_evaluation
from simulation.evaluation.significant_figures import (
    SMALL_SWEEP,
    SMALL_WORLD,
    causal_stamps,
    measure,
    measure_point,
    member,
    messages_with,
    significant_stamps,
)
from simulation.evaluation.significant_model import SignificantModel
from simulation.evaluation.significant_order import bits, relate
from simulation.evaluation.significant_world import draw_catalogue

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs" / "evaluation"


def test_stamps_name_the_newest_message_of_each_object_that_precedes() -> None:
    catalogue = draw_catalogue(
        SMALL_WORLD.layers[-1].stop,
        state_percent=100,
        conflict_percent=100,
        generator=random.Random(1),
    )
    history = SignificantModel(SMALL_WORLD, catalogue, seed=1).run()
    relations = relate(history, catalogue)
    causal = causal_stamps(history, relations)
    significant = significant_stamps(history, relations)
    messages = messages_with(history, causal)
    for number, (counted, instants) in enumerate(zip(causal, significant, strict=True)):
        assert isinstance(counted, CausalStamps)
        assert isinstance(instants, SignificantStamps)
        following = dict(zip(counted.members, counted.csn, strict=True))
        for earlier in bits(relations.causal[number]):
            assert messages[earlier].id.seq < following[messages[earlier].id.sender]
        newest = dict(zip(instants.members, instants.preceding, strict=True))
        newest[member(history.messages[number].sender)] = instants.own_preceding
        for earlier in bits(relations.direct[number]):
            sent = history.messages[earlier]
            assert sent.sent_at <= newest[member(sent.sender)] < instants.sent_at


def test_both_sweeps_have_every_point_and_every_wait_has_a_cause() -> None:
    figures = measure(Options(size=Size.SMALL))
    assert [point.state_percent for point in figures.against_state] == list(SMALL_SWEEP)
    assert [point.conflict_percent for point in figures.against_conflict] == list(SMALL_SWEEP)
    for point in (*figures.against_state, *figures.against_conflict):
        waits = point.waits_in_instance + point.waits_otherwise + point.waits_by_vector
        assert waits == round(point.messages * point.significant_waiting_percent / 100)


def test_the_figures_of_the_documents_come_out_again() -> None:
    recorded = find_evaluation("significant").recall((DOCUMENTS / "significant.json").read_bytes())
    first = recorded.against_state[0]
    assert recorded.seed == DEFAULT_SEED
    again = measure_point(
        recorded.world,
        first.state_percent,
        first.conflict_percent,
        seed=recorded.seed,
        runs=recorded.runs,
    )
    assert again == first
