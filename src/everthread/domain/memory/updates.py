"""Does a later statement tell another value of what an earlier one tells, though in another form?

`The launch moved to 13 April` after `Our launch is on 30 March`; `I now work at Globex` after `I work at
Acme`; `We host on B, no longer on A` after `We host on A`. Who tells a change says so: by a verb of
change, by `now`, by `new`, or by what it was before. Without such a word only what happens by the clock
or the calendar is taken to have one time. What adds to the first, and whatever is of another subject,
purpose or person, stands beside it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import late
from everthread.domain.text.sayings import saying, stem

from .single import ATTRIBUTES, NAMED
from .telling import (
    DAYS,
    Telling,
    bounded,
    clauses,
    even,
    is_fresh,
    kind_of,
    tellings,
)

_MANY = """
    friend colleague neighbour neighbor coworker teammate client customer student project book song hobby
    child son daughter cat dog brother sister member user feature bug idea goal task ticket test
"""
_SEVERAL = frozenset(map(stem, _MANY.split()))
"""What one may have several of: a new one takes nobody's place."""
_BY_THE_CLOCK = (
    "happen take start begin end open close run go goe occur meet launch ship due expire"
)
_SCHEDULED = frozenset(_BY_THE_CLOCK.split())
_BY_ONE = "own maintain lead manage run handle coordinate head chair organise organize"
_OWNING = frozenset(_BY_ONE.split())
"""What one person does at a time; another who does it now does it in that one's place."""
_SETTLED = late(
    r"\b(?:(?:host|deploy|store|base|insure|keep|bank|live|work|meet|locate|park|manage|maintain|run|register|"
    r"buy|order|publish|serve|sit|stay|belong|report|point|listen|go)[a-z]*\b.*"
    r"(?:on|at|in|with|from|to|by|for|as))$"
)
"""What is done in one place, or with one partner, at a time."""
_AMONG = late(r"\b(?:works? on|works? with|tests? runs?|goes? (?:in|on|with)|meets? with)\b")
_TURNED = late(
    r"(?:i|we)(?:'ve| have)?(?: just| recently| finally| now)? (?:switched|moved|migrated|changed)"
    r"(?: over)?(?: from (?P<was>\S+(?: \S+){0,2}?))? to (?P<value>\S+(?: \S+){0,3}?)"
    r"(?: for (?P<purpose>\S.*))?"
)
_RAISED = late(
    r"(?:i|we|[\w ]+?)(?:'ve| have| has)?(?: just| recently| finally| now)? (?:been )?"
    r"(?:upgraded|downgraded|switched|moved|migrated|updated|bumped)(?: to)? (?P<name>[a-z][\w. -]*?) ?"
    r"(?:to )?(?P<version>v?\d[\w.]*)"
)
_USES = late(
    r"(?:we|i|the \S+(?: \S+)?|our \S+(?: \S+)?)"
    r" (?:uses?|runs?(?: on)?|hosts? on|(?:are|is)(?: hosted)? on|deploys? to|works? with)"
    r" (?P<value>\S+(?: \S+){0,3}?)(?: for (?P<purpose>\S.*))?"
)
_VERBAL = late(r"(?:is|are|has|have|was|were|can|will|does|takes?|runs?)\b")
_IN_USE = late(r".*\b(?:is|are|am|use|uses|run|runs)(?: on)?(?: \w+)?")
_HALVES = ("am", "pm", "o'clock", "uhr")
_PERSONS = late(r"(?:i|we|you|he|she|they)\b")
_TURNS = late(r"\b(?:switched|moved|migrated|changed|upgraded|downgraded|updated|bumped)\b")

LONGEST = 200
"""Characters of a statement that is compared; a longer one is a story."""

MOST_APART = 5
"""Words of the stretch in which two may differ."""

FEWEST = 2
"""Words that they must share around it."""


class _Reading(NamedTuple):
    """A statement, read once: it is compared with many."""

    clauses: tuple[tuple[str, ...], ...]
    """The whole and its parts, word by word, without what says only that it is so now, or what is not."""
    tellings: tuple[Telling, ...]
    fresh: bool
    denied: bool
    turns: bool
    """May it tell by a verb of change to what somebody turned?"""


