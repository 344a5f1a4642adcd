"""What of a recall bears on a message: a rank tells only that nothing was better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from everthread.domain.distilling.context_text import ContextText
from everthread.domain.given.language_nearness import owed_to_language
from everthread.domain.given.question_check import is_question
from everthread.domain.given.usefulness import (
    READ,
    TellingWords,
    bears_on,
    names_same,
    shared_words,
    telling_words,
)
from everthread.domain.memory.contradictions import is_personal
from everthread.domain.recall.given_up import gives_up
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

RANKS = ("tool", "system", "imported", "agent", "user")
"""Whose word counts least, and whose most."""
HER_RANK = RANKS.index("user")

SHOWN = 1_000
"""Bytes of a hit that surely find room together; of a longer one the part is shown that was asked for."""


def bearing_hits(text: str, hits: Sequence[Hit]) -> list[Hit]:
    """Those of the hits, best first, that bear on what the text says, or may answer what it asks."""
    wanted = telling_words(text)
    asks = is_question(text)
    first = FIRST if asks else 0
    telling = wanted if asks else _unworn(wanted, hits)
    bearing = {
        hit.id: hit
        for rank, (hit, plain) in enumerate(zip(hits, _in_plain_english(text, hits), strict=True))
        if _bears(plain, wanted, telling)
        or (rank < first and (_answers(plain, wanted) or _answers_by_word(hit, wanted)))
    }
    instead = _in_their_place(text, bearing, hits)
    beside = _said_later(text, bearing, hits) - bearing.keys() - instead
    told = [hit for hit in hits if hit.id in bearing or hit.id in instead or hit.id in beside]
    # Where it only may have changed, both are told.
    return [replace(hit, later=None) if hit.later in beside else hit for hit in told]


def _said_later(text: str, bearing: Mapping[str, Hit], hits: Sequence[Hit]) -> set[str]:
    """Those of a person's first ones that may change what she said before, and bears on the text."""
    newer = [hit for hit in hits[:FIRST] if hit.id not in bearing and _is_hers(hit)]
    if not bearing or not newer:
        return set()
    from .said_later import said_later  # noqa: PLC0415 - it reads sentences: large, and not for who finds nothing

    return said_later(
        text,
        [(hit, _is_hers(hit), _names(hit)) for hit in bearing.values()],
        [(hit, _names(hit)) for hit in newer],
    )


def _is_hers(hit: Hit) -> bool:
    """Is it a person's word, or what was kept of it?"""
    return _rank(hit) == HER_RANK


def _in_their_place(text: str, bearing: Mapping[str, Hit], hits: Sequence[Hit]) -> set[str]:
    """What gives one of them up by name, and what that again: it has no word of what is asked."""
    known = {hit.id: hit for hit in hits}
    instead: set[str] = set()
    for old in bearing.values():
        while (new := known.get(old.later or "")) is not None and new.id not in instead:
            if not gives_up(text, old.text, new.text):
                break
            instead.add(new.id)
            old = new  # noqa: PLW2901 - on to what took its place
    return instead


def _in_plain_english(text: str, hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits as alike to the text as they would be in the language that the bounds are made for."""
    owed = owed_to_language(text, [hit.alike for hit in hits])
    if not owed:
        return hits
    return [h if h.alike is None else replace(h, alike=h.alike - owed) for h in hits]


def told_once(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that another of them says whole, or seems to tell anew.

    One matter is often three hits: what was asked, what was answered, and what was kept of it.
    """
    ids, kept = {hit.id for hit in hits}, list[_Told]()
    for hit in hits:
        if hit.later in ids or any(told.stands_for(hit) for told in kept):
            continue
        new = _Told(hit)
        parts = [n for n, told in enumerate(kept) if new.stands_for(told.hit)]
        # In the place of the best of them: what ranks low may find no room.
        kept.insert(parts[0] if parts else len(kept), new)
        for n in reversed(parts):
            del kept[n + 1]
    return [told.hit for told in kept]


class _Told:
    """A hit that is told, and what it says."""

    def __init__(self, hit: Hit) -> None:
        self.hit = hit
        self._said = ContextText(hit.text[:READ].casefold())
        self._whole = len(hit.text.encode()) <= SHOWN

    def stands_for(self, other: Hit) -> bool:
        """Is nothing lost without the other one: no word of it, not who says so, and not that it holds?"""
        one = self.hit
        if not self._whole and one.text != other.text:
            return False
        if (one.superseded or one.later) and not (other.superseded or other.later):
            return False
        if not self._said.says(other.text.casefold()) or _rank(one) < _rank(other):
            return False
        return not is_personal(other.text) or _names(other) <= _names(one)


def _rank(hit: Hit) -> int:
    """How much the word of who says it counts. A hit that does not tell is kept for what it says."""
    origin = hit.origin or next((m.origin for m in hit.messages), "user")
    return RANKS.index(origin)


def _names(hit: Hit) -> set[str | None]:
    """Of whose words it is; nobody's where it does not tell."""
    return {m.name and m.name.casefold() for m in hit.messages if m.origin == "user"}


def _unworn(wanted: TellingWords, hits: Sequence[Hit]) -> TellingWords:
    """The words without those of the trade: who orders something by these alone goes on with the work."""
    among: dict[str, set[int | None]] = {word: set() for word in wanted.plain}
    for hit in hits:
        for word in wanted.plain & shared_words(hit.text, wanted).plain:
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
    return alike >= ANSWERS or bears_on(_question_of(hit), wanted, memory=False)


def _answers_by_word(hit: Hit, wanted: TellingWords) -> bool:
    """By some of both."""
    alike = -1.0 if hit.alike is None or _is_printed(hit) else hit.alike
    return alike >= ANSWERS_BY_WORD and bears_on(hit.text, wanted, memory=True)


def _question_of(hit: Hit) -> str:
    """What a person said just before it: an answer seldom names again what it is about."""
    return "\n".join(m.text for m in hit.context if m.origin == "user" and m.at_ms <= hit.at_ms)
