"""What an installation puts where a harness reads it: commands, a skill, plugins in JavaScript."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def asset(name: str, **words: str) -> str:
    """One of the texts, with @WORDS@ filled in."""
    text = (_HERE / name).read_text("utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word.upper()}@", value)
    return text
