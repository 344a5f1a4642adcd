"""What of a recall bears on a message: a rank tells only that nothing was better."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.distilling.context_text import ContextText
from everthread.domain.given.question_check import is_question
from everthread.domain.given.usefulness import (
    READ,
    TellingWords,
    bears_on,
    names_same,
    shared_words,
    telling_words,
)
from everthread.domain.recall.hits import Hit

ALIKE = 0.5
"""A cosine from which on two texts speak of one matter, whatever their words; strangers have below 0.2."""

FIRST = 8
"""Of what is found for a question so many are looked at less strictly."""

ANSWERS = 0.3
"""From here on one of these may be the answer, which seldom has the words of the question."""

ANSWERS_BY_WORD = 0.2
"""The same where they share a telling word."""


WORN = 3
"""A plain word that hits of so many sessions have is one of the trade, and picks none of them out:
`commit`, `test`."""


def bearing_hits(text: str, hits: Sequence[Hit]) -> list[Hit]:
    """Those of the hits, best first, that bear on what the text says, or may answer what it asks."""
    wanted = telling_words(text)
    asks = is_question(text)
    first = FIRST if asks else 0
    telling = wanted if asks else _unworn(wanted, hits)
    return [
        hit
        for rank, hit in enumerate(hits)
        if _bears(hit, wanted, telling) or (rank < first and _answers(hit, wanted))
    ]


def told_once(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that another of them says whole, or seems to tell anew.

    One matter is often three hits: what was asked, what was answered, and what was kept of it.
    """
    ids, kept = {hit.id for hit in hits}, list[tuple[Hit, ContextText]]()
    for hit in hits:
        if hit.later in ids or any(said.says(hit.text.casefold()) for _, said in kept):
            continue
        said = ContextText(hit.text[:READ].casefold())
        kept = [(other, its) for other, its in kept if not said.says(other.text.casefold())]
        kept.append((hit, said))
    return [hit for hit, _ in kept]


def _unworn(wanted: TellingWords, hits: Sequence[Hit]) -> TellingWords:
    """The words without those of the trade: who orders something by these alone goes on with the work."""
    among: dict[str, set[int | None]] = {word: set() for word in wanted.plain}
    for hit in hits:
        for word in shared_words(hit.text, wanted).plain:
            among[word].update(message.session_ref for message in hit.messages)
    worn = frozenset(word for word, sessions in among.items() if len(sessions) >= WORN)
    return wanted._replace(plain=wanted.plain - worn)


def _bears(hit: Hit, wanted: TellingWords, telling: TellingWords) -> bool:
    """By its words, or by its meaning where that is plain. What is kept was kept for a purpose; what
    a tool was told or printed is long, and must name the same thing."""
    if hit.kind == "message" and _is_printed(hit):
        return names_same(hit.text, telling)
    if hit.kind == "message" and not telling.all:
        return False
    if hit.alike is not None and hit.alike >= ALIKE:
        return True
    memory = hit.kind != "message"
    return bears_on(hit.text, wanted if memory else telling, memory=memory)


def _is_printed(hit: Hit) -> bool:
    """Did nobody say it: is it the call of a tool, or what that printed?"""
    return any(m.origin == "tool" or not m.text.strip() for m in hit.messages[:1])


def _answers(hit: Hit, wanted: TellingWords) -> bool:
    """By its meaning: where no vector tells it, only words do, its own or those of what it answers."""
    alike = -1.0 if hit.alike is None else hit.alike
    if _is_printed(hit):
        return alike >= ANSWERS and bears_on(hit.text, wanted, memory=True)
    if alike >= ANSWERS or bears_on(_question_of(hit), wanted, memory=False):
        return True
    return alike >= ANSWERS_BY_WORD and bears_on(hit.text, wanted, memory=True)


def _question_of(hit: Hit) -> str:
    """What a person said just before it: an answer seldom names again what it is about."""
    return "\n".join(m.text for m in hit.context if m.origin == "user" and m.at_ms <= hit.at_ms)
