import pytest

from tests.ingest.vital_signs import healthy


def test_a_healthy_agent_is_live_and_ready() -> None:
    assert healthy().is_live
    assert healthy().reasons_not_ready() == []


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ({"is_kafka_away": True, "kafka_reason": "refused"}, "Kafka is away: refused"),
        ({"has_kafka_answered": False}, "not answered yet"),
        ({"maybe_disk_trouble": "No space left on device"}, "No space left"),
        ({"is_spool_full": True}, "stands still"),
    ],
)
def test_what_keeps_messages_back_makes_it_unready_and_never_dead(
    state: dict[str, object], word: str
) -> None:
    vitals = healthy(**state)
    (reason,) = vitals.reasons_not_ready()
    assert word in reason
    assert vitals.is_live


def test_a_main_loop_that_hangs_makes_it_dead() -> None:
    vitals = healthy(looked_before_s=60.0)
    assert not vitals.is_live
    assert "60 s" in vitals.reasons_not_ready()[0]
