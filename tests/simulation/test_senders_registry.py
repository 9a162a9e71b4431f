"""Laws of which sender speaks in which discipline."""

from __future__ import annotations

from simulation.options import DISCIPLINES
from simulation.senders.registry import SENDERS


def test_every_discipline_has_a_sender() -> None:
    assert set(SENDERS) == set(DISCIPLINES)
