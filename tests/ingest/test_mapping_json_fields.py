import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.json_fields import json_field, parse_json, payload_of_json
from tests.ingest.foreign import foreign

DOCUMENT = {"head": {"from": "desk7", "a/b": 1, "m~n": 2, "": 3}, "re": [{"n": 4}], "none": None}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("/head/from", "desk7"), ("/head/a~1b", 1), ("/head/m~0n", 2), ("/head/", 3),
        ("/re/0/n", 4),
        ("/re/1/n", None), ("/re/x", None), ("/none", None), ("/none/x", None), ("/absent", None),
        ("/head/from/0", None), ("/re/-1", None), ("/re/99999999999", None), ("=x", "x"),
    ],
)  # fmt: skip
def test_a_pointer_finds_its_value_or_nothing(text: str, value: object) -> None:
    assert json_field(text)(foreign(b""), DOCUMENT) == value


@pytest.mark.parametrize("text", ["head", "head.from", "0:4:big"])
def test_what_is_no_pointer_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="/head/from"):
        json_field(text)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"{} {}", b"\xff", b'"\\ud800"', b"NaN", b"[" * 60_000, b'{"a":' * 10_000 + b"1"],
)
def test_whatever_is_no_document_is_one_reason(data: bytes) -> None:
    with pytest.raises(MappingError) as caught:
        parse_json(data)
    assert caught.value.reason is MappingReason.NOT_JSON
    assert "\n" not in caught.value.detail


def test_a_payload_is_the_text_itself_or_the_value_as_json() -> None:
    assert payload_of_json("grüße") == "grüße".encode()
    assert payload_of_json({"a": [1, None]}) == b'{"a":[1,null]}'
    assert payload_of_json(None) == b""


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    try:
        payload_of_json(parse_json(data))
    except MappingError:
        return
