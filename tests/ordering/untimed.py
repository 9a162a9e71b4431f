"""Properties without a deadline: how busy the machine is must not decide a test."""

from __future__ import annotations

from typing import Final

from hypothesis import settings

untimed: Final = settings(deadline=None, max_examples=60)
briefly: Final = settings(deadline=None, max_examples=25)
"""For properties whose every example is a whole history."""
