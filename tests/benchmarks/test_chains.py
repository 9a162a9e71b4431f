"""Laws of the measurement of chains."""

from __future__ import annotations

from benchmarks.arrivals import backwards
from benchmarks.chains import race_chains
from benchmarks.contestants import order_with_engine
from benchmarks.decoding import batches
from benchmarks.options import Options
from ordering.policy import GroupPolicy


def test_one_long_chain_and_ten_short_ones_have_the_same_number_of_messages() -> None:
    runs, figures = race_chains(Options(chain=1_000, repeats=1))
    assert {(run.messages, run.delivered) for run in runs.values()} == {(1_000, 1_000)}
    assert set(figures) == {
        "chain_1000_messages_per_s",
        "ratio_cost_per_message_chain_1e3_to_1e2",
        "ratio_cost_per_message_chain_1e3_to_1e2_collector_off",
    }


def test_the_longest_chain_fits_into_the_bounds_of_a_group() -> None:
    run = order_with_engine(batches(backwards(Options().chain)), policy=GroupPolicy())
    assert run.delivered == run.messages == Options().chain
