"""The plain contestant gives every row back and counts it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks.job_queries import _identity


class State:
    """As much of Spark's state as the contestant uses."""

    exists = True
    get = (5,)
    updated: tuple[int, ...] = ()

    def update(self, value: tuple[int, ...]) -> None:
        self.updated = value


def test_the_plain_job_is_an_identity_with_a_count() -> None:
    frame = pd.DataFrame({"partition": [0, 1], "value": [b"a", b"b"], "shard": [3, 3]})
    state: Any = State()
    given = list(_identity((3,), [frame, frame], state))
    assert [one["value"].tolist() for one in given] == [[b"a", b"b"]] * 2
    assert state.updated == (9,)
