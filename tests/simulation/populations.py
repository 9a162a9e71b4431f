"""Populations for tests: the plainest one, and changes to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from simulation.populations.options import PopulationOptions
from simulation.populations.world import Population

PLAIN = PopulationOptions(
    seed=1,
    discipline="semantic",
    acceptance="causal",
    members=3,
    newcomers=(),
    messages=12,
    answer_share=0.7,
    interval_us=10_000,
    delay_us=1_000,
    jitter_us=0,
    loss=0.0,
    duplication=0.0,
    partitions=0,
    crashes=0,
    amnesia=0.0,
    leaves=0,
    hostile=0,
    flood=0,
)


def ran(**changes: Any) -> Population:
    """Run the plain population with some things changed."""
    population = Population(replace(PLAIN, **changes))
    population.run()
    return population
