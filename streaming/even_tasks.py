"""Keys that Spark spreads evenly over its tasks.

Spark sends a key to the task `pmod(hash(key), tasks)`. With the partition number itself as the key,
two partitions may meet in one task while another task has nothing to do. So each raw partition gets
a small integer whose hash falls into the task that is its turn::

    partition   0   1   2   3        tasks = 2
    task        0   1   0   1
    key         first unused integers whose hash lands there
"""

from __future__ import annotations

_MASK = 0xFFFFFFFF
_SPARK_HASH_SEED = 42


def spark_hash(number: int) -> int:
    """Spark SQL's `hash` of one INT: 32-bit Murmur3 of one block, seed 42, as a signed number."""
    block = (number * 0xCC9E2D51) & _MASK
    block = _rotate_left(block, 15)
    block = (block * 0x1B873593) & _MASK
    mixed = _rotate_left(_SPARK_HASH_SEED ^ block, 13)
    mixed = (mixed * 5 + 0xE6546B64) & _MASK
    mixed ^= 4  # the length of the input in bytes
    mixed = ((mixed ^ (mixed >> 16)) * 0x85EBCA6B) & _MASK
    mixed = ((mixed ^ (mixed >> 13)) * 0xC2B2AE35) & _MASK
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotate_left(number: int, bits: int) -> int:
    return ((number << bits) | (number >> (32 - bits))) & _MASK


def even_keys(*, partitions: int, tasks: int) -> list[int]:
    """One key for each partition; partition p falls into task p mod tasks.

    The keys are names of saved state, so they must never change for the same two numbers.
    """
    keys: list[int] = []
    used: set[int] = set()
    for partition in range(partitions):
        candidate = 0
        while candidate in used or spark_hash(candidate) % tasks != partition % tasks:
            candidate += 1
        used.add(candidate)
        keys.append(candidate)
    return keys
