"""A change told in other words than the first value was: put as that was, so that both can be compared.

`Lou's phone changed, it's 0199` tells what `Lou's phone is 0199 now` tells; `Marta quit, she is at Bosch now`
that she works there. Where what went is named (`we replaced Stripe with Mollie`), it ends what tells just
that of those who speak, and nothing that tells something else of it. Who merely left is what he was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .known_names import is_town
from .renewals import renewed_claims
from .value_claims import even_out, is_address, is_bounded, kind_of

LONGEST = 160
"""Characters of what is put anew; what is longer is a story."""

_END = r"(?: now| these days| from now on| instead)*$"
_BREAK = r"\s*[,;–—-]+\s*(?:and |so |but )?"
_CHANGED = lazy_pattern(
    r"^(?P<what>\S.{1,60}?)(?:'s| has| have)? (?:changed|is different|are different|is new)"
    rf"(?: (?:again|recently|today))?{_BREAK}(?:it's|it is|that's|now it's|(?:the new one|it)(?:'s| is)) "
    rf"(?:now )?(?P<value>\S.{{0,40}}?){_END}",
    re.IGNORECASE,
)
_MOVED = lazy_pattern(
    r"^(?P<what>\S.{1,60}?)(?:'s| has| have)? (?:just |recently )?moved(?: (?:again|recently|today))?"
    rf"{_BREAK}(?:it's|it is|now it's|they're|they are)(?: now)? (?:at |under )?"
    rf"(?P<value>\S.{{0,80}}?){_END}",
    re.IGNORECASE,
)
_ITS = lazy_pattern(
    r"^(?P<what>\S.{1,60}?) (?:has |have )?changed (?:its|their|the) (?:opening |closing |office |shop )?"
    rf"(?:hours|times?|days?|schedule|timetable|prices?|fees?|name){_BREAK}(?:it|they) "
    rf"(?P<told>(?:now )?[a-z]+s? \S.{{0,40}}?){_END}",
    re.IGNORECASE,
)
_HAS_NEW = lazy_pattern(
    r"^(?P<who>(?i:i|we)|[A-Z][\w-]+)(?:'ve got|'ve| have| has|'s got)(?: got)? a new "
    r"(?P<what>[a-z][a-z -]{1,30}?)(?:\s*[,:;–—-]+\s*|\s+called )(?:it's |it is )?"
    rf"(?P<value>\S.{{0,40}}?){_END}"
)
_NEW = lazy_pattern(
    rf"^(?:my |our )?new (?P<what>[a-z][a-z -]{{1,30}}?): ?(?P<value>\S.{{0,40}}?){_END}"
)
_WHOSE_JOB = r"(?: (?:(?:his|her|their|the) )?(?:old )?(?:job|firm|company|employer))?"
_EMPLOYER = rf"(?P<value>[A-Z](?!\S*'s)\S*(?: [A-Z](?!\S*'s)\S*){{0,2}}){_END}"
_QUIT = lazy_pattern(
    r"^(?P<who>[A-Z][\w-]+(?: [A-Z][\w-]+)?)(?:'s| has)? (?:just |recently )?(?:"
    r"(?:quit|resigned|(?:changed|switched) (?:jobs?|employers?)|got a new job|was laid off)"
    rf"{_WHOSE_JOB}{_BREAK}(?:s?he|they)(?:'s| is|'re| are)(?: now)? at|"
    rf"(?:quit|left|resigned|(?:changed|switched) (?:jobs?|employers?)|got a new job|was laid off)"
    rf"{_WHOSE_JOB}{_BREAK}(?:s?he|they)(?:'s| is|'re| are)?(?: now)? work(?:s|ing)?(?: now)? (?:at|for)) "
    rf"{_EMPLOYER}"
)
"""Who only `left` may be at lunch: there it must be said where one works."""
_LEFT = lazy_pattern(
    r"^(?P<who>I|[A-Z][\w-]+|(?:[Tt]he )?[Uu]ser)(?:'ve| have|'s| has)? (?:just |recently |finally )?"
    r"(?:quit|left|resigned)(?: (?:my|his|her|their) (?:job|position))?(?: at| from| with)? "
    r"(?P<was>[A-Z]\S*(?: [A-Z]\S*){0,2}?)(?: (?:last|this) \w+)?,? and (?:I |s?he |they )?"
    r"(?:now |(?:'m|am|'s|is) now )?work(?:s|ing)?(?: now)? (?:at|for|with) "
    rf"{_EMPLOYER}"
)
"""Where one worked is named: that alone ends."""
_OWNING = {
    "led": "leads", "owned": "owns", "maintained": "maintains", "managed": "manages", "handled": "handles",
    "coordinated": "coordinates", "headed": "heads", "chaired": "chairs", "organised": "organises",
    "organized": "organizes", "run": "runs",
}  # fmt: skip
_BY = lazy_pattern(
    rf"^(?P<what>\S.{{1,50}}?)(?:'s| is)(?: now)? (?P<deed>{'|'.join(_OWNING)}) (?:now )?by "
    rf"(?P<who>[A-Z][\w-]+){_END}"
)
_TOOK_OVER = lazy_pattern(
    r"^(?P<who>[A-Z][\w-]+)(?: has)? (?:took|taken|takes) over (?P<what>\S.{1,50}?) "
    r"from (?P<was>[A-Z][\w-]+)$"
)
_HOLDS_AT = lazy_pattern(
    r"^(?:we|i)(?: now)? (?:hold (?P<what>(?:the |our )?[a-z][a-z -]{1,30}?)|"
    r"(?:do|have) (?P<had>(?!the |our |my |an? )[a-z][a-z -]{1,30}?)) "
    r"at (?P<value>\d\S{0,8})(?: now| these days| from now on)+$",
    re.IGNORECASE,
)
_ONLY = lazy_pattern(r"^(?P<head>.*?)(?<!-)\bonly (?P<tail>.*\bnow)$", re.IGNORECASE)
_ONE_EACH = """
    teacher coach vet tutor trainer contact nanny plumber boss manager landlord landlady accountant employer
    address phone mobile number
