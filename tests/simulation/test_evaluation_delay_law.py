"""Laws of the delay laws: the quantiles are met, and a greater chance is a longer delay."""

from __future__ import annotations

import random

import pytest

from simulation.evaluation.delay_law import SECOND_US, exponential_law, mail_delay_us


@pytest.mark.parametrize(("chance", "seconds"), [(0.5, 12), (0.9, 156), (0.99, 5717)])
def test_the_mail_law_goes_through_the_measured_quantiles(chance: float, seconds: int) -> None:
    assert mail_delay_us(chance) == pytest.approx(seconds * SECOND_US, rel=1e-6)


def test_delays_grow_with_the_chance_and_end() -> None:
    delays = [mail_delay_us(step / 1000) for step in range(1001)]
    assert delays == sorted(delays)
    assert delays[0] == SECOND_US
    assert delays[-1] == 21_600 * SECOND_US


def test_exponential_delays_have_the_mean_asked_for() -> None:
    generator = random.Random(1)
    law = exponential_law(10.0)
    mean = sum(law(generator.random()) for _ in range(20_000)) / 20_000 / SECOND_US
    assert mean == pytest.approx(10.0, rel=0.05)
