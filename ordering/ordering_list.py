"""What was delivered of one member: the papers' ordering list, laid out for speed.

    delivered:  1 2 3 4 5 . 7 8 9 . . 12 . 14
                └─ prefix ─┘ └─ runs ─┘ └ loose ┘
    next = 6    runs = [7, 9]    loose = {12, 14}    settled = 9

- *prefix*: everything below `next`. A member that loses nothing is this one number.
- *runs*: older deliveries beyond a gap, as flat sorted runs.
- *loose*: recent deliveries beyond a gap, in a set, because nearly all of them join the prefix
  within a few messages. `fold` moves them; when they join is invisible from outside.
- *settled*: below or at it, ask `prefix` and `runs`; above it, only `loose` can know.
- *skipped*: given up and never delivered, as runs. The prefix passes over them. Only disciplines
  that count a sender up to a number have any.
- *floor*: gaps at or below it are forgotten, so that a lossy sender's state stays bounded.
"""

from bisect import bisect_right
from typing import Final, cast

from ordering import runs as run
from ordering.runs import NO_RUNS, Runs

LOOSE_LIMIT = 1_024
"""How many loose deliveries wait to join the prefix before they are packed into runs: several times
what a jitter of a thousand messages leaves open, so that packing is rare."""

NONE_LOOSE: Final = cast(set[int], frozenset())
"""Nothing loose, for the very many who have nothing: one for all of them, and nobody can add to it.
Whoever adds the first makes a set."""


class OrderingList:
    """The delivered seqs of one member."""

    __slots__ = ("floor", "loose", "next", "runs", "settled", "skipped")

    def __init__(self) -> None:
        self.next = 1
        self.loose = NONE_LOOSE
        self.runs = NO_RUNS
        self.settled = 0
        self.skipped = NO_RUNS
        self.floor = 0

    def contains(self, seq: int) -> bool:
        """Tell whether this seq was delivered (or is so old that its gap is forgotten)."""
        if seq in self.loose:
            return True
        if 0 < seq < self.next:
            return not (self.skipped and run.contains(self.skipped, seq))
        return seq <= self.settled and run.contains(self.runs, seq)

    def is_skipped(self, seq: int) -> bool:
        """Tell whether this seq was given up and has not come since."""
        return bool(self.skipped) and run.contains(self.skipped, seq)

    def has_skipped_up_to(self, seq: int) -> bool:
        """Tell whether anything up to this seq was given up and has not come since."""
        return bool(self.skipped) and self.skipped[0] <= seq

    def add(self, seq: int) -> None:
        """Note one delivery and keep `next` exact; the hot loop adds to `loose` and folds later."""
        if self.skipped:
            run.remove(self.skipped, seq)
        if seq == self.next:
            self.next = seq + 1
            if self.loose or self.runs or self.skipped:
                self.fold()
            else:
                self.settled = seq
        elif seq > self.next:
            self.add_loose(seq)
            if len(self.loose) > LOOSE_LIMIT:
                self.fold()

    def add_loose(self, seq: int) -> None:
        """Note one delivery beyond `next`, to be folded later."""
        if self.loose:
            self.loose.add(seq)
        else:
            self.loose = {seq}

    def forget(self, seq: int) -> None:
        """Take one delivery back, wherever it lies: it is as if it had never come."""
        delivered = self.delivered_runs()
        run.remove(delivered, seq)
        self.next, self.runs, self.loose = 1, delivered, NONE_LOOSE
        self.fold()

    def skip(self, low: int, high: int) -> None:
        """Give up low..high, of which none was delivered: they no longer hold up the prefix."""
        if self.skipped:
            run.add_range(self.skipped, low, high)
        else:
            self.skipped = [low, high]
        self.fold()

    def fold(self) -> None:
        """Let what is loose join the prefix, and pack what cannot when there is much of it.

        1. Move `next` over everything loose, in the first run, or skipped, that touches it.
        2. If too much stays loose, pack it into runs.
        3. Put `settled` right.
        """
        upcoming, loose, runs = self.next, self.loose, self.runs
        while True:
            first = upcoming
            if upcoming in loose:
                upcoming = self._pass_loose(upcoming)
                loose = self.loose
            while runs and runs[0] <= upcoming:
                upcoming = max(upcoming, runs[1] + 1)
                del runs[:2]
            if self.skipped:
                upcoming = run.end_of_run(self.skipped, upcoming)
            if first == upcoming:
                break
        self.next = upcoming
        if len(loose) > LOOSE_LIMIT:
            self.runs = runs = run.union(runs, run.from_numbers(loose))
            self.loose = NONE_LOOSE
        self.settled = runs[-1] if runs else upcoming - 1

    def _pass_loose(self, upcoming: int) -> int:
        """Give the first seq from `upcoming` on that is not loose; those before it join the prefix.

        Nothing loose lies before `upcoming`, so in sorted order the loose seqs that follow on from
        it are those with `seq - place == upcoming`, and the others come after them: a bisection
        finds the border. All of it runs in C, which a step for each seq would not.

            upcoming 6, loose {8, 6, 7, 11}    sorted 6 7 8 11    seq - place: 6 6 6 8    gives 9
        """
        ordered = sorted(self.loose)
        joining = bisect_right(
            range(len(ordered)), upcoming, key=lambda place: ordered[place] - place
        )
        self.loose = set(ordered[joining:]) or NONE_LOOSE
        return upcoming + joining

    def settle_gaps(self, limit: int, *, below: int | None = None) -> None:
        """Forget the lowest gaps until `limit` are left; the floor rises over them.

        Gaps from `below` on are kept, however many they are: somebody waits for what is in them.
        The engine calls this when the log's time moves, never at a moment that depends on batching.

            [1, 5, 7, 9, 12, 20]  limit 1  ->  floor 9, [1, 9, 12, 20]
        """
        delivered = self.delivered_runs()
        excess = run.gaps(delivered) - limit
        if excess <= 0:
            return
        solid = 2 * excess + (2 if delivered[0] == 1 else 0)
        while below is not None and solid > 0 and delivered[solid - 1] >= below:
            solid -= 2
        if solid == 0 or delivered[solid - 1] <= self.floor:
            return
        self.floor = delivered[solid - 1]
        self.next = max(self.next, self.floor + 1)
        self.skipped = run.subtract(self.skipped, [1, self.floor])
        self.runs = run.subtract(delivered, [1, self.next - 1])
        self.loose = NONE_LOOSE
        self.fold()

    def highest(self) -> int:
        """Give the highest seq delivered or skipped, 0 when there is none."""
        highest = self.settled
        if self.skipped:
            highest = max(highest, self.skipped[-1])
        return max(highest, max(self.loose)) if self.loose else highest

    def delivered_runs(self) -> Runs:
        """Give everything delivered as runs: what synchronisation needs."""
        prefix: Runs = [1, self.next - 1] if self.next > 1 else []
        return run.union(run.subtract(prefix, self.skipped), self.runs_beyond())

    def runs_beyond(self) -> Runs:
        """Give what was delivered beyond the prefix."""
        return run.union(self.runs, run.from_numbers(self.loose)) if self.loose else list(self.runs)
