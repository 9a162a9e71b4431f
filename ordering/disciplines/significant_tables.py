"""The tables of the significant order: which message of an object comes before which.

One object, two of its messages m1 (row) and m2 (column), m1 sent or received first. Types: a
request has input (I) or none (N) and changes the object's state (S) or not (N); a response has
output (O) or none (N).

    x   m1 comes before m2
    r   only if m1 is the request of the operation and m2 is its response
    .   the two are not ordered
"""

from typing import Final, TypeAlias

from ordering.stamps import MessageType

Table: TypeAlias = dict[MessageType, dict[MessageType, str]]

ORDERED: Final = "x"
REQUEST_AND_RESPONSE: Final = "r"
UNORDERED: Final = "."

TYPES: Final = tuple(MessageType)


def _table(rows: str) -> Table:
    """Read a table as it is drawn: a type, then a sign for each column in the order of TYPES."""
    table: Table = {}
    for row in rows.strip().splitlines():
        name, *signs = row.split()
        table[MessageType(name)] = dict(zip(TYPES, signs, strict=True))
    return table


SEND_SEND: Final = _table("""
    IS  x . x . x .
    IN  . . . . . .
    NS  x . x . x .
    NN  . . . . . .
    O   . . . . x .
    N   . . . . . .
""")
"""Both sent, by different conflicting instances, the first over before the second began. Within one
instance, messages sent are always ordered; of interleaved instances, never."""

RECEIVE_SEND: Final = _table("""
    IS  x x x . x r
    IN  x x . . x r
    NS  x . x . r r
    NN  . . . . r r
    O   x x . . x .
    N   . . . . . .
""")
"""The first received and the second sent, in one instance."""

RECEIVE_SEND_APART: Final = _table("""
    IS  x x x . x .
    IN  . . . . . .
    NS  x x x . x .
    NN  . . . . . .
    O   . . . . . .
    N   . . . . . .
""")
"""The first received and the second sent, by different conflicting instances, the first over before
the second began."""

TABLES: Final[dict[str, Table]] = {
    "send-send, different conflicting instances": SEND_SEND,
    "receive-send, same instance": RECEIVE_SEND,
    "receive-send, different conflicting instances": RECEIVE_SEND_APART,
}

RETURNING: Final = frozenset({MessageType.REQUEST_INPUT_STATE, MessageType.REQUEST_STATE})
"""What an operation's knowledge leaves behind for its object when it completes: IS and NS."""


def is_ordered(
    table: Table, first: MessageType, second: MessageType, *, is_request_and_response: bool
) -> bool:
    """Look two messages up in a table."""
    sign = table[first][second]
    return sign == ORDERED or (sign == REQUEST_AND_RESPONSE and is_request_and_response)


def is_received_in_order(
    first: MessageType, second: MessageType, *, is_same_instance: bool, is_conflicting: bool
) -> bool:
    """Tell whether a common receiver must get two messages in the order of their sender.

    Within one instance always; of different instances where the operations conflict, but two
    responses that carry nothing never.
    """
    if is_same_instance:
        return True
    both_empty = first is second is MessageType.RESPONSE_PLAIN
    return is_conflicting and not both_empty


def draw(table: Table) -> str:
    """Draw a table as the documentation shows it."""
    lines = ["m1\\m2  " + " ".join(f"{column.value:<2}" for column in TYPES).rstrip()]
    for first in TYPES:
        signs = " ".join(f"{table[first][second]:<2}" for second in TYPES)
        lines.append(f"{first.value:<5}  {signs}".rstrip())
    return "\n".join(lines)
