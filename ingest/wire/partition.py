"""Which partition a group lives in, as every Kafka client computes it.

The raw topic is written by agents (librdkafka), ticks and results by the job (the Java client),
and read by `verify` in Python. All of them must agree on the partition of a group, so this is
Kafka's own rule: a 32-bit MurmurHash2 of the key's bytes with Kafka's seed, made positive by
clearing the sign bit, modulo the partitions.
"""

from typing import Final

from ordering.values import GroupId

_SEED: Final = 0x9747B28C
_MULTIPLIER: Final = 0x5BD1E995
_WORD: Final = 0xFFFFFFFF
_POSITIVE: Final = 0x7FFFFFFF


def partition_of(group: GroupId, partitions: int) -> int:
    """Give the partition (0 to partitions - 1) of a topic in which this group's records lie."""
    return partition_of_key(group.encode("utf-8"), partitions)


def partition_of_key(key: bytes, partitions: int) -> int:
    """Give the partition of records with this key; a group's key is its id in UTF-8."""
    if partitions < 1:
        raise ValueError(f"a topic has at least 1 partition, not {partitions}")
    return (murmur2(key) & _POSITIVE) % partitions


def murmur2(data: bytes) -> int:
    """Give the 32-bit hash of these bytes, unsigned.

    1. Start from the seed and the length.
    2. Mix in each little-endian word of four bytes.
    3. Mix in the one to three bytes that remain, as one short little-endian word.
    4. Stir, so that the last bytes reach every bit.
    """
    value = _SEED ^ len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * _MULTIPLIER & _WORD
        word = (word ^ word >> 24) * _MULTIPLIER & _WORD
        value = (value * _MULTIPLIER & _WORD) ^ word
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _WORD
    value = (value ^ value >> 13) * _MULTIPLIER & _WORD
    return value ^ value >> 15
