"""Laws of orders: a slash begins one, two begin a message, and a slip is told."""

from __future__ import annotations

import pytest

from console.chat.orders import HELP, Order, OrderError, Verb, parse
from members.asking import ALL, NOW, last


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("hello", "hello"),
        ("//help", "/help"),
        ("/create dev those who build", Order(Verb.CREATE, "dev", "those who build")),
        ("/join dev", Order(Verb.JOIN, "dev", history=ALL)),
        ("/join dev all", Order(Verb.JOIN, "dev", history=ALL)),
        ("/join dev now", Order(Verb.JOIN, "dev", history=NOW)),
        ("/join dev last 20", Order(Verb.JOIN, "dev", history=last(20))),
        ("/join dev last 99999999", Order(Verb.JOIN, "dev", history=last(1_000_000))),
        ("/leave", Order(Verb.LEAVE)),
        ("/quit", Order(Verb.QUIT)),
    ],
)
def test_what_a_person_types(text: str, meant: Order | str) -> None:
    assert parse(text) == meant


@pytest.mark.parametrize(
    "text",
    ["/", "/nonsense", "/join", "/create", "/join dev last", "/join dev last x", "/join a b"],
)
def test_a_slip_is_told_with_what_is_meant(text: str) -> None:
    with pytest.raises(OrderError, match="/"):
        parse(text)


def test_the_help_names_every_order_but_itself() -> None:
    text = " ".join(HELP)
    assert all(f"/{verb}" in text for verb in Verb if verb is not Verb.HELP)
