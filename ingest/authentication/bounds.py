"""How much authentication may remember, and why.

Everything here is filled by datagrams whose tag was right; a stranger can't fill any of it.
"""

from typing import Final

TAG_BYTES: Final = 16
"""128 bits: guessing one at a million tries a second takes longer than the sun has left."""

SECRET_BYTES: Final = 32

LIVE_KEYS: Final = 2
"""The newest is sent with, the one before is still accepted: a rotation needs no pause."""

KEY_FILE_BYTES: Final = 64 * 1024
"""A file of two keys has 400 bytes; what is much larger is another file."""

KNOWN_SENDERS: Final = 8_192
"""Derived keys that are remembered, some 1 kB each. One more costs a derivation per message."""

KNOWN_GROUPS: Final = 8_192
"""Groups whose mode is remembered, so that patterns are tried once; and groups whose keys are."""

REPLAY_SENDERS: Final = 8_192
"""Senders (group, member, kind) with replay windows, per agent; the longest silent is forgotten.

Forgetting loses nothing: what is then sent again is captured again, and the job drops it.
"""

INCARNATIONS: Final = 8
"""Live incarnations of a sender: the newest, and those whose messages may still be resent.

With windows of 16,384 seqs (2 kB when full of gaps) all windows together stay below 140 MB.
"""

NEW_INCARNATIONS_PER_S: Final = 1
"""A member that starts more often than this, for long, is broken or hostile."""

REPEATS_PER_S: Final = 1_000
"""Repeats of one sender that are published; the job drops them, and sees equivocation in them."""
