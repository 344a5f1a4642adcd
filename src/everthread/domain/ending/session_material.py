"""What can be told of a point: its sentences, each as a report in the third person, or as a quotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts.speech import greets, parse_sentence, thanks
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

from .session_courtesies import is_courtesy
from .session_prose import AGENT, USER, Claim
from .session_speech import Act, Report, clause_of, report_sentence
from .session_talk import Talk

LONGEST_QUOTE = 110
MERGED = 3
"""So many sentences at most are one because a parenthesis stands round their ends."""

DOES: dict[str, tuple[Act, ...]] = {
    "agent": ("did", "decided"),
    "user": ("asked", "wanted", "decided", "intends", "question", "said"),
}
_TO_YOU = lazy_pattern(r"\byou", re.IGNORECASE)
SAYS_LITTLE = roots(
    "help provide example review suggest improve improvements explain show tell figure understand check "
    "code issue problem thing things something example sample correct correctly sure work working"
)


class Material(NamedTuple):
    """What a sentence of a point says, ready to be told."""

    point: Point
    told: Report
    said: str
    worth: float = 0.0


def is_manners(text: str) -> bool:
    if text.startswith("/") or is_courtesy(text):
        return True
    return greets(text) or thanks(parse_sentence(text))


def is_vague(one: Material) -> bool:
    return one.told.act in ("asked", "wanted") and not roots(one.said) - SAYS_LITTLE


def reports_of(point: Point) -> Iterator[Material]:
    """The sentences of a point that can be told, the first of them first."""
    for sentence in sentences_in(point.text):
        told = report_sentence(sentence, point.by)
        if told is None or told.act not in DOES[point.by]:
            continue
        if not _matters(point, told):
            continue
        yield Material(point, told, sentence)


def _matters(point: Point, told: Report) -> bool:
    """Is it of the matter? Talk between two is not, nor is a plan of the agent's that is no decision."""
    match told.act:
        case "said":
            return point.kind != "request" and "the agent" not in told.text
        case "question":
            return not _TO_YOU.search(told.text)
        case "decided":
            return point.by == "user" or point.kind == "decision"
        case _:
            return True


def sentences_in(text: str) -> list[str]:
    """The sentences of a text; one that ends inside a parenthesis goes on behind it."""
    found: list[str] = []
    at = merged = 0
    for place in stretches(text):
        if found and merged < MERGED and found[-1].count("(") > found[-1].count(")"):
            found[-1], merged = text[at : place.end], merged + 1
            continue
        found.append(text[place.start : place.end])
        at, merged = place.start, 0
    return found or [text]


def claim_of(one: Material) -> Claim:
    told, who = one.told, USER if one.point.by == "user" else AGENT
    match told.act:
        case "asked" | "intends":
            verb = "asked" if told.act == "asked" else "intended"
            text = f"{who} {verb} {told.text}."
        case "said":
            text = f"{who} said that {told.text}."
        case "question":
            return Claim(f"{told.text}?", one.point, verbatim=True, said=one.said)
        case _:
            text = f"{who} {told.text}."
    return Claim(text, one.point, said=one.said)


def quote_of(point: Point, talk: Talk, *, asking: bool = False) -> str:
    """The first sentence that can be quoted whole, without its full stop; an exclamation says little."""
    for sentence in sentences_in(point.text):
        flat = " ".join(sentence.split()).rstrip(".")
        fits = clause_of(flat) and len(flat) <= LONGEST_QUOTE and not set('“”"') & set(flat)
        if not fits or flat.endswith("!") or is_courtesy(flat) or talk.replaced(point, sentence):
            continue
        if not asking or flat.endswith("?") or reads_as_order(flat):
            return flat
    return ""
