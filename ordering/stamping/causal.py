"""Stamping for causal order: what one member has accepted, and from whom.

1. Before sending, copy what is known: `csn` for each member, `ack` for each member, and the count
   of messages to each of them.
2. On accepting a message of j: what follows it is known to begin after it (`csn[j] = seq + 1`), and
   everything that the message itself counted is known too.

    bob accepts a3 with csn {alice: 3, carol: 6}     csn {alice: 4, carol: 6}
    bob sends b1                                     stamped with exactly that
"""

from ordering.ordering_list import OrderingList
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId


class CausalSender:
    """One member of a causal group, as a sender."""

    __slots__ = ("_csn", "_lsn", "_pid", "_received", "_seq")

    def __init__(self, pid: MemberId) -> None:
        self._pid = pid
        self._seq = 0
        self._csn: dict[str, int] = {}
        self._lsn: dict[str, int] = {}
        self._received: dict[str, OrderingList] = {}

    def receive(self, message: Message) -> None:
        """Note that a message has come, delivered or not: this is what `ack` tells.

        At the acknowledged levels a message is delivered only when those it is for have said so:
        who waits with that until the delivery waits for ever.
        """
        sender, seq = message.id
        if sender != self._pid:
            self._csn.setdefault(sender, 1)
        received = self._received.setdefault(sender, OrderingList())
        if not received.contains(seq):
            received.add(seq)

    def accept(self, message: Message) -> None:
        """Get to know a message: call it when the member's own engine delivers one."""
        sender, seq = message.id
        self.receive(message)
        self._raise(sender, seq + 1)
        if isinstance(message.stamps, CausalStamps):
            for member, upcoming in zip(message.stamps.members, message.stamps.csn, strict=False):
                self._raise(member, upcoming)

    def _raise(self, member: str, upcoming: int) -> None:
        if member != self._pid and upcoming > self._csn.get(member, 1):
            self._csn[member] = upcoming

    def expected(self, member: str) -> int:
        """Give the next seq of a member that has not been received."""
        received = self._received.get(member)
        return 1 if received is None else received.next

    def stamp(self, *, dst: tuple[str, ...] = (), buf: int = 0) -> tuple[MessageId, CausalStamps]:
        """Give the id and the stamps of the next message; `dst` empty means that it is for all.

        Only members of whom something is known are named, and those whom the message is for.
        """
        self._seq += 1
        members = tuple(dict.fromkeys((*self._csn, *dst, self._pid)))
        lsn = tuple(self._lsn.get(member, 1) for member in members)
        for member in dst or members:
            self._lsn[member] = self._lsn.get(member, 1) + 1
        stamps = CausalStamps(
            members,
            csn=tuple(
                self._seq if member == self._pid else self._csn.get(member, 1) for member in members
            ),
            ack=tuple(
                self._seq if member == self._pid else self.expected(member) for member in members
            ),
            dst=dst,
            lsn=lsn,
            buf=buf,
        )
        return MessageId(self._pid, self._seq), stamps
