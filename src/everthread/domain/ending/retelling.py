"""Retelling: what was said, as a statement of ours, so that no line of it is repeated word for word.

A session that goes on after a fork is told what the one before was about without a raw line of it. A raw
line is a whole line or sentence of a message with five words or more (of a script without spaces: five
signs), whatever stands around it and however its signs are set. No raw lines are what a person laid down
for all that follows (rules), names, paths, figures and commands, and what somebody wrote into a checkpoint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.gleaning.digest import TOLD, Digest, Point, Trace
from everthread.domain.ids import place_of
from everthread.domain.text.fences import one_line
from everthread.domain.text.gerunds import gerund
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches
from everthread.domain.text.words import STOP

from .session_prose import AGENT, USER
from .session_speech import report_sentence

LEAST_WORDS = 5
"""A shorter line is a word or a name: it would be told in the same words by anybody."""

MOST_NAMED = 10
"""So many words of what cannot be turned are named."""

MOST_SENTENCES = 3
SHOWN_WORDS = LEAST_WORDS - 1

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = lazy_pattern(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
_ORDER = lazy_pattern(r"to ([a-z]+)((?: .*)?)", re.DOTALL)
_NAMED = lazy_pattern(r"\d+(?:[.,:]\d+)+|[^\s,;:!?()\[\]{}<>\"“”„`*|]+")
_STOPS = lazy_pattern(r"(?<=[.!?…;:])\s+|(?<=[\u3002\uff01\uff1f])")
_ENDS = ".'’‘-–—…"

ABOUT: Mapping[str, str] = {
    "request": "{who} asked for something on",
    "preference": "{who} told a preference on",
    "identity": "{who} told of themselves",
    "decision": "{who} spoke of a choice on",
    "done": "{who} reported work on",
    "open_item": "{who} left open what concerns",
    "correction": "{who} corrected something on",
    "failure": "{who} told of a failure with",
}
"""How that is told which has no form of its own: what it was about."""
ELSE = "{who} spoke of"

_VERBS = {"asked": "asked ", "intends": "intended ", "said": "said that "}
Words = tuple[str, ...]


class RawLines:
    """The raw lines of messages: is one of them repeated in a text?

    Tools print thousands of lines, many of which begin alike: so only hashes are kept, and how long the
    lines with one beginning are.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._lengths: dict[int, set[int]] = {}
        self._lines: set[int] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        for line in _lines(text):
            words = _words(line)
            if len(words) >= LEAST_WORDS:
                self._lengths.setdefault(hash(words[:LEAST_WORDS]), set()).add(len(words))
                self._lines.add(hash(words))

    def held_in(self, text: str) -> bool:
        """Does the text hold one of them whole?"""
        words = _words(text)
        for at in range(len(words) - LEAST_WORDS + 1):
            for length in self._lengths.get(hash(words[at : at + LEAST_WORDS]), ()):
                if hash(words[at : at + length]) in self._lines:
                    return True
        return False


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))


def _lines(text: str) -> Iterator[str]:
    """Its lines, and its sentences, which may end in the middle of a line."""
    for line in text.splitlines():
        yield line
        yield from _STOPS.split(line)
    yield from (text[place.start : place.end] for place in stretches(text))


class ForkPast(NamedTuple):
    """What lies before a fork."""

    until: int
    """The last of its messages, by its place in the thread."""
    raw: RawLines


def retell_digest(digest: Digest, before: ForkPast) -> Digest:
    """The digest with all that lies before the fork as statements of ours."""
    points = (_retell_point(p, before) if _is_before(p, before) else p for p in digest.points)
    traces = (_retell_trace(t, before) if _is_before(t, before) else t for t in digest.ledger)
    return digest._replace(
        points=tuple(p for p in points if p is not None),
        ledger=tuple(t for t in traces if t is not None),
    )


