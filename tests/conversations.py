"""Made conversations: by seed, shuffled, with duplicates and junk."""

from __future__ import annotations

import random

from tests.messages import wire


def shuffled_conversation(
    *, seed: int, groups: int, messages: int, jitter: int = 30, duplicates: float = 0.05
) -> list[bytes]:
    """A log as a bad network makes it: answers before questions, repeats, junk."""
    dice = random.Random(seed)
    sent: dict[str, list[tuple[str, int]]] = {f"group-{n}": [] for n in range(groups)}
    counts: dict[tuple[str, str], int] = {}
    log: list[tuple[float, bytes]] = []
    for number in range(messages):
        group = dice.choice(list(sent))
        sender = dice.choice(["ann", "bob", "cat", "dan", "eve"])
        seq = counts[group, sender] = counts.get((group, sender), 0) + 1
        maybe_parent = (
            dice.choice(sent[group][-20:]) if sent[group] and dice.random() < 0.8 else None
        )
        parents = () if maybe_parent is None else (maybe_parent,)
        content = wire(sender, seq, *parents, group=group, payload=f"{number}".encode())
        sent[group].append((sender, seq))
        log.append((number + dice.random() * jitter, content))
        if dice.random() < duplicates:
            log.append((number + dice.random() * 2 * jitter, content))
        if dice.random() < 0.01:
            log.append((number, dice.randbytes(dice.randrange(80))))
    log.sort(key=lambda item: item[0])
    return [content for _, content in log]
