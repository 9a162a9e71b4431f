import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire.partition import murmur2, partition_of
from ordering.values import GroupId

# The values that Kafka's own Java client gives, as signed numbers.
KAFKA_VALUES = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


def _signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


@pytest.mark.parametrize("key", KAFKA_VALUES)
def test_the_hash_is_the_one_of_kafkas_own_client(key: bytes) -> None:
    assert _signed(murmur2(key)) == KAFKA_VALUES[key]


@given(st.binary(max_size=64))
def test_the_hash_is_a_32_bit_number(data: bytes) -> None:
    assert 0 <= murmur2(data) < 2**32


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 1000))
def test_a_group_lives_in_one_of_the_partitions(group: str, partitions: int) -> None:
    assert 0 <= partition_of(GroupId(group), partitions) < partitions


def test_a_negative_hash_is_made_positive_by_clearing_its_sign_bit() -> None:
    assert partition_of(GroupId("foobar"), 100) == (-790332482 & 0x7FFFFFFF) % 100


def test_a_topic_without_partitions_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 partition"):
        partition_of(GroupId("dev"), 0)
