"""The first page of the evaluations: what was run, what agrees, what differs, how to run it again.

`writing` calls it with the pages whose figures are present. Pure text out of pages.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulation.evaluation.markdown import GENERATED
from simulation.evaluation.page import Page, Verdict

_HOW = """## How to make these pages again

```sh
precede evaluate                      # all of it, into docs/evaluation
precede evaluate sco --seed 7         # one evaluation with another seed
precede evaluate --output json        # the verdicts as one JSON object on stdout
```

Nothing here is written by hand: every number, chart and verdict comes out of the run, and the
prose around them stands in the code that made them (`simulation/evaluation/*_page.py`). The figures
of each evaluation are kept in its `.json`; the page names them by digest. The same seed gives the
same bytes.
"""


def index_text(pages: Sequence[Page]) -> str:
    """The index as markdown: one line per evaluation, then every statement that differs."""
    lines = [
        GENERATED,
        "# The papers' evaluations, run again",
        "",
        "Each page holds the statements of a paper against figures that our own models and our own "
        "engine give. A verdict is computed from the two figures that stand beside it.",
        "",
        "| evaluation | statements | agree | differ |",
        "| :-- | --: | --: | --: |",
    ]
    for page in pages:
        verdicts = [check.verdict for check in page.checks()]
        agreeing = verdicts.count(Verdict.AGREES)
        lines.append(
            f"| [{page.title}]({page.name}.md) | {len(verdicts)} | {agreeing} | "
            f"{len(verdicts) - agreeing} |"
        )
    lines += ["", "## Where our figures differ", ""]
    for page in pages:
        for check in page.checks():
            if check.verdict is Verdict.DIFFERS:
                lines.append(
                    f"- [{page.name}]({page.name}.md): {check.claim}: stated {check.stated}, "
                    f"ours {check.measured}. {check.reason}"
                )
    return "\n".join([*lines, "", _HOW])
