"""Does a later statement tell another value of what an earlier one tells, though in another form?

`The launch moved to 13 April` after `Our launch is on 30 March`; `I now work at Globex` after `I work at
Acme`; `We host on B, no longer on A` after `We host on A`. Who tells a change says so: by a verb of
change, by `now`, by `new`, by `No,` at its beginning, or by what it was before; without such a word both
stand. So does what adds to the first, and whatever is of another subject, purpose or person, or of another
property: who switched to GraphQL is hosted where it was.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, stem

from .descriptions import noun_of, only_describes
from .judgements import PASSING, is_judged
from .known_names import are_of_one_sort, are_of_two_sorts, job_of
from .parallels import are_parallel, bare_words
from .places import ONE_PLACE
from .renewals import renewed_claims
from .single_valued import ACTORS, ATTRIBUTES, KIN, NAMED, ONE_OF_SEVERAL, ROLES_OF_ONE
from .switches import is_switched, may_switch
from .value_claims import (
    DAYS,
    ValueClaim,
    clauses,
    even_out,
    is_address,
    is_bounded,
    is_fresh,
    unit_of,
    value_claims,
    without_since,
)
from .versions import is_another_version

_TELL_WHERE = """
    venue location address room desk seat gate table city capital host hostname region url endpoint path
    folder directory branch
"""
_WHERE = frozenset(_TELL_WHERE.split())
"""What is moved by being somewhere else: a school that moved is the same school."""
_MACHINES = frozenset({"server", "cluster", "bucket", "backup"})
"""What stands somewhere, and on something besides."""
_IN_PLACE = "based located situated hosted stored kept deployed held parked"
_HELD = frozenset(_IN_PLACE.split())
"""Said of what is in one place, or with one host, at a time."""
_BY_WHICH = frozenset(("with", "from", "by", "near", "behind", "under", "off", "without"))
_DATES = frozenset({"date", "day"})
"""`The launch date` is when the launch is."""
_AGE = ("year", "old")
_HOUR = lazy_pattern(r"(?:1?\d|2[0-4])(?:[:.]\d\d)?(?: ?[ap]m)?", re.IGNORECASE)
_COUNTED = lazy_pattern(
    r"(?:(?P<own>i)|we|there)(?: now)?(?:'re|'ve|'s| are| is| have| will be)(?: now| only| down to)* "
    r"(?P<figure>\d[\d.,]*) (?P<what>[a-z]+(?: [a-z]+){0,2}?)(?: now| in all| altogether)?",
    re.IGNORECASE,
)
_DOWN_TO = lazy_pattern(r"\bdown to \d")
_WE_COUNT = lazy_pattern(
    r"we(?:'re| are)(?: now)?(?: only)? (?P<figure>\d+)(?: (?P<what>[a-z]+s|people|staff))?(?: now)?"
    r"(?: in all| altogether)?",
    re.IGNORECASE,
)
_UNITS = "days weeks months years hours minutes seconds miles metres meters"
_MEASURES = frozenset(map(stem, _UNITS.split()))
"""Who is so many of these is no such number of people."""

LONGEST = 200
"""Characters of a statement that is compared; a longer one is a story."""


class _Reading(NamedTuple):
    """A statement, read once: it is compared with many."""

    clauses: tuple[tuple[str, ...], ...]
    """The whole and its parts, word by word, without what says only that it is so now, or what is not."""
    tellings: tuple[ValueClaim, ...]
    fresh: bool
    denied: bool
    turns: bool
    """May it tell by a verb of change to what somebody turned?"""


def is_updated(new: str, old: str) -> bool:
    """Is what the earlier statement tells told anew, with another value?"""
    one, other = _reading(new), _reading(old)
    if one is None or other is None:
        return False
    if any(
        _has_other_value(a, b) or _gives_up_name(a, b, new)
        for a in one.tellings
        for b in other.tellings
    ):
        return True
    if one.denied and not other.denied and _gives_up(new, old):
        return True
    anew = one.fresh or _DOWN_TO.search(new) is not None
    if anew and (_is_recounted(new, old) or _are_fewer_now(new, old)):
        return True
    if one.turns and (is_switched(new, old) or is_another_version(new, old)):
        return True
    return one.fresh and are_parallel(one.clauses, other.clauses)


@lru_cache(maxsize=8192)
def _reading(text: str) -> _Reading | None:
    """None where it can tell no value, or tells one of another time or under a condition."""
    if len(text) > LONGEST or is_bounded(text):
        return None
    whole, *parts = clauses(text)
    return _Reading(
        clauses=tuple(bare_words(without_since(c)) for c in (whole, *parts) if not _denies(c)),
        tellings=(*value_claims(text), *renewed_claims(text)),
        fresh=is_fresh(text),
        denied=_denies(whole),
        turns=may_switch(whole),
    )


def _denies(clause: str) -> bool:
    one = parse_statement(clause)
    return bool(one.denials) or "over" in one.words


def _has_other_value(one: ValueClaim, other: ValueClaim) -> bool:
    """Another value of the same thing, of the same kind, said to be new."""
    if one.value == other.value or not _fits(one, other):
        return False
    if _subject_sets(one).isdisjoint(_subject_sets(other)) or one.rest != other.rest:
        return False
    if one.was:
        return one.was[-len(other.value) :] == other.value or one.was == other.value[: len(one.was)]
    called = one.how == "renamed" and "name" in other.subject
    if called or not one.fresh or not _of_one_kind(one, other):
        return called
    if (one.new and (one.how == "at" or not _has_only_one(one))) or _is_described(one, other):
        return False
    return _comparable(one, other)


def _is_described(one: ValueClaim, other: ValueClaim) -> bool:
    """`The branch is protected now` leaves it the branch it was."""
    subject, values = sorted(one.subject), (one.text, other.text)
    if one.kind not in ("word", "name") or PASSING.issuperset(values):
        return False
    return is_judged(noun_of(subject), values) or (
        one.how == other.how == "is" and only_describes(subject, *values)
    )


def _of_one_kind(one: ValueClaim, other: ValueClaim) -> bool:
    """Of an hour one says `moved to 10` after `at 9:30`."""
    hours = one.how == "moved" and all(_HOUR.fullmatch(each.text) for each in (one, other))
    return one.kind == other.kind or hours


def _gives_up_name(one: ValueClaim, other: ValueClaim, new: str) -> bool:
    """`Bilal quit, the coach is Hanne now` after `The coach of our team is Bilal`: who it was is named."""
    told = one.fresh and one.how == other.how == "is" and one.kind == other.kind == "name"
    if not told or not one.subject <= other.subject or not one.subject.isdisjoint(KIN):
        return False
    beside = {*parse_statement(new).words} - {*one.value}
    return one.value != other.value and one.rest == other.rest and beside >= {*other.value}


def _has_only_one(one: ValueClaim) -> bool:
    """Is a new one the only one: a landlord, a favourite? A new niece takes nobody's place."""
    if one.instead or "favourite" in one.subject or "favorite" in one.subject:
        return True
    if one.owned and one.subject <= ROLES_OF_ONE and not one.text.lower().startswith(("a ", "an ")):
        return True
    several = one.subject & ONE_OF_SEVERAL
    return not several and not one.subject.isdisjoint(ATTRIBUTES | NAMED)


