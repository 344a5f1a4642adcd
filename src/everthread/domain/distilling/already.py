"""What a context says already, word for word, need not be recalled into it.

A summary quotes a person's short messages whole: to recall one of them beside it would pay for the
same words twice, and leave out something that is nowhere in the context.
"""

from __future__ import annotations

from .summaries_lines import QUOTES

SHORTEST = 20
"""Characters: what is shorter stands in another sentence by chance."""

_BENT = {**QUOTES, ord("·"): " "}


def _flat(text: str) -> str:
    return " ".join(text.translate(_BENT).split())


class Already:
    """A text that is in the context; the empty one says nothing."""

    def __init__(self, text: str = "") -> None:
        self._text = _flat(text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def says(self, text: str) -> bool:
        """Does all of the text stand in it? Line breaks and kinds of quotes make no difference."""
        if not self._text:
            return False
        wanted = _flat(text)
        return len(wanted) >= SHORTEST and wanted in self._text


NOTHING_SAID = Already()
