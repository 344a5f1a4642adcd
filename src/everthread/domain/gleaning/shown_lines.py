"""Lines that a person only shows, known by what was said before: the agent's own, or not in her manner.

No mark stands round them. But she asks about what the agent wrote, in its very words; or she writes neither
capitals nor full stops, and asks about a block that has both; or she writes in one language and shows what
is in another; or she asks about a page with headings. A rule in such a block may be her own: who gives
rules asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from everthread.domain.text.acts.speech import parse_sentence, rules
from everthread.domain.text.pasted_text import Range, blank_out, names_work
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.voices import speaks_of_self

from .echoes import FEWEST, LINE, PIECE, Echoes, Piece, bare, pieces_of
from .tone import Tone, language
from .utterances import Utterance

WORDS = 5
"""Words by which the language of a line is told."""

KNOWN = 3
"""After so many messages it is known in which language she writes."""

MANNER = 5
"""So many messages show how she writes."""

SMALL, STOPPED = 0.8, 0.1
"""Such a share of them, at least, without a capital at the start, and such a one, at most, with a full
stop at the end: she types, and polishes nothing."""

CAPITALS = 3
"""So many lines that begin otherwise are a block that she did not write."""

ASKING = 8
"""Words of a question about what stands above it."""

HEADED = 2
"""So many headings make a page of what stands there."""

_ASKS = lazy_pattern(
    r"\W*(?:how|what|why|where|when|who|which|whats|wie|was|warum|wo|wer|wann|cómo|qué|dónde|cuándo|comment|"
    r"pourquoi|où|quand)\b",
    re.IGNORECASE,
)
_CAPITAL = lazy_pattern(r"(?:[^\w\s\"'(/@]++\s*+|\d{1,3}[.)]\s++){0,3}[A-Z]")
_HEADING = lazy_pattern(
    r"^(?:#{1,6}[^\S\n]|[\U0001f300-\U0001faff]|\d\ufe0f|[A-Z][^.?!:\n]{2,60}:[^\S\n]*$)",
    re.MULTILINE,
)
_OURS = lazy_pattern(
    r"\b(?:we|our|us|let['’]?s|please|pls|wir|unser\w*|bitte|nous|nosotros)\b", re.IGNORECASE
)


class ShownLines:
    """Knows what both said, as far as that tells whose words a line is."""

    def __init__(self) -> None:
        self._echoes = Echoes()
        self._spoken = self._small = self._stopped = 0

    def read(
        self, text: str, heard: tuple[Utterance, object] | None, tone: Tone
    ) -> tuple[Range, ...]:
        """Take in what a person says, after what the agent said last; what does she only show in it?"""
        if heard is not None:
            self._echoes.tell(heard[0].text)
        pieces = pieces_of(PIECE, text)
        found = {*self._echoed(text, pieces)}
        if "\n" in text.strip():
            found |= {*_foreign(pieces_of(LINE, text), tone), *self._polished(text, pieces)}
            found |= {*_asked_passage(text)}
        shown = tuple(sorted(found))
        self._hear(blank_out(text, shown))
        return shown

    def _hear(self, text: str) -> None:
        self._echoes.say(text)
        words = text.split(None, 3)
        if len(words) >= 3 and "\n" not in text.strip():  # noqa: PLR2004 - a nod has no manner
            self._spoken += 1
            self._small += words[0][0].islower()
            self._stopped += text.rstrip().endswith((".", ":"))

    def _echoed(self, text: str, pieces: list[Piece]) -> list[Range]:
        """What the agent said, if it is much, or she asks about it. Who only repeats a little of it chooses
        it, or agrees."""
        shown = self._echoes.repeated(pieces)
        return self._echoes.pasted(text, shown) or (shown if _asks_about(text, shown) else [])

    def _polished(self, text: str, pieces: list[Piece]) -> list[Range]:
        """Lines that begin with a capital, of who writes none, and asks about them."""
        spoken = self._spoken
        if spoken < MANNER or self._small < SMALL * spoken or self._stopped > STOPPED * spoken:
            return []
        found = [
            (s, e) for s, e, each in pieces if _CAPITAL.match(each) and not speaks_of_self(each)
        ]
        if len(found) < CAPITALS or names_work(blank_out(text, found)):
            return []
        return found if _asks_about(text, found) else []


def _asks_about(text: str, shown: list[Range]) -> bool:
    """Does she ask something, in what is left of her message, and at its end?"""
    rest = blank_out(text, shown).strip() if shown else ""
    return rest.endswith("?") or (bool(rest) and bool(_ASKS.match(rest.rpartition("\n")[2])))


def _foreign(lines: list[Piece], tone: Tone) -> Iterator[Range]:
    """English in the message of who writes in another language: most programs speak it."""
    hers = tone.language.partition(" and ")[0]
    if tone.messages < KNOWN or hers in ("", "English"):
        return
    for start, end, line in lines:
        if len(line.split()) < WORDS or line.endswith("?") or language(line) != "English":
            continue
        if not speaks_of_self(line) and not _tells_to_do(line):
            yield start, end


def _asked_passage(text: str) -> list[Range]:
    """A page with headings, over a question of few words that takes up one of its own."""
    above, _, asked = text.rstrip().rpartition("\n")
    if not above.strip() or not asked.rstrip().endswith(("?", "\uff1f")):
        return []
    if not _asks_of_page(above, asked):
        return []
    lines = pieces_of(LINE, above)
    if any(speaks_of_self(line.text) or _OURS.search(line.text) for line in lines):
        return []
    return [(start, end) for start, end, line in lines if not rules(parse_sentence(line))]


def _asks_of_page(above: str, asked: str) -> bool:
    words = [*filter(None, bare(asked).split(" "))]
    if above.strip(" \t")[-1:] != "\n" or len(words) > ASKING or not _ASKS.match(asked.strip()):
        return False
    known = {*bare(above).split(" ")}
    taken_up = any(len(word) > FEWEST - 1 and word in known for word in words)
    return taken_up and len(_HEADING.findall(above)) >= HEADED


def _tells_to_do(line: str) -> bool:
    """Does it begin with an order, or a rule? These may be hers in whatever language."""
    first = PIECE.match(line)
    said = parse_sentence(first[0].lstrip("-*• ")) if first else None
    return said is not None and (said.orders or rules(said))