def _subject_sets(one: ValueClaim) -> frozenset[frozenset[str]]:
    """What it is about. What is renamed has another name, or is itself told by it: a branch."""
    plain = one.subject - {"at", "in", "on"}
    named = {plain | {"name"}} if one.how == "renamed" else set[frozenset[str]]()
    dated = {plain - _DATES} if one.kind == "time" and plain - _DATES else set[frozenset[str]]()
    return frozenset({plain, *named, *dated})


def _comparable(one: ValueClaim, other: ValueClaim) -> bool:
    match other.kind if one.how == "moved" else one.kind:
        case "time":
            # A new hour says nothing of the day: both are told.
            return DAYS.search(one.text) is not None or DAYS.search(other.text) is None
        case "number":
            return _same_unit(one, other) and (one.how != "at" or one.link == other.link)
        case "word":
            single = not one.subject.isdisjoint({*ATTRIBUTES, "name"})
            return single and one.how in ("is", "changed", "renamed") and other.how != "at"
        case "name":
            return _may_stand_for(one, other)


def _same_unit(one: ValueClaim, other: ValueClaim) -> bool:
    """`60 per minute` and `20 requests per minute`; of a price or an age also a bare figure."""
    a, b = unit_of(one.text), unit_of(other.text)
    short, long = sorted((a, b), key=len)
    if short and long[-len(short) :] == short:
        return True
    measured = long == _AGE or not one.subject.isdisjoint(ATTRIBUTES | NAMED)
    return a == b or (not short and measured)


