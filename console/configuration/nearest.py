"""For a name that nobody knows: the nearest name that somebody does, and what to write."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from console.configuration.options import VARIABLE_PREFIX, Option
from console.configuration.sources import Given, OriginKind

LEAST_LIKENESS = 0.6
"""difflib's ratio below which a guess would mislead more than it helps."""

KnownOptions = Mapping[str, tuple[Option, ...]]


def nearest(name: str, known: list[str]) -> str | None:
    """The known name most like this one, or None if none is like it."""
    matches = difflib.get_close_matches(name, known, n=1, cutoff=LEAST_LIKENESS)
    return matches[0] if matches else None


def unknown_section_problem(item: Given, known: KnownOptions) -> str:
    """The sentence for a section that does not exist; no value is shown, it may be a secret."""
    if not item.key and item.origin.kind is OriginKind.ENVIRONMENT:
        return (
            f"{item.origin.text}: names no key; variables have the form "
            f"{VARIABLE_PREFIX}SECTION__KEY, with two underscores before the key"
        )
    if not item.key and item.raw != {}:
        return _loose_key_problem(item, known)
    guess = nearest(item.section, list(known))
    advice = _did_you_mean(guess, item) if guess else f"known sections: {', '.join(known)}"
    return f"{item.section_origin.text}: {item.section} is not a known section; {advice}"


def unknown_key_problem(item: Given, known: KnownOptions) -> str:
    """The sentence for a key that its section does not have. The value is never shown."""
    path = f"{item.section}.{item.key}"
    mine = known[item.section]
    for option in mine:
        if option.maybe_secret_name == item.key:
            return (
                f"{item.origin.text}: {path} would be a secret in plain sight; write it to a file "
                f"of its own and name that file in {option.path}"
            )
    maybe_owner = _owner_of(item.key, known)
    guess = maybe_owner.name if maybe_owner else nearest(item.key, [o.name for o in mine])
    if guess is None:
        names = ", ".join(option.name for option in mine)
        return (
            f"{item.origin.text}: {path} is not a known key; [{item.section}] has the keys {names}"
        )
    section = maybe_owner.section if maybe_owner else item.section
    written = _as_written(section, guess, item.origin.kind)
    return f"{item.origin.text}: {path} is not a known key; did you mean {written}?"


def misspelt_variable_problems(environ: Mapping[str, str], known: KnownOptions) -> list[str]:
    """Find PRECEDE_KAFKA_BOOTSTRAP, whose one underscore would have it passed over in silence."""
    right = {
        option.variable.replace("__", "_"): option.variable
        for options in known.values()
        for option in options
    }
    return [
        f"{name}: is not read; did you mean {right[name]}, with two underscores?"
        for name in sorted(environ)
        if name in right
    ]


def _loose_key_problem(item: Given, known: KnownOptions) -> str:
    """A key above the first section, rightly or wrongly spelt."""
    names = [option.name for options in known.values() for option in options]
    name = item.section if item.section in names else nearest(item.section, names)
    maybe_owner = None if name is None else _owner_of(name, known)
    if maybe_owner is None:
        advice = f"keys stand below one of the sections {', '.join(known)}"
        return f"{item.origin.text}: {item.section} stands outside a section; {advice}"
    advice = f"put {maybe_owner.name} below [{maybe_owner.section}]"
    return f"{item.origin.text}: {item.section} stands outside a section; {advice}"


def _owner_of(key: str, known: KnownOptions) -> Option | None:
    for options in known.values():
        for option in options:
            if option.name == key:
                return option
    return None


def _did_you_mean(section: str, item: Given) -> str:
    if item.key and item.origin.kind is not OriginKind.FILE:
        return f"did you mean {_as_written(section, item.key, item.origin.kind)}?"
    return f"did you mean [{section}]?"


def _as_written(section: str, key: str, kind: OriginKind) -> str:
    """A name as the place where the mistake was made would spell it."""
    if kind is OriginKind.ENVIRONMENT:
        return f"{VARIABLE_PREFIX}{section}__{key}".upper()
    return f"{section}.{key}"
