"""What a person says to a tool call: why she refuses it, and what she answers to a question.

No prompt tells it: the harness hands it to the agent as what the call brought.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from everthread.domain.harness.happenings import Line
from everthread.domain.text.refused_calls import REFUSED, refusal_note

from .dialect import entry
from .prompt_words import own_words

_SAID = re.compile(
    r"To tell you how to proceed, the user said:\n"
    r"|The user provided the following reason for the rejection:"
    r"|The user rejected permission to use this specific tool call with the following feedback:"
)
_HEAD = 400
"""Characters in which the harness says whose words come next."""
_NOTE = "\n\nNote: The user's next message may contain a correction or preference."
_UNSAID = "The user wants to clarify these questions."
"""What the harness says in her place if she would rather talk than choose an answer."""


def refusal_words(output: str) -> str:
    """What she said as she refused the call; "" if she said nothing, or did not refuse it."""
    found = _SAID.search(output, 0, _HEAD)
    if found is None or refusal_note(output) != REFUSED:
        return ""
    words = own_words(output[found.end() :].partition(_NOTE)[0])
    return "" if words.startswith(_UNSAID) else words


def refusal_lines(output: str, ident: str, at: object) -> Iterator[Line]:
    """Her words to a call that she refused."""
    words = refusal_words(output)
    if words:
        yield Line(entry("user", words, f"{ident}:said", at))


def answer_lines(
    answered: Iterable[tuple[object, object]], ident: str, at: object
) -> Iterator[Line]:
    """The agent's questions, each with her answer, as they would have been said."""
    for n, (question, answer) in enumerate(answered, 1):
        if not (isinstance(question, str) and isinstance(answer, str)):
            continue
        if question.strip() and answer.strip():
            yield Line(entry("assistant", question, f"{ident}:asked:{n}", at))
            yield Line(entry("user", answer.strip(), f"{ident}:said:{n}", at))
