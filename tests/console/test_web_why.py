"""The chain from a held message to what is missing."""

from __future__ import annotations

from console.web.live_group import HeldMessage
from console.web.why import chain_of, explain, sentence
from sinks.waits import Sought


def held(**waiting: str) -> dict[str, HeldMessage]:
    return {
        name: HeldMessage(name, Sought(waiting_for), 0, 0, (0, 0, 0))
        for name, waiting_for in waiting.items()
    }


def test_the_chain_goes_to_the_message_that_waits_for_what_nobody_has() -> None:
    why = explain("d", held(d="c", c="b", b="a", e="a", x="y"))
    assert [link["id"] for link in why["chain"]] == ["d", "c", "b"]
    assert why["missing"]["waiting_for"] == "a"
    assert (why["missing"]["waiting"], why["missing"]["behind"]) == (2, 4)
    assert why["chain"][0]["sentence"] == "waits for c"


def test_what_is_not_held_has_no_chain() -> None:
    assert explain("a", held(b="a")) == {"id": "a", "held": False, "chain": [], "missing": None}


def test_a_ring_ends_and_has_nothing_missing() -> None:
    why = explain("a", held(a="b", b="a"))
    assert [link["id"] for link in why["chain"]] == ["a", "b"]
    assert why["missing"] is None


def test_a_very_long_chain_is_cut_and_no_recursion() -> None:
    chain = chain_of("m0", held(**{f"m{n}": f"m{n + 1}" for n in range(20_000)}))
    assert len(chain) == 1_000


def test_every_measure_has_a_sentence() -> None:
    assert sentence(Sought("a#1:7")) == "waits for a#1:7"
    assert sentence(Sought("a#1:7", "delivered")) == (
        "waits until everything of a#1 up to 7 is delivered"
    )
    assert sentence(Sought("a#1:7", "acknowledged", "b#1")) == (
        "waits until b#1 has confirmed everything of a#1 up to 7"
    )
