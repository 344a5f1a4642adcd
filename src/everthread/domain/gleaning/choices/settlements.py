"""What a person settles by its name alone: `Friday then`.

Anybody may end a sentence so. It settles something where the agent has just spoken of it, or where it
takes the place of what she settled before. What is named by a label is looked for where it was listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance, take_apart
from everthread.domain.text.acts.option_taking import names_label, takes_back
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.contrast_pairs import contrast_of
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.person_decisions import (
    named_choice,
    names_alone,
    names_surely,
    says_how_many,
    taken_choice,
    wanted_choice,
)

from .answer_pairs import leads_on

SHORT = 3
"""Words of an answer that is nothing but a name."""

_REASON = lazy_pattern(r"\b(?:because|since|as|while|and|so)\b")
"""What is named behind it is told, and need not be given up."""
LATELY = 3
"""Choices and what they answer, of which what is taken next may speak."""

_BACK = lazy_pattern(
    r"^\W*(?:(?:ok|okay|so|then|and|no|well|actually|right|we're|we are|we go|let's go|i'm|i go|go|going|"
    r"finally)\b[\s,.!:–—-]*)*back to (?P<the>the |our )?(?P<what>[\w-]+(?: [\w-]+){0,2}?)"
    r"(?:,? (?:then|it is|for good|after all|finally|final|please|again|now|instead))*\W*$"
)
_TURNED_AWAY = lazy_pattern(
    r"\b(?:not|no|never|nobody|too|gone|out|unavailable|expensive|dear|bad|worse|wrong|ugly|forget|hate|"
    r"dislike|instead)\b|n't\b"
)
_NO_THING = roots(
    "work school sleep bed home square normal topic business basics start beginning you me"
)
_CHOSEN = roots("decision decided decide final choice chosen")
_WEEK = """
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag
    samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles
    jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
"""
_DAYS = roots(_WEEK)


class _Settlement(NamedTuple):
    """What it shall be, by its roots, and the point that says so."""

    what: frozenset[str]
    entry: Entry


def settlements(
    said: Utterance, before: str, points: Points, offered: str = "", *, asked: bool = False
) -> Mapping[int, Sequence[Entry]]:
    """Which sentences settle something, each with the choices that it does away with.

    `before`: what was said last. `offered`: what was asked, where that was to be chosen. `asked`: did the
    agent ask anything?
    """
    found: dict[int, Sequence[Entry]] = {}
    for n, each in enumerate(said.sentences):
        if gone := _given_up_ones(each, points):
            found[n] = gone
            continue
        if (gone := _turned_back(each, said, points)) is not None:
            found[n] = gone
            continue
        taken = roots(taken_choice(each))
        if taken and taken <= roots(f"{before}\n{offered}\n{_lately_chosen(points)}"):
            reasons = _REASON.search(each.lower) is not None
            over = () if reasons else _overruled_ones(each, taken, points)
            found[n] = [old.entry for old in over]
            continue
        what = _named_roots(each)
        if not what:
            if (offered and _takes_offered(each, offered)) or (asked and says_how_many(each)):
                found[n] = ()
            continue
        gone = [old.entry for old in _overruled_ones(each, what, points)]
        known = what < roots(before) or (names_surely(each) and bool(what & roots(before)))
        if gone or known or (offered and names_alone(each)):
            found[n] = gone
    return found


def _lately_chosen(points: Points) -> str:
    """What was settled last, with what it answered: another part of it may be taken next."""
    return "\n".join(entry.point.text for entry in points.of("decision")[-LATELY:])


def _turned_back(each: ParsedSentence, said: Utterance, points: Points) -> list[Entry] | None:
    """`Granite is too dear. Back to oak!`: what was chosen in its place, by whomever, goes.

    None where she goes back to what was no choice: to work, to another subject, to ask for something of it.
    """
    turned = None if each.asks else _BACK.match(each.lower)
    others = [s for s in said.sentences if s is not each]
    if turned is None or any(s.asks or s.orders for s in others):
        return None
    what = roots(turned["what"])
    if not what or not _NO_THING.isdisjoint(what):
        return None
    if gone := _chosen_against(what, points):
        return gone
    away = roots(" ".join(s.text for s in others if _TURNED_AWAY.search(s.lower)))
    chosen = ((entry, roots(entry.point.text) - _CHOSEN) for entry in points.of("decision"))
    gone = [entry for entry, about in chosen if about and about <= away and not what <= about]
    return gone if gone and not turned["the"] else None


def _chosen_against(what: frozenset[str], points: Points) -> list[Entry]:
    """What was chosen last of several things of which this was one."""
    for entry in reversed(points.of("decision")):
        asked = _question_before(entry, points)
        if asked is not None and what <= roots(asked.point.text):
            return [] if what <= roots(entry.point.text) else [entry]
    return []


def _takes_offered(each: ParsedSentence, offered: str) -> bool:
    what = roots(wanted_choice(each))
    return bool(what) and what <= roots(offered) and not names_label(each.lower)


def overrule(gone: Sequence[Entry], points: Points) -> None:
    """They are chosen no longer; a question that one of them answered waits for the words to come."""
    for entry in gone:
        asked = _question_before(entry, points)
        points.drop(entry)
        points.unsay(entry.point)
        if asked is not None and not any(asked is each for each in gone):
            points.drop(asked)
            points.add(asked.point)


def _question_before(entry: Entry, points: Points) -> Entry | None:
    """What the choice answers, if it stands right before it."""
    entries = points.of("decision")
    at = next((n for n, each in enumerate(entries) if each is entry), 0)
    return entries[at - 1] if at and leads_on(entries[at - 1].point) else None


def _named_roots(each: ParsedSentence) -> frozenset[str]:
    what = named_choice(each)
    return roots(what) if what and not names_label(each.lower) else frozenset()


def _overruled_ones(
    each: ParsedSentence, what: frozenset[str], points: Points
) -> Iterator[_Settlement]:
    """What she names in the same breath; or of days and of figures the last, if she takes it back."""
    beside = roots(each.text) - what
    back = takes_back(each.lower)
    for n, old in enumerate(_earlier_ones(points)):
        if old.what.isdisjoint(what) and (
            old.what <= beside or (back and not n and _sort(old.what) == _sort(what) != "")
        ):
            yield old


def _given_up_ones(each: ParsedSentence, points: Points) -> list[Entry]:
    """What she had chosen by the name that she gives up now for another: `on Sunday, not on Saturday`."""
    pair = None if each.asks else contrast_of(each.text)
    if pair is None:
        return []
    taken, gone = roots(pair.taken), roots(pair.gone)
    found = [
        old.entry
        for old in _earlier_ones(points)
        if old.what <= gone
        and old.what.isdisjoint(taken)
        and not taken <= roots(old.entry.point.text)
    ]
    # What was asked is answered by the pair.
    for entry in found:
        if (asked := _question_before(entry, points)) is not None:
            found.append(asked)
    return found


def _earlier_ones(points: Points) -> Iterator[_Settlement]:
    """What she settled so far, the newest first."""
    for entry in reversed(points.of("decision")):
        text = entry.point.text
        if entry.point.by != "user":
            continue
        told = [what for each in take_apart(text).sentences if (what := _named_roots(each))]
        if not told and len(parse_sentence(text).words) <= SHORT and (alone := roots(text)):
            told = [alone]
            told += [roots(text.partition(",")[0])] if "," in text else []
        if told:
            yield _Settlement(told[-1], entry)


def _sort(what: frozenset[str]) -> str:
    if not what.isdisjoint(_DAYS):
        return "day"
    return "figure" if any(char.isdigit() for word in what for char in word) else ""