"""
_HAS_ONE = frozenset(_ONE_EACH.split())
"""A new one takes the place of the old. Of medicines, rooms and banks one may have another besides."""
_OWN = {"i": "my", "we": "our"}
_IN_NAMES = frozenset({"the", "a", "an", "of", "de", "la", "&"})
_DIALLED = lazy_pattern(r"\+?\d[\d ()/-]{2,20}")
FEWEST_DIGITS = 6
"""Of what is called only a number, and is that of a phone."""

_NAME = r"[A-Z][\w&'-]*(?: [A-Z&][\w&'-]*){0,2}"
_REPLACED = lazy_pattern(
    r"^(?:(?P<by>i|we|We|I)(?:'ve| have)? )?(?:just |recently |finally |now )*(?:"
    rf"(?:[Rr]eplaced|[Ss]wapped(?: out)?|[Dd]itched|[Ll]eft|[Dd]ropped) (?P<was>{_NAME}) "
    rf"(?:with|for|by|in favou?r of) (?P<value>{_NAME})|"
    r"(?:[Mm]oved|[Ss]witched|[Cc]hanged|[Mm]igrated)"
    r"(?: (?P<object>(?:my|our|the) [a-z]+(?: [a-z]+)?))?(?: over)? "
    rf"from (?P<was2>{_NAME}) to (?P<value2>{_NAME}))"
    rf"(?: for (?P<purpose>[a-z][a-z ]{{1,30}}?))?{_END}"
)
_PARTNER = (
    r"(?:insurer|insurance|bank|broker|provider|supplier|vendor|carrier|courier|registrar|contractor|"
    r"agency|utility|caterer|printer|wholesaler)"
)
"""With whom one has a contract, and ends it. A wife, a home or a phone is not replaced in one word."""
_WITH = lazy_pattern(
    rf"^(?:(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z]+ ){{0,2}}{_PARTNER}) (?P<is>is)|"
    r"(?P<what>[Ww]e|I|(?:[Mm]y|[Oo]ur|[Tt]he) [a-z][a-z -]*?|[A-Z]?[a-z-]+s) "
    r"(?:use|uses|(?:go|goes|run|runs) (?:through|via|on)|(?:is|are) hosted (?:on|by|with|at)|"
    r"(?:bank|insure|host|hosts) (?:with|on|at))) "
    rf"(?P<value>{_NAME})(?: for (?P<purpose>[a-z][a-z ]{{1,30}}))?$"
)
_CONTRACT = lazy_pattern(
    r"(?:my|our) (?:accounts?|money|savings|policy|contract|insurance|business)"
)


_HINTS = lazy_pattern(
    r"\b(?:chang|switch|swap|replac|succeed|took over|takes? over|taken over|new\b|quit\b|left\b|resign|"
    r"moved|ditch|drop|migrat|only\b|now$|now\W|these days|from now on|different|laid off|"
    r"(?:led|owned|maintained|managed|handled|coordinated|headed|chaired|organi[sz]ed|run) (?:now )?by\b)",
    re.IGNORECASE,
)
"""Without one of these nothing is told as changed."""


class _Gone(NamedTuple):
    """What went."""

    was: str
    purpose: str
    moved: str
    """What was moved away from it, if only that."""
    by: str
    """Who says so: `i` or `we`, if that is said."""


def tells_change(text: str) -> bool:
    """Does it tell in one of these forms that something is another now?"""
    if _HINTS.search(text) is None:
        return False
    if _gone_name(text) is not None or _TOOK_OVER.match(even_out(text)):
        return True
    return bool(retellings(text) or renewed_claims(text))


@lru_cache(maxsize=4_096)
def retellings(text: str) -> tuple[str, ...]:
    """The same change, put as the first value may have been; nothing where it is in none of these forms."""
    even = even_out(text)
    if len(even) > LONGEST or _HINTS.search(text) is None or is_bounded(text):
        return ()
    return tuple(
        put for form, tell in _FORMS.items() if (found := form.match(even)) for put in tell(found)
    )


def _changed(found: re.Match[str]) -> Iterator[str]:
    return _called(found["what"], found["value"])


def _moved(found: re.Match[str]) -> Iterator[str]:
    """Only to where it can be found: what moved and is `slow today` is where it was, for all we know."""
    if is_address(found["value"]):
        yield f"{found['what']} moved to {found['value']}"


def _its(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['what']} {found['told']} now"


def _has_new(found: re.Match[str]) -> Iterator[str]:
    if _has_one(found["what"]):
        whose = _OWN.get(found["who"].lower(), f"{found['who']}'s")
        yield from _called(f"{whose} {found['what']}", found["value"])


def _new(found: re.Match[str]) -> Iterator[str]:
    for whose in ("My", "Our") if _has_one(found["what"]) else ():
        yield from _called(f"{whose} {found['what']}", found["value"])


def _works_at(found: re.Match[str]) -> Iterator[str]:
    for link in ("at", "for"):
        yield f"{found['who']} works {link} {found['value']} now"


def _left(found: re.Match[str]) -> Iterator[str]:
    for link in ("at", "for"):
        yield f"{found['who']} works {link} {found['value']}, not {link} {found['was']}"


def _done_by(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['who']} {_OWNING[found['deed']]} {found['what'].lower()} now"


def _held_at(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['what'] or found['had']} is at {found['value']} now"


def _without_only(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['head']}{found['tail']}"


_FORMS: dict[re.Pattern[str], Callable[[re.Match[str]], Iterator[str]]] = {
    _CHANGED: _changed,
    _MOVED: _moved,
    _ITS: _its,
    _HAS_NEW: _has_new,
    _NEW: _new,
    _QUIT: _works_at,
    _LEFT: _left,
    _BY: _done_by,
    _HOLDS_AT: _held_at,
    _ONLY: _without_only,
}
"""How a change is told, and how else it can be put."""


def _has_one(what: str) -> bool:
    """Does one have one of it at a time? A new friend takes nobody's place."""
    return what.rpartition(" ")[2] in _HAS_ONE


