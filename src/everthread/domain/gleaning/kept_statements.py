"""What of a message is kept whatever else it tells: what she asks to be remembered; and lists of health."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.remember_requests import refers_to_previous, text_to_remember
from everthread.domain.text.sentences import Stretch

from .statement_kinds import kept_kind

LINE = 8
"""Words of a line of a list."""

LINES = 8
"""So many sentences after its heading are its lines."""


def things_to_keep(
    places: Sequence[Stretch], sentences: Sequence[ParsedSentence]
) -> dict[int, tuple[str, str] | None]:
    """The kind and text of what is to be remembered, by the sentence that says it.

    One that only asks for it tells nothing.
    """
    found: dict[int, tuple[str, str] | None] = {}
    for n, each in enumerate(sentences):
        if what := text_to_remember(each):
            found[n] = _thing_to_keep(what, each.text)
        elif n and refers_to_previous(each) and not places[n].apart:
            found[n] = None
            found.setdefault(n - 1, _thing_to_keep(sentences[n - 1].text))
    return found


def _thing_to_keep(text: str, said: str = "") -> tuple[str, str]:
    kind = kept_kind(parse_sentence(text))  # what is to be done is open by its whole sentence
    return kind, (kind == "open_item" and said) or text


def end_of_list(places: Sequence[Stretch], sentences: Sequence[ParsedSentence], n: int) -> int:
    """The last line of the list that the n-th sentence heads: `Allergies: Mina peanuts. Ines gluten.`"""
    last = n
    for place, each in zip(places[n + 1 : n + 1 + LINES], sentences[n + 1 :], strict=False):
        if place.apart or each.asks or each.orders or len(each.words) > LINE:
            break
        last += 1
    return last
