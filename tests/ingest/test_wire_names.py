from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ingest.wire.names import group_of, member_of
from tests.ingest.envelopes import members


@given(members())
def test_a_pid_is_a_name_and_an_incarnation(member: str) -> None:
    assert member_of(member.encode("utf-8")) == member


@pytest.mark.parametrize(
    "pid",
    ["alice", "#1", "alice#", "alice#0", "alice#01", "alice#-1", "alice#+1", "alice#1 ", "alice# 1",
     "alice#1_0", "alice#\N{ARABIC-INDIC DIGIT ONE}", f"alice#{2**32}", "alice#99999999999", ""],
)  # fmt: skip
def test_a_pid_has_one_spelling_and_no_other(pid: str) -> None:
    with pytest.raises(WireError) as caught:
        member_of(pid.encode("utf-8"))
    assert caught.value.reason is WireReason.BAD_SENDER


def test_the_incarnation_is_what_follows_the_last_mark() -> None:
    assert member_of(b"team#4#17") == "team#4#17"
    assert member_of(f"alice#{bounds.INCARNATION_LAST}".encode()) == f"alice#{2**32 - 1}"


@pytest.mark.parametrize("control", ["\x00", "\n", "\x1b", "\x7f", "\x85", "\x9b"])
def test_a_name_that_could_speak_to_a_terminal_is_refused(control: str) -> None:
    with pytest.raises(WireError) as caught:
        group_of(f"dev{control}".encode())
    assert caught.value.reason is WireReason.BAD_GROUP
    with pytest.raises(WireError):
        member_of(f"al{control}ice#1".encode())


@pytest.mark.parametrize("raw", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"])
def test_a_name_that_is_not_utf_8_is_refused(raw: bytes) -> None:
    with pytest.raises(WireError) as caught:
        group_of(raw)
    assert caught.value.reason is WireReason.BAD_GROUP


def test_a_name_may_be_as_long_as_its_bound_and_no_longer() -> None:
    longest = b"g" * bounds.GROUP_BYTES
    assert group_of(longest) == longest.decode()
    with pytest.raises(WireError, match="256 bytes"):
        group_of(longest + b"g")
    with pytest.raises(WireError):
        member_of(b"m" * bounds.MEMBER_BYTES + b"#1")


@given(st.binary(max_size=40))
def test_no_bytes_raise_anything_but_a_wire_error(raw: bytes) -> None:
    for parse in (group_of, member_of):
        with suppress(WireError):
            assert parse(raw).encode("utf-8") == raw
