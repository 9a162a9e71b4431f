"""Option names of Kafka, Spark and Delta stand in one module each.

Whoever renames an option, or asks what a setting really does, has one place to look. A name is
found as a whole text (`"spark.sql.shuffle.partitions"`), as the left side of a line of properties
(`"log.dirs=..."`), or at the start of a text with gaps (`f"spark.hadoop.{key}"`). Docstrings are
prose and are left out; so are the names of our own options, which look alike (`kafka.bootstrap`).
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from console.configuration.loading import all_options
from tests.tidy.repository import SourceFile, parsed

SPARK_SIDE = r"(?:kafka|spark|delta)(?:\.[A-Za-z][\w-]*)+"

CLIENT_WORDS = (
    "acks advertised allow api auto bootstrap broker check client compression connections "
    "controller default delivery enable fetch group heartbeat inter isolation linger listener log "
    "max message metadata min node num offsets partition process queue reconnect replica request "
    "retention retry sasl security segment session share socket ssl statistics topic transaction "
    "transactional transaction unclean"
)
CLIENT_SIDE = rf"(?:{'|'.join(sorted(set(CLIENT_WORDS.split())))})(?:\.[a-z]+)+"

NAME = re.compile(rf"(?:{SPARK_SIDE}|{CLIENT_SIDE})")
PROPERTY = re.compile(rf"^\s*({NAME.pattern})\s*=", re.MULTILINE)
FILE_SUFFIXES = (".py", ".md", ".toml", ".xml", ".txt", ".properties", ".json", ".log", ".jar")


class Several(NamedTuple):
    """An exception: the only modules in which a name may stand, and why."""

    paths: frozenset[str]
    reason: str


IN_SEVERAL_PLACES: Mapping[str, Several] = {
    "bootstrap.servers": Several(
        frozenset({"sinks/kafka_client.py", "deploy/local/topics.py"}),
        "deploy imports nothing of ours, and asks the broker that it started whether it is ready",
    ),
}


def names_in(file: SourceFile) -> Iterator[str]:
    """Every foreign option name of a Python file."""
    tree = parsed(file)
    prose = {id(node) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            if NAME.fullmatch(node.value) and not node.value.endswith(FILE_SUFFIXES):
                yield node.value
            yield from PROPERTY.findall(node.value)


def repeated_names(
    files: Iterable[SourceFile], several: Mapping[str, Several] = IN_SEVERAL_PLACES
) -> list[str]:
    """Names that stand in more than one module, and exceptions that are not needed any more."""
    own = {option.path for options in all_options().values() for option in options}
    places: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for name in names_in(file):
            if name not in own:
                places[name].add(file.path)
    found = [
        f"{name} stands in {', '.join(sorted(paths))}; keep it in one of them"
        for name, paths in sorted(places.items())
        if len(paths) > 1 and not (name in several and paths <= several[name].paths)
    ]
    found += [
        f"{name} stands not in all of {', '.join(sorted(exception.paths))}; lower its exception"
        for name, exception in several.items()
        if not exception.paths <= places.get(name, set())
    ]
    return found


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Texts that are statements of their own: docstrings and the notes below constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
