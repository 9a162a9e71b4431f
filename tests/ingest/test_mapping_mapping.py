import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.datagram import Datagram
from ingest.intake import Intake
from ingest.mapping.errors import MappingError, MappingReason
from ingest.mapping.mapping import Mapping, open_mapping
from ingest.mapping.settings import MappingFormat, MappingSettings, TimeUnit
from ingest.token_bucket import TokenBucket
from ingest.wire.envelope import Envelope, Kind, decode, encode
from ingest.wire.errors import WireError, WireReason
from ordering.values import GroupId, MemberId, MessageId
from tests.ingest.envelopes import plain
from tests.ingest.foreign import GROUP, foreign, mapped

PAGE = Path(__file__).parents[2] / "docs" / "edge" / "mapping.md"
JSON = MappingSettings(
    format=MappingFormat.JSON, group="/g", sender="/s", incarnation="/i", seq="/n", payload="/p",
    sent_at="/t", parents="/re", parent_seq="/n",
)  # fmt: skip
FIXED = MappingSettings(
    format=MappingFormat.FIXED, group="0:2:text", sender="2:2:hex", incarnation="4:1:big",
    seq="5:2:big", parent_seq="7:2:big", sent_at="9:4:little", payload="13::bytes",
)  # fmt: skip


def _settings_of_page(text: str) -> MappingSettings:
    """The settings as the configuration would read them."""
    chosen: dict[str, Any] = tomllib.loads(text)["mapping"]
    if "addresses" in chosen:
        chosen["addresses"] = tuple(chosen["addresses"])
    chosen["format"] = MappingFormat(chosen["format"])
    if "sent_at_unit" in chosen:
        chosen["sent_at_unit"] = TimeUnit(chosen["sent_at_unit"])
    return MappingSettings(**chosen)


def test_the_examples_of_the_page_become_the_messages_that_it_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    by_json, by_place = (
        _settings_of_page(text) for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    )
    (document,) = re.findall(r"```json\n(.*?)\n```", page, re.DOTALL)
    (hexadecimal,) = re.findall(r"```hex\n(.*?)\n```", page, re.DOTALL)
    assert mapped(by_json, document.encode()) == Envelope(
        Kind.MESSAGE, GroupId("lobby"), MemberId("bob#1"), 1,
        (MessageId(MemberId("alice#1"), 4),), b"yes!", 1_760_000_000_250_000,
    )  # fmt: skip
    assert mapped(by_place, bytes.fromhex(hexadecimal)) == Envelope(
        Kind.MESSAGE, GroupId("239.1.1.1:5000"), MemberId("cell7#2"), 12,
        (MessageId(MemberId("cell7#2"), 11),), b"on", 1_760_000_000_000_000,
    )  # fmt: skip
    for said in ("`bob#1:1`", "`alice#1:4`", "1760000000250000", "`cell7#2:12`", "`cell7#2:11`"):
        assert said in page


def _fate(settings: MappingSettings, datagram: Datagram) -> bytes | str:
    """The envelope, or the reason why there is none."""
    try:
        return Mapping(settings).envelope_of(datagram)
    except (MappingError, WireError) as error:
        return f"{error.reason.value}: {error.detail}"


def test_a_mapping_needs_no_more_than_a_sequence_number() -> None:
    settings = MappingSettings(format=MappingFormat.JSON, seq="/n")
    data = b'{"n": 3}'
    assert mapped(settings, data) == Envelope(
        Kind.MESSAGE, GroupId("239.1.1.1:5000"), MemberId("10.0.0.7#1"), 3, payload=data
    )


@given(st.integers(0, 10**9), st.text(max_size=20))
def test_two_agents_make_the_same_message_of_a_datagram(seq: int, text: str) -> None:
    data = json.dumps({"g": "g", "s": text or "x", "i": 1, "n": seq + 1, "p": text}).encode()
    here, there = foreign(data), foreign(data)._replace(captured_at=99)
    assert _fate(JSON, here) == _fate(JSON, there)


@pytest.mark.parametrize(
    ("first_seq", "raw", "seq"), [(1, 1, 1), (0, 0, 1), (1_000, 1_041, 42), (5, 5, 1)]
)
def test_sequence_numbers_may_begin_anywhere(first_seq: int, raw: int, seq: int) -> None:
    settings = MappingSettings(format=MappingFormat.JSON, seq="/n", first_seq=first_seq)
    assert mapped(settings, json.dumps({"n": raw}).encode()).seq == seq


