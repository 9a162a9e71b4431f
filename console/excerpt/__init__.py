"""A real conversation that the demonstration speaks; README.md says where it is from."""

from pathlib import Path
from typing import Final

CONVERSATION: Final = Path(__file__).with_name("rust.jsonl")
