from ingest.wire.errors import WireReason
from members.refusals import Refusal


def test_no_word_has_two_meanings() -> None:
    assert not {one.value for one in Refusal} & {one.value for one in WireReason}
