"""What the operator may choose about the web page: the `[web]` section."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

_ADDRESS = r"[^\s:]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}"


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSettings:
    """Where `precede web` listens, and through which member people write."""

    address: str = field(
        default="127.0.0.1:5088",
        metadata={
            "help": "Where the page is served. Whoever reaches it may read everything, so keep it "
            "on the loopback interface, or behind a proxy that asks who it is.",
            "pattern": _ADDRESS,
            "form": "host:port, port 0 for any free one",
        },
    )
    hosts: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Further names of this server as browsers send them, such as that of a proxy: "
            "a request for any other name is refused.",
            "pattern": r"[A-Za-z0-9.\[\]:-]{1,255}",
            "form": "host or host:port",
        },
    )
    token_file: Path | None = field(
        default=None,
        metadata={
            "help": "File that holds the token for what writes, and nothing else, closed to others "
            "(chmod 600); without it a new one is made at every start and printed once.",
            "readable_file": True,
            "secret_file": "token",
        },
    )
    member: str = field(
        default="page",
        metadata={
            "help": "Name of the member through which people write on the page.",
            "pattern": r"[^\s#:]{1,64}",
            "form": "a name without spaces, # or :",
        },
    )
    member_address: str = field(
        default="",
        metadata={
            "help": "Multicast address and port at which the members speak; empty: the page only "
            "reads.",
            "pattern": rf"({_ADDRESS})?",
            "form": "address:port",
        },
    )
    member_interface: str = field(
        default="127.0.0.1",
        metadata={
            "help": "Name or address of the network interface on which the page's member speaks.",
            "pattern": r"[\w.:@-]{1,45}",
            "form": "a name or an address of an interface, such as eth0 or 127.0.0.1",
        },
    )
