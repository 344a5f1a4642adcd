"""What a person settles, by what she answers: she takes up the words of what was asked or proposed.

People settle most things in few words: `batches of 100`, `no spindown`, `make it 3`. By their words alone
such sentences tell little. So what `acts.classifier` makes of the words is weighed together with how the
sentence stands in the talk. The weights were fitted on marked talks (`bench/acts`), and rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.asked_choices import offers_choice
from everthread.domain.text.acts.classifier import may_state, word_sums
from everthread.domain.text.acts.proposals import recommends
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.symptoms import tells_standing

WEIGHTS: Mapping[str, float] = {
    "words": 0.85,
    "taken up": 2.6,
    "choice": 0.4,
    "proposed": 0.25,
    "first": -0.45,
    "last": 0.5,
    "sentences": -0.17,
    "orders": 0.17,
}
BIAS = 0.05

LEVEL = 0.35
"""From which chance on it counts: of ten that are told so, six or seven are right."""

OF_ORDERS = 0.45
"""The same for what reads as an order: that is mostly a request, and nothing more."""

AGAINST, OF_WORK = -0.5, 0.6
"""Below the first, its own words speak against it; an order counts from the second on then: `check it
again` takes up what was told, too."""

STRONGLY, TERSE = -1.5, 6
"""Below the first, a sentence of so many words answers nothing where nothing was asked or proposed: who
tells how something is takes up words of the agent, too."""

NEVER = 1.0

ENDS = 8
"""Sentences at the end of a message that ask or propose something. What a long one asks on the way is
answered by itself."""

MANY = 8
"""More sentences of a message than this make no difference."""


SIGN = 4
"""Letters of what is short for something: `JSON` may be chosen."""

LONG = 30
"""Telling words of the agent: a longer text has most words that there are, and to share them says less."""


_ASKING = frozenset(
    ("what", "what's", "how", "how's", "why", "who", "who's", "which", "where", "where's")
)
_REPEATS = frozenset(("again", "nochmal", "nochmals", "otra", "nuevamente", "encore", "снова"))
_DID = lazy_pattern(
    r"\W*(?:(?:ok|okay|so|and|but|now|well|alright|done)\b[\s,.]*)*"
    r"(?:i|we)(?:'ve| have| just| already| also)* "
    r"(?:\w{2,}ed|made|built|did|put|wrote|set|got|ran|went|took|sent|found)\b"
)
_DID_ELSEWHERE = lazy_pattern(
    r"\W*(?:\w+\W+){0,4}?(?:(?<!\bel )(?<!\bun )(?<!\ble )(?<!\bdu )(?<!den )"
    r"(?!(?:así|ahí|aquí|allí|quedé|elegí|decidí|escogí)\b)[^\W\d_]{2,}+(?<=[^r]é|.í)(?!\S)|j'ai \w+[ést]\b|"
    r"hab(?:e|['’])? (?:\S+ ){0,6}?ge\w+[tn]\b)"
)
"""`Ya dejé la lista`; what one will do ends otherwise."""


class Answered(NamedTuple):
    """What the agent had said, as far as an answer takes it up."""

    roots: frozenset[str]
    choice: bool
    """Did it ask which of several things?"""
    proposed: bool
    asked: bool = False
    """Did it ask anything?"""


def settled_sentences(
    said: Sequence[ParsedSentence],
    before: Sequence[ParsedSentence],
    pause: Callable[[], None] = lambda: None,
) -> frozenset[int]:
    """Which sentences of a message likely settle something; `before`: what the agent had said to her.

    Others get their turn with each sentence.
    """
    stating = [n for n, each in enumerate(said) if _may_settle(each)]
    if not stating:
        return frozenset()
    answered = answered_by(before, pause)
    found: list[int] = []
    for n in stating:
        pause()
        if (
            not answered.asked
            and len(said[n].words) == 1
            and answered.roots.isdisjoint(roots(said[n].text))
        ):
            continue  # a word of praise, or whatever: nothing was asked that it could answer
        if settling_chance(said, n, answered) >= _level(said[n], answered):
            found.append(n)
    return frozenset(found)


def _level(each: ParsedSentence, answered: Answered) -> float:
    words = word_sums(each.text)["decision"]
    against = words < AGAINST
    if against and (tells_own_deed(each) or (each.orders and not each.bag.isdisjoint(_REPEATS))):
        return NEVER
    if words < 0 and each.text.endswith("!"):
        return NEVER  # people cheer in words of those whom they cheer
    waits = answered.asked or answered.proposed
    if words < STRONGLY and not waits and len(each.words) >= TERSE:
        return NEVER
    if each.orders:
        return OF_WORK if against else OF_ORDERS
    return LEVEL


def tells_own_deed(each: ParsedSentence) -> bool:
    """Does she tell what she has done? Such words may settle something, but say so themselves."""
    if each.asks:
        return False
    return (_DID.match(each.lower) or _DID_ELSEWHERE.match(each.lower)) is not None


def answered_by(
    before: Sequence[ParsedSentence], pause: Callable[[], None] = lambda: None
) -> Answered:
    """What there is to take up."""
    known, choice, proposed = set[str](), False, False
    for each in before:
        pause()
        known |= roots(each.text)
    for each in before[-ENDS:]:
        choice = choice or (each.asks and offers_choice(each.text))
        proposed = proposed or "or" in each.bag or recommends(each)
    return Answered(frozenset(known), choice, proposed, any(each.asks for each in before))


def settling_chance(said: Sequence[ParsedSentence], n: int, answered: Answered) -> float:
    """How likely it is that the sentence settles something, between 0 and 1."""
    found = traits(said, n, answered)
    return 1 / (1 + exp(-BIAS - sum(WEIGHTS[name] * value for name, value in found.items())))


def traits(said: Sequence[ParsedSentence], n: int, answered: Answered) -> dict[str, float]:
    """How the sentence stands in the talk, by numbers; each has its weight."""
    each = said[n]
    own = roots(each.text)
    shared = len(own & answered.roots) / max(len(own), 1)
    return {
        "words": word_sums(each.text)["decision"],
        "taken up": shared * min(1.0, LONG / max(len(answered.roots), 1)),
        "choice": float(answered.choice),
        "proposed": float(answered.proposed),
        "first": float(n == 0),
        "last": float(n == len(said) - 1),
        "sentences": float(min(len(said), MANY)),
        "orders": float(each.orders),
    }


def _may_settle(each: ParsedSentence) -> bool:
    """Does it state something, and name it? `why skipped` asks without the sign; a mere yes names nothing."""
    if not may_state(each) or not each.words or each.words[0] in _ASKING or speech.thanks(each):
        return False
    if len(each.words) == 1 and each.text.isupper() and len(each.text) > SIGN:
        return False  # over what a program printed stands `ERROR`
    if tells_standing(each):
        return False
    return any(any(map(str.isalpha, root)) for root in roots(each.text))
