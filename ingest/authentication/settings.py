"""What the operator may choose about who may speak: the `[authentication]` section."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from ingest.authentication.mode import RULE_FORM, RULE_PATTERN, GroupModes, Mode


class BelowWindow(StrEnum):
    """What becomes of an authentic message that is too old to tell whether it was seen."""

    REFUSE = "refuse"
    PUBLISH = "publish"


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthenticationSettings:
    """Which groups are protected, how, with which keys, and how far back a resend may come."""

    default: Mode = field(
        default=Mode.NONE,
        metadata={"help": "How groups are protected that no rule of authentication.groups fits."},
    )
    groups: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Rules PATTERN=MODE; the first whose pattern fits the group counts. A pattern "
            "may have * and ?.",
            "pattern": RULE_PATTERN,
            "form": RULE_FORM,
        },
    )
    keys_file: Path | None = field(
        default=None,
        metadata={
            "help": "File of the keys, made by `precede keys new`: readable by the agent's user "
            "only (0600), or by root and the agent's group (0640).",
            "secret_file": "keys",
        },
    )
    replay_window: int = field(
        default=16_384,
        metadata={
            "help": "How many seqs below a sender's highest are told apart as seen or not; wider "
            "accepts resends from further back, and takes a bit of memory for each.",
            "minimum": 64,
            "maximum": 1_048_576,
        },
    )
    below_window: BelowWindow = field(
        default=BelowWindow.REFUSE,
        metadata={
            "help": "An authentic message below the window, or of an incarnation too old to be "
            "remembered: refuse it (counted and sampled to quarantine), or publish it and let the "
            "job drop it if it is a duplicate. Publish where members resend from deep in their "
            "history.",
        },
    )

    def __post_init__(self) -> None:
        """Refuse protection without keys."""
        if self.keys_file is None and not self.modes().are_all_open:
            raise ValueError(
                "keys_file is not set, and some groups are protected; "
                "make keys with `precede keys new --file FILE` and name the file"
            )

    def modes(self) -> GroupModes:
        """The rules, taken apart."""
        return GroupModes(self.groups, default=self.default)
