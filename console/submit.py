"""What `spark-submit` is given: `spark-submit --master spark://... console/submit.py run`.

The same command line as that of `precede`, in a driver that Spark started. Where it runs, Spark was
told; the job must not be told another place, so the master is taken from there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from console.command import run
from console.terminal import terminal_of_process

MASTER_OPTION = "job.spark_master"


def main() -> int:
    """Run the command line in the application that `spark-submit` started."""
    arguments = with_master(sys.argv[1:], master=submitted_master())
    return run(arguments, terminal=terminal_of_process(os.environ))


def with_master(arguments: Sequence[str], *, master: str) -> list[str]:
    """Let the job have the master that Spark has; it stands last, so it counts."""
    return [*arguments, "--set", f"{MASTER_OPTION}={master}"]


def submitted_master() -> str:
    """Where this application runs; ends with what to type if Spark did not start it."""
    from pyspark import SparkConf, SparkContext

    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        sys.exit("this file is for spark-submit; without a cluster, type `precede run`")
    SparkContext._ensure_initialized()
    return str(SparkConf().get("spark.master"))


if __name__ == "__main__":
    sys.exit(main())