def updated(new: str, old: str) -> bool:
    """Is what the earlier statement tells told anew, with another value?"""
    one, other = _reading(new), _reading(old)
    if one is None or other is None:
        return False
    if any(_another(a, b) for a in one.tellings for b in other.tellings):
        return True
    if one.denied and not other.denied and _given_up(new, old):
        return True
    return (one.turns and _turned(new, old)) or _parallel(one, other)


@lru_cache(maxsize=8192)
def _reading(text: str) -> _Reading | None:
    """None where it can tell no value, or tells one of another time or under a condition."""
    if len(text) > LONGEST or bounded(text):
        return None
    whole, *parts = clauses(text)
    return _Reading(
        clauses=tuple(_bare(each) for each in (whole, *parts) if not _denies(each)),
        tellings=tellings(text),
        fresh=is_fresh(text),
        denied=_denies(whole),
        turns=_TURNS.search(whole) is not None,
    )


def _denies(clause: str) -> bool:
    one = saying(clause)
    return bool(one.denials) or "over" in one.words


def _another(one: Telling, other: Telling) -> bool:
    """Another value of the same thing, of the same kind, said to be new."""
    if one.value == other.value or not _fits(one, other):
        return False
    if _about(one).isdisjoint(_about(other)) or (other.rest and one.rest != other.rest):
        return False
    if one.was:
        return one.was[-len(other.value) :] == other.value or one.was == other.value[: len(one.was)]
    called = one.how == "renamed" and "name" in other.subject
    if called or not one.fresh or one.kind != other.kind:
        return called
    if one.new and (one.how == "at" or not one.subject.isdisjoint(_SEVERAL)):
        return False
    return _comparable(one, other)


def _about(one: Telling) -> frozenset[frozenset[str]]:
    """What it is about. What is renamed has another name, or is itself told by it: a branch."""
    named = {one.subject | {"name"}} if one.how == "renamed" else set[frozenset[str]]()
    return frozenset({one.subject, *named})


def _comparable(one: Telling, other: Telling) -> bool:
    match one.kind:
        case "time":
            # A new hour says nothing of the day: both are told.
            return DAYS.search(one.text) is not None or DAYS.search(other.text) is None
        case "number":
            a, b = one.value[1:], other.value[1:]
            return not a or not b or a == b
        case "name" | "word":
            single = not one.subject.isdisjoint(ATTRIBUTES | NAMED)
            if one.kind == "word":
                return one.how != "moved" and not one.subject.isdisjoint({*ATTRIBUTES, "name"})
            if one.how == "at" and not one.subject.isdisjoint(_SEVERAL):
                return False
            return single or one.how != "is" or one.new or _figures_apart(one, other)


def _fits(one: Telling, other: Telling) -> bool:
    """Can the one form tell anew what the other told?"""
    if one.how == "moved":
        placed = other.how in ("at", "moved") or other.kind == "time"
        return placed or not other.subject.isdisjoint(ATTRIBUTES | NAMED)
    if one.how == "renamed":
        return other.how in ("is", "renamed")
    if one.how == "at":
        return other.how in ("at", "moved")
    return other.how in ("is", "changed", "renamed") or one.how == "changed"


def _figures_apart(one: Telling, other: Telling) -> bool:
    """`number 12`, `number 15`; `Django 4.2`, `Django 5.1`."""
    bare = [[w for w in each.value if not any(c.isdigit() for c in w)] for each in (one, other)]
    return bare[0] == bare[1]


def _given_up(new: str, old: str) -> bool:
    """`We host on B, no longer on A`, `We no longer deploy to A, we deploy to B`."""
    was = saying(even(old))
    if was.denials:
        return False
    whole, *parts = clauses(new)
    for part in parts:
        one = saying(part)
        if one.words == was.words and one.denials == ("not",):
            return True
    return any(_instead(saying(whole).line, was.words, mark) for mark in ("not", "over"))


def _instead(line: tuple[str, ...], was: tuple[str, ...], mark: str) -> bool:
    """Is the old statement this one, with what is given up in its place?"""
    if line.count(mark) != 1:
        return False
    at = line.index(mark)
    head, gone = line[:at], line[at + 1 :]
    if gone[:1] and gone[0] in ("on", "in", "at", "with", "from", "to", "by", "for"):
        gone = gone[1:]
    size = len(gone)
    for start in range(1, len(was) - size + 1) if size else ():
        tail = was[start + size :]
        if was[start : start + size] != gone or head[:start] != was[:start]:
            continue
        if len(head) > start + len(tail) and (not tail or head[-len(tail) :] == tail):
            return True
    return False


