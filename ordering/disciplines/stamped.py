"""Groups whose messages are stamped: each message is ordered by the kind of stamps that it carries.

`causal`, `significant` and `objects` name what a group's members agreed on, and a member may still
send a message of another kind where that says more, or less: it is ordered by its own stamps. A
message without stamps counts as one with an empty vector of the group's own kind.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ordering.capturing import capture
from ordering.disciplines import causal, objects, significant
from ordering.disciplines.discipline import Discipline, Reached
from ordering.events import Reason
from ordering.policy import Acceptance, GroupPolicy
from ordering.requirement import Requirement
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps
from ordering.values import Message

if TYPE_CHECKING:
    from ordering.state import GroupState


def make(policy: GroupPolicy) -> Discipline:
    """Make the discipline; what an unstamped message requires goes by the group's own kind."""
    requires_causally = causal.requires_at(policy.acceptance)
    is_causal = policy.discipline == "causal"
    hears_acknowledgements = policy.acceptance in causal.ACKNOWLEDGED_LEVELS

    def requires(message: Message) -> Sequence[Requirement]:
        stamps = message.stamps
        if isinstance(stamps, SignificantStamps):
            return significant.requires(message)
        if isinstance(stamps, ObjectStamps):
            return objects.requires(message)
        if is_causal or isinstance(stamps, CausalStamps):
            return requires_causally(message)
        return ()

    def on_received(state: "GroupState", message: Message) -> Reached:
        reached: Reached = []
        if state.captured or state.frontiers:
            reached += capture(state, message)
        if hears_acknowledgements:
            reached += causal.acknowledgements(state, message)
        return reached

    return Discipline(
        requires,
        counts=True,
        reads_vectors=policy.acceptance is Acceptance.CAUSAL,
        on_received=on_received,
        on_delivered=significant.instants,
        on_held=objects.keep,
        first_preceding=objects.first_preceding,
        fault=fault,
    )


def fault(message: Message, widest: int) -> Reason | None:
    """Tell what is wrong with a message's stamps, if something is."""
    stamps = message.stamps
    if stamps is None:
        return None
    width = len(stamps.members)
    if isinstance(stamps, CausalStamps):
        widths = {width, len(stamps.csn), len(stamps.ack) or width, len(stamps.lsn) or width}
        width = max(width, len(stamps.dst))
    elif isinstance(stamps, SignificantStamps):
        widths = {width, len(stamps.preceding)}
    else:
        widths = {width, len(stamps.vector)}
    if max(*widths, width) > widest:
        return Reason.VECTOR_TOO_WIDE
    return None if len(widths) == 1 else Reason.STAMPS_MALFORMED
