"""The application: which address gives what. Everything but what writes may be asked by anyone who
can reach the server; `console.web.guarding` stands before it all.

    /  /page.css  /page.js               the page
    /events/overview                     groups and health, live
    /events/conversation?group=          one group, live and resumable
    /api/why?group=&id=                  the chain from a held message to the missing one
    /api/history/search|as-of|thread|join
    POST /api/answer   POST /api/verify  with the token
    /livez                               the server answers
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from console.errors import OperatorError
from console.web import streams
from console.web.checking import Checker
from console.web.guarding import refuse
from console.web.history import Answer, History
from console.web.model import Model
from console.web.why import explain
from console.web.writing import Writing
from sinks.errors import SinkError

STATIC: Final = Path(__file__).parent / "static"
FILES: Final = {"/": "index.html", "/page.css": "page.css", "/page.js": "page.js"}
QUESTIONS_AT_ONCE: Final = 2
"""Questions to the tables that run side by side: each may take a core and some memory."""

READ_ONLY: Final = "this page only reads: set web.member_address to where the members speak"


class Application:
    """The routes, and what they ask."""

    def __init__(
        self,
        model: Model,
        history: History,
        *,
        picture: Callable[[], dict[str, Any]],
        checker: Checker,
        maybe_writing: Writing | None,
        is_caught_up: Callable[[], bool],
    ) -> None:
        self._model = model
        self._history = history
        self._picture = picture
        self._checker = checker
        self._maybe_writing = maybe_writing
        self._is_caught_up = is_caught_up
        self._questions = asyncio.Semaphore(QUESTIONS_AT_ONCE)
        self._streams = 0
        self.is_over = False
        """set when the server stops: the streams end by themselves"""

    def build(self) -> Starlette:
        """The routes as an application."""
        return Starlette(
            routes=[
                *(Route(path, self._file, methods=["GET"]) for path in FILES),
                Route("/livez", self._livez, methods=["GET"]),
                Route("/events/overview", self._overview, methods=["GET"]),
                Route("/events/conversation", self._conversation, methods=["GET"]),
                Route("/api/why", self._why, methods=["GET"]),
                Route("/api/history/{question}", self._ask, methods=["GET"]),
                Route("/api/answer", self._answer, methods=["POST"]),
                Route("/api/verify", self._verify, methods=["POST"]),
            ]
        )

    async def _file(self, request: Request) -> Response:
        return FileResponse(STATIC / FILES[request.url.path])

    async def _livez(self, _: Request) -> Response:
        return JSONResponse({"ok": True})

    async def _overview(self, _: Request) -> Response:
        return self._stream(streams.overview(self._picture, is_over=lambda: self.is_over))

    async def _conversation(self, request: Request) -> Response:
        group = request.query_params.get("group", "")
        last = request.headers.get("last-event-id") or request.query_params.get("last", "")
        return self._stream(
            streams.conversation(
                self._model,
                self._history,
                group,
                last_id=streams.parse_last_id(last),
                is_caught_up=self._is_caught_up,
                is_over=lambda: self.is_over,
            )
        )

    def _stream(self, events: AsyncIterator[bytes]) -> Response:
        if self._streams >= streams.MOST_STREAMS:
            return refuse(503, f"{streams.MOST_STREAMS} pages are open; close one of them")

        async def counted() -> AsyncIterator[bytes]:
            self._streams += 1
            try:
                async for one in events:
                    yield one
            finally:
                self._streams -= 1

        return StreamingResponse(counted(), media_type="text/event-stream")

    async def _why(self, request: Request) -> Response:
        group = request.query_params.get("group", "")
        message_id = request.query_params.get("id", "")
        return JSONResponse({"ok": True, **explain(message_id, self._model.held(group))})

    async def _ask(self, request: Request) -> Response:
        """A question to the tables, in a thread, a few at a time."""
        parameters = request.query_params
        try:
            ask = self._question(request.path_params["question"], parameters)
            async with self._questions:
                answer = await run_in_threadpool(ask)
        except (OperatorError, SinkError) as error:
            return refuse(400, str(error))
        return JSONResponse({"ok": True, **answer.shown()})

    def _question(self, question: str, parameters: Any) -> Callable[[], Answer]:
        history, group = self._history, parameters.get("group", "")
        if question == "search":
            text = parameters.get("text", "")
            maybe_sender = parameters.get("sender") or None
            return lambda: history.search(
                text, maybe_group=group or None, maybe_sender=maybe_sender
            )
        if question == "as-of":
            maybe_position = _maybe_number(parameters, "position")
            maybe_at = _maybe_number(parameters, "at")
            return lambda: history.as_of(group, maybe_position=maybe_position, maybe_at=maybe_at)
        if question == "thread":
            return lambda: history.thread(group, parameters.get("id", ""))
        if question == "join":
            return self._newcomer(group, parameters)
        raise OperatorError(f"there is no question {question!r}; ask search, as-of, thread or join")

    def _newcomer(self, group: str, parameters: Any) -> Callable[[], Answer]:
        """What a newcomer gets who joins now and wants this."""
        policy = parameters.get("policy", "all")
        if policy == "all":
            return lambda: self._history.as_of(group)
        if policy == "now":
            return lambda: Answer([], 0, [])
        if policy == "last":
            count = _maybe_number(parameters, "count") or 20
            return lambda: self._history.last(group, count)
        if policy == "thread":
            return lambda: self._history.thread(group, parameters.get("id", ""))
        raise OperatorError(f"{policy!r} is no join policy; choose all, now, last or thread")

    async def _answer(self, request: Request) -> Response:
        if self._maybe_writing is None:
            return refuse(409, READ_ONLY)
        try:
            fields = json.loads(await request.body())
            group, text = str(fields["group"]), str(fields["text"])
            maybe_answered = fields.get("in_answer_to")
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
            return refuse(400, "send a JSON object with group, text and in_answer_to")
        try:
            message_id = await self._maybe_writing.answer(
                group, text, None if maybe_answered is None else str(maybe_answered)
            )
        except (OperatorError, SinkError) as error:
            return refuse(400, str(error))
        except Exception as error:
            if not getattr(error, "is_operator_error", False):
                raise
            return refuse(400, str(error))
        return JSONResponse({"ok": True, "id": message_id})

    async def _verify(self, _: Request) -> Response:
        self._checker.ask()
        return JSONResponse({"ok": True})


def _maybe_number(parameters: Any, name: str) -> int | None:
    text = parameters.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise OperatorError(f"{name} is {text!r}; give a whole number")
    return int(text)
