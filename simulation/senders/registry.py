"""Which sender speaks in which discipline: the one place where the names meet the classes."""

from __future__ import annotations

from typing import Final

from simulation.senders.causal import CausalSender
from simulation.senders.objects import ObjectsSender
from simulation.senders.plain import Sender
from simulation.senders.significant import SignificantSender

SENDERS: Final[dict[str, type[Sender]]] = {
    "none": Sender,
    "fifo": Sender,
    "semantic": Sender,
    "semantic+fifo": Sender,
    "causal": CausalSender,
    "significant": SignificantSender,
    "objects": ObjectsSender,
    "total": Sender,
}
"""Every discipline of the simulator."""
