"""Words that may not stand in the repository: unfinished work, registries, this machine's paths.

The words are put together from pieces, so that this file is not the first to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.tidy.repository import SourceFile

UNFINISHED = re.compile(r"\b(" + "|".join(("FIX" + "ME", "TO" + "DO", "XX" + "X")) + r")\b")

REGISTRY_HOSTS = (
    "maven" + ".org",
    "maven.apache" + ".org",
    "central.sonatype" + ".com",
    "oss.sonatype" + ".org",
    "packages.confluent" + ".io",
    "pypi" + ".org",
    "pypi.python" + ".org",
    "pythonhosted" + ".org",
    "npmjs" + ".org",
    "npmjs" + ".com",
    "anaconda" + ".org",
)
REGISTRIES = re.compile("|".join(re.escape(host) for host in REGISTRY_HOSTS), re.IGNORECASE)

MACHINE_FOLDERS = ("work", "root", r"home/\w+", r"Users/\w+")
MACHINE_PATHS = re.compile(
    # Not a part of a longer path or address: `docs/work`, `$(X)/work`, `host/root`.
    r"(?<![\w.~)}>*\]/-])/(?:" + "|".join(MACHINE_FOLDERS) + r")(?![\w-])"
)


def found_words(files: Iterable[SourceFile], pattern: re.Pattern[str], advice: str) -> list[str]:
    """Every line on which the pattern stands."""
    return [
        f"{file.path}:{number}: {match.group()}; {advice}"
        for file in files
        for number, line in enumerate(file.text.splitlines(), start=1)
        for match in pattern.finditer(line)
    ]
