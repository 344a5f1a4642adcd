"""A prompt that an editor wrote something above: which files are open, what is selected, what was attached.

Codex ends what it puts there with a heading of its own, and the person's words come after it.
"""

from __future__ import annotations

import re

from .patterns import lazy_pattern

MARK = "My request for "
"""Where it stands nowhere, nothing is looked for."""

_ABOVE = lazy_pattern(
    r"\s*[#<].*?^#{1,3}[^\S\n]+My request for [A-Z][\w ]{1,30}:[^\S\n]*(?:\n|(?=\S))",
    re.DOTALL | re.MULTILINE,
)


def after_editor(text: str) -> str:
    """What the person said; the text itself where no editor wrote above it, or nothing comes after that."""
    if MARK not in text:
        return text
    found = _ABOVE.match(text)
    rest = "" if found is None else text[found.end() :]
    return rest if rest.strip() else text
