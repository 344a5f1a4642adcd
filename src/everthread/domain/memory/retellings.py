"""A change told in other words than the first value was: put as that was, so that both can be compared.

`Lou's phone changed, it's 0199` tells what `Lou's phone is 0199 now` tells; `Marta quit, she is at Bosch now`
that she works there. Where what went is named (`we replaced Stripe with Mollie`, `we dropped Gruber, Aquafix
does it now`), it ends what tells just that of those who speak, and nothing that tells something else of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .renewals import renewed_claims
from .single_valued import ATTRIBUTES, NAMED
from .value_claims import even_out, is_bounded, kind_of

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
_ITS = lazy_pattern(
    rf"^(?P<what>\S.{{1,60}}?) (?:has |have )?changed (?:its|their|the) [\w ]+?{_BREAK}(?:it|they) "
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
_QUIT = lazy_pattern(
    r"^(?P<who>[A-Z][\w-]+(?: [A-Z][\w-]+)?)(?:'s| has)? (?:just |recently )?(?:quit|left|resigned|moved on|"
    r"(?:changed|switched) (?:jobs?|employers?)|got a new job|was laid off)(?: [\w ]{1,30}?)?"
    rf"{_BREAK}(?:s?he|they)(?:'s|'re| is| are| works?| work|'s working)(?: now| working)* "
    rf"(?:at|for|with) (?P<value>[A-Z]\S*(?: [A-Z]\S*){{0,2}}){_END}"
)
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
    rf"^(?:we|i)(?: now)? (?:do|have|hold) (?P<what>(?:the |our )?[a-z][a-z -]{{1,30}}?) "
    rf"at (?P<value>\d\S{{0,8}}){_END}",
    re.IGNORECASE,
)
_ONLY = lazy_pattern(r"^(?P<head>.*?)\bonly (?P<tail>.*\bnow)$", re.IGNORECASE)
_ROLES = frozenset({"teacher", "coach", "vet", "tutor", "trainer", "contact", "nanny", "plumber"})
_OWN = {"i": "my", "we": "our"}

_NAME = r"[A-Z][\w&'-]*(?: [A-Z&][\w&'-]*){0,2}"
_REPLACED = lazy_pattern(
    r"^(?:(?:i|we|We|I)(?:'ve| have)? )?(?:just |recently |finally |now )*(?:"
    rf"(?:[Rr]eplaced|[Ss]wapped(?: out)?|[Dd]itched|[Ll]eft|[Dd]ropped|[Tt]raded) (?P<was>{_NAME}) "
    rf"(?:with|for|by|in favou?r of) (?P<value>{_NAME})|"
    r"(?:[Mm]oved|[Ss]witched|[Cc]hanged|[Mm]igrated)"
    r"(?: (?P<object>(?:my|our|the) [a-z]+(?: [a-z]+)?))?(?: over)? "
    rf"from (?P<was2>{_NAME}) to (?P<value2>{_NAME}))"
    rf"(?: for (?P<purpose>[a-z][a-z ]{{1,30}}?))?{_END}"
)
_REPLACES = lazy_pattern(
    rf"^(?P<value>{_NAME})(?: has| now)? (?:replaces|replaced) (?P<was>{_NAME}){_END}"
)
_GAVE_UP = lazy_pattern(
    r"^(?:(?:i|we|We|I)(?:'ve| have|'re| are)? )?(?:just |recently |finally |now )*(?:[Dd]ropped|[Dd]itched|"
    r"[Ll]eft|[Qq]uit|[Ss]old|[Cc]ancell?ed|[Ff]ired|[Ss]topped using|[Gg]ot rid of|[Gg]ave up|[Dd]one with) "
    rf"(?:the |our |my )?(?P<was>{_NAME})(?=\s*[,;–—]| and | so )(?!.*\b(?:he|she|they)\b).*\bnow$"
)
_WENT = lazy_pattern(
    rf"^(?P<was>{_NAME})(?:'s| is| has| was)?(?: just| recently)? (?:quit|left|retired|resigned|"
    r"stepped down|gone|out|history|closed|shut down|went bust|fired)(?=\s*[,;–—]| and | so )"
    r"(?!.*\b(?:he|she|they|it)\b)"
    rf"\W+(?:and |so )?{_NAME} .*\bnow$"
)
_WITH = lazy_pattern(
    r"^(?P<who>(?:[Ww]e|I|(?:[Mm]y|[Oo]ur|[Tt]he) [a-z][a-z -]*?|[A-Z]?[a-z-]+s)) (?:(?P<is>is|are)|"
    r"(?:use|uses|run|runs|buy|go|goes|bank|banks|pay|host|hosts|work|order|insure|ship|ships|drive|"
    r"are handled|are sent|is handled|are made|is hosted|are hosted)(?: [a-z]+){0,2}?"
    r"(?: through| with| by| via| from| on| an?| the)?) "
    rf"(?P<value>{_NAME})(?: for (?P<purpose>[a-z][a-z ]{{1,30}}))?$"
)


_HINTS = lazy_pattern(
    r"\b(?:chang|switch|swap|replac|succeed|took over|takes? over|new\b|quit\b|left\b|resign|moved|ditch|"
    r"drop|trad|migrat|retir|sold\b|cancel|fired\b|stopped|got rid|gave up|done with|stepped|gone\b|out\b|"
    r"history|"
    r"closed|shut|went|only\b|now$|now\W|different|laid off|"
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


def tells_change(text: str) -> bool:
    """Does it tell in one of these forms that something is another now?"""
    if _HINTS.search(text) is None:
        return False
    return _gone_name(text) is not None or bool(retellings(text) or renewed_claims(text))


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
    for link in ("at", "for", "with"):
        yield f"{found['who']} works {link} {found['value']} now"


def _done_by(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['who']} {_OWNING[found['deed']]} {found['what'].lower()} now"


def _took_over(found: re.Match[str]) -> Iterator[str]:
    for verb in dict.fromkeys(_OWNING.values()):
        yield f"{found['who']} {verb} {found['what']} now"


def _held_at(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['what']} is at {found['value']} now"


def _without_only(found: re.Match[str]) -> Iterator[str]:
    yield f"{found['head']}{found['tail']}"


_FORMS: dict[re.Pattern[str], Callable[[re.Match[str]], Iterator[str]]] = {
    _CHANGED: _changed,
    _ITS: _its,
    _HAS_NEW: _has_new,
    _NEW: _new,
    _QUIT: _works_at,
    _BY: _done_by,
    _TOOK_OVER: _took_over,
    _HOLDS_AT: _held_at,
    _ONLY: _without_only,
}
"""How a change is told, and how else it can be put."""


def _has_one(what: str) -> bool:
    """Does one have one of it at a time? A new friend takes nobody's place."""
    return what.rpartition(" ")[2] in ATTRIBUTES | NAMED | _ROLES


