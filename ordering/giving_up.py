"""Giving up: what to do when something that is waited for has not come in time.

`now` is the log's time and moves only here. When a gap's time is over:

- *release*: what waits for it is delivered with everything below it, announced as released and
  marked.
- *quarantine*: what waits for it is quarantined with everything below it.

Either way the missing id is remembered, so that later messages do not wait for it again, and if it
comes after all it is delivered and marked late.
"""

from heapq import heappop

from ordering.chains import subtree
from ordering.delivering import free
from ordering.events import Abandoned, Event, Quarantined, Reason
from ordering.member import ENTRIES, REQUIREMENT, Member, Node
from ordering.policy import GiveUp
from ordering.state import GroupState
from ordering.values import MemberId, MessageId
from ordering.waiting import is_open


def enter(state: GroupState, now: int, events: list[Event]) -> None:
    """Let the log's time reach `now`, and give up what is due. Time that goes back is ignored."""
    if now <= state.now:
        return
    state.now = now
    give_up_due(state, events)


def give_up_due(state: GroupState, events: list[Event]) -> None:
    """Give up everything whose time is over, oldest first."""
    while state.deadlines and state.deadlines[0][0] <= state.now:
        deadline = heappop(state.deadlines)
        if is_open(state, deadline):
            _, sender, seq = deadline
            give_up(state, state.members[sender], seq, events)


def give_up(state: GroupState, member: Member, seq: int, events: list[Event]) -> None:
    """Give up one missing id."""
    node = member.waiting.pop(seq)
    events.append(Abandoned(node[REQUIREMENT]))
    missing = MessageId(member.pid, seq)
    account = node[ENTRIES][0].id.sender
    state.abandon(missing, account=account)
    if state.policy.give_up is GiveUp.RELEASE:
        _pass_over(node, missing)
        free(state, node, events, is_release=True)
        return
    for message, _, _, _ in subtree(state, node):
        # What hangs from a quarantined message must not begin a wait of its own.
        state.abandon(message.id, account=message.id.sender)
        events.append(Quarantined(message, Reason.GAVE_UP))


def _pass_over(node: Node, missing: MessageId) -> None:
    """Let those that wait for the id go on to their next requirement."""
    for _, _, _, progress in node[ENTRIES:]:
        if progress is not None and progress.requirements[progress.step] == missing:
            progress.step += 1


def account_of(node: Node) -> MemberId:
    """Give the sender on whose account a missing id is remembered."""
    sender: MemberId = node[ENTRIES][0].id.sender
    return sender
