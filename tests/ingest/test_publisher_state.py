from ingest.publisher_state import KafkaState
from tests.ingest.told import Told


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def _state() -> tuple[KafkaState, Clock, Told]:
    clock, told = Clock(), Told()
    state = KafkaState(away_after_s=5.0, tell=told, waiting=lambda: 7, clock=clock)
    return state, clock, told


def test_silence_counts_once_it_is_long_and_is_told_once() -> None:
    state, clock, told = _state()
    state.answered()
    clock.now_s += 3_600.0  # nothing was due
    state.look()
    clock.now_s += 4.0
    state.look()
    assert not state.is_away
    clock.now_s += 2.0
    for _ in range(3):
        state.look()
    assert state.is_away
    assert told.events == [("kafka_away", {"waiting": 7})]


def test_an_answer_ends_it_and_says_how_long_it_took() -> None:
    state, clock, told = _state()
    state.doubt("connection refused")
    clock.now_s += 6.0
    state.doubt("connection refused")
    assert state.is_away
    assert "connection refused" in told.sentences[0]
    clock.now_s += 54.0
    state.answered()
    assert not state.is_away
    assert not state.is_in_doubt
    assert told.events[1] == ("kafka_back", {"away_s": 60.0, "waiting": 7})


def test_a_short_doubt_is_told_to_nobody() -> None:
    state, clock, told = _state()
    assert not state.has_answered
    state.doubt("a connection was closed")
    assert state.is_in_doubt
    clock.now_s += 1.0
    state.answered()
    assert state.has_answered
    assert told.events == []


def test_kafka_is_asked_for_a_sign_of_life_at_most_once_a_second() -> None:
    state, clock, _ = _state()
    assert not state.is_time_to_ask()
    clock.now_s += 1.5
    assert [state.is_time_to_ask() for _ in range(3)] == [True, False, False]


def test_a_refusal_is_told_at_once_and_only_a_record_that_is_taken_ends_it() -> None:
    state, clock, told = _state()
    for _ in range(3):
        state.refused("too large")
        clock.now_s += 1.0
        state.answered()
        assert state.is_away
        assert state.reason == "too large"
    state.taken()
    assert not state.is_away
    assert told.names == ["kafka_refuses", "kafka_back"]
    state.taken()
    assert len(told.names) == 2
