"""Chains of held messages: what each hangs from in the end, and whether a chain hangs from itself.

Every held message waits at one id; that id is missing, or is itself held and waits at another.
Following them ends at one missing id, or comes back to where it began: a cycle, which could never
be delivered.

    e -> d -> c -> b -> [a]          [a] is missing: all four hang from it
    a arrives and answers e:  a -> e -> d -> c -> b -> a     a cycle

A cycle can only close when a message comes to wait for a held one while something waits for *it*,
so only then is the chain followed. Following leaves shortcuts behind (the path compression of
union-find), so that following is O(log n) amortised however long the chain is.

Why a shortcut stays true: the chain between its two ends breaks only when something on it is
delivered or quarantined, which happens only after the far end is; and a node that goes is marked
dead.
"""

from ordering.member import ENTRIES, SHORTCUT, SINCE_AT, Entry, Node
from ordering.requirement import Requirement
from ordering.state import GroupState

DEAD = object()
"""In place of `SINCE_AT`: nobody waits at this node any more."""


def target_of(entry: Entry) -> tuple[str, int] | None:
    """Give the id at whose node a held message waits; None if it waits for no id."""
    message, _, _, progress = entry
    return message.parents[0] if progress is None else progress.target


def waiting_for(entry: Entry) -> Requirement:
    """Give the requirement that a held message waits for."""
    message, _, _, progress = entry
    return message.parents[0] if progress is None else progress.requirements[progress.step]


def end_of_chain(state: GroupState, target: tuple[str, int]) -> tuple[str, int]:
    """Follow a chain to the id that all of it hangs from.

    1. Step from each held id to what it waits at, by the shortcut if its far end is alive.
    2. Stop at an id that is not held (it is missing) or waits for no id.
    3. Let every node on the way point straight at the end.
    """
    passed: list[Node] = []
    sender, seq = target
    while True:
        member = state.members.get(sender)
        entry = member.held.get(seq) if member is not None else None
        if member is None or entry is None:
            break
        node = member.waiting.get(seq)
        shortcut = node[SHORTCUT] if node is not None else None
        if shortcut is not None and shortcut[2][SINCE_AT] is not DEAD:
            sender, seq = shortcut[0], shortcut[1]
        else:
            further = target_of(entry)
            if further is None:
                break
            sender, seq = further
        if node is not None:
            passed.append(node)
    _leave_shortcuts(state, passed, sender, seq)
    return sender, seq


def _leave_shortcuts(state: GroupState, passed: list[Node], sender: str, seq: int) -> None:
    if len(passed) < 2:
        return
    member = state.members.get(sender)
    last = member.waiting.get(seq) if member is not None else None
    # While a delivery frees messages, a chain may end at the id just delivered, whose node is gone:
    # everything on it is about to be delivered, and needs no shortcut.
    if last is not None:
        for node in passed:
            node[SHORTCUT] = (sender, seq, last)


def closes_cycle(state: GroupState, entry_id: tuple[str, int], target: tuple[str, int]) -> bool:
    """Tell whether a message that is about to wait at `target` would wait for itself.

    The message must not be in `held` yet (or no longer), so that the chain ends at it.
    """
    member = state.members.get(entry_id[0])
    if member is None or entry_id[1] not in member.waiting:
        return False
    return end_of_chain(state, target) == entry_id


def subtree(state: GroupState, node: Node) -> list[Entry]:
    """Take everything that hangs from a node out of `held`, depth first in the order of waiting."""
    taken: list[Entry] = []
    stack: list[Entry] = node[: ENTRIES - 1 : -1]
    node[SINCE_AT] = DEAD
    while stack:
        entry = stack.pop()
        _, member, seq, _ = entry
        del member.held[seq]
        state.held_count -= 1
        taken.append(entry)
        below = member.waiting.pop(seq, None)
        if below is not None:
            below[SINCE_AT] = DEAD
            stack += below[: ENTRIES - 1 : -1]
    return taken