@pytest.mark.parametrize(("first_seq", "raw"), [(1, 0), (5, 4), (1, 2**63)])
def test_a_sequence_number_outside_its_range_is_refused(first_seq: int, raw: int) -> None:
    settings = MappingSettings(format=MappingFormat.JSON, seq="/n", first_seq=first_seq)
    with pytest.raises(WireError) as caught:
        mapped(settings, json.dumps({"n": str(raw)}).encode())
    assert caught.value.reason is WireReason.BAD_SEQ


@pytest.mark.parametrize(
    ("unit", "value", "sent_at"),
    [
        (TimeUnit.SECONDS, 7, 7_000_000), (TimeUnit.SECONDS, 7.25, 7_250_000),
        (TimeUnit.MILLISECONDS, "7", 7_000), (TimeUnit.MICROSECONDS, 7, 7),
        (TimeUnit.NANOSECONDS, 7_999, 7), (TimeUnit.ISO, "1970-01-01T00:00:07Z", 7_000_000),
        (TimeUnit.ISO, "1970-01-01T02:00:00.5+02:00", 500_000), (TimeUnit.ISO, None, 0),
        (TimeUnit.SECONDS, None, 0),
    ],
)  # fmt: skip
def test_the_time_of_sending_is_read_in_its_unit(unit: TimeUnit, value: Any, sent_at: int) -> None:
    settings = MappingSettings(format=MappingFormat.JSON, seq="/n", sent_at="/t", sent_at_unit=unit)
    assert mapped(settings, json.dumps({"n": 1, "t": value}).encode()).sent_at == sent_at


@pytest.mark.parametrize("value", ["soon", "2026-99-01T00:00:00Z", ""])
def test_a_time_that_is_none_is_a_bad_field(value: str) -> None:
    settings = MappingSettings(
        format=MappingFormat.JSON, seq="/n", sent_at="/t", sent_at_unit=TimeUnit.ISO
    )
    with pytest.raises(MappingError) as caught:
        mapped(settings, json.dumps({"n": 1, "t": value}).encode())
    assert caught.value.reason is MappingReason.BAD_FIELD


@pytest.mark.parametrize("value", [1e308, -1e308, 1e20, -1.0])
def test_a_time_that_no_envelope_can_hold_is_refused(value: float) -> None:
    settings = MappingSettings(
        format=MappingFormat.JSON, seq="/n", sent_at="/t", sent_at_unit=TimeUnit.SECONDS
    )
    with pytest.raises((MappingError, WireError)):
        mapped(settings, json.dumps({"n": 1, "t": value}).encode())


def test_an_address_that_carries_envelopes_is_left_alone() -> None:
    settings = MappingSettings(format=MappingFormat.JSON, seq="/n", addresses=("239.9.9.9:9",))
    datagram = foreign(encode(plain()))
    assert Mapping(settings).mapped(datagram) is datagram
    other = MappingSettings(format=MappingFormat.JSON, seq="/n", addresses=(str(GROUP),))
    with pytest.raises(MappingError):
        Mapping(other).mapped(datagram)


def test_without_a_format_there_is_no_mapping() -> None:
    assert open_mapping(MappingSettings()) is None
    assert isinstance(open_mapping(JSON), Mapping)


def test_the_intake_publishes_what_is_mapped_and_quarantines_what_is_not() -> None:
    mapping = Mapping(MappingSettings(format=MappingFormat.JSON, seq="/n"))
    bucket = TokenBucket(per_second=1, burst=10)
    intake = Intake(bucket, clock=lambda: 0, maybe_mapping=mapping)
    admitted = intake.admit(foreign(b'{"n": 1}'))
    assert admitted is not None
    assert admitted.key == b"239.1.1.1:5000"
    assert decode(admitted.value).seq == 1
    for bad in (b"junk", b"{}", b'{"n": "x"}', b'{"n": 0}', encode(plain())):
        refused = intake.admit(foreign(bad))
        assert refused is not None
        assert refused.key == b""
        assert bad in refused.value
    assert intake.malformed == {
        MappingReason.NOT_JSON.value: 2,
        MappingReason.MISSING_FIELD.value: 1,
        MappingReason.BAD_FIELD.value: 1,
        WireReason.BAD_SEQ.value: 1,
    }


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("gsinptr"), inner),
    max_leaves=8,
)
_DOCUMENTS = st.dictionaries(st.sampled_from(["g", "s", "i", "n", "p", "t", "re"]), _VALUES)


@given(st.one_of(st.binary(max_size=60), _DOCUMENTS.map(lambda d: json.dumps(d).encode())))
def test_no_datagram_raises_anything_but_a_reason(data: bytes) -> None:
    for settings in (JSON, FIXED):
        fate = _fate(settings, foreign(data))
        assert isinstance(fate, str) or encode(decode(fate)) == fate
