"""Laws of the file to start from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from console.configuration.loading import all_options, load
from console.configuration.sources import OriginKind
from console.configuration.template import WIDTH, template


def test_the_file_as_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "precede.toml").write_text(template(), encoding="utf-8")
    result = load(folder=tmp_path, environ={})
    assert {setting.origin.kind for setting in result.settings} == {OriginKind.DEFAULT}


def test_every_key_without_its_mark_is_the_default(tmp_path: Path) -> None:
    """Only what has no default, and so no value to show, stays commented out."""
    lines = [line for line in template().splitlines() if "not set by default" not in line]
    text = re.sub(r"^#(?=[a-z_]+ = )", "", "\n".join(lines), flags=re.MULTILINE)
    document = tomllib.loads(text)
    for section, options in all_options().items():
        with_default = {option.name for option in options if option.default is not None}
        assert set(document[section]) == with_default
    (tmp_path / "precede.toml").write_text(text, encoding="utf-8")
    result = load(folder=tmp_path, environ={})
    for setting in result.settings:
        assert setting.value == setting.option.default, setting.option.path


def test_no_line_is_too_wide_to_read() -> None:
    assert max(len(line) for line in template().splitlines()) <= WIDTH
