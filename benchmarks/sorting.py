"""Topological sorts from libraries: what one would reach for if all messages were there at once.

A sort needs the whole input before it gives anything, keeps no state between calls, and knows
nothing of duplicates or of what is missing; it is here because it is the known tool. Building the
graph is part of the work: the input is a list of messages, as it is for the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from graphlib import TopologicalSorter
from importlib.util import find_spec
from typing import TypeAlias

from ordering.values import Message

Sort: TypeAlias = Callable[[Sequence[Message]], list[Message]]


def by_graphlib(messages: Sequence[Message]) -> list[Message]:
    """Sort with the standard library."""
    named = {message.id: message for message in messages}
    sorter = TopologicalSorter({message.id: message.parents for message in messages})
    return [named[message_id] for message_id in sorter.static_order()]


def by_networkx(messages: Sequence[Message]) -> list[Message]:
    """Sort with networkx."""
    import networkx

    named = {message.id: message for message in messages}
    graph = networkx.DiGraph()
    graph.add_nodes_from(named)
    graph.add_edges_from((parent, message.id) for message in messages for parent in message.parents)
    return [named[message_id] for message_id in networkx.topological_sort(graph)]


def sorts() -> dict[str, Sort]:
    """Give the sorts that this machine has; networkx comes with the development tools alone."""
    found: dict[str, Sort] = {"graphlib": by_graphlib}
    if find_spec("networkx") is not None:
        found["networkx"] = by_networkx
    return found
