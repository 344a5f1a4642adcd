"""An answer told together with its question: alone it names nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from everthread.domain.gleaning.digest import Point
from everthread.domain.text.attributes import states_attribute

from .answer_pairs import answer_pairs, leads_on, split_choice
from .empty_consents import is_empty_consent

NODS = 6
"""Words of one who agrees to what others agreed to before: it says no more than they did."""

LONGEST_JOINED = 300
"""Characters of a question with its answer, where what was chosen can be shortened."""

_LABEL = re.compile(r"\A(?:[-*+•]\s+)?(?:\*\*)?\(?(?:\d{1,2}|[A-Za-z])[.)]\s+")
_ONLY_LABEL = re.compile(r"[^\W\d_]+ #?(?:\d{1,2}|[A-Za-z])")
_ENDS = ("?", "\uff1f", ":", "\uff1a", ".", "!", "…")


def join_answers(points: Sequence[Point]) -> list[Point]:
    """The points; an answer together with its question, for alone it names nothing.

    Whoever asked, the memory is the word of who answered; of several who agreed, of the first, and of
    those who said more than that.
    """
    pairs = answer_pairs(points)
    first = {asked: answer for answer, asked in reversed(pairs.items())}
    left_out = {asked for asked in first if asked not in pairs}
    left_out |= {answer for answer, asked in pairs.items() if is_empty_consent(asked, answer)}
    further = [answer for answer, asked in pairs.items() if first[asked] is not answer]
    left_out |= {answer for answer in further if len(answer.text.split()) <= NODS}
    told = (with_question(point, pairs) for point in points if point not in left_out)
    return [point for point in told if not leads_on(point)]


def with_question(point: Point, pairs: Mapping[Point, Point]) -> Point:
    """The point with what it answers, where that is told of it."""
    asked = pairs.get(point)
    if asked is None or (point.kind == "fact" and states_attribute(point.text)):
        return point
    both = tuple(dict.fromkeys((*asked.sources, *point.sources)))
    told = _answer_text(asked.text, point.text)
    if asked.by == "user" and asked.name.casefold() != point.name.casefold():
        told = f"{asked.name}: {asked.text} {point.name}: {point.text}"
    return point._replace(text=told, sources=both)


def _answer_text(asked: str, answer: str) -> str:
    """A question with its answer; a label with what it stands for: `Which one? 2 (the second in full)`."""
    question, item = split_choice(asked)
    if not item:
        return f"{asked} {answer}"
    bare = _LABEL.sub("", item).replace("**", "")
    room = max(LONGEST_JOINED - len(question) - len(answer) - 4, 0)
    short = bare if len(bare) <= room else f"{bare[:room].rpartition(' ')[0]}…"
    if _ONLY_LABEL.fullmatch(question):  # nothing introduced it, and the answer says it again
        return f"{answer} ({short})"
    return f"{_with_colon(question)} {answer} ({short})"


def _with_colon(text: str) -> str:
    """A question, or what introduces a list: with a colon, so that nobody reads on as if it were one."""
    return text if text.endswith(_ENDS) else f"{text}:"
