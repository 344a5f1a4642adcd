"""What a tool's output says in lines of a known form.

Compilers, linters and tests point at a fault by `path:line: what is wrong`; whoever runs a command
for someone else says `Running: …` first, and who writes a file for him `Updated …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.messages import TEXT, Message, results_in
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.specifics import Specific

ENDS = 10_000
"""Of a longer output both ends are read."""

MOST = 20
LONGEST = 200

_HINT = lazy_pattern(r"fail|error|exception|traceback|fatal|panic|warning|undefined", re.IGNORECASE)
_POINTED = lazy_pattern(
    r"^[^\S\n]*(?:E\s+)?([\w./\\-]+\.\w+:\d+(?::\d+)?: (?! )[^\n]{6,})", re.MULTILINE
)
_WROTE = lazy_pattern(
    r"^[^\S\n]*(?:Applied edit to|Wrote(?: to)?|Updated|Modified|Edited|Created|Saved) "
    r"([\w.~-]*/[\w./-]+|[\w-]+\.\w+)[.\s]*$",
    re.MULTILINE,
)
_RUNS = lazy_pattern(
    r"^[^\S\n]*(?:[#>*+$-]+ )?(?:Running|Executing)(?: command)?: +`?([^\n`]{3,})", re.MULTILINE
)


def output_specifics(message: Message) -> list[Specific]:
    """The faults a tool's output points at, the files it says it wrote, the commands it says it runs."""
    if message.origin != "tool":
        return []
    found: dict[str, Specific] = {}
    for text in _outputs(message):
        ends = text if len(text) <= 2 * ENDS else f"{text[:ENDS]}\n{text[-ENDS:]}"
        for kind, line in _known_lines(ends):
            note = "edited" if kind == "file" else ""
            found.setdefault(line, Specific(kind, line, line, note))
    return list(found.values())


def _known_lines(text: str) -> Iterator[tuple[str, str]]:
    for match in islice(_WROTE.finditer(text), MOST):
        yield "file", match[1].rstrip(".")
    if "unning" in text or "xecuting" in text:
        for match in islice(_RUNS.finditer(text), MOST):
            yield "command", match[1].strip()[:LONGEST]
    if _HINT.search(text):
        for match in islice(_POINTED.finditer(text), MOST):
            yield "error", match[1].strip()[:LONGEST]


def _outputs(message: Message) -> Iterator[str]:
    if message.form == TEXT:
        yield message.content
        return
    for block in results_in(message.blocks):
        content = block.get("content")
        if isinstance(content, str):
            yield content
        for part in listing(content) or ():
            text = (mapping(part) or {}).get("text")
            if isinstance(text, str):
                yield text
