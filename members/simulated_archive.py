"""An archive in one process, for programs' own tests: it answers from a list of datagrams.

    service = SimulatedService()
    service.record(datagram)                          what the service captured, in delivery order
    MemberHost(manager, transport, archive=service.archive())

It decides with sets of ids, one by one, where the real service decides with runs, in bulk.
`is_away` makes it fall silent.
"""

import asyncio
from collections.abc import Iterator

from ingest.wire.archive import Page, encode_page
from ingest.wire.envelope import Envelope, decode
from ingest.wire.holdings import Holding, holdings_of
from ingest.wire.synchronisation import Request, Wanted, decode_synchronisation
from members.archive import OnPage
from ordering import runs as run
from ordering.values import MemberId, MessageId


class SimulatedService:
    """What was delivered to the groups, and the answers to who asks."""

    def __init__(self, *, page_messages: int = 100, answer_messages: int = 1_000) -> None:
        self.is_away = False
        self._page_messages = page_messages
        self._answer_messages = answer_messages
        self._recorded: dict[str, dict[MessageId, tuple[Envelope, bytes]]] = {}

    def record(self, datagram: bytes) -> None:
        """Take a message as delivered, after all that were recorded before; once."""
        envelope = decode(datagram)
        group = self._recorded.setdefault(envelope.group, {})
        group.setdefault(MessageId(envelope.sender, envelope.seq), (envelope, datagram))

    def archive(self) -> "SimulatedArchive":
        """Give a member its way to this service."""
        return SimulatedArchive(self)

    def answer(self, request: bytes) -> list[bytes]:
        """Give the pages for a request; none while it is away."""
        if self.is_away:
            return []
        envelope = decode(request)
        body = decode_synchronisation(envelope.payload)
        if not isinstance(body, Request):
            return []
        recorded = self._recorded.get(envelope.group, {})
        wanted = _wanted(body, {one: kept[0].parents for one, kept in recorded.items()})
        places = [
            (position, recorded[one][1])
            for position, one in enumerate(recorded, start=1)
            if one in wanted
        ]
        return [encode_page(page) for page in self._pages(envelope, places, list(recorded))]

    def _pages(
        self, asked: Envelope, places: list[tuple[int, bytes]], there: list[MessageId]
    ) -> Iterator[Page]:
        have = _holdings(there)
        most = min(len(places), self._answer_messages)
        starts = range(0, max(1, most), self._page_messages)
        for number, start in enumerate(starts, start=1):
            end = min(most, start + self._page_messages)
            yield Page(
                group=asked.group,
                requester=asked.sender,
                request_seq=asked.seq,
                number=number,
                is_last=end == most,
                remaining=len(places) - end,
                positions=tuple(position for position, _ in places[start:end]),
                messages=tuple(datagram for _, datagram in places[start:end]),
                have=have if number == 1 else (),
            )


class SimulatedArchive:
    """One member's way to a simulated service."""

    def __init__(self, service: SimulatedService) -> None:
        self._service = service
        self._maybe_on_page: OnPage | None = None

    def open(self, on_page: OnPage) -> None:
        """Begin to listen."""
        self._maybe_on_page = on_page

    def ask(self, request: bytes) -> None:
        """Send a request; the pages come with the loop's next turn."""
        for page in self._service.answer(request):
            asyncio.get_running_loop().call_soon(self._hear, page)

    def _hear(self, page: bytes) -> None:
        if self._maybe_on_page is not None:
            self._maybe_on_page(page)

    def close(self) -> None:
        """Stop listening."""
        self._maybe_on_page = None


def _wanted(request: Request, parents: dict[MessageId, tuple[MessageId, ...]]) -> set[MessageId]:
    """Choose one by one: what the wish names, and for all but everything what that answers."""
    had = {MemberId(one.member): list(one.runs) for one in request.have}
    lacking = {one for one in parents if not run.contains(had.get(one.sender, []), one.seq)}
    if request.wanted is Wanted.EVERYTHING:
        return lacking
    chosen: set[MessageId] = set()
    if request.wanted is Wanted.LAST and request.last:
        chosen = set(list(parents)[-request.last :])
    elif request.wanted is Wanted.EXACTLY:
        exactly = {MemberId(one.member): list(one.runs) for one in request.exactly}
        chosen = {one for one in parents if run.contains(exactly.get(one.sender, []), one.seq)}
    elif request.maybe_thread is not None:
        root = MessageId(MemberId(request.maybe_thread[0]), request.maybe_thread[1])
        chosen = {root, *parents.get(root, ())}
        chosen |= {one for one in parents if _is_below(one, root, parents)}
    chosen &= lacking
    above = [up for one in chosen for up in parents[one]]
    while above:
        one = above.pop()
        if one in lacking and one not in chosen:
            chosen.add(one)
            above += parents[one]
    return chosen


def _is_below(
    one: MessageId, root: MessageId, parents: dict[MessageId, tuple[MessageId, ...]]
) -> bool:
    seen, above = set[MessageId](), list(parents.get(one, ()))
    while above:
        up = above.pop()
        if up == root:
            return True
        if up not in seen:
            seen.add(up)
            above += parents.get(up, ())
    return False


def _holdings(ids: list[MessageId]) -> tuple[Holding, ...]:
    by_sender: dict[MemberId, list[int]] = {}
    for sender, seq in ids:
        by_sender.setdefault(sender, []).append(seq)
    held = [(sender, run.from_numbers(seqs)) for sender, seqs in by_sender.items()]
    return holdings_of(held, most_bytes=128 * 1024)
