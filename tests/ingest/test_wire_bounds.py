from ingest.wire import bounds

DATAGRAM_BYTES = 65_507


def test_every_part_but_the_payload_fits_one_datagram_at_its_longest() -> None:
    parts = (
        bounds.GROUP_BYTES
        + bounds.MEMBER_BYTES
        + bounds.PARENTS_BYTES
        + bounds.STAMPS_BYTES
        + bounds.TAG_BYTES
    )
    assert parts < DATAGRAM_BYTES


def test_lengths_fit_the_two_bytes_that_the_prefix_has_for_them() -> None:
    lengths = (
        bounds.GROUP_BYTES,
        bounds.MEMBER_BYTES,
        bounds.PARENTS_BYTES,
        bounds.STAMPS_BYTES,
        bounds.TAG_BYTES,
        bounds.KEY_ID_LAST,
    )
    assert max(lengths) < 2**16


def test_numbers_fit_a_signed_column() -> None:
    assert max(bounds.SEQ_LAST, bounds.SENT_AT_LAST) < 2**63
