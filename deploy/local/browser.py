"""Find a Chromium for the tests of the page, or fetch one; a machine without one skips those tests.

    python -m deploy.local.browser      a step of `make test`: says which one, never fails

1. A browser of this machine: chromium, chromium-browser, google-chrome.
2. Playwright's own, in this project's folder or in the user's cache.
3. Else fetch Playwright's own into this project's folder.
4. Else, as root on Debian, install the package chromium.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deploy.local.place import state_directory

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FOLDER_VARIABLE = "PLAYWRIGHT_BROWSERS_PATH"
_EXECUTABLES = ("chromium-*/chrome-linux*/chrome", "chromium_headless_shell-*/*/*headless*shell")
FETCH_SECONDS = 600
FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""No sandbox, since tests may run as root in a container; and no word to any other host."""

WHAT_TO_DO = (
    "no Chromium was found and none could be fetched; install one (apt-get install chromium, or "
    "python -m playwright install --with-deps chromium) and run the tests again"
)

Run = Callable[[Sequence[str], Mapping[str, str]], bool]


def own_folder() -> Path:
    """Where a browser of this project's own is kept."""
    return state_directory() / "browsers"


def find_browser(
    *,
    which: Callable[[str], str | None] = shutil.which,
    folders: Sequence[Path] | None = None,
) -> Path | None:
    """The browser to use, or None."""
    for name in NAMES:
        found = which(name)
        if found is not None:
            return Path(found)
    if folders is None:
        folders = (own_folder(), Path.home() / ".cache" / "ms-playwright")
    for folder in folders:
        for pattern in _EXECUTABLES:
            fitting = sorted(folder.glob(pattern))
            if fitting:
                return fitting[-1]
    return None


def fetch_browser(
    *,
    find: Callable[[], Path | None] = find_browser,
    run: Run | None = None,
    is_root: bool | None = None,
) -> Path | None:
    """Fetch a browser by one of the two ways; None if neither works."""
    run = _run if run is None else run
    own = {FOLDER_VARIABLE: str(own_folder())}
    run([sys.executable, "-m", "playwright", "install", "chromium"], own)
    maybe_browser = find()
    if maybe_browser is not None:
        return maybe_browser
    is_root = os.geteuid() == 0 if is_root is None else is_root
    if is_root and shutil.which("apt-get") is not None:
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]
        if not run(install, quiet):
            run(["apt-get", "update"], quiet)
            run(install, quiet)
    return find()


def _run(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=FETCH_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> int:
    """Find or fetch, and say which; the tests that need one say so themselves."""
    maybe_browser = find_browser()
    if maybe_browser is None:
        print("fetching a Chromium for the tests of the page (once) ...", flush=True)
        maybe_browser = fetch_browser()
    print(WHAT_TO_DO if maybe_browser is None else f"browser: {maybe_browser}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
