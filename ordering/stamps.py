"""What a sender may stamp on a message besides its parents, one kind for each family of orders.

All fields are plain values, so that a stamp survives any encoding of tuples, and vectors are two
parallel tuples: `members` names the entries, the other tuple holds them. A member that a vector
leaves out is one of whom the sender knew nothing, so wide groups do not need wide vectors.

    members = ("alice#1", "bob#2")
    csn     = (4,         9)          alice's next is 4, bob's next is 9
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias


class CausalStamps(NamedTuple):
    """Selective causal order: what the sender had accepted, and from whom.

    The message's own number (`sqn`) is the seq of its id. `csn[k]` is the next seq of `members[k]`
    that does not causally precede this message; `ack[k]` the next seq of `members[k]` that the
    sender expects. `dst` names whom the message is for; empty means everyone in `members`.
    `lsn[k]` counts the sender's messages to `members[k]`, `buf` its free buffers: both serve the
    members' own exchange and are not read by the engine.
    """

    members: tuple[str, ...]
    csn: tuple[int, ...]
    ack: tuple[int, ...] = ()
    dst: tuple[str, ...] = ()
    lsn: tuple[int, ...] = ()
    buf: int = 0


class MessageType(StrEnum):
    """Requests: has input (I) or not (N), then changes state (S) or not (N). Responses: O or N."""

    REQUEST_INPUT_STATE = "IS"
    REQUEST_INPUT = "IN"
    REQUEST_STATE = "NS"
    REQUEST_PLAIN = "NN"
    RESPONSE_OUTPUT = "O"
    RESPONSE_PLAIN = "N"


class SignificantStamps(NamedTuple):
    """Significant order: when it was sent, and the newest messages that it must come after.

    `sent_at` is the sender's synchronised clock in microseconds. `preceding[k]` is the latest
    `sent_at` of a message of `members[k]` that precedes this one by the tables. `own_preceding` is
    the same for the sender's own earlier messages, 0 when none precedes.
    """

    sent_at: int
    members: tuple[str, ...] = ()
    preceding: tuple[int, ...] = ()
    own_preceding: int = 0
    message_type: str = MessageType.RESPONSE_PLAIN.value
    operation: str = ""
    instance: int = 0


class Cast(StrEnum):
    """How an object sends: to one, the same to many, or different messages side by side."""

    UNICAST = "ucast"
    MULTICAST = "mcast"
    PARALLEL = "pcast"


class ObjectStamps(NamedTuple):
    """Inter-object order: the message's compatibility id and its sender's object vector.

    The paper's id `cid : oid : iseq` is `(cid, sender, iseq)`. `vector[k]` is `(cid, iseq, seq)`:
    the highest id of `members[k]` that the sender's thread had merged, and the highest seq of that
    member among them, which tells the engine how much must have been captured before the vector can
    be judged.
    """

    cid: int
    iseq: int
    is_response: bool = False
    cast: str = Cast.UNICAST.value
    operation: str = ""
    targets: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    vector: tuple[tuple[int, int, int], ...] = ()


Stamps: TypeAlias = CausalStamps | SignificantStamps | ObjectStamps
