"""Fuzz from the shell: `python -m tests.fuzz --target envelope --inputs 1000000 --seed 7`.

Without a target all of them are run, each on so many inputs. A crash is shrunk, shown, and kept in
tests/fuzz/crashes, where `make test` runs it for ever; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.fuzz import corpus
from tests.fuzz.harness import Result, fuzz
from tests.fuzz.targets import TARGETS


def main(arguments: Sequence[str]) -> int:
    """Run, tell the progress on standard error, and end with a line for each target."""
    chosen = _parser().parse_args(arguments)
    total = crashes = 0
    for name in chosen.target or TARGETS:
        target = TARGETS[name]
        kept = [*corpus.read(corpus.CORPUS, name), *corpus.read(corpus.CRASHES, name)]
        result = fuzz(target, inputs=chosen.inputs, seed=chosen.seed, corpus=kept, tell=_tell)
        print(result.line(), flush=True)
        for crash in result.crashes.values():
            print(f"  {crash.place}: {crash.error}\n  {crash.data.hex()}", flush=True)
        if result.crashes:
            old = [(data, "kept before") for data in corpus.read(corpus.CRASHES, name)]
            new = [(crash.data, crash.place) for crash in result.crashes.values()]
            corpus.write(corpus.CRASHES, name, [*old, *new])
        if chosen.grow and not result.crashes:
            named = [(data, target.run(data)) for data in result.found]
            corpus.write(corpus.CORPUS, name, named)
        total += result.inputs
        crashes += len(result.crashes)
    print(f"all: {total:,} inputs, {crashes} crashes, seed {chosen.seed}")
    return 1 if crashes else 0


def _tell(result: Result) -> None:
    print(f"... {result.line()}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "--target", action="append", choices=sorted(TARGETS), help="repeatable; else all"
    )
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N", help="for each target")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument(
        "--grow", action="store_true", help="write an input for each outcome to the corpus"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
