from ingest.kafka_options import RawTopic, agent_options
from ingest.publish_settings import ONE_PER_RECORD, Compression, PublishSettings

RAW = RawTopic(bootstrap="a:1", topic="t.raw", client_options={"sasl.password": "secret!"})


def test_what_every_writer_of_a_site_sets_is_kept() -> None:
    assert agent_options(RAW, PublishSettings())["sasl.password"] == "secret!"


def test_what_is_in_flight_is_bounded_in_bytes() -> None:
    options = agent_options(RAW, PublishSettings(in_flight_kilobytes=2_048))
    assert options["queue.buffering.max.kbytes"] == 2_048


def test_no_message_is_ever_given_up_by_the_client() -> None:
    options = agent_options(RAW, PublishSettings())
    assert options["message.timeout.ms"] == 0
    assert options["socket.timeout.ms"] > 0


def test_a_bundle_does_not_linger_twice() -> None:
    packed = agent_options(RAW, PublishSettings(linger_ms=7))
    single = agent_options(RAW, PublishSettings(linger_ms=7, pack_bytes=ONE_PER_RECORD))
    assert (packed["linger.ms"], single["linger.ms"]) == (0, 7)


def test_the_chosen_compression_is_the_clients() -> None:
    options = agent_options(RAW, PublishSettings(compression=Compression.ZSTD))
    assert options["compression.type"] == "zstd"


def test_a_password_is_never_shown() -> None:
    assert "secret!" not in repr(RAW)
