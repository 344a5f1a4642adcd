"""What a person says once more: the answer it got then is worth more than their own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.context_text import ContextText
from everthread.domain.recall.hits import Hit
from everthread.domain.text.patterns import lazy_pattern
from everthread.ports import House, Records

REACH = 40
"""Messages after theirs among which the answer is looked for: an agent calls tools before it answers."""

FEWEST = 3
"""Words of an answer that has no figure."""

LINES = 3
"""A text of fewer lines is the same only word for word; of a longer printout figures may differ."""

_FIGURES = lazy_pattern(r"\d+")


def answers_for_repeats(house: House, scope: Scope, text: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, but for what the text says itself: of that the answer it got, where it got one."""
    again = RepeatedText(text)
    if not any(again.says(hit) for hit in hits):
        return list(hits)
    return house.store.read(lambda r: list(_swap_in_answers(r, scope, again, hits)))


class RepeatedText:
    """What a person says now."""

    def __init__(self, text: str) -> None:
        self._said = ContextText(text)
        self._lines = frozenset(_lines(text))

    def says(self, hit: Hit) -> bool:
        """Does it say all that the hit says, a message of earlier?"""
        if hit.kind != "message":
            return False
        lines = _lines(hit.text)
        printed = len(lines) >= LINES and self._lines.issuperset(lines)
        return printed or self._said.says(hit.text)


def _lines(text: str) -> list[str]:
    """Its lines as they are compared: of two runs of one program the times differ."""
    lines = (" ".join(_FIGURES.sub("0", line).split()) for line in text.splitlines())
    return [line for line in lines if line]


def _swap_in_answers(
    records: Records, scope: Scope, again: RepeatedText, hits: Sequence[Hit]
) -> Iterator[Hit]:
    told: set[str] = set()
    for hit in hits:
        answer = _answer(records, scope, hit.messages[0]) if again.says(hit) else None
        given = hit if answer is None else _hit_of_answer(hit, answer)
        if given.id not in told and not again.says(given):
            told.add(given.id)
            yield given


def _hit_of_answer(hit: Hit, answer: Message) -> Hit:
    # What it answers is what is asked now: nothing could be more alike.
    why = f"answered the same before; {hit.why}"
    taken = replace(hit, id=answer.id, text=answer.text, at_ms=answer.at_ms, why=why, alike=1.0)
    return replace(taken, messages=(answer,), context=())


def _answer(records: Records, scope: Scope, asked: Message) -> Message | None:
    """What the agent said last before the person, or a clock, spoke again."""
    if asked.origin != "user":
        return None
    withheld = records.memories.withheld(scope)
    last: Message | None = None
    for message in records.messages.following(
        scope, asked.thread_ref, after=asked.seq, limit=REACH
    ):
        if message.origin in ("user", "system") or message.session_ref != asked.session_ref:
            break
        theirs = scope.principal is not None and message.principal not in (None, scope.principal)
        if _speaks(message) and not theirs and message.key not in withheld:
            last = message
    return last


def _speaks(message: Message) -> bool:
    """Does the agent say something? A bare "done" or a password of some protocol answers nothing."""
    if message.role != "assistant" or message.kind != "said":
        return False
    words = message.text.split()
    return len(words) >= FEWEST or any(c.isdigit() for c in message.text)
