"""An agent asks several things by number, and a person answers by these numbers: `1b, 2 per year, 3 no`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import LONGEST, Utterance
from everthread.domain.text.acts.asked_choices import offers_choice
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.fences import flatten
from everthread.domain.text.patterns import lazy_pattern

from .answer_pairs import CHOSE

FEWEST = 2
"""So many numbered questions are answered by their numbers; to one somebody just answers."""

TASK = 4
"""Words of an order that is more than an answer: `Use MongoDB` answers."""

LEAD = 60
"""Characters before the first number of an answer: `Sure, here you go:`"""

_ASKED = lazy_pattern(
    r"^[^\S\n]*(?:\#{1,6}[^\S\n]+)?(?:[-*+•][^\S\n]+)?(?:\*\*|__)?"
    r"(?:(?:question|frage|pregunta)[^\S\n]+|q)?\(?(?P<number>\d{1,2})[.):]",
    re.MULTILINE | re.IGNORECASE,
)
_OPTION = lazy_pattern(
    r"(?:^[^\S\n]*(?:[-*+•][^\S\n]+)?(?:\*\*)?\(?|\()(?P<letter>[a-h])[.)]\**[^\S\n]+(?P<text>[^\n]+)",
    re.MULTILINE | re.IGNORECASE,
)
_NEXT_OPTION = lazy_pattern(r",? (?:(?:or|and|oder|ou|o) )?\([a-h]\)", re.IGNORECASE)
_NUMBER = lazy_pattern(
    r"(?<![^\s,;])\(?(?:(?:for|to|zu|bei|question|q|no\.|nr\.|\#)[^\S\n]?)?"
    r"(?P<number>\d{1,2})(?:(?P<mark>[.):=](?!\d)|[^\S\n]?[-–—](?=[^\S\n]))|(?=[a-h]\b|\s))\s*",
    re.IGNORECASE,
)
_LETTER = lazy_pattern(r"\(?(?P<letter>[a-h])\)?(?:[\s,.:;)]|$)", re.IGNORECASE)
_WISH = lazy_pattern(
    r"\b(?:should|shall|do you (?:want|need|prefer)|would you|which|how (?:many|much|often|long)|prefer|"
    r"soll(?:en)?|möchte[ns]?t?|welche[rsn]?|brauch(?:st|en)|faut-il|quel(?:le)?s?|¿?(?:quieres|cuál|debo))\b",
    re.IGNORECASE,
)
_LETS = lazy_pattern(r"\W*(?:(?:so|ok|okay|and|but)\b\W*)*(?:let'?s|let us|lass uns|vamos)\b")
"""`Let's start with JSON` answers."""
_ENDS = lazy_pattern(r"[?\uff1f](?=[\s*_)]|$)")
_BEFORE = (",", ";", "\n", ".", ":", "!", "")
_ASKS = ("?", "\uff1f")


class Answered(NamedTuple):
    """A question, and what was answered to it, each as it was said."""

    question: str
    answer: str
    chooses: bool
    """Was there something to decide, and not only to tell?"""


def numbered_questions(said: Utterance) -> dict[int, str]:
    """What the agent asked by number: each question with what stands below it."""
    heads = [*_ASKED.finditer(said.text)]
    if len(heads) < FEWEST:
        return {}
    ends = [*(head.start() for head in heads[1:]), len(said.text)]
    found: dict[int, str] = {}
    for head, end in zip(heads, ends, strict=True):
        number, below = int(head["number"]), said.text[head.end() : end].partition("```")[0]
        if number > max(found, default=0) and (_ENDS.search(below) or _offers(below)):
            found[number] = below.strip(" *_\n")
    return found if len(found) >= FEWEST else {}


def _offers(below: str) -> bool:
    """Does it offer several by their letters, and so ask which?"""
    return len({one["letter"].lower() for one in _OPTION.finditer(below)}) >= FEWEST


def numbered_answers(asked: Mapping[int, str], said: Utterance) -> list[Answered]:
    """What a person answered by number; nothing where she says something else."""
    if not asked:
        return []
    text = said.text.rstrip()
    labels = [*_labels(asked, text)]
    marked = bool(labels) and labels[0]["mark"] is not None
    if not labels or labels[0].start() > LEAD or (len(labels) < FEWEST and not marked):
        return []
    ends = [*(label.start() for label in labels[1:]), len(text)]
    parts = [
        (asked[int(label["number"])], text[label.start() : end], text[label.end() : end])
        for label, end in zip(labels, ends, strict=True)
    ]
    if 2 * sum(_is_own_task(whole, bare) for whole, _, bare in parts) >= len(parts):
        return []
    found = (_answered(*part) for part in parts)
    return [each for each in found if each is not None]


def asks_more(said: Utterance) -> bool:
    """Does she ask back, or for something beside her answers?"""
    goes_on = (s for p, s in zip(said.places, said.sentences, strict=True) if not p.opens)
    orders = (s.orders and _LETS.match(s.lower) is None for s in goes_on)
    return any(s.asks for s in said.sentences) or any(orders)


def _is_own_task(whole: str, bare: str) -> bool:
    """Is it an order that has nothing of the question of that number? Then the number is her own."""
    first = parse_sentence(flatten(bare))
    if not first.orders or len(first.words) < TASK:
        return False
    return roots(whole).isdisjoint(roots(first.text))


def _answered(whole: str, answer: str, bare: str) -> Answered | None:
    """The pair; none where she asks back, or nobody could tell what was asked."""
    answer, bare = (flatten(text).strip(" ,;") for text in (answer, bare))
    question, option = _question(whole), _option(whole, bare)
    if not bare or bare.endswith(_ASKS) or not question or len(answer) > LONGEST:
        return None
    if option and option not in question:
        return Answered(f"{question}{CHOSE}{option}", answer, chooses=True)
    return Answered(question, answer, offers_choice(question) or _WISH.search(question) is not None)


def _labels(asked: Mapping[int, str], text: str) -> Iterator[re.Match[str]]:
    """The numbers by which it answers: in their order, all written in the same way."""
    last: re.Match[str] | None = None
    for found in _NUMBER.finditer(text):
        number = int(found["number"])
        if number not in asked or (last is not None and number <= int(last["number"])):
            continue
        before = text[: found.start()].rstrip(" \t")
        parted = before[-1:] in _BEFORE
        if last is None:
            if not parted:
                return
        elif (last["mark"] is None) != (found["mark"] is None) or not (parted or found["mark"]):
            continue
        last = found
        yield found


def _question(whole: str) -> str:
    """As far as its question mark; of a long one the end."""
    end = _ENDS.search(whole)
    asked = whole[: end.end()] if end else whole.strip().partition("\n")[0]
    question = flatten(asked.replace("**", "")).strip(" *_")
    return question if len(question) <= LONGEST else f"…{question[1 - LONGEST :]}"


def _option(whole: str, answer: str) -> str:
    """The option that an answer names by its letter alone."""
    named = _LETTER.match(answer)
    for one in _OPTION.finditer(whole) if named else ():
        if named and one["letter"].lower() == named["letter"].lower():
            return _NEXT_OPTION.split(flatten(one["text"]))[0].strip(" ,;?*")
    return ""
