"""When an engine may refuse a message: the world's own list of causes.

Used by the checkers that look at `Quarantined` events. Each cause is worked out from what was
handed to the endpoint and from what the world knows about the message, never from the engine.

    equivocation    another content under the same id was handed over before
    self_parent     the message answers itself, or a later message of its own sender
    cycle           the message hangs from itself, or from one that does
    gave_up         the group quarantines, and something that it hangs from was waited for long
                    enough, or was itself given up on
    sequence_jump   its count is beyond all that was delivered of its sender by more than allowed
    another life    another incarnation of its sender was heard
    a bound         the message is hostile, of the kind that passes that bound
"""

from __future__ import annotations

from typing import Final

from ordering.events import Reason
from ordering.values import Message, split_pid
from simulation.history import slots_in
from simulation.ledger import Ledger, Refusal
from simulation.options import GiveUp, Hostility
from simulation.patience import Patience, ancestry
from simulation.policies import retires

BOUNDS: Final[dict[Reason, tuple[Hostility, ...]]] = {
    Reason.SEQUENCE_JUMP: (Hostility.JUMP, Hostility.FLOOD),
    Reason.VECTOR_TOO_WIDE: (Hostility.WIDE,),
    Reason.TOO_MANY_PARENTS: (Hostility.WIDE,),
    Reason.HELD_BY_SENDER_FULL: tuple(Hostility),
    Reason.HELD_BY_GROUP_FULL: tuple(Hostility),
}
"""Which kinds of hostile message may meet which bound. Once a hostile sender's room is used up, all
that it sends may be refused, whatever kind it is."""


class Excuses:
    """Judges the refusals of one endpoint."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._patience = Patience(ledger)

    def allow(self, refusal: Refusal) -> bool:
        """Whether this message could be refused for this reason at this step."""
        reason = refusal.reason
        if reason is Reason.EQUIVOCATION:
            return self._contradicts(refusal)
        if reason is Reason.SELF_PARENT:
            return _answers_itself_or_later(refusal.entry.message)
        if reason is Reason.CYCLE:
            return self._goes_round(refusal)
        if reason is Reason.GAVE_UP:
            return self._waited_long_enough(refusal)
        if reason is Reason.SEQUENCE_JUMP and self._runs_ahead(refusal):
            return True
        if reason in (Reason.SUPERSEDED_INCARNATION, Reason.INCARNATIONS_FULL):
            return self._is_of_another_life(refusal)
        return refusal.entry.maybe_hostility in BOUNDS.get(reason, ())

    def _runs_ahead(self, refusal: Refusal) -> bool:
        """Whether the count is beyond all that was delivered of the sender by more than allowed.

        Of an incarnation that is no longer remembered nothing was delivered.
        """
        if retires(self._ledger.endpoint.policy) and self._is_of_another_life(refusal):
            return True
        sender, seq = refusal.entry.message.id
        history = self._ledger.endpoint.history
        delivered = self._ledger.delivered_after[max(0, refusal.step - 1)]
        highest = max(
            (
                history.ids[slot].seq
                for slot in slots_in(delivered)
                if history.ids[slot][0] == sender
            ),
            default=0,
        )
        return seq > highest + self._ledger.endpoint.policy.limits.sequence_jump

    def _is_of_another_life(self, refusal: Refusal) -> bool:
        """Whether another incarnation of the name was heard, long enough ago if that counts."""
        endpoint = self._ledger.endpoint
        name, own = split_pid(refusal.entry.message.id.sender)
        entries = endpoint.history.entries
        grace_us = 0 if retires(endpoint.policy) else endpoint.policy.limits.incarnation_grace_us
        for index, step in self._ledger.handed_at.items():
            other_name, other = split_pid(entries[index].message.id.sender)
            waited_us = endpoint.steps[refusal.step].now - endpoint.steps[step].now
            if other_name != name or step > refusal.step or waited_us < grace_us:
                continue
            if other > own or (other != own and retires(endpoint.policy)):
                return True
        return False

    def _contradicts(self, refusal: Refusal) -> bool:
        entries = self._ledger.endpoint.history.entries
        return any(
            entries[index].slot == refusal.entry.slot
            and entries[index].message.content != refusal.entry.message.content
            for index, step in self._ledger.handed_at.items()
            if step <= refusal.step
        )

    def _goes_round(self, refusal: Refusal) -> bool:
        """Whether the message, or something that it hangs from, hangs from itself."""
        contents = self._ledger.contents
        above = ancestry(refusal.entry, contents=contents)
        suspects = [refusal.entry]
        for slot in slots_in(above):
            suspects += contents.get(slot, ())
        return any(ancestry(one, contents=contents) >> one.slot & 1 for one in suspects)

    def _waited_long_enough(self, refusal: Refusal) -> bool:
        """Whether the group quarantines, and the patience with something above was over."""
        ledger = self._ledger
        options = ledger.endpoint.options
        if options.give_up is not GiveUp.QUARANTINE:
            return False
        above = ancestry(refusal.entry, contents=ledger.contents)
        for slot in (refusal.entry.slot, *slots_in(above)):
            entry = ledger.first.get(slot)
            if entry is not None and entry.confirmers:
                waited_us = ledger.waited_us(entry, step=refusal.step)
                if waited_us >= options.give_up_after_us:
                    return True
        if any(
            above >> earlier.entry.slot & 1 and earlier.reason is Reason.GAVE_UP
            for earlier in ledger.refusals
            if earlier.step <= refusal.step
        ):
            return True
        missing = above & ~ledger.delivered_after[max(0, refusal.step - 1)]
        return self._patience.any_over(missing, step=refusal.step)


def _answers_itself_or_later(message: Message) -> bool:
    sender, seq = message.id
    return any(parent.sender == sender and parent.seq >= seq for parent in message.parents)
