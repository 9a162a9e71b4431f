"""What a part of the agent told its operator, kept for a test to look at."""

from ingest.telemetry.journal import Level, Plain


class Told:
    """A place to tell things that remembers them."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Plain]]] = []
        self.sentences: list[str] = []

    def __call__(self, level: Level, event: str, sentence: str, **fields: Plain) -> None:
        """Remember one event."""
        assert level in Level
        self.events.append((event, fields))
        self.sentences.append(sentence)

    @property
    def names(self) -> list[str]:
        """The names of the events in the order in which they came."""
        return [name for name, _ in self.events]
