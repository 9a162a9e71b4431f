from ingest.files.packet import Tally


def test_a_fresh_tally_adds_up() -> None:
    tally = Tally()
    assert tally.records == tally.datagrams + tally.joined + tally.left_out.total()
