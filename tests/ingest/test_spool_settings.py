from ingest.spool.backlog import PENDING_BYTES
from ingest.spool.settings import SpoolSettings, WhenFull


def test_every_field_says_what_it_is_for() -> None:
    for field in SpoolSettings.__dataclass_fields__.values():
        assert field.metadata["help"].endswith(".")


def test_by_default_nothing_is_given_up() -> None:
    assert SpoolSettings().when_full is WhenFull.BLOCK


def test_the_smallest_spool_has_room_for_several_files_and_what_waits_for_the_disk() -> None:
    smallest = SpoolSettings.__dataclass_fields__["maximum_bytes"].metadata["minimum"]
    settings = SpoolSettings(maximum_bytes=smallest)
    assert smallest >= 8 * settings.segment_bytes
    assert smallest >= 4 * PENDING_BYTES
