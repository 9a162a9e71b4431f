"""Which orders members can keep by themselves, without the service.

All of the engine's but `total`: one sequence for everyone is the sequence of the log, which the
service has and members do not. A member that delivered such a group as it hears it would contradict
the table.
"""

from typing import Final

from members.errors import MemberError
from ordering.policy import GroupPolicy

ONLY_IN_THE_LOG: Final = frozenset({"total"})


def check_order(policy: GroupPolicy) -> GroupPolicy:
    """Give the policy back if members can keep it. Raises MemberError."""
    if policy.discipline in ONLY_IN_THE_LOG:
        raise MemberError(
            f"members can't keep the order {policy.discipline!r} among themselves, it is the order"
            " of the log; choose causal or semantic, or read the ordered topic"
        )
    return policy
