"""What modules log is told like everything else."""

from __future__ import annotations

import logging

from ingest.telemetry.log_bridge import bridged
from tests.ingest.told import Told


def test_records_of_the_named_loggers_are_told_while_it_lasts() -> None:
    told = Told()
    log = logging.getLogger("bridge_test.part")
    with bridged(told, "bridge_test"):
        log.warning("number %d is missing", 3)
        logging.getLogger("elsewhere").warning("not ours")
    log.warning("too late")
    assert told.events == [("log", {"logger": "bridge_test.part"})]
    assert told.sentences == ["number 3 is missing"]