def _turned(new: str, old: str) -> bool:
    """`We switched from A to B`, `We switched to B for mail`, `We upgraded to Python 3.13`."""
    one, other = even(new).lower(), even(old).lower()
    used = _USES.fullmatch(other)
    if used is None:
        return False
    if (turn := _TURNED.fullmatch(one)) and turn["value"] != used["value"]:
        if turn["was"]:
            same = turn["was"] == used["value"]
            return same and (not turn["purpose"] or turn["purpose"] == used["purpose"])
        if turn["purpose"]:
            return turn["purpose"] == used["purpose"]
    raised = _RAISED.fullmatch(one)
    return bool(
        raised
        and used["value"] != f"{raised['name']} {raised['version']}"
        and used["value"].rpartition(" ")[0] == raised["name"]
        and used["value"].rpartition(" ")[2].lstrip("v")[:1].isdigit()
    )


class _Apart(NamedTuple):
    """Two statements that are the same but for one stretch."""

    before: str
    new: str
    old: str
    after: str


def _parallel(one: _Reading, other: _Reading) -> bool:
    """The same words but for one stretch, of one kind, where one thing only can stand."""
    apart = (_differing(new, old) for new in one.clauses for old in other.clauses)
    return any(each is not None and _takes_over(each, fresh=one.fresh) for each in apart)


def _takes_over(apart: _Apart, *, fresh: bool) -> bool:
    if not apart.before:
        return fresh and _owned(apart)
    kind = kind_of(apart.new)
    if kind != kind_of(apart.old):
        return False
    lower = apart.before.lower()
    if kind == "time":
        scheduled = not _SCHEDULED.isdisjoint(saying(lower).words)
        return fresh or (scheduled and not _PERSONS.match(lower) and not apart.after)
    if not fresh:
        return False
    if kind == "number":
        return _measured(apart)
    return _SETTLED.search(lower) is not None and _AMONG.search(lower) is None


def _owned(apart: _Apart) -> bool:
    """`Bo leads the team now`: another person does what one does."""
    words = saying(apart.after).words
    titled = (
        apart.after.startswith("is ") and words[:1] and words[0] in NAMED and words[1:2] == ("of",)
    )
    owns = not _OWNING.isdisjoint(words[:1])
    return (owns or bool(titled)) and all(_person(name) for name in (apart.new, apart.old))


def _measured(apart: _Apart) -> bool:
    """A figure with its unit, or the version of what is in use; not the number of a room."""
    *told, last = apart.before.split()
    if not apart.after:
        alone = last[:1].isupper() and " " not in apart.new + apart.old
        return alone and _IN_USE.fullmatch(" ".join(told).lower()) is not None
    return bool(told) and last.islower() and _VERBAL.match(apart.after) is None


def _person(name: str) -> bool:
    words = name.split()
    return len(words) <= 2 and all(word[:1].isupper() for word in words)  # noqa: PLR2004 - two names


def _bare(text: str) -> tuple[str, ...]:
    """Its words as written, without what says only that it is so now."""
    words = text.rstrip(".!").split()
    return tuple(w for w in words if w.lower().strip(",") not in ("now", "just", "currently"))


def _differing(new: tuple[str, ...], old: tuple[str, ...]) -> _Apart | None:
    most = min(len(new), len(old))
    start = next((n for n in range(most) if _unlike(new[n], old[n])), most)
    end = next((n for n in range(most - start) if _unlike(new[-1 - n], old[-1 - n])), most - start)
    if end and new[len(new) - end].lower() in _HALVES:
        end -= 1  # `2 am` and `4 am` are two times
    here, there = new[start : len(new) - end], old[start : len(old) - end]
    if not here or not there or max(len(here), len(there)) > MOST_APART or start + end < FEWEST:
        return None
    after = new[len(new) - end :]
    return _Apart(" ".join(new[:start]), " ".join(here), " ".join(there), " ".join(after))


def _unlike(one: str, other: str) -> bool:
    return one != other and one.lower() != other.lower()
