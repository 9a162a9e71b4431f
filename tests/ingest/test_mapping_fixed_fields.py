import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.fixed_fields import fixed_field, payload_of_fixed
from tests.ingest.foreign import foreign

DATA = b"\x01\x02\x03\x04cell7\x00 \x00rest"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0:4:big", 0x01020304), ("0:4:little", 0x04030201), ("1:1:big", 2), ("0:2:hex", "0102"),
        ("4:8:text", "cell7"), ("12::text", "rest"), ("12::bytes", b"rest"), ("16::bytes", b""),
        ("=x", "x"),
    ],
)  # fmt: skip
def test_a_place_gives_its_bytes_as_the_kind_says(text: str, value: object) -> None:
    assert fixed_field(text)(foreign(DATA), DATA) == value


@pytest.mark.parametrize("text", ["", "4", "4:8", "4:8:float", "-1:2:big", "a:2:big", "/head/from"])
def test_what_is_no_place_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="OFFSET:LENGTH:KIND"):
        fixed_field(text)


@pytest.mark.parametrize("text", ["0::big", "0:0:little", "0:9:big"])
def test_a_number_has_one_to_eight_bytes(text: str) -> None:
    with pytest.raises(ValueError, match="1 to 8 bytes"):
        fixed_field(text)


@pytest.mark.parametrize("text", ["13:4:big", "17::bytes", "99:1:hex"])
def test_a_field_behind_the_end_is_told_with_both_numbers(text: str) -> None:
    with pytest.raises(MappingError, match="16 bytes") as caught:
        fixed_field(text)(foreign(DATA), DATA)
    assert caught.value.reason is MappingReason.TOO_SHORT


def test_a_text_that_is_no_utf8_is_a_bad_field() -> None:
    with pytest.raises(MappingError) as caught:
        fixed_field("0:2:text")(foreign(b"a\xff"), b"a\xff")
    assert caught.value.reason is MappingReason.BAD_FIELD


def test_a_payload_may_be_any_field() -> None:
    assert [payload_of_fixed(value) for value in (b"x", "x", 7)] == [b"x", b"x", b"7"]


@given(st.binary(max_size=40), st.integers(0, 40), st.integers(1, 8))
def test_no_bytes_raise_anything_else(data: bytes, start: int, length: int) -> None:
    for kind in ("text", "big", "little", "hex", "bytes"):
        try:
            fixed_field(f"{start}:{length}:{kind}")(foreign(data), data)
        except MappingError:
            continue
