"""A process that puts numbered messages into a spool and publishes it, until it is killed.

    python -m tests.ingest.numbered_writer DIRECTORY BOOTSTRAP PREFIX RUN

Says on standard output, line by line, up to which of its numbers everything is durable.
"""

import sys
import time

from ingest.publish_settings import PublishSettings
from ingest.publisher import Publisher
from ingest.spool.settings import SpoolSettings
from ingest.spool.spool import Spool
from sinks.settings import KafkaSettings
from tests.ingest.raw_topics import raw_topic_of

GROUPS = 3
BURST = 40
PAUSE_S = 0.004


def content_of(run: int, number: int) -> bytes:
    """What message `number` of this run says; any other bytes are corrupt."""
    return b"%d %d " % (run, number) + b"%08x" % (number * 2_654_435_761 % 2**32) * (number % 40)


def main(directory: str, bootstrap: str, prefix: str, run: int) -> None:
    """Write for ever."""
    spool = Spool(SpoolSettings(directory=directory, sync_every_ms=run % 3 * 5))
    raw = raw_topic_of(KafkaSettings(bootstrap=bootstrap, topic_prefix=prefix))
    Publisher(spool, raw, PublishSettings(), away_after_s=10.0).start()
    before = spool.last
    number = 0
    while True:
        for _ in range(BURST):
            number += 1
            spool.append(number, b"group-%d" % (number % GROUPS), content_of(run, number))
        print(max(0, spool.durable - before), flush=True)
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