def _may_stand_for(one: ValueClaim, other: ValueClaim) -> bool:
    """Can the one name stand where the other stood: is it told of the same property?"""
    if are_of_two_sorts(one.text, other.text) or _tells_what_it_is(one) != _tells_what_it_is(other):
        return False
    if one.how == "renamed" or _figures_differ(one, other):
        return True
    # An app that is on iOS now may be on Android as well; one that switched is not.
    if one.how != "at" and are_of_one_sort(one.text, other.text):
        return True
    single = not one.subject.isdisjoint(ATTRIBUTES | NAMED) and not (
        one.acts and not one.subject.isdisjoint(ACTORS)
    )
    if one.how == "at" or other.how == "at":
        return _same_place(one, other)
    if one.how == "moved":
        return _has_place(one) or not one.subject.isdisjoint(_WHERE)
    return single or (one.how == "is" and (one.new or one.instead or _has_one_now(one)))


def _tells_what_it_is(one: ValueClaim) -> bool:
    """`Danish`, `with Hanne`: that names nobody who is it."""
    return one.how == "is" and (job_of(one.text) == "speech" or one.value[0] in _BY_WHICH)


def _has_one_now(one: ValueClaim) -> bool:
    """`Our vet is Dr Marsh now`: it is another one. A daughter stays who she is, whatever she is now."""
    return one.owned and one.subject.isdisjoint(KIN)


def _same_place(one: ValueClaim, other: ValueClaim) -> bool:
    """Are both told of where it is, and is that one place at a time?"""
    if one.how == "at" and other.how == "at":
        one_link, other_link = one.link.split(), other.link.split()
        held = len(one_link) > 1 and one_link[0] in _HELD
        return one_link[-1:] == other_link[-1:] and (
            (held and one_link == other_link) or not one.subject.isdisjoint(ONE_PLACE)
        )
    found = is_address(one.text) and is_address(other.text)
    return "moved" in (one.how, other.how) and (_has_place(one) or found)


def _has_place(one: ValueClaim) -> bool:
    return not one.subject.isdisjoint(ONE_PLACE - _MACHINES)


def _fits(one: ValueClaim, other: ValueClaim) -> bool:
    """Can the one form tell anew what the other told?"""
    if one.kind == other.kind == "time" and {one.how, other.how} == {"is", "at"}:
        return True
    if one.how == "moved":
        placed = other.how in ("at", "moved") or other.kind == "time"
        return placed or not other.subject.isdisjoint(ATTRIBUTES | NAMED)
    if one.how == "renamed":
        return other.how in ("is", "renamed")
    if one.how == "at":
        return other.how in ("at", "moved")
    return other.how in ("is", "changed", "renamed") or one.how == "changed"


def _figures_differ(one: ValueClaim, other: ValueClaim) -> bool:
    """`number 12`, `number 15`; `Django 4.2`, `Django 5.1`."""
    bare = [[w for w in each.value if not any(c.isdigit() for c in w)] for each in (one, other)]
    return bare[0] == bare[1]


def _gives_up(new: str, old: str) -> bool:
    """`We host on B, no longer on A`, `We no longer deploy to A, we deploy to B`."""
    was = parse_statement(even_out(old))
    if was.denials:
        return False
    whole, *parts = clauses(new)
    for part in parts:
        one = parse_statement(part)
        if one.words == was.words and one.denials == ("not",):
            return True
    return any(
        _stands_instead(parse_statement(whole).line, was.words, mark) for mark in ("not", "over")
    )


def _stands_instead(line: tuple[str, ...], was: tuple[str, ...], mark: str) -> bool:
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


def _is_recounted(new: str, old: str) -> bool:
    """`No, there are 71 guests` after `We have 68 guests`."""
    one, other = _counted(new), _counted(old)
    if one is None or other is None or bool(one["own"]) != bool(other["own"]):
        return False
    same = parse_statement(one["what"]).words == parse_statement(other["what"]).words
    return same and one["figure"] != other["figure"]


@lru_cache(maxsize=8192)
def _counted(text: str) -> re.Match[str] | None:
    return _COUNTED.fullmatch(even_out(text))


def counts_us(text: str) -> bool:
    """Does it tell how many those are who speak, and nothing else?"""
    return _we_count(text) is not None


@lru_cache(maxsize=8192)
def _we_count(text: str) -> re.Match[str] | None:
    return _WE_COUNT.fullmatch(even_out(text))


def _are_fewer_now(new: str, old: str) -> bool:
    """`We are 22 now` after `We are 24 people`: of themselves, and nothing counted is named but people."""
    one, other = _we_count(new), _we_count(old)
    if one is None or other is None or one["what"] or not other["what"]:
        return False
    if stem(other["what"].lower()) in _MEASURES:
        return False
    few, many = sorted((int(one["figure"]), int(other["figure"])))
    return few < many <= 2 * few  # twelve who are 35 now tell their age
