"""Planted bugs in the member library, and the hunt for them in populations.

As in `tests.simulation.mutants`, from which the planting comes: a mutant is a small change to the
text of a module, made while it is imported in a process of its own.
"""

from __future__ import annotations

import importlib
import signal
import sys
from typing import Final

from tests.simulation.mutants import (
    LONGEST_SEED_S,
    Caught,
    EngineHangsError,
    Mutant,
    _hang,
    _PlantingFinder,
)

MOST_SEEDS: Final = 400
"""A planted bug has to be caught within so many populations."""

ROOMS: Final = ("ordering", "members", "simulation", "ingest")

PLANTED: Final = (
    Mutant(
        "what others have is not known to exist",
        "members.holdings",
        "            exists = run.union(exists, heard)\n",
        "            pass\n",
    ),
    Mutant(
        "nobody ever tells what it has",
        "members.membership",
        "        if self._telling.next_at <= now:\n            self.tell_holdings",
        "        if self._telling.next_at <= now:\n            self._telling.told(now=now)\n"
        "        if False:\n            self.tell_holdings",
    ),
    Mutant(
        "everybody answers at once",
        "members.answering",
        "        wait_us = self._rng.randrange(self._pace.answer_within_us)\n"
        "        repository = Repository(",
        "        wait_us = 0\n        repository = Repository(",
    ),
    Mutant(
        "the order of the group is forgotten",
        "members.delivering",
        "        self.engine = Engine(policy)\n",
        '        self.engine = Engine(GroupPolicy(discipline="none"))\n',
    ),
    Mutant(
        "who left can never come back",
        "members.group_table",
        "        if known is not None and told <= known:\n",
        "        if known is not None and (known[1] or told <= known):\n",
    ),
    Mutant(
        "who comes back uses its old pid",
        "members.routing",
        "        if known >= self.incarnation:\n",
        "        if known > self.incarnation:\n",
    ),
    Mutant(
        "what was accepted is not stamped",
        "members.delivering",
        "                self._stamper.accept(event.message)\n",
        "                pass\n",
        discipline="causal",
    ),
    Mutant(
        "a newcomer forgets what it chose",
        "members.asking",
        "            self._holdings.want(have.chosen)\n",
        "            pass\n",
    ),
    Mutant(
        "a gap is asked for once only",
        "members.asking",
        "        if opened.asks >= self._pace.asks:\n",
        "        if opened.asks >= 1:\n",
    ),
    Mutant(
        "a page's last message is left out",
        "members.membership",
        "in self.take(response.messages, now",
        "in self.take(response.messages[:-1], now",
    ),
    Mutant(
        "members do not compare whom they take for members",
        "members.group_table",
        "            self._maybe_digest = crc32(told.encode(",
        "            self._maybe_digest = 0 * crc32(told.encode(",
    ),
    Mutant(
        "the gate lets everything pass",
        "members.confirming",
        "            if self.expects(member, sender) <= seq and self.is_counted(member)\n",
        "            if False and self.is_counted(member)\n",
        discipline="causal",
    ),
    Mutant(
        "programs are told what only confirms",
        "members.delivering",
        "        if is_control(message.id, stamps, envelope.payload):\n            return\n",
        "",
        discipline="causal",
    ),
    Mutant(
        "a crashed member is waited for for ever",
        "members.confirming",
        "        self.failed.update(found)\n",
        "",
        discipline="causal",
    ),
)


def hunt(mutant: Mutant, *, seeds: int = MOST_SEEDS) -> Caught | None:
    """Run populations with the bug in the members until a checker speaks, in a fresh process."""
    for name in [name for name in sys.modules if name.split(".")[0] in ROOMS]:
        del sys.modules[name]
    sys.meta_path.insert(0, _PlantingFinder(mutant))
    run = importlib.import_module("simulation.populations.run")
    signal.signal(signal.SIGVTALRM, _hang)
    for seed in range(seeds):
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_SEED_S)
        try:
            broken = run.run_population(seed, discipline=mutant.discipline).broken
        except EngineHangsError as hang:
            return Caught(mutant.name, "raised", seed, str(hang))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if broken:
            return Caught(mutant.name, broken[0].checker, seed, str(broken[0]))
    return None
