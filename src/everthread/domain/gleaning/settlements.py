"""What a person settles by its name alone: `Friday then`.

Anybody may end a sentence so. It settles something where the agent has just spoken of it, or where it
takes the place of what she settled before. What is named by a label is looked for where it was listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.text.settling import named
from everthread.domain.text.speech import Heard, heard
from everthread.domain.text.speech_taking import speaks, takes_back

from .answers import leads_on
from .points import Entry, Points
from .roots import roots
from .said import Said, take_apart

SHORT = 3
"""Words of an answer that is nothing but a name."""

_WEEK = """
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag
    samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles
    jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
"""
_DAYS = roots(_WEEK)


class _Settled(NamedTuple):
    """What it shall be, by its roots, and the point that says so."""

    what: frozenset[str]
    entry: Entry


def settlements(said: Said, before: str, points: Points) -> Mapping[int, Sequence[Entry]]:
    """Which sentences settle something, each with the choices that it does away with.

    `before`: what the agent said last.
    """
    found: dict[int, Sequence[Entry]] = {}
    for n, each in enumerate(said.sentences):
        what = _named(each)
        if not what:
            continue
        gone = [old.entry for old in _overruled(each, what, points)]
        if gone or what < roots(before):
            found[n] = gone
    return found


def overrule(gone: Sequence[Entry], points: Points) -> None:
    """They are chosen no longer; a question that one of them answered waits for the words to come."""
    for entry in gone:
        entries = points.of("decision")
        at = next((n for n, each in enumerate(entries) if each is entry), 0)
        asked = entries[at - 1] if at and leads_on(entries[at - 1].point) else None
        points.drop(entry)
        if asked is not None:
            points.drop(asked)
            points.add(asked.point)


def _named(each: Heard) -> frozenset[str]:
    what = named(each)
    return roots(what) if what and not speaks(each.lower) else frozenset()


def _overruled(each: Heard, what: frozenset[str], points: Points) -> Iterator[_Settled]:
    """What she names in the same breath; or of days and of figures the last, if she takes it back."""
    beside = roots(each.text) - what
    back = takes_back(each.lower)
    for n, old in enumerate(_before(points)):
        if old.what.isdisjoint(what) and (
            old.what <= beside or (back and not n and _sort(old.what) == _sort(what) != "")
        ):
            yield old


def _before(points: Points) -> Iterator[_Settled]:
    """What she settled so far, the newest first."""
    for entry in reversed(points.of("decision")):
        text = entry.point.text
        if entry.point.by != "user":
            continue
        told = [what for each in take_apart(text).sentences if (what := _named(each))]
        if not told and len(heard(text).words) <= SHORT and (alone := roots(text)):
            told = [alone]
        if told:
            yield _Settled(told[-1], entry)


def _sort(what: frozenset[str]) -> str:
    if not what.isdisjoint(_DAYS):
        return "day"
    return "figure" if any(char.isdigit() for word in what for char in word) else ""
