"""Who may ask what: names, origins, the token and the headers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from console.web.guarding import MOST_BODY_BYTES, Guard, allowed_hosts

TOKEN = "a-token-of-some-length"
HOST = "127.0.0.1:5088"


async def page(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def ask(method: str = "GET", **headers: str) -> tuple[int, dict[str, str]]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    guard = Guard(page, hosts=allowed_hosts(5088, host="127.0.0.1", names=["a.test"]), token=TOKEN)
    written = {"host": HOST, "content_length": "2", **headers}
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "headers": [
            (name.replace("_", "-").encode(), value.encode()) for name, value in written.items()
        ],
    }
    asyncio.run(guard(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found


@pytest.mark.parametrize("host", [HOST, "localhost:5088", "[::1]:5088", "A.TEST"])
def test_the_servers_own_names_are_answered(host: str) -> None:
    assert ask(host=host)[0] == 200


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1", "127.0.0.1:80", ""])
def test_any_other_name_is_refused(host: str) -> None:
    assert ask(host=host)[0] == 421


def test_only_the_page_itself_with_the_token_writes() -> None:
    own = f"http://{HOST}"
    bearer = f"Bearer {TOKEN}"
    assert ask("POST", origin=own, authorization=bearer)[0] == 200
    assert ask("POST", origin="http://evil.test", authorization=bearer)[0] == 403
    assert ask("POST", authorization=bearer)[0] == 403
    assert ask("POST", origin=own, authorization="Bearer wrong")[0] == 401
    assert ask("POST", origin=own)[0] == 401
    assert ask("DELETE", origin=own)[0] == 401
    assert ask("POST", origin=own, authorization="Bearer schön")[0] == 401


def test_a_body_without_a_length_or_a_large_one_is_refused() -> None:
    own = {"origin": f"http://{HOST}", "authorization": f"Bearer {TOKEN}"}
    assert ask("POST", content_length=str(MOST_BODY_BYTES + 1), **own)[0] == 413
    assert ask("POST", content_length="", **own)[0] == 413


@pytest.mark.parametrize("host", [HOST, "evil.test"])
def test_every_answer_forbids_what_is_not_its_own(host: str) -> None:
    _, headers = ask(host=host)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
