"""An agent's own words in a text that a tool exported: without the marks of its steps.

Such a text folds a step into a block, or names it in a line of its own in italics, and gives the address
of an editor with the name of a file. Read as sentences, they would be what the agent tells.
"""

from __future__ import annotations

import re

from everthread.domain.text.local_links import without_targets
from everthread.domain.text.patterns import lazy_pattern

_FOLD = lazy_pattern(r"<(/)?details\b[^>]{0,80}>")
_STEP = lazy_pattern(
    r"^[^\S\n]*\*(?=[A-Z])(?>(?:[^*`\[\]\n.!?:;,\"“]|[.!?:;,](?![\s*])|`[^`]{1,4000}`|"
    r"\[[^\]\n]*\]\([^)\n]*\))*)\*[^\S\n]*$",
    re.MULTILINE,
)
"""Without the mark of a sentence, outside of code: who stresses a sentence ends it."""


def without_steps(text: str) -> str:
    """The text without them; names stand without their addresses."""
    if "</details>" in text:
        text = _unfolded(text)
    if "*" in text:
        text = _STEP.sub("", text)
    return without_targets(text)


def _unfolded(text: str) -> str:
    """The text without the blocks that are folded away, also one within another."""
    kept: list[str] = []
    deep = start = 0
    for mark in _FOLD.finditer(text):
        if not deep:
            kept.append(text[start : mark.start()])
        deep = max(deep - 1, 0) if mark[1] else deep + 1
        start = mark.end()
    # One that nothing closes is only a tag.
    return "\n\n".join((*kept, text[start:]))