def _called(what: str, value: str) -> Iterator[str]:
    """Only a name or a figure: what is `fine now` is no other thing. A phone is told by its number."""
    noun = what.rpartition(" ")[2].lower()
    if noun in ("phone", "mobile"):
        if _DIALLED.fullmatch(value):
            yield f"{what} is {value} now"
            yield f"{what} number is {value} now"
    elif _is_value(value):
        yield f"{what} is {value} now"
        dialled = _DIALLED.fullmatch(value) and sum(map(str.isdigit, value)) >= FEWEST_DIGITS
        if noun == "number" and dialled and "phone" not in what:
            yield f"{what.rpartition(' ')[0]} phone number is {value} now".strip()


def _is_value(value: str) -> bool:
    """A time, a figure, or nothing but a name: `Online only` is none."""
    kind = kind_of(value)
    if kind == "name":
        return all(word in _IN_NAMES or kind_of(word) != "word" for word in value.split())
    return kind != "word"


@lru_cache(maxsize=4_096)
def _gone_name(text: str) -> _Gone | None:
    """What went, that something else came in its place; None where it tells no such thing."""
    even = even_out(text)
    if len(even) > LONGEST or _HINTS.search(text) is None or is_bounded(text):
        return None
    told = _REPLACED.match(even)
    if told is None:
        return None
    by = (told["by"] or "").lower()
    return _Gone(told["was2"] or told["was"], told["purpose"] or "", told["object"] or "", by)


