"""What each address of the page's server gives, asked over HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.web.app import FILES, STATIC
from deploy.local.broker import Broker
from tests.console.desk import Desk, said
from tests.console.pages import Client, serving, wait_for

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def desk(broker: Broker) -> Desk:
    desk = Desk(broker.bootstrap)
    desk.say(said("a", 1, text="who?"), said("b", 1, ("a", 1)), said("d", 1, ("c", 1)))
    desk.say(said("e", 1, ("d", 1)))
    desk.tick()
    return desk


@pytest.fixture(scope="module")
def client(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    tables = tmp_path_factory.mktemp("tables")
    desk.keep(tables)
    with serving(desk, tables) as client:
        with client.events("/events/overview") as events:
            next(data for _, _, data in events if data["is_caught_up"])
        yield client


def test_the_page_is_three_files_with_the_right_kinds(client: Client) -> None:
    kinds = {"/": "text/html", "/page.css": "text/css", "/page.js": "text/javascript"}
    for path in FILES:
        answer = client.ask(path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(kinds[path])
    assert client.ask("/../app.py").status == 404
    assert client.ask("/static/index.html").status == 404


def test_no_file_names_another_host_or_carries_code_in_its_markup() -> None:
    namespaces = ("http://www.w3.org/2000/svg",)
    for name in FILES.values():
        text = (STATIC / name).read_text(encoding="utf-8")
        for namespace in namespaces:
            text = text.replace(namespace, "")
        assert not re.search(r"(https?:)?//[a-z0-9-]+\.", text), name
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\son\w+=|<style|style=|javascript:", page)
    script = (STATIC / "page.js").read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(", script)


def test_a_conversation_streams_what_was_delivered_and_what_is_held(client: Client) -> None:
    with client.events("/events/conversation?group=dev") as events:
        last, name, data = next(events)
    assert (last, name) == ("2", "update")
    assert [message["id"] for message in data["messages"]] == ["a#1:1", "b#1:1"]
    assert {held["id"] for held in data["all_held"]} == {"d#1:1", "e#1:1"}


def test_a_conversation_goes_on_behind_the_last_event_id(client: Client) -> None:
    with client.events("/events/conversation?group=dev", last="1") as events:
        _, _, data = next(events)
    assert [message["id"] for message in data["messages"]] == ["b#1:1"]


def test_why_gives_the_whole_chain_to_what_is_missing(client: Client) -> None:
    why = client.ask("/api/why?group=dev&id=e%231:1").json
    assert [link["id"] for link in why["chain"]] == ["e#1:1", "d#1:1"]
    assert why["missing"]["waiting_for"] == "c#1:1"
    assert client.ask("/api/why?group=dev&id=a%231:1").json["held"] is False


def test_history_answers_from_the_tables(client: Client) -> None:
    def ids(question: str) -> list[str]:
        return [one["id"] for one in client.ask(f"/api/history/{question}").json["messages"]]

    assert ids("search?group=dev&text=WHO") == ["a#1:1"]
    assert ids("as-of?group=dev&position=1") == ["a#1:1"]
    assert ids("thread?group=dev&id=b%231:1") == ["a#1:1", "b#1:1"]
    assert ids("join?group=dev&policy=all") == ["a#1:1", "b#1:1"]
    assert ids("join?group=dev&policy=now") == []
    assert ids("join?group=dev&policy=last&count=1") == ["b#1:1"]
    assert ids("join?group=dev&policy=thread&id=a%231:1") == ["a#1:1", "b#1:1"]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("as-of?group=dev&position=x", "a whole number"),
        ("join?group=dev&policy=some", "all, now, last or thread"),
        ("nothing?group=dev", "search, as-of, thread or join"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_with_a_sentence(
    client: Client, question: str, sentence: str
) -> None:
    answer = client.ask(f"/api/history/{question}")
    assert answer.status == 400
    assert sentence in answer.json["problem"]


def test_a_page_without_a_member_says_how_to_get_one(client: Client) -> None:
    answer = client.write("/api/answer", {"group": "dev", "text": "hi", "in_answer_to": None})
    assert answer.status == 409
    assert "web.member_address" in answer.json["problem"]


def test_nothing_is_written_without_the_token(client: Client) -> None:
    for path in ("/api/answer", "/api/verify"):
        assert client.write(path, {}, token="wrong").status == 401
        assert client.ask(path, method="POST", body={}).status == 403


def test_a_verification_that_is_asked_for_is_told_in_the_overview(
    client: Client, tmp_path: Path
) -> None:
    del tmp_path
    assert client.write("/api/verify", {}).json == {"ok": True}

    def state() -> str:
        with client.events("/events/overview") as events:
            return str(next(events)[2]["verify"]["state"])

    wait_for(lambda: state() == "ok", "a verification without a violation")
