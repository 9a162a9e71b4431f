"""What can go wrong in the Spark host.

HostError
├── StateError         the operator's: state that this program cannot go on from
├── PolicyTextError    the operator's: a rule or a policy that cannot be read
└── ControlError       the writer's: a control record that says nothing that is known
"""

from __future__ import annotations


class HostError(Exception):
    """Anything this room raises."""


class StateError(HostError):
    """The saved state is of another version, damaged, or does not fit the log."""


class PolicyTextError(HostError, ValueError):
    """The text is no policy or no rule; the message says what to write instead."""


class ControlError(HostError):
    """The payload of a control record cannot be read; the record is quarantined."""
