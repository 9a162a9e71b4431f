"""The bugs that are planted in the engine, one at a time, to see whether the simulator finds them.

Each is a mistake that somebody could make in earnest. They are spread over the engine: both ways
in, delivering, giving up, cycles, runs, quotas, snapshots, and each family of disciplines.
"""

from __future__ import annotations

from typing import Final

from tests.simulation.mutants import Mutant

PLANTED: Final = (
    Mutant(
        "forgets descendants (careful way)",
        "ordering.delivering",
        "        let_go(node, stack)\n        reached",
        "        let_go(node, [])\n        reached",
    ),
    Mutant(
        "forgets descendants (fast way)",
        "ordering.receiving_by_parent",
        "            _, freed, member, seq, cell, _, details = node\n",
        "            _, freed, member, seq, _, _, details = node\n            cell = None\n",
    ),
    Mutant(
        "delivers breadth first",
        "ordering.receiving_by_parent",
        "                node = stack.pop()\n",
        "                node = stack.pop(0)\n",
    ),
    Mutant(
        "delivers duplicates",
        "ordering.arriving",
        "    elif member.contains(seq):\n        state.remember(events)",
        "    elif member.contains(seq) and seq > 2:\n        state.remember(events)",
    ),
    Mutant(
        "takes everything below the highest for delivered",
        "ordering.ordering_list",
        "return seq <= self.settled and run.contains(self.runs, seq)",
        "return seq <= self.settled",
    ),
    Mutant(
        "joins runs across a gap of one",
        "ordering.runs",
        "if joined and low <= joined[-1] + 1:",
        "if joined and low <= joined[-1] + 2:",
    ),
    Mutant(
        "ignores all parents but the first",
        "ordering.judging",
        "    while progress.step < len(requirements):",
        "    while progress.step < min(1, len(requirements)):",
    ),
    Mutant(
        "waits for the sender's earlier messages in semantic order",
        "ordering.disciplines.semantic",
        "    return message.parents\n",
        "    return (*message.parents, *message.parents[:0]) if message.id.seq < 2 else (\n"
        "        *message.parents,\n        message.id._replace(seq=message.id.seq - 1),\n    )\n",
    ),
    Mutant(
        "finds no cycles",
        "ordering.chains",
        "    return own[CHILDREN] is not None and end_of_chain(state, target) is own\n",
        "    return False and end_of_chain(state, target) is own\n",
    ),
    Mutant(
        "charges a flood to everyone",
        "ordering.arriving",
        "    if member.held_count >= limits.held_per_sender:",
        "    if state.held_count >= limits.held_per_sender:",
    ),
    Mutant(
        "calls another content of a held message a duplicate",
        "ordering.arriving",
        "        is_equivocation = node[MESSAGE].content != message.content",
        "        is_equivocation = False",
    ),
    Mutant(
        "gives up a millisecond early",
        "ordering.giving_up",
        "    while state.deadlines and state.deadlines[0][0] <= state.now:",
        "    while state.deadlines and state.deadlines[0][0] <= state.now + 1_000:",
    ),
    Mutant(
        "forgets what it has given up",
        "ordering.state",
        "        self.abandoned[message_id] = (self.now, account)\n",
        "        del self.abandoned_by[account][message_id]\n",
    ),
    Mutant(
        "does not mark what is released",
        "ordering.delivering",
        "    if is_orphaned:\n        marks.add(Mark.PARENT_MISSING)\n",
        "",
    ),
    Mutant(
        "loses what is held when it is rebuilt",
        "ordering.snapshots",
        "for node in nodes if node[CHILDREN] is not None],",
        "for node in nodes[1:] if node[CHILDREN] is not None],",
    ),
    Mutant(
        "forgets a sender's gaps when it is rebuilt",
        "ordering.snapshots",
        "    member.runs, member.skipped = list(beyond), list(skipped)\n",
        "    member.runs, member.skipped = [], list(skipped)\n",
    ),
    Mutant(
        "forgets in a rebuild which gaps it has told",
        "ordering.snapshots",
        "        if is_told:\n",
        "        if is_told and seq % 3:\n",
    ),
    Mutant(
        "forgets in a rebuild what it delivered with which content",
        "ordering.snapshots",
        "    state.recent.recall(recent, pids=pids, position=state.position)\n",
        "",
    ),
    Mutant(
        "delivers by its parts what somebody waits for, and frees nobody",
        "ordering.plain_case",
        "            or (is_any_waited_for and seq in member.nodes)\n",
        "",
        discipline="semantic",
    ),
    Mutant(
        "sorts a batch before it receives it",
        "ordering.engine",
        "        self._way(state, chunk, events)",
        "        self._way(state, sorted(chunk, key=lambda one: one.id), events)",
    ),
    Mutant(
        "reads causal vectors one too low",
        "ordering.counted",
        "        return delivered_up_to(member, upcoming - 1)",
        "        return delivered_up_to(member, upcoming - 2)",
    ),
    Mutant(
        "ignores a sender's own count in causal order (fast way)",
        "ordering.receiving_by_count",
        "        if seq == member.next:\n",
        "        if seq >= member.next:\n",
    ),
    Mutant(
        "believes an acknowledgement of one more than was said",
        "ordering.disciplines.causal",
        "            row[member] = expected - 1\n",
        "            row[member] = expected\n",
        discipline="causal",
    ),
    Mutant(
        "lets an instant pass over a gap in significant order",
        "ordering.disciplines.significant",
        "    while uncounted and (uncounted[0][0] < upcoming or uncounted[0][1] < expired_at):",
        "    while uncounted:",
    ),
    Mutant(
        "orders no request after a response between objects",
        "ordering.disciplines.objects",
        "    keys: list[tuple[str, ...]] = [RESPONSE]\n",
        "    keys: list[tuple[str, ...]] = []\n",
        discipline="objects",
    ),
    Mutant(
        "names the wrong thing that a message waits for",
        "ordering.chains",
        "if progress is None else progress.requirements[progress.step]",
        "if progress is None else progress.requirements[0]",
    ),
)