def is_replaced_by_name(new: str, old: str) -> bool:
    """`We replaced Stripe with Mollie` after `Payments go through Stripe`; not after what Stripe costs, or
    whom somebody else is with."""
    gone = _gone_name(new)
    if gone is None or gone.was not in old or is_town(gone.was):
        return _is_taken_over(new, old)
    found = _WITH.match(even_out(old))
    if found is None or not _is_meant(gone.was, found["value"]) or parse_statement(old).denials:
        return False
    if _is_anothers(gone.by, found) or (gone.moved and not _is_of_it(gone.moved, found)):
        return False
    words = parse_statement(gone.purpose).words
    return not words or words == parse_statement(found["purpose"] or "").words


@lru_cache(maxsize=1_024)
def _taking_over(text: str) -> re.Match[str] | None:
    found = _TOOK_OVER.match(even_out(text))
    return None if found is None or is_bounded(text) else found


def _is_taken_over(new: str, old: str) -> bool:
    """`Otto took over the team from Ida`, after `Ida leads the team`."""
    found = _taking_over(new)
    if found is None or not old.startswith(f"{found['was']} "):
        return False
    verb, _, what = even_out(old).removeprefix(f"{found['was']} ").partition(" ")
    return verb in _OWNING.values() and what.lower() == found["what"].lower()


def _is_anothers(by: str, found: re.Match[str]) -> bool:
    """What I left, we may still be with."""
    whose = (found["who"] or found["what"]).partition(" ")[0].lower()
    return whose in {"i": ("we", "our"), "we": ("i", "my")}.get(by, ())


def _is_of_it(moved: str, found: re.Match[str]) -> bool:
    """Is it told of what was moved? My account is with my bank; the docs are where they were."""
    if found["is"]:
        return _CONTRACT.fullmatch(moved) is not None
    return parse_statement(moved).words == parse_statement(found["what"]).words


def _is_meant(named: str, value: str) -> bool:
    """`Gruber`, of `Gruber & Sons`."""
    return value == named or value.startswith(f"{named} ")
