"""Make an input that crashes small: take away pieces, then simplify bytes, while it still does.

1. Try to leave out pieces, half of the input first, then quarters, down to single bytes. Each
   try is also made with its sums put right (`mended`), or nothing could ever be left out.
2. Try to make each byte zero.
3. Stop when nothing more can go, or after `MOST_TRIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MOST_TRIES: Final = 5_000
"""Tries for one crash: a slow crash must not keep a whole run."""


def shrink(
    data: bytes,
    still_fails: Callable[[bytes], bool],
    *,
    mended: Callable[[bytes], bytes] = lambda data: data,
) -> bytes:
    """Give a smaller input for which `still_fails` is true as well."""
    tries = 0

    def failing(candidate: bytes) -> bytes | None:
        nonlocal tries
        for form in (candidate, mended(candidate)):
            tries += 1
            if tries <= MOST_TRIES and len(form) <= len(candidate) and still_fails(form):
                return form
        return None

    size = max(1, len(data) // 2)
    while size:
        start = 0
        while start < len(data):
            maybe_smaller = failing(data[:start] + data[start + size :])
            if maybe_smaller is None:
                start += size
            else:
                data = maybe_smaller
        size //= 2
    for place in range(len(data)):
        maybe_simpler = failing(data[:place] + b"\0" + data[place + 1 :]) if data[place] else None
        data = data if maybe_simpler is None else maybe_simpler
    return data
