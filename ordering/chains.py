"""Chains of held messages: what each hangs from in the end, and whether a chain hangs from itself.

Every held message waits at one node; that node's id is missing, or is itself held and waits at
another. Following them ends at something missing, or comes back to where it began: a cycle,
which could never be delivered.

    e -> d -> c -> b -> [a]          [a] is missing: all four hang from it
    a arrives and answers e:  a -> e -> d -> c -> b -> a     a cycle

A cycle can only close when a message comes to wait for a held one while something waits for *it*,
so only then is the chain followed. Following leaves shortcuts behind (the path compression of
union-find), so that following is O(log n) amortised however long the chain is.

Why a shortcut stays true: the chain between its two ends breaks only when something on it is
delivered or quarantined, which happens only after the far end is; and a node that goes is marked
dead.
"""

from ordering.member import (
    CHILDREN,
    DEAD,
    MESSAGE,
    OWNER,
    SEQ,
    SHORTCUT,
    SINCE_AT,
    Node,
    let_go,
    progress_of,
    push_children,
)
from ordering.requirement import Requirement
from ordering.state import GroupState


def above(state: GroupState, node: Node) -> Node | None:
    """Give the node at which a held message waits.

    None while a delivery is freeing messages and this one is about to be delivered.
    """
    progress = progress_of(node)
    if progress is not None:
        target = progress.target
        return target if target is not None and target[SINCE_AT] is not DEAD else None
    sender, seq = node[MESSAGE].parents[0]
    member = state.members.get(sender)
    return member.nodes.get(seq) if member is not None else None


def waiting_for(node: Node) -> Requirement:
    """Give the requirement that a held message waits for."""
    progress = progress_of(node)
    requirement: Requirement = (
        node[MESSAGE].parents[0] if progress is None else progress.requirements[progress.step]
    )
    return requirement if progress is None else progress.stated(requirement)


def end_of_chain(state: GroupState, node: Node) -> Node:
    """Follow a chain to the node that all of it hangs from.

    1. Step from each held message to where it waits, by the shortcut if its far end is alive.
    2. Stop at a node that is missing, or whose message waits nowhere.
    3. Let every node on the way point straight at the end.
    """
    passed: list[Node] = []
    while node[MESSAGE] is not None:
        shortcut = node[SHORTCUT]
        if shortcut is not None and shortcut[SINCE_AT] is not DEAD:
            further = shortcut
        else:
            further = above(state, node)
            if further is None:
                break
        passed.append(node)
        node = further
    if len(passed) > 1:
        for one in passed:
            one[SHORTCUT] = node
    return node


def closes_cycle(state: GroupState, own: Node, target: Node) -> bool:
    """Tell whether a message that is about to wait at `target` would wait for itself.

    `own` is the message's node, with its MESSAGE not yet filled in, or taken out again, so that the
    chain ends there.
    """
    return own[CHILDREN] is not None and end_of_chain(state, target) is own


def take_subtree(state: GroupState, node: Node) -> list[Node]:
    """Take everything that hangs from a node out of the group, depth first.

    The node itself must be out of its owner's `nodes` already.
    """
    taken: list[Node] = []
    stack: list[Node] = []
    let_go(node, stack)
    while stack:
        child = stack.pop()
        del child[OWNER].nodes[child[SEQ]]
        child[OWNER].release(child[SEQ])
        state.held_count -= 1
        taken.append(child)
        let_go(child, stack)
    return taken


def count_below(node: Node) -> int:
    """Count all held messages that hang from a node, however far down."""
    count = 0
    stack: list[Node] = []
    push_children(node, stack)
    while stack:
        count += 1
        push_children(stack.pop(), stack)
    return count