def _called(what: str, value: str) -> Iterator[str]:
    """Only a name or a figure: what is `fine now` is no other thing. A phone is told by its number."""
    if kind_of(value) == "word":
        return
    yield f"{what} is {value} now"
    noun = what.rpartition(" ")[2].lower()
    if noun in ("phone", "mobile"):
        yield f"{what} number is {value} now"
    elif noun == "number" and "phone" not in what:
        yield f"{what.rpartition(' ')[0]} phone number is {value} now".strip()


@lru_cache(maxsize=4_096)
def _gone_name(text: str) -> _Gone | None:
    """What went, that something else came in its place; None where it tells no such thing."""
    even = even_out(text)
    if len(even) > LONGEST or _HINTS.search(text) is None or is_bounded(text):
        return None
    forms = (_REPLACED, _REPLACES, _GAVE_UP, _WENT)
    found = next((one for form in forms if (one := form.match(even))), None)
    if found is None:
        return None
    told = found.groupdict()
    was = told.get("was2") or found["was"]
    return _Gone(was, told.get("purpose") or "", told.get("object") or "")


def is_replaced_by_name(new: str, old: str) -> bool:
    """`We replaced Stripe with Mollie` after `Payments go through Stripe`; not after what Stripe costs, or
    whom somebody else is with."""
    gone = _gone_name(new)
    if gone is None or gone.was not in old:
        return False
    found = _WITH.match(even_out(old))
    if found is None or not _is_meant(gone.was, found["value"]) or parse_statement(old).denials:
        return False
    if gone.moved and not _is_of_it(gone.moved, found):
        return False
    words = parse_statement(gone.purpose).words
    return not words or words == parse_statement(found["purpose"] or "").words


def _is_of_it(moved: str, found: re.Match[str]) -> bool:
    """Is it told of what was moved? My account is with my bank; the docs are where they were."""
    if found["is"] and not moved.startswith("the "):
        return True
    return parse_statement(moved).words == parse_statement(found["who"]).words


def _is_meant(named: str, value: str) -> bool:
    """`Gruber`, of `Gruber & Sons`."""
    return value == named or value.startswith(f"{named} ")
