"""Whether Kafka is there, as far as the sender can tell, and who is told when that changes.

    answers ──(silence for too long)──> away ─────(an answer)─────────> answers
    answers ──(a record is refused)───> refuses ──(a record is taken)─> answers

Told once for each change, with how long it took and how much waited. Read by `/readyz`, the
metrics and the status line.
"""

import time
from collections.abc import Callable
from typing import Final

from ingest.telemetry.journal import Level, Tell

_ASK_EVERY_S: Final = 1.0


class KafkaState:
    """Kafka as the publisher sees it; a clock that never goes back is given for tests."""

    def __init__(
        self,
        *,
        away_after_s: float,
        tell: Tell,
        waiting: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._away_after_s = away_after_s
        self._tell = tell
        self._waiting = waiting
        self._clock = clock
        self._asked_at_s = clock()
        self._maybe_silent_since_s: float | None = None
        self._maybe_doubt: str | None = None
        self._is_away = False
        self._is_refusing = False
        self._has_answered = False

    @property
    def is_away(self) -> bool:
        """Whether Kafka takes nothing, for whatever reason; messages then wait in the spool."""
        return self._is_away or self._is_refusing

    @property
    def has_answered(self) -> bool:
        """Whether Kafka has answered since the start."""
        return self._has_answered

    @property
    def is_in_doubt(self) -> bool:
        """Whether something went wrong since Kafka's last answer."""
        return self._maybe_doubt is not None

    @property
    def reason(self) -> str:
        """Why Kafka counts as away, in words."""
        return self._maybe_doubt or "no answer"

    def taken(self) -> None:
        """Kafka took a record, so that it refuses none any more."""
        is_news = self._is_refusing
        self._is_refusing = False
        self.answered(is_news=is_news)

    def refused(self, reason: str) -> None:
        """Kafka refused a record for good; until it takes one, nothing goes out."""
        if not self._is_refusing:
            self._tell(
                Level.ERROR,
                "kafka_refuses",
                f"Kafka refuses what the agent sends ({reason}); messages wait in the spool",
                waiting=self._waiting(),
            )
        self._is_refusing = True
        self.doubt(reason)

    def answered(self, *, is_news: bool = False) -> None:
        """Kafka gave an answer; `is_news` if it took nothing before."""
        now_s = self._clock()
        if self._is_refusing:
            return
        if self._is_away or is_news:
            self._is_away = False
            self._tell(
                Level.INFO,
                "kafka_back",
                "Kafka answers again; the spool is being published",
                away_s=round(now_s - (self._maybe_silent_since_s or now_s), 1),
                waiting=self._waiting(),
            )
        self._maybe_silent_since_s = None
        self._maybe_doubt = None
        self._has_answered = True

    def doubt(self, reason: str) -> None:
        """Something went wrong; it counts once Kafka has been silent for too long."""
        self._maybe_doubt = reason
        self.look()

    def look(self) -> None:
        """Judge by the time for which an answer has been due; called while one is."""
        now_s = self._clock()
        if self._maybe_silent_since_s is None:
            self._maybe_silent_since_s = now_s
        if not self._is_away and now_s - self._maybe_silent_since_s > self._away_after_s:
            self._is_away = True
            self._tell(
                Level.WARNING,
                "kafka_away",
                f"Kafka does not answer ({self.reason}); messages wait in the spool",
                waiting=self._waiting(),
            )

    def is_time_to_ask(self) -> bool:
        """Say whether Kafka may be asked for a sign of life again, and count it as asked."""
        now_s = self._clock()
        if now_s - self._asked_at_s < _ASK_EVERY_S:
            return False
        self._asked_at_s = now_s
        return True