def retell_item(item: Point | Trace, before: ForkPast) -> Point | Trace | None:
    """One of them; None where it can only be told in the words in which it was said."""
    if not _is_before(item, before):
        return item
    return _retell_point(item, before) if isinstance(item, Point) else _retell_trace(item, before)


def _is_before(item: Point | Trace, before: ForkPast) -> bool:
    """A point that was said again since may have its words from before."""
    each = [place_of(key)[1] <= before.until for key in item.sources]
    return not each or (any if isinstance(item, Point) else all)(each)


def _retell_point(point: Point, before: ForkPast) -> Point | None:
    if point.kind == "rule" and point.pinned:
        return point
    text = statement(point.text, point.by, point.kind, before.raw)
    if not text:
        return None
    still = "Still open: " if point.pinned else ""
    told = point._replace(text=f"{still}{text}", by="system", verbatim=False)
    return None if before.raw.held_in(told.text) else told


def statement(text: str, by: Origin, kind: str, raw: RawLines) -> str:
    """What was said as others would tell it; where that would repeat a raw line, what it was about."""
    if kind == "tone" and not raw.held_in(text):
        return text
    told = _reports(text, by, raw)
    if told:
        return told
    named = ", ".join(_telling_words(text))
    if not named:
        return ""
    about = ABOUT.get(kind, ELSE).format(who=_who(by))
    told = f"{about}: {named}"
    return "" if raw.held_in(told) else told


def _who(by: Origin) -> str:
    return {"user": USER, "agent": AGENT, "tool": "A tool"}.get(by, "Somebody")


def _reports(text: str, by: Origin, raw: RawLines) -> str:
    """The sentences of a text that can be told without repeating one."""
    told: list[str] = []
    for sentence in _sentences(text):
        tries = (_report(sentence, by), _report(sentence, by, doing=True))
        told += [one for one in tries if one and not raw.held_in(one)][:1]
    return " ".join(told[:MOST_SENTENCES])


def _sentences(text: str) -> list[str]:
    return [text[place.start : place.end] for place in stretches(text)] or [text]


def _report(sentence: str, by: Origin, *, doing: bool = False) -> str:
    """One sentence; nothing where it has no form, or is a question, which would be quoted as it was put.

    `doing`: `asked for fixing it`, where `asked to fix it` would repeat the order word for word.
    """
    told = report_sentence(sentence, by) if by in ("user", "agent") else None
    if told is None or told.act == "question":
        return ""
    if not doing:
        return f"{_who(by)} {_VERBS.get(told.act, '')}{told.text}."
    found = _ORDER.fullmatch(told.text) if told.act == "asked" else None
    return f"{_who(by)} asked for {gerund(found[1])}{found[2]}." if found else ""


def _telling_words(text: str) -> list[str]:
    """The words by which it is known, each once, in their order."""
    words = (word.strip(_ENDS) for word in _NAMED.findall(text))
    kept = (word for word in words if len(word) > 1 and word.lower() not in STOP)
    return list(dict.fromkeys(kept))[:MOST_NAMED]


# The ledger


def _retell_trace(trace: Trace, before: ForkPast) -> Trace | None:
    """Names, paths, figures and commands as they are; of the words around them what they are about."""
    if trace.kind in ("number", "identifier", "url", "person"):
        named = [word for word in _telling_words(trace.note) if word not in trace.text]
        trace = trace._replace(note=", ".join(named), by=TOLD)
    told = f"{trace.text}\n{trace.note}"
    if not before.raw.held_in(told):
        return trace
    trace = trace._replace(text=_short_start(trace.text), note=_short_start(trace.note))
    return None if before.raw.held_in(f"{trace.text}\n{trace.note}") else trace


def _short_start(text: str) -> str:
    """Its beginning, too short to be a line."""
    words = one_line(text, len(text) + 1).split()
    return text if len(words) <= SHOWN_WORDS else f"{' '.join(words[:SHOWN_WORDS])} …"
