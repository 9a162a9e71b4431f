"""What the operator may choose about the demonstration: the `[demo]` section."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoSettings:
    """How long `precede demo` talks, and how badly its network behaves."""

    seconds: int = field(
        default=20,
        metadata={
            "help": "How long the members talk, after everything has started.",
            "unit": "s",
            "minimum": 1,
            "maximum": 3_600,
        },
    )
    seed: int = field(
        default=1,
        metadata={
            "help": "Seed of the faults: the same seed loses, repeats and shuffles the same way.",
            "minimum": 0,
            "maximum": 2**63 - 1,
        },
    )
    loss: float = field(
        default=10.0,
        metadata={
            "help": "Share of datagrams that are lost at first and sent again later.",
            "unit": "%",
            "minimum": 0,
            "maximum": 90,
        },
    )
    dup: float = field(
        default=5.0,
        metadata={
            "help": "Share of datagrams that arrive twice.",
            "unit": "%",
            "minimum": 0,
            "maximum": 100,
        },
    )
    jitter_ms: int = field(
        default=400,
        metadata={
            "help": "Delay of each datagram, up to this much, so that neighbours change places.",
            "unit": "ms",
            "minimum": 0,
            "maximum": 60_000,
        },
    )
    keep: bool = field(
        default=False,
        metadata={
            "help": "Leave everything up after the demonstration until Ctrl-C, then keep topics, "
            "tables and logs; without a page it ends and keeps them."
        },
    )
    scene: str = field(
        default="conversation",
        metadata={
            "help": "What is shown: a conversation; spans of real traces that arrive out of order; "
            "an incident, where a lost message holds others until it is given up; or causal order.",
            "choices": ("conversation", "traces", "incident", "causal"),
        },
    )
    page: bool = field(
        default=True,
        metadata={"help": "Serve the web page while the demonstration runs, and print where."},
    )
