"""Laws of the options: what stands in the documents is the full size with the default seed."""

from __future__ import annotations

from simulation.evaluation.options import DEFAULT_SEED, DataSource, Options, Size


def test_the_default_is_the_run_that_the_documents_show() -> None:
    options = Options()
    assert (options.seed, options.size) == (DEFAULT_SEED, Size.FULL)
    assert options.data_source is DataSource.WHOLE
