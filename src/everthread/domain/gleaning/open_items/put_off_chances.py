"""Does a person likely leave the agent's question open, where she puts it off in words of her own?

`Good question, my sister would know. Let me sleep on it`: what puts it off need not come first, nor in a
form that is known. So what `acts.classifier` makes of her sentences is weighed together with how they stand
to each other, and with how she was asked. The weights were fitted on marked talks
(`bench/acts/fit_put_off.py`), and rounded. It knows English only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.points import Entry
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.classifier import may_state, word_sums
from everthread.domain.text.acts.indecision import leaves_undecided
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .deferrals import deferral_of, puts_off_answer

WEIGHTS: Mapping[str, float] = {
    "open": 0.2,
    "opens with": 0.4,
    "puts off": 2.3,
    "or": 1.1,
    "yes or no": -0.9,
    "figures": -0.55,
    "first": -0.4,
}
BIAS = -1.25

PUT_OFF = 0.5
"""From which chance on it counts: of ten that are told so, seven are right in talks of other writers, and a
third of all is found."""

AMONG = 4
"""Sentences among which she puts it off; what comes later is about something else."""

HIGHEST, LOWEST = 3.0, -4.0
"""Bounds of what words weigh: no word alone decides it."""

_YES_OR_NO = lazy_pattern(
    r"\W*+(?>(?:(?:oh|ok|okay|well|ha|haha|hm+|ooh|ah)\b\W*+)*)"
    r"(?:yes|yep|yeah|no|nope|nah|sure|ya|aye|indeed|neither|not)\b"
)


def put_off_place(
    said: Utterance, heard: tuple[Utterance, Message] | None, asked: Entry | None
) -> int | None:
    """By which sentence she leaves for later what was said to her, if she does.

    `heard`: what the agent had said; None if it was somebody else who spoke. `asked`: its question in it.
    """
    later = deferral_of(said)
    if later is not None or heard is None or asked is None:
        return later
    return likely_put_off(said.sentences, asked.point.text)


def likely_put_off(said: Sequence[ParsedSentence], question: str) -> int | None:
    """Which of her sentences likely leaves the question open; None if she rather answers it."""
    if not said:
        return None
    place = deferring_place(said, [_open_sum(each) for each in said[:AMONG]])
    found = traits(said, question)
    chance = 1 / (1 + exp(-BIAS - sum(WEIGHTS[name] * value for name, value in found.items())))
    return place if chance >= PUT_OFF else None


def deferring_place(said: Sequence[ParsedSentence], sums: Sequence[float]) -> int:
    """Which sentence most likely puts it off."""
    return max(range(len(sums)), key=lambda n: (_defers(said[n]), sums[n], -n))


def traits(
    said: Sequence[ParsedSentence], question: str, sums: Sequence[float] | None = None
) -> dict[str, float]:
    """How she speaks to it, by numbers; each has its weight. `sums`: what the words weigh, if known."""
    sums = [_open_sum(each) for each in said[:AMONG]] if sums is None else sums
    place = deferring_place(said, sums)
    return {
        "open": sums[place],
        "opens with": sums[0],
        "puts off": float(_defers(said[place])),
        "or": float(" or " in question.lower()),
        "yes or no": float(_YES_OR_NO.match(said[0].lower) is not None),
        "figures": float(any(map(_has_figures, said[: place + 1]))),
        "first": float(place == 0),
    }


def bounded_sum(weight: float) -> float:
    return min(max(weight, LOWEST), HIGHEST)


def _open_sum(each: ParsedSentence) -> float:
    return bounded_sum(word_sums(each.text)["open"]) if may_state(each) else LOWEST


def _defers(each: ParsedSentence) -> bool:
    return puts_off_answer(each) or (leaves_undecided(each.lower) and not each.asks)


def _has_figures(each: ParsedSentence) -> bool:
    return any(map(str.isdigit, each.text))
