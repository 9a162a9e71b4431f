from ingest.kafka_options import RawTopic, agent_options
from ingest.settings import AgentSettings

RAW = RawTopic(bootstrap="a:1", topic="t.raw", client_options={"sasl.password": "secret!"})


def test_what_every_writer_of_a_site_sets_is_kept() -> None:
    assert agent_options(RAW, AgentSettings())["sasl.password"] == "secret!"


def test_the_queue_is_bounded_in_number_and_in_bytes() -> None:
    options = agent_options(RAW, AgentSettings(queue_messages=5_000, queue_kilobytes=2_048))
    assert options["queue.buffering.max.messages"] == 5_000
    assert options["queue.buffering.max.kbytes"] == 2_048


def test_a_message_and_a_request_wait_no_longer_than_the_broker_may_be_away() -> None:
    options = agent_options(RAW, AgentSettings(broker_away_after_ms=8_000))
    assert options["message.timeout.ms"] == 8_000
    assert options["socket.timeout.ms"] < 8_000


def test_a_password_is_never_shown() -> None:
    assert "secret!" not in repr(RAW)
