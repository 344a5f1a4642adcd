"""A thread without end: the transcripts' messages again and again, each time with other specifics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from baselines import count
from steps import Step

_DIGITS = re.compile(r"\d+")
_NAMED = re.compile(r"\b([A-Za-z_]\w{2,})(\.[a-z]{1,4})\b")
_GLUED = re.compile(r"\b([a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:_[a-z]+)+)\b")


def changed(text: str, number: int) -> str:
    """The text with other numbers, other files and other names, as long as before or a little longer."""
    if not number:
        return text

    def digits(match: re.Match[str]) -> str:
        width = len(match[0])
        return str((int(match[0][:18]) * 31 + number * 7_919) % 10 ** min(width, 18)).zfill(width)

    text = _DIGITS.sub(digits, text)
    text = _NAMED.sub(rf"\g<1>{number}\g<2>", text)
    return _GLUED.sub(rf"\g<1>{number}", text)


def endless(steps: Sequence[Step], tokens: int) -> Iterator[tuple[Step, int]]:
    """Steps and their tokens, until there are so many; the calls of a round have names of their own."""
    told, number = 0, 0
    whole = steps[-1].at - steps[0].at + timedelta(hours=1)
    while told < tokens:
        for step in steps:
            call = {name: changed(str(value), number) for name, value in step.call.items()}
            other = replace(
                step,
                id=f"{number}/{step.id}",
                text=changed(step.text, number),
                call=call,
                at=step.at + number * whole,
            )
            size = count(other.shown)
            told += size
            yield other, size
            if told >= tokens:
                return
        number += 1
