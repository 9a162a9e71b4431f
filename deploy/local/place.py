"""Where the local parts keep what they download and write: one folder that git ignores.

    .precede/
    ├── jars/spark, jars/kafka    checked against jars.sha256
    ├── ivy-cache                 what Ivy downloaded; safe to delete
    └── brokers/                  data and logs of local brokers

Called by every other module of this folder, and by `console` for what a demo leaves behind.
"""

import os
from collections.abc import Mapping
from pathlib import Path

STATE_VARIABLE = "PRECEDE_HOME"
STATE_FOLDER = ".precede"
_PACKAGE = Path(__file__).resolve().parent
_PROJECT_MARK = "pyproject.toml"


def state_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for everything local; it need not exist yet.

    The environment variable PRECEDE_HOME names it. Without it the folder lies in the project that
    this package was started from or, if the package was installed away from its project, in the
    working directory: never in a place that other programs share.
    """
    named = environment.get(STATE_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    return _project_root() / STATE_FOLDER


def _project_root() -> Path:
    candidate = _PACKAGE.parent.parent
    return candidate if (candidate / _PROJECT_MARK).is_file() else Path.cwd()
