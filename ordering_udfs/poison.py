"""Poison: a record that our own program fails on. It is quarantined, and the rest goes on.

Bytes from outside are checked before they are used, so nothing should ever fail on them. If
something does, Spark would try the same batch again for ever. So when a batch fails for a reason
that nobody foresaw, it is done again from the state before it, more and more carefully:

1. in halves, until the piece that fails is one raw record (where batches are cut changes nothing);
2. that record entry by entry, if it is a bundle: the shortest beginning that fails ends with the
   entry at fault;
3. that entry is quarantined as `unprocessable`, and the rest of the record is taken.

Whether a record fails follows from the log, like everything else, so a replay quarantines the same
ones. The error's text stands in the worker's log and not in the record: it may differ each time.
What is wrong with the state and not with a record (`StateError`), or with the machine, is no poison
and stops the job.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ordering_udfs.errors import StateError
from ordering_udfs.outputs import Outputs
from ordering_udfs.raw_rows import RawRows, in_offset_order, open_bundles
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state

NOT_POISON = (StateError, MemoryError)

log = logging.getLogger(__name__)

MakeShard = Callable[[ShardState], Shard]
Poisoned = dict[tuple[int, int], str]


class PoisonError(Exception):
    """A batch has failed for a reason that nobody foresaw."""


@contextmanager
def poison_named() -> Iterator[None]:
    """Tell what fails in here from what fails elsewhere in the same batch."""
    try:
        yield
    except NOT_POISON:
        raise
    except Exception as error:
        raise PoisonError from error


class Done(NamedTuple):
    """A piece of a batch that went through."""

    encoded: bytes
    shard: Shard


def order_carefully(encoded: bytes, rows: RawRows, *, make_shard: MakeShard) -> Done:
    """Order a batch that has failed; gives its last shard, with the outputs of the whole batch."""
    rows = in_offset_order(rows)
    pieces = [(0, len(rows.offsets))]
    gathered = Outputs(ShardState(-1))
    done = Done(encoded, make_shard(decode_state(encoded)))
    while pieces:
        begin, end = pieces.pop()
        piece = rows.piece(begin, end)
        try:
            done = _attempt(done.encoded, piece, make_shard=make_shard, maybe_poisoned=None)
        except NOT_POISON:
            raise
        except Exception:
            if end - begin > 1:
                middle = (begin + end) // 2
                pieces += [(middle, end), (begin, middle)]
                continue
            done = _without_poison(done.encoded, piece, make_shard=make_shard)
        gathered.extend(done.shard.outputs)
    done.shard.outputs = gathered
    return done


def _attempt(
    encoded: bytes, rows: RawRows, *, make_shard: MakeShard, maybe_poisoned: Poisoned | None
) -> Done:
    shard = make_shard(decode_state(encoded))
    shard.receive(rows, poisoned=maybe_poisoned)
    return Done(encode_state(shard.finish()), shard)


def _without_poison(encoded: bytes, row: RawRows, *, make_shard: MakeShard) -> Done:
    """Take one raw record without those of its entries that fail."""
    offset = row.offsets[0]
    entries = len(open_bundles(row).contents)
    poisoned: Poisoned = {}

    def maybe_error(taken: int) -> Exception | None:
        """What goes wrong with so many entries of the record."""
        rest = {(offset, number): "" for number in range(taken, entries)}
        try:
            _attempt(encoded, row, make_shard=make_shard, maybe_poisoned=poisoned | rest)
        except NOT_POISON:
            raise
        except Exception as error:
            return error
        return None

    while (error := maybe_error(entries)) is not None:
        good, bad = 0, entries
        while bad - good > 1:
            middle = (good + bad) // 2
            found = maybe_error(middle)
            if found is None:
                good = middle
            else:
                bad, error = middle, found
        kind = type(error).__name__
        log.error("offset %d entry %d is poison", offset, bad - 1, exc_info=error)
        poisoned[offset, bad - 1] = f"the program failed on it ({kind}); the worker's log says how"
    return _attempt(encoded, row, make_shard=make_shard, maybe_poisoned=poisoned)
