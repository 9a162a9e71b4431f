from dataclasses import fields
from typing import Any

import pytest

from ingest.mapping.settings import MappingFormat, MappingSettings
from ingest.wire.addresses import GroupAddress
from ingest.wire.errors import MulticastError


def test_nothing_is_mapped_unless_a_format_is_chosen() -> None:
    assert MappingSettings().format is MappingFormat.NONE
    assert MappingSettings(seq="rubbish").format is MappingFormat.NONE


def test_every_field_says_what_it_is_for() -> None:
    for field in fields(MappingSettings):
        assert field.metadata["help"].endswith(".")


def test_addresses_are_taken_apart() -> None:
    settings = MappingSettings(addresses=("239.1.1.1:5000", "[ff15::1]:5"))
    expected = {GroupAddress("239.1.1.1", 5000), GroupAddress("ff15::1", 5)}
    assert settings.group_addresses() == expected
    with pytest.raises(MulticastError):
        MappingSettings(addresses=("10.0.0.1:5",))


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"format": "json"}, "seq is empty"),
        ({"format": "json", "seq": "n"}, "seq is wrong: .*JSON Pointer"),
        ({"format": "fixed", "seq": "/n"}, "seq is wrong: .*OFFSET:LENGTH:KIND"),
        ({"format": "fixed", "seq": "0:4:big", "parents": "/re"}, "only JSON has"),
        ({"format": "json", "seq": "/n", "parents": "re"}, "parents is wrong"),
        ({"format": "json", "seq": "/n", "parent_sender": "/x"}, "give both"),
        ({"format": "json", "seq": "/n", "sender": "@sender"}, "sender is wrong"),
        ({"format": "json", "seq": "/n", "incarnation": "=one"}, "write one such as =1"),
        (
            {"format": "json", "seq": "/n", "incarnation": "/boot", "parent_sender": "/x",
             "parent_seq": "/y"},
            "parent_incarnation",
        ),
    ],
)  # fmt: skip
def test_a_mapping_that_could_make_no_message_is_refused(chosen: dict[str, Any], said: str) -> None:
    kind = MappingFormat(chosen.pop("format"))
    with pytest.raises(ValueError, match=said):
        MappingSettings(format=kind, **chosen)
