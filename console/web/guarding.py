"""Who may ask what: the page answers only to its own name, and writes only for those with a token.

    Host     must be a name of this server: a foreign page cannot reach it through a name of its own
    Origin   of a request that writes must be this page
    token    of a request that writes must be the one that was given to the person who started this
    headers  nothing from another host, nothing inline, no frame, nothing kept

A request that fails is refused before anything else looks at it.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
READS: Final = frozenset({"GET", "HEAD"})
LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
MOST_BODY_BYTES: Final = 64 * 1024


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str], token: str) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        maybe_refusal = self._refusal(str(scope["method"]), Headers(scope=scope))
        if maybe_refusal is None:
            await self._app(scope, receive, send_guarded)
        else:
            await maybe_refusal(scope, receive, send_guarded)

    def _refusal(self, method: str, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return refuse(421, "this server has another name; use the address that it printed")
        if method in READS:
            return None
        origin = headers.get("origin", "").lower()
        if origin not in (f"http://{host}", f"https://{host}"):
            return refuse(403, "only the page of this server may write")
        given = headers.get("authorization", "").removeprefix("Bearer ").encode()
        if not hmac.compare_digest(given, self._token):
            return refuse(
                401, "writing needs the token; open the page with the address that was printed"
            )
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_BODY_BYTES:
            return refuse(413, f"a request has at most {MOST_BODY_BYTES} bytes and says how many")
        return None


def refuse(status: int, problem: str) -> JSONResponse:
    """A refusal with a sentence."""
    return JSONResponse({"ok": False, "problem": problem}, status_code=status)


def allowed_hosts(port: int, *, host: str, names: Iterable[str] = ()) -> list[str]:
    """Every Host header that means this server."""
    own = f"[{host}]" if ":" in host else host
    return [f"{name}:{port}" for name in (*LOOPBACK_NAMES, own)] + list(names)
