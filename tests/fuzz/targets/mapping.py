"""Foreign traffic: any datagram into a mapping, JSON and fixed, with every kind of field."""

from __future__ import annotations

from random import Random

from ingest.datagram import Datagram
from ingest.mapping.errors import MappingError
from ingest.mapping.mapping import Mapping
from ingest.mapping.settings import MappingFormat, MappingSettings, TimeUnit
from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from tests.fuzz.mutator import Field
from tests.fuzz.target import Run, Target
from tests.fuzz.targets.edge import ADDRESS
from tests.fuzz.targets.outcomes import ACCEPTED, refused

JSON = (
    MappingSettings(
        format=MappingFormat.JSON, group="/group", sender="/head/from", incarnation="/head/life",
        seq="/head/n", payload="/body", sent_at="/head/at", sent_at_unit=TimeUnit.SECONDS,
        parents="/re", parent_sender="/from", parent_incarnation="=1", parent_seq="/n",
    ),
    MappingSettings(
        format=MappingFormat.JSON, seq="/head/n", first_seq=0, sent_at="/head/at",
        sent_at_unit=TimeUnit.ISO, parents="previous",
    ),
)  # fmt: skip
FIXED = (
    MappingSettings(
        format=MappingFormat.FIXED, group="0:4:text", sender="4:6:hex", incarnation="10:2:big",
        seq="12:8:little", payload="28::bytes", sent_at="20:8:big",
        sent_at_unit=TimeUnit.NANOSECONDS, parent_seq="12:4:big", no_parent_seq=0,
    ),
    MappingSettings(format=MappingFormat.FIXED, sender="0:3:text", seq="3:1:big", first_seq=0),
)  # fmt: skip


def runner(settings: tuple[MappingSettings, ...]) -> Run:
    """Every mapping gets the datagram; what one makes of it is an envelope that the agent takes."""
    mappings = [Mapping(one) for one in settings]

    def run(data: bytes) -> str:
        datagram = Datagram(data, 1, "10.0.0.7:40001", ADDRESS)
        outcomes = []
        for mapping in mappings:
            try:
                made = mapping.mapped(datagram)
            except (MappingError, WireError) as error:
                outcomes.append(refused(error.reason, error.detail))
                continue
            assert decode(made.data).kind is Kind.MESSAGE
            assert made._replace(data=data) == datagram
            outcomes.append(ACCEPTED)
        return "; ".join(sorted(outcomes))

    return run


DOCUMENTS = (
    b'{"group":"g","head":{"from":"desk7","life":2,"n":12,"at":1.5},"body":{"a":[1]},'
    b'"re":[{"from":"desk3","n":4},{"from":5,"n":"6"}]}',
    b'{"group":1,"head":{"from":"x","life":"1","n":"3","at":"2026-01-31T12:00:00Z"},"body":"text"}',
    b'{"head":{"n":9,"at":null},"re":null}',
)
RECORDS = (
    b"gr1\0" + bytes(range(1, 7)) + b"\0\1" + (7).to_bytes(8, "little") + bytes(8) + b"payload",
    b"abc\x05 and the rest",
)

VALUES = (
    b"1", b"0", b"-1", b"12", b'"3"', b'"desk7"', b'""', b"null", b"true", b"1.5", b"1e308",
    b"-1e308", b"1e-320", b"9" * 19, b"9" * 25, b"9" * 5_000, b"18446744073709551615",
    b'"%s"' % (b"9" * 30),
    b'"\\ud800"', b'"\\u0000"', b'"\xc3\xbc"', b"[]", b"{}", b'[{"from":"a","n":1}]', b"[1,2,3]",
    b'{"from":"b","n":2}', b"[" * 900 + b"]" * 900, b'[{"n":1}' + b',{"n":1}' * 70 + b"]",
    b'"2026-01-31T12:00:00Z"', b'"0001-01-01T00:00:00+23:59"', b'"9999-12-31T23:59:59-23:59"',
    b'"2026-W01"', b'"%s"' % (b"x" * 300), b'"a#b"', b'"\x7f"',
)  # fmt: skip
TEMPLATE = b'{"group":%b,"head":{"from":%b,"life":%b,"n":%b,"at":%b},"body":%b,"re":%b}'
USUAL = (b'"g"', b'"desk7"', b"1", b"12", b"1.5", b'"text"', b'[{"from":"desk3","n":4}]')


def mend_json(data: bytes, chance: Random) -> bytes:
    """Mostly a whole document with odd values in one or more of its places: noise is no JSON."""
    if chance.random() < 0.2:
        return data
    share = chance.random()
    return TEMPLATE % tuple(
        chance.choice(VALUES) if chance.random() < share else usual for usual in USUAL
    )


TARGETS = (
    Target(
        "mapping_json", runner(JSON), DOCUMENTS,
        tokens=(
            b"1e308", b"-1", b"9" * 25, b"9" * 5_000, b"18446744073709551615", b"0.5", b"NaN",
            b"null", b"true", b'"\\ud800"', b'"\\u0000"', b"[" * 3_000, b'{"a":' * 2_000, b'"',
            b"{}", b"[]", b'"n":',
            b'"at":', b'"from":', b'"re":', b"\xff", b"9999-12-31T23:59:59-23:59",
        ),
        mend=mend_json,
    ),
    Target(
        "mapping_fixed", runner(FIXED), RECORDS, tokens=(b"\xff", b"\0\0\0\0", b"\xf5", b" "),
        fields=(Field(10, 2), Field(12, 8, "little"), Field(20, 8), Field(3, 1)),
    ),
)  # fmt: skip
