"""The real job, killed at its worst moments; what the readers saw, and what it came to.

Here are the moments that leave the most half done. `make soak` has all of them, a hundred times.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local.broker import Broker
from tests.end_to_end.kills import run_kills
from tests.end_to_end.moments import Moment
from tests.topic_tools import new_topics

pytestmark = [pytest.mark.kill, pytest.mark.broker]


@pytest.mark.timeout(1_800)
def test_a_job_killed_again_and_again_loses_repeats_and_reorders_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    worst = [
        Moment.IN_PYTHON_WORKER,
        Moment.BEFORE_SPARKS_COMMIT,
        Moment.AFTER_DELTA_COMMIT,
        Moment.DURING_STATE_SNAPSHOT,
    ]
    result = run_kills(new_topics(broker.bootstrap), tmp_path, worst, seed=22)
    assert result.ok, result
    assert [kill.moment for kill in result.kills] == worst
    in_mid_batch = [kill for kill in result.kills if kill.planned_batch > kill.committed_batch]
    assert in_mid_batch, "no kill fell into a batch"
    assert result.table.versions > 1
