"""Laws of the chat's screen, with Textual's own pilot and a network that loses on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from textual.widgets import Input

from console.chat.groups import Groups
from console.chat.threads import Threads
from members.simulated_archive import SimulatedService
from members.simulated_transport import SimulatedNetwork, SimulatedTransport
from tests.console.chatting import chatting, lines, said, status, type_line, until
from tests.messages import wire


def play(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


def tell(network: SimulatedNetwork, datagram: bytes) -> None:
    """Say something from nowhere, as another member would."""
    network.carry(datagram, source=SimulatedTransport(network))


def test_an_answer_stands_below_what_it_answers_on_both_screens() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with (
            chatting(network, "alice") as (alice, with_alice),
            chatting(network, "bob") as (bob, with_bob),
        ):
            await type_line(with_alice, "/create dev those who build")
            await until(with_bob, lambda: "dev" in bob.room.talks)
            await type_line(with_bob, "/join dev")
            await type_line(with_alice, "who has the key?")
            await type_line(with_alice, "and who has the lamp?")
            await until(with_bob, lambda: len(lines(bob)) == 2)
            await with_bob.press("ctrl+t")
            threads = bob.query_one(Threads)
            threads.move_cursor(threads.root.children[0])
            await with_bob.press("enter")
            assert bob.focused is bob.query_one("#words", Input)
            await type_line(with_bob, "I do")
            expected = ["alice  who has the key?", "  bob  I do", "alice  and who has the lamp?"]
            await until(with_alice, lambda: said(alice) == expected)
            assert said(bob) == expected

    play(scene())


def test_a_held_message_is_shown_with_what_it_waits_for_and_then_stands_in_its_place() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with chatting(network, "alice", maybe_group="dev") as (alice, pilot):
            await until(pilot, lambda: "dev" in alice.room.host.manager.memberships)
            tell(network, wire("bob", 2, ("bob", 1), group="dev", payload=b"because"))
            await until(pilot, lambda: len(lines(alice)) == 2)
            assert lines(alice) == ["held back (1)", "  bob  because  waits for bob:1"]
            assert "1 held back" in status(alice)
            tell(network, wire("bob", 1, group="dev", payload=b"why?"))
            await until(pilot, lambda: said(alice) == ["bob  why?", "  bob  because"])

    play(scene())


def test_what_others_write_is_never_markup_and_never_reaches_the_terminal() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with chatting(network, "alice", maybe_group="dev") as (alice, pilot):
            await until(pilot, lambda: "dev" in alice.room.host.manager.memberships)
            evil = "[red]boo[/red] [/nope] [@click=app.quit]here[/] \x1b]0;owned\x07\x1b[2J‮"
            tell(network, wire("eve", 1, group="dev", payload=evil.encode()))
            await until(pilot, lambda: len(lines(alice)) == 1)
            (line,) = lines(alice)
            assert "[red]boo[/red] [/nope] [@click=app.quit]here[/]" in line
            assert not {"\x1b", "\x07", "‮"} & set(line)
            await pilot.press("ctrl+t")
            await pilot.press("enter")
            assert alice.is_running

    play(scene())


def test_names_and_descriptions_of_groups_are_escaped_too() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with (
            chatting(network, "alice") as (_, with_alice),
            chatting(network, "bob") as (bob, with_bob),
        ):
            await type_line(with_alice, "/create [bold]x [/oops] \x1b[31mred")
            await until(with_bob, lambda: "[bold]x" in bob.room.talks)
            await type_line(with_bob, "/join [bold]x")
            title = str(bob.query_one(Threads).border_title)
            assert "[bold]x" in title.replace("\\", "")
            assert "\x1b" not in title

    play(scene())


def test_who_joins_late_fills_in_the_whole_tree() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=3)
        async with chatting(network, "alice") as (alice, with_alice):
            await type_line(with_alice, "/create dev")
            for number in range(5):
                await type_line(with_alice, f"word {number}")
            async with chatting(network, "bob", maybe_group="dev") as (bob, with_bob):
                await until(with_bob, lambda: len(said(bob)) == 5)
                assert said(bob) == said(alice)
                await until(with_bob, lambda: "up to date" in status(bob))

    play(scene())


def test_with_the_service_somebody_who_is_alone_fills_in_too() -> None:
    async def scene() -> None:
        service = SimulatedService()
        service.record(wire("old", 1, group="dev", payload=b"first"))
        service.record(wire("old", 2, ("old", 1), group="dev", payload=b"second"))
        network = SimulatedNetwork(seed=3)
        async with chatting(network, "zoe", maybe_group="dev", maybe_archive=service.archive()) as (
            zoe,
            pilot,
        ):
            await until(pilot, lambda: said(zoe) == ["old  first", "  old  second"])

    play(scene())


def test_a_group_that_is_seen_is_joined_by_enter_and_unread_words_are_counted() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with (
            chatting(network, "alice") as (alice, with_alice),
            chatting(network, "bob") as (bob, with_bob),
        ):
            await type_line(with_alice, "/create floor")
            await type_line(with_alice, "/create dev")
            await until(with_bob, lambda: len(bob.room.talks) == 2)
            groups = bob.query_one(Groups)
            await with_bob.press("ctrl+g")
            groups.highlighted = 0
            await with_bob.press("enter")
            await until(with_bob, lambda: bob.room.talks["dev"].is_joined)
            assert not bob.room.talks["floor"].is_joined
            await type_line(with_bob, "/create own")
            await type_line(with_alice, "hello")
            await until(with_bob, lambda: bob.room.talks["dev"].unread == 1)
            assert "1 new" in str(groups.get_option_at_index(0).prompt)
            await type_line(with_bob, "/leave")
            assert not bob.room.talks["own"].is_joined
            assert alice.is_running

    play(scene())


def test_what_can_not_be_done_is_said_and_keeps_the_words() -> None:
    async def scene() -> None:
        async with chatting(SimulatedNetwork(seed=1), "alice") as (alice, pilot):
            for text in ("hello", "/nonsense", "/join", "/leave", "/join dev first"):
                await type_line(pilot, text)
                assert alice.query_one("#words", Input).value == text
                assert not alice.room.talks
            await type_line(pilot, "/create dev")
            await type_line(pilot, "/create dev")
            await type_line(pilot, "/who")
            await type_line(pilot, "/help")
            await type_line(pilot, "/sync")
            await type_line(pilot, "//help is an order")
            assert said(alice) == ["alice  /help is an order"]

    play(scene())


def test_a_thread_of_great_depth_stays_on_the_screen() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with chatting(network, "alice", maybe_group="dev") as (alice, pilot):
            await until(pilot, lambda: "dev" in alice.room.host.manager.memberships)
            before: tuple[tuple[str, int], ...] = ()
            for seq in range(1, 301):
                tell(network, wire("bob", seq, *before, group="dev"))
                before = (("bob", seq),)
            await until(pilot, lambda: len(lines(alice)) == 300)
            deepest = max(len(line) - len(line.lstrip()) for line in lines(alice))
            assert deepest <= 2 * 13
            assert lines(alice)[-1].lstrip().startswith("↑ bob:299")

    play(scene())


def test_quitting_leaves_the_groups_so_that_the_others_see_it() -> None:
    async def scene() -> None:
        network = SimulatedNetwork(seed=1)
        async with chatting(network, "alice") as (alice, with_alice):
            await type_line(with_alice, "/create dev")
            async with chatting(network, "bob", maybe_group="dev") as (_, with_bob):
                await until(with_alice, lambda: alice.room.talks["dev"].members == {"bob"})
                await type_line(with_bob, "/quit")
            await until(with_alice, lambda: alice.room.talks["dev"].members == set())

    play(scene())
