"""The style names what the screen has, and nothing else."""

from __future__ import annotations

import inspect
import re

from console.chat import app
from console.chat.style import STYLE


def test_every_part_that_is_styled_is_on_the_screen() -> None:
    source = inspect.getsource(app)
    for name in set(re.findall(r"#([a-z]+)", STYLE)):
        assert f'"{name}"' in source
