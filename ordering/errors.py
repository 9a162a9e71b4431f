"""What can go wrong in the engine, by whose fault it is.

    OrderingError
    ├── EngineFault           ours: an invariant of the engine does not hold
    └── OperatorFault         the operator's
        ├── UnknownDiscipline     a name that no discipline has
        ├── PolicyRefused         numbers that cannot work together
        └── SnapshotRefused       state of another format, or damaged

There is no branch for the sender: a bad message never raises, it is quarantined with a reason.
"""


class OrderingError(Exception):
    """Anything that the engine raises."""


class EngineFault(OrderingError):  # noqa: N818 - the tree reads by whose fault it is
    """An invariant of the engine does not hold; nothing it says after this can be trusted."""


class OperatorFault(OrderingError):  # noqa: N818 - the tree reads by whose fault it is
    """Something the operator can put right; the message says how.

    The command line ends in the message and this exit code: the configuration cannot be used.
    """

    is_operator_error = True
    exit_code = 4


class UnknownDiscipline(OperatorFault):
    """A group asks for a discipline that does not exist."""

    def __init__(self, name: str, *, known: tuple[str, ...]) -> None:
        self.name = name
        self.known = known
        super().__init__(f"there is no discipline {name!r}: choose one of {', '.join(known)}")


class PolicyRefused(OperatorFault):
    """A policy whose numbers cannot work."""


class SnapshotRefused(OperatorFault):
    """A snapshot that this engine cannot read."""
