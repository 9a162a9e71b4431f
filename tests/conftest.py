"""What several rooms' tests share: one real broker for the whole run."""

from collections.abc import Iterator

import pytest

from deploy.local.broker import Broker


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A real broker, started by the first test that asks; tests keep apart by topic names."""
    with Broker() as running:
        yield running
