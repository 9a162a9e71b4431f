"""How long each part of an envelope and of a bundle may be, and why.

`envelope.py` and `bundle.py` check these on the fixed prefix, before a byte of any part is looked
at, so that a datagram can't make a reader allocate more than it carries.
"""

from typing import Final

GROUP_BYTES: Final = 255
"""A group id becomes a key, a column and a file name, and those end at 255 bytes."""

MEMBER_BYTES: Final = 255
"""A pid stands in every parent and ordering list, so its length multiplies. A host name fits."""

PARENTS: Final = 64
"""A message answers a few others. The longest list (17 kB) still fits one datagram."""

PARENT_FIXED_BYTES: Final = 10
"""What a parent takes beside its pid: seq (8) and the length of the pid (2)."""

PARENTS_BYTES: Final = PARENTS * (PARENT_FIXED_BYTES + MEMBER_BYTES)
"""The longest list of parents that the two bounds above allow."""

STAMPS_BYTES: Final = 16 * 1024
"""Vectors have an entry per member: some 500 members fit, and still one datagram."""

PAYLOAD_BYTES: Final = 1024 * 1024
"""Far above a datagram (65,507), for files and bridges; the size of Kafka's usual record."""

TAG_BYTES: Final = 64
"""The longest authentication tag in use is an Ed25519 signature."""

KEY_ID_LAST: Final = 2**16 - 1
"""Two bytes. Two keys live at a time, so that a number may be used again after long."""

SEQ_LAST: Final = 2**63 - 1
"""The largest signed 64-bit number, because tables and Spark have no unsigned one."""

SENT_AT_LAST: Final = 2**63 - 1
"""As for seq: microseconds must fit a signed column."""

INCARNATION_LAST: Final = 2**32 - 1
"""A member that restarts every second for a century uses 3.2e9 incarnations."""

KNOWN_NAMES: Final = 8192
"""Checked names that are remembered, so that a busy member's is checked once. Some 8 MB."""

KNOWN_GROUPS: Final = 32_768
"""The same for groups, of which a reader of a log meets all again and again: a memory for fewer
than there are would know none of them. Some 10 MB for names of a usual length."""

BUNDLE_ENTRIES: Final = 4096
"""More gain nothing: what a record costs is spread over a hundred entries already."""

BUNDLE_BYTES: Final = 8 * 1024 * 1024
"""Room for an entry of the longest payload and others beside it; a broker's own bound is lower."""

REASON_BYTES: Final = 64
"""A reason is one word of a counter."""

SOURCE_BYTES: Final = 64
"""The longest address with its port: an IPv6 one with its scope."""

DETAIL_BYTES: Final = 1024
"""A sentence about a refused datagram; it may quote two names of 255 bytes."""

REFUSED_BYTES: Final = 65_535
"""The longest IP packet: no datagram is longer."""
