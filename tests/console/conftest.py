"""What the tests of the small commands share."""

from __future__ import annotations

import pytest

from tests.console.shop import make_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tables of the shop, made once."""
    return make_shop(tmp_path_factory.mktemp("shop") / "tables")
