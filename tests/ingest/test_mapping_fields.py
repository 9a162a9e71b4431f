import pytest

from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.fields import as_number, as_text, common_field, is_constant
from tests.ingest.foreign import foreign


def test_a_constant_is_the_text_behind_the_sign() -> None:
    for text in ("", "orders", "=", "/x", "@group"):
        field = common_field(f"={text}")
        assert field is not None
        assert field(foreign(b""), None) == text
        assert is_constant(f"={text}")
    assert not is_constant("@group")


@pytest.mark.parametrize(
    ("source", "address"),
    [("10.0.0.7:40001", "10.0.0.7"), ("[2001:db8::7]:40001", "2001:db8::7")],
)
def test_addresses_are_known_without_a_look_at_the_bytes(source: str, address: str) -> None:
    group, sender = common_field("@group"), common_field("@source")
    assert group is not None
    assert sender is not None
    datagram = foreign(b"", source=source)
    assert (group(datagram, None), sender(datagram, None)) == ("239.1.1.1:5000", address)


def test_an_address_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="@group or @source"):
        common_field("@sender")


def test_names_are_text_or_whole_numbers_and_numbers_may_be_digits() -> None:
    assert (as_text("desk", name="sender"), as_text(7, name="sender")) == ("desk", "7")
    assert (as_number(7, name="seq"), as_number("007", name="seq")) == (7, 7)


@pytest.mark.parametrize("value", [True, 1.5, "1.5", "-1", "", "٣", "9" * 21, [], {}, b"1"])
def test_what_is_no_whole_number_is_a_bad_field(value: object) -> None:
    with pytest.raises(MappingError) as caught:
        as_number(value, name="seq")
    assert caught.value.reason is MappingReason.BAD_FIELD


@pytest.mark.parametrize("value", [True, 1.5, [], {}, b"x"])
def test_what_is_no_name_is_a_bad_field(value: object) -> None:
    with pytest.raises(MappingError) as caught:
        as_text(value, name="sender")
    assert caught.value.reason is MappingReason.BAD_FIELD


def test_what_is_not_there_is_a_missing_field() -> None:
    for read in (as_text, as_number):
        with pytest.raises(MappingError, match="there is no seq") as caught:
            read(None, name="seq")
        assert caught.value.reason is MappingReason.MISSING_FIELD
