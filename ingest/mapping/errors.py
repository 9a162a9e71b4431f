"""What can be wrong with a foreign datagram.

    MappingError        the sender's: this datagram is no message (counted, kept in quarantine)
      .reason           a MappingReason
      .detail           one sentence for a person

What a field gives may also break a rule of the envelope: that is `ingest.wire.errors.WireError`.
"""

from enum import StrEnum


class MappingReason(StrEnum):
    """The rule that was broken. The values are stable: they are written to tables and counters."""

    NOT_JSON = "mapping_not_json"
    TOO_SHORT = "mapping_too_short"
    MISSING_FIELD = "mapping_missing_field"
    BAD_FIELD = "mapping_bad_field"


class MappingError(Exception):
    """This datagram is not what the mapping says. Count it by `reason`; show `detail`."""

    def __init__(self, reason: MappingReason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.detail}"
