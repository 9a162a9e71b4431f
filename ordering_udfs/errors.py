"""What can go wrong in the Spark host.

HostError
└── StateError    the operator's: state that this program cannot go on from
"""

from __future__ import annotations


class HostError(Exception):
    """Anything this room raises."""


class StateError(HostError):
    """The saved state is of another version, damaged, or does not fit the log."""
