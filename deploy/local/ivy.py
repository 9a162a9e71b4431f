"""Run the Ivy that pyspark ships, so that Python and Java are all a machine needs to get the jars.

Called by `deploy.local.jars` with the lock held. Which registry is asked is Ivy's own default or,
where a site has its own, the settings file that PRECEDE_IVY_SETTINGS names; no host is written
here. Everything that Ivy writes goes to the folders it is given: an empty or read-only HOME does
not matter.
"""

import importlib.util
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from deploy.errors import JarsUnavailableError
from deploy.local.child import Child
from deploy.local.java import find_java

MODULE_FILE = Path(__file__).with_name("ivy.xml")
VERSIONS_FILE = Path(__file__).with_name("versions.properties")
SETTINGS_VARIABLE = "PRECEDE_IVY_SETTINGS"
CACHE_FOLDER = "ivy-cache"

_MAIN_CLASS = "org.apache.ivy.Main"
_LOOK_EVERY_SECONDS = 0.5
# In the order in which they explain: a refused connection explains an unresolved jar.
_TELLING_WORDS = ("access error", "rror", "not found", "UNRESOLVED")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def resolve(
    destination: Path, *, cache: Path, home: Path, on_progress: Callable[[int], None]
) -> None:
    """Download what `ivy.xml` asks for into `destination`/CONFIGURATION/.

    `on_progress` is told, about twice a second, how many jars the cache holds. Raises
    `JarsUnavailableError` with Ivy's own complaint if a jar is not to be had.
    """
    cache.mkdir(parents=True, exist_ok=True)
    transcript = home / "ivy.log"
    command = ivy_command(destination, cache=cache, home=home)
    with Child(command, name="Ivy", log_file=transcript) as child:
        while child.wait(within_seconds=_LOOK_EVERY_SECONDS) is None:
            on_progress(sum(1 for _ in cache.glob("*/*/*/*.jar")))
    said = transcript.read_text(encoding="utf-8", errors="replace")
    if child.exit_code != 0:
        raise JarsUnavailableError(
            "The jars could not be downloaded; check the network, or the proxy and registry "
            f"settings (HTTPS_PROXY, {SETTINGS_VARIABLE}). Ivy said: {complaint(said)}."
        )


def ivy_command(
    destination: Path,
    *,
    cache: Path,
    home: Path,
    environment: Mapping[str, str] = os.environ,
) -> list[str]:
    """Return the whole command line. Every option name of Ivy appears here and nowhere else."""
    settings = environment.get(SETTINGS_VARIABLE)
    return [
        str(find_java(environment).launcher),
        f"-Divy.home={home}",
        f"-Duser.home={home}",
        *proxy_options(environment),
        "-classpath",
        str(_ivy_jar()),
        _MAIN_CLASS,
        *(["-settings", settings] if settings else []),
        "-warn",
        "-properties",
        str(VERSIONS_FILE),
        "-cache",
        str(cache),
        "-ivy",
        str(MODULE_FILE),
        "-types",
        "jar",
        "bundle",
        "-retrieve",
        f"{destination}/[conf]/[artifact]-[revision].[ext]",
    ]


def proxy_options(environment: Mapping[str, str]) -> list[str]:
    """Return the JVM's words for the proxy variables of the environment, which Java does not read.

    HTTPS_PROXY=http://gate:3128 becomes -Dhttps.proxyHost=gate -Dhttps.proxyPort=3128, and the
    hosts of NO_PROXY become -Dhttp.nonProxyHosts with `|` between them.
    """
    lowered = {name.lower(): value for name, value in environment.items()}
    options: list[str] = []
    for scheme in ("http", "https"):
        address = lowered.get(f"{scheme}_proxy", "")
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if not address or parts.hostname is None:
            continue
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 80)
        options += [f"-D{scheme}.proxyHost={parts.hostname}", f"-D{scheme}.proxyPort={port}"]
    spared = [host.strip() for host in lowered.get("no_proxy", "").split(",") if host.strip()]
    if options and spared:
        patterns = (f"*{host}" if host.startswith(".") else host for host in spared)
        options.append(f"-Dhttp.nonProxyHosts={'|'.join(patterns)}")
    return options


def _ivy_jar() -> Path:
    found = importlib.util.find_spec("pyspark")
    folders = list(found.submodule_search_locations or ()) if found else []
    for folder in folders:
        for jar in sorted(Path(folder, "jars").glob("ivy-*.jar")):
            return jar
    raise JarsUnavailableError("pyspark, which ships Ivy, is not installed; run `make setup`.")


def complaint(transcript: str) -> str:
    """Return the first line of Ivy's output that says what is wrong; the others follow from it."""
    lines = [line.strip() for line in transcript.splitlines() if line.strip(" \t.:")]
    for telling in _TELLING_WORDS:
        for line in lines:
            if telling in line:
                return line
    return lines[-1] if lines else "nothing"
