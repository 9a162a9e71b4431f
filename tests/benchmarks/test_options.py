"""Laws of the options: the defaults are what the documentation speaks of."""

from __future__ import annotations

from benchmarks.arrivals import MEMBERS
from benchmarks.options import Options
from ordering.policy import Limits


def test_the_default_chain_fits_into_a_group_with_default_bounds() -> None:
    limits = Limits()
    assert Options().chain <= limits.held_per_group
    assert Options().chain <= MEMBERS * limits.held_per_sender


def test_the_naive_algorithm_gets_many_times_the_widest_jitter() -> None:
    assert Options().naive_messages >= 10 * 1_000
