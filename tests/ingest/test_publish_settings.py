from ingest.publish_settings import PublishSettings
from ingest.wire import bounds

BROKERS_OWN_BOUND = 1_000_000
"""What the client sends and a broker takes in one record unless told otherwise."""


def test_every_field_says_what_it_is_for() -> None:
    for field in PublishSettings.__dataclass_fields__.values():
        assert field.metadata["help"].endswith(".")


def test_the_largest_bundle_is_one_that_a_broker_takes_and_a_reader_cuts() -> None:
    largest = PublishSettings.__dataclass_fields__["pack_bytes"].metadata["maximum"]
    assert largest < BROKERS_OWN_BOUND
    assert largest < bounds.BUNDLE_BYTES
