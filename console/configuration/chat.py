"""What a person may choose about the chat: the `[chat]` section."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatSettings:
    """Under which name `precede chat` speaks, where, and whether it asks the service too."""

    name: str | None = field(
        default=None,
        metadata={
            "help": "The name under which others see you; without it your login name.",
            "pattern": r"[^\s#:/]{1,60}",
            "form": "a word without # and :, at most 60 characters",
        },
    )
    address: str = field(
        default="239.255.80.1:5080",
        metadata={
            "help": "Multicast address and port on which everybody speaks.",
            "pattern": r"[0-9.]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}",
            "form": "ADDRESS:PORT, with an IPv6 address in brackets",
        },
    )
    listen: str | None = field(
        default=None,
        metadata={
            "help": "Address to listen to, if it is another: that of a relay.",
            "pattern": r"[0-9.]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}",
            "form": "ADDRESS:PORT, with an IPv6 address in brackets",
        },
    )
    interface: str = field(
        default="127.0.0.1",
        metadata={
            "help": "Name or address of the network interface; 127.0.0.1 stays on this machine.",
        },
    )
    service: bool = field(
        default=False,
        metadata={
            "help": "Ask the service, over the topics of [kafka], for what no other member has.",
        },
    )
