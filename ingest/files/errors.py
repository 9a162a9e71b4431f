"""What can be wrong with a capture file.

FileReason          the file's: why a record gave no datagram (counted, never raised)
CaptureFileError    the operator's: this is no capture file, or it can't be read
RecordFaultError    one record is of no use; caught within this room, and counted
"""

from enum import StrEnum

from ingest.errors import EdgeError


class FileReason(StrEnum):
    """Why a record gave no datagram. The values are stable: they stand in counters."""

    FILE_CUT = "file_cut"
    """The file ends inside this record."""
    BAD_RECORD = "bad_record"
    """Lengths that can't be; where the next record begins is not known, so reading ends here."""
    UNKNOWN_LINK_TYPE = "unknown_link_type"
    NOT_IP = "not_ip"
    NOT_UDP = "not_udp"
    PACKET_CUT = "packet_cut"
    """Whoever captured it kept only its beginning (a snapshot length)."""
    BAD_PACKET = "bad_packet"
    """Lengths inside the packet that can't be."""
    BAD_TIME = "bad_time"
    """A time that no clock shows: before 1970, or too late for a table to hold."""
    BAD_FRAGMENT = "bad_fragment"
    """Pieces of a datagram that contradict each other."""
    FRAGMENT_MISSING = "fragment_missing"
    """Pieces of a datagram whose other pieces never came, or not in time."""
    OTHER_ADDRESS = "other_address"
    """A datagram to somewhere that the agent does not listen to."""


class CaptureFileError(EdgeError):
    """The operator's: there is no capture to be read here; the message says what to do."""


class RecordFaultError(Exception):
    """One record is of no use; caught where records are turned into datagrams, and counted."""

    def __init__(self, reason: FileReason) -> None:
        super().__init__(reason)
        self.reason = reason
