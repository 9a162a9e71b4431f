"""How long a message takes from sending to arrival: laws that turn a chance into a delay.

`waiting_figures` draws from them for sets that have no arrivals of their own. A law is a function
from [0, 1) to microseconds, so that one seeded generator gives the same arrivals for every order
compared.

The mail law goes through the quantiles measured on a large public mailing list, straight lines on a
logarithmic scale between them:

    share of messages   0      50 %    90 %     99 %      100 %
    delay up to         1 s    12 s    156 s    5,717 s   21,600 s
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

SECOND_US = 1_000_000

DelayLaw = Callable[[float], int]

MAIL_QUANTILES = ((0.0, 1.0), (0.5, 12.0), (0.9, 156.0), (0.99, 5717.0), (1.0, 21600.0))
"""Chance and delay in seconds. The middle three were measured; both ends are our choice."""


def mail_delay_us(chance: float) -> int:
    """The delay below which a share `chance` of the mailing list's messages arrived."""
    for (low, low_seconds), (high, high_seconds) in pairwise(MAIL_QUANTILES):
        if chance < high:
            part = (chance - low) / (high - low)
            exponent = math.log(low_seconds) + part * math.log(high_seconds / low_seconds)
            return round(math.exp(exponent) * SECOND_US)
    return round(MAIL_QUANTILES[-1][1] * SECOND_US)


def exponential_law(mean_seconds: float) -> DelayLaw:
    """Delays without memory: most are short, a few are several times the mean."""

    def delay_us(chance: float) -> int:
        return round(-math.log1p(-chance) * mean_seconds * SECOND_US)

    return delay_us
