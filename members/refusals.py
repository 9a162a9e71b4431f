"""Why a member did not take a datagram: the words under which it counts them.

Nothing that a peer sends raises an error in a member. What is refused changes nothing and is
counted here; `GroupManager.refused` is the count. Bytes that are no envelope are counted under the
reason that the wire format gives (`too_short`, `bad_tag` ...).
"""

from enum import StrEnum


class Refusal(StrEnum):
    """The values are stable: they are names of counters."""

    OVERSIZED = "oversized"
    """longer than a datagram can be, or a message longer than a page can carry"""
    OVER_QUOTA = "over_quota"
    """its sender has sent more than its share"""
    NOT_A_MEMBER = "not_a_member"
    """of a group in which this member is not"""
    UNEXPECTED_KIND = "unexpected_kind"
    """a tick, or something that is no message inside a page"""
    WRONG_GROUP = "wrong_group"
    """a page of one group with a message of another"""
    STALE_REQUEST = "stale_request"
    """older than a request that was seen of the same member"""
    NOT_ASKED = "not_asked"
    """a page of the service that answers no request of this member's, or an old one"""
    DUPLICATE = "duplicate"
    EQUIVOCATION = "equivocation"
    """an id that is known, with other bytes; the first stands"""
    QUARANTINED = "quarantined"
    """the engine refused it"""
    GROUPS_FULL = "groups_full"
    MEMBERS_FULL = "members_full"
    HEARD_FULL = "heard_full"
    REQUESTERS_FULL = "requesters_full"
