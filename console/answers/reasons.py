"""Why has a message not arrived? Everything that is known of one id, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from console.answers.messages import find_deliveries, find_refused
from console.answers.places import Places
from console.answers.rows import instant_text
from console.answers.waiting import Pending, chain_of, pending_of
from console.shared_options import Source
from console.terminal import printable
from sinks.errors import DestinationError
from sinks.waits import EXACT


class Fate(StrEnum):
    """What became of a message."""

    DELIVERED = "delivered"
    HELD = "held"
    QUARANTINED = "quarantined"
    UNSEEN = "unseen"


class Answer(NamedTuple):
    """What is known of a message in one group."""

    id: str
    group: str | None
    fate: Fate
    sentences: tuple[str, ...]
    chain: tuple[Pending, ...] = ()
    maybe_missing: str | None = None
    maybe_position: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "ok": self.fate is not Fate.UNSEEN,
            "id": self.id,
            "group": self.group,
            "fate": self.fate.value,
            "position": self.maybe_position,
            "chain": [one._asdict() for one in self.chain],
            "missing": self.maybe_missing,
            "sentences": list(self.sentences),
        }


def answers_about(
    places: Places, message_id: str, *, maybe_group: str | None, source: Source
) -> list[Answer]:
    """One answer for each group in which something is known of the id; at least one in all."""
    pending = pending_of(places.wait_rows(source))
    held = [
        one
        for one in pending
        if one.id == message_id and (maybe_group is None or one.group == maybe_group)
    ]
    answers = [_held(places, one, pending) for one in held]
    groups = {answer.group for answer in answers}
    for delivery in find_deliveries(places.tables, message_id, maybe_group=maybe_group):
        # The topic may be ahead of the table, never behind it: a delivery ends every wait.
        answers = [answer for answer in answers if answer.group != delivery.group]
        groups.add(delivery.group)
        marks = f", marked {' '.join(delivery.marks)}" if delivery.marks else ""
        sentence = (
            f"{message_id} was delivered in {delivery.group} at position {delivery.position}{marks}"
        )
        answers.append(
            Answer(
                message_id,
                delivery.group,
                Fate.DELIVERED,
                (sentence,),
                maybe_position=delivery.position,
            )
        )
    for refused in find_refused(places.tables, message_id, maybe_group=maybe_group):
        if refused.group not in groups:
            groups.add(refused.group)
            sentence = (
                f"{message_id} of {refused.group} is in quarantine: {refused.reason} "
                f"({refused.detail})"
            )
            answers.append(Answer(message_id, refused.group, Fate.QUARANTINED, (sentence,)))
    return answers or [_unseen(message_id, maybe_group, pending)]


def _held(places: Places, first: Pending, pending: Sequence[Pending]) -> Answer:
    chain = chain_of(pending, first)
    last = chain[-1]
    sentences = [f"{one.id} waits for {_sought(one)} since {_since(one)}" for one in chain]
    is_circle = any(one.id == last.waiting_for for one in chain)
    if is_circle:
        sentences.append(f"{last.waiting_for} is in the chain above: they wait for each other")
    else:
        sentences.append(_about_missing(places, last))
    return Answer(
        first.id,
        first.group,
        Fate.HELD,
        tuple(sentences),
        tuple(chain),
        None if is_circle else last.waiting_for,
    )


def _about_missing(places: Places, last: Pending) -> str:
    missing = last.waiting_for
    if last.measure != EXACT:
        return f"{missing} ({last.measure}{_by(last)}) has not happened yet"
    try:
        refused = find_refused(places.tables, missing, maybe_group=last.group)
    except DestinationError:
        refused = []
    if refused:
        return f"{missing} is in quarantine: {refused[0].reason} ({refused[0].detail})"
    return f"{missing} is missing: nobody captured it"


def _unseen(message_id: str, maybe_group: str | None, pending: Sequence[Pending]) -> Answer:
    where = "" if maybe_group is None else f" in {maybe_group}"
    waiting = sum(one.waiting_for == message_id for one in pending)
    sentence = f"nothing is known of {message_id}{where}: it is not delivered, held or quarantined"
    if waiting:
        sentence = (
            f"{message_id} is missing: nobody captured it, and {waiting} wait for it directly"
        )
    return Answer(
        message_id,
        maybe_group,
        Fate.UNSEEN,
        (sentence,),
        maybe_missing=message_id if waiting else None,
    )


def _sought(one: Pending) -> str:
    if one.measure == EXACT:
        return one.waiting_for
    return f"everything up to {one.waiting_for} ({one.measure}{_by(one)})"


def _by(one: Pending) -> str:
    return f" by {printable(one.by)}" if one.by else ""


def _since(one: Pending) -> str:
    return instant_text(one.since)
