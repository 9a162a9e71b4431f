"""docs/reference/exit-codes.md, made from the codes that the commands end with.

python -m console.exit_codes > docs/reference/exit-codes.md
"""

from __future__ import annotations

from console.errors import ExitCode

PAGE_PATH = "docs/reference/exit-codes.md"

MEANINGS: dict[ExitCode, tuple[str, str]] = {
    ExitCode.OK: ("done", "nothing"),
    ExitCode.CHECK_FAILED: (
        "what was checked or asked for is not so: `verify` found something, `why` knows nothing of "
        "the message, `tail` found messages missing",
        "read standard error; the result on standard output is whole as far as it goes",
    ),
    ExitCode.USAGE: ("the command line cannot be understood", "see `precede COMMAND --help`"),
    ExitCode.CANNOT_CONNECT: (
        "a broker, a topic or a table is not there or does not answer",
        "start it, or correct the setting that the message names; worth trying again",
    ),
    ExitCode.CONFIGURATION: (
        "the configuration cannot be used",
        "correct what the message lists; `precede config check` looks at all of it",
    ),
    ExitCode.CRASH: (
        "a fault of ours",
        "a crash report was written, the message says where; please send it",
    ),
    ExitCode.INTERRUPTED: ("interrupted with Ctrl-C", "nothing; what was written is whole"),
}
"""For each code what it says, and what a script or a person does then."""

_HEAD = """# Exit codes

Made from the code by `python -m console.exit_codes`; do not edit.

Every command of `precede` ends with one of these; a number never changes its meaning. Results are
on standard output, everything else is on standard error, so a script can rely on both.

| code | what it says | what to do |
| --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    rows = [
        f"| {int(code)} | {meaning} | {advice} |\n" for code, (meaning, advice) in MEANINGS.items()
    ]
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    print(page(), end="")
