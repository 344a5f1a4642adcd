"""What a statement tells of something: its value, where or when it is, and whether that is said to be new.

`The launch moved to 13 April`, `We raised the limit to 60`, `Our new landlord is Mrs Krag`: people who
tell a change do not repeat how they told the first value. So a statement is read into what it is about,
as a set of words, and a value of some kind; only values of one kind can take each other's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, stem, trim_blanks, without_openings

from .single_valued import ROLES_OF_ONE

Kind = Literal["time", "number", "name", "word"]
How = Literal["is", "at", "moved", "renamed", "changed"]

MOST_VALUE = 8
"""Words of a value; what is longer is no value but a story."""

_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?|"
    r"\d{4}-\d\d?-\d\d?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{1,2}(?:st|nd|rd|th)|"
    r"(?:19|20)\d\d|weekends?"
)
_CLOCK = r"\d{1,2}[:.]\d\d(?: ?(?:am|pm))?|\d{1,2} ?(?:am|pm|o'clock|uhr)|noon|midnight"
_LINK = r"on|at|the|of|by|every|each|day|night|morning|afternoon|evening|week|month|in"
TIMED = lazy_pattern(rf"(?:(?:{_DAY}|{_CLOCK}|{_LINK}|\d{{1,2}})(?:,? |$))+", re.IGNORECASE)
DAYS = lazy_pattern(rf"\b(?:{_DAY})(?!\w)", re.IGNORECASE)
CLOCKS = lazy_pattern(rf"\b(?:{_CLOCK})(?!\w)", re.IGNORECASE)
_NUMBER = lazy_pattern(
    r"(?:about |around |only |roughly )?[£$€~]?\d[\d.,]*(?:k|m|%|€)?"
    r"(?: [^\W\d]+(?: per \w+)?){0,3}"
)
_MEASURE = lazy_pattern(
    r"(?:about |around |only |roughly )?(?P<sign>[£$€~]?)\d[\d.,]*(?:k|m)?(?P<mark>[%€]?)"
    r"(?:\b|$) ?(?P<unit>.*)"
)
_UNITS = {
    "£": "pound", "gbp": "pound", "$": "dollar", "usd": "dollar", "€": "euro", "eur": "euro", "%": "percent",
}  # fmt: skip
_STREET = lazy_pattern(
    r"\d+[a-z]?(?: [A-Z][\w'-]+){1,3} (?:Street|St|Road|Rd|Lane|Avenue|Ave|Square|Drive|Close|Way|Court|"
    r"Place|Row|Terrace|Gardens|Hill|Quay|Boulevard|Crescent)\.?"
)
_LINKED = lazy_pattern(r"(?:https?://\S+|(?:[a-z][\w-]*\.)+[a-z]{2,}(?:[:/]\S*)?)", re.IGNORECASE)
_NAME = lazy_pattern(r"[^\W_]*[A-Z\d]|\S*\w[@_/.-]\w|`|\"")

_SO = (
    r"(?:'ve|'s| have| has| had)?(?P<undergone> been| was| were| is| are| got)?"
    r"(?: just| recently| now| finally| already)?"
)
_MOVES = (
    r"moved(?: up| back)?|relocated|migrated|transferred|shifted|pushed(?: back| out)?|postponed|delayed|"
    r"rescheduled|(?:brought|pulled) forward|slipped|slid|deferred|put (?:off|back)"
)
_RENAMES = r"renamed|rebranded"
_CHANGES = (
    r"changed|switched|raised|increased|lowered|reduced|cut|decreased|dropped|bumped(?: up)?|set|reset|"
    r"updated|adjusted|corrected|extended|upgraded|downgraded|went (?:up|down)|gone (?:up|down)|rose|"
    r"risen|fell|fallen|grew|grown|shrank|shrunk|climbed|doubled|halved|trimmed|slashed"
)
_VERB = rf"(?:(?P<moved>{_MOVES})|(?P<renamed>{_RENAMES})|(?P<changed>{_CHANGES}))(?: over| back)?"
_FROM = r"(?: from (?P<was>\S+(?: \S+){0,4}?))?(?: to| until| as) (?P<value>\S.*)"
_PASSIVE = lazy_pattern(
    rf"(?P<subject>(?!(?:i|we|you|they|he|she|it)\b)\S.*?){_SO} {_VERB}{_FROM}", re.IGNORECASE
)
_ITS_NAME = r"(?:the|our|my|this|its)\b .*?|\w+[-_]\w[\w-]*"
"""As it is spoken of, or as a file names it: `requires-python`."""
_ACTIVE = lazy_pattern(
    rf"(?:(?:the |our |my )?[\w-]+){_SO} {_VERB} (?P<subject>{_ITS_NAME}){_FROM}",
    re.IGNORECASE,
)
_RESOLVED = lazy_pattern(
    r"(?:we|i)(?: now)? (?:(?P<moved>move|postpone|push back)|(?P<renamed>rename)|"
    r"(?P<changed>lower|raise|set|increase|reduce|decrease|bump|change|extend)) "
    rf"(?P<subject>{_ITS_NAME}){_FROM}",
    re.IGNORECASE,
)
"""`We lower the limit to 5`: who says so does it by that."""
_AGED = lazy_pattern(
    r"(?P<subject>\S.*?)(?: has| have|'s)?(?: just| recently| now)? turned (?P<value>\d+)"
)
_STATES = lazy_pattern(
    r"(?P<subject>\S.*?) (?:(?P<called>(?:is|are) (?:called|named))|(?P<due>(?:is|are) due(?: on| by| at)?)"
    r"|(?:is|are|sits?|stays?|lives?|runs?)(?: (?P<set>based|located|situated|hosted|stored|kept|deployed|"
    r"held|parked|planned|scheduled|fixed|booked))? (?P<at>in|at|on|for)"
    r"|(?:starts?|begins?|leaves?|departs?|happens?|takes? place|goes out|go out) (?P<when>on|at|in)"
    r"|(?P<is>is|are|costs?))"
    r" (?P<value>\S.*)",
    re.IGNORECASE,
)
_NEEDED = lazy_pattern(
    r"(?P<who>i|we|s?he|they|(?:the |our |my )?[\w-]+) (?:needs?|wants?|expects?) "
    r"(?P<subject>(?:the|our|my|his|her|their|all|these|those) \S.*?) by (?P<value>\S.*)",
    re.IGNORECASE,
)
"""What somebody needs by then is due then."""
_NEEDED_BY = "by "
_NEEDED_BY_US = frozenset({_NEEDED_BY, f"{_NEEDED_BY}we"})
"""Who speaks is no word of the statement."""
_DEADLINE = stem("deadline")
_HOLDER = lazy_pattern(
    r"(?P<value>[A-Z][\w-]+\.?(?: [A-Z][\w-]+)?) is (?:now )?"
    r"(?P<subject>(?:the|our|my|[A-Z][\w-]+'s) (?!new |only |same |first |last |next |other |best |most )"
    r"(?:[A-Z]{2,4}|[a-z]+(?: (?!now\b)[a-z]+)?)(?: (?:of|at|for|in) (?:the |our |my )?[\w-]+)?)(?: now)?"
)
"""`Sven is the contact at the hall`: who it is stands first."""
_REST = lazy_pattern(r" (?:in|on|for|at|with|during|by|when|until|since|because|over|near) .*")
_WHY = lazy_pattern(r"^ (?:because|since) .*")
"""It bounds nothing."""
_INSTEAD = lazy_pattern(r"\b(?:instead|in (?:its|his|her|their) place)\b", re.IGNORECASE)
_SINCE = lazy_pattern(
    r"(?<!\s),?\s++(?:now|again|from now on|these days|today|yesterday|instead|as of (?:now|today)|"
    r"from today(?: on)?|(?:last|this) (?:week|month|weekend|year|spring|summer|autumn|fall|winter))$",
    re.IGNORECASE,
)
_NOW = lazy_pattern(
    r"\b(?:now|these days|from (?:today|now on)|as of (?:now|today)|no longer|instead)\b"
    r"|^\s*(?:no|nope|(?:no[ ,]+|oh )?wait|oops|actually|correction|update|sorry|my mistake|"
    r"i (?:was wrong|got it wrong|misspoke))\s*[,:!–-]"
    r"|^\s*actually\b",
    re.IGNORECASE,
)
"""That it is so only now; or that another had it wrong."""
_NEW = lazy_pattern(r"\b(?P<of>my|our|the|its|\w+'s) new (?P<noun>.+)", re.IGNORECASE)
_NOT = lazy_pattern(
    r"(?P<head>\S.*?),? (?:and |but )?(?:not|over) (?:(?:on|in|at|with|from|to|by) )?(?P<was>\S.*)"
)
_CLAUSES = lazy_pattern(r"(?<!\d)\s*[,;:–—]\s+|\s+[–—-]\s+")
_APART = lazy_pattern(
    r"\b(?:also|too|as well|another|additionally|in addition|if|unless|might|(?-i:may)|could|should|would|"
    r"used to|now and then|(?<!extended )(?<!postponed )(?<!delayed )(?<!deferred )(?<!off )until|except|"
    r"sometimes|both|or|will|maybe|perhaps|probably|one of|some of|"
    r"was (?:in|at|on|hosted)|tomorrow|for (?:today|once|now|the moment|the time being)|"
    r"temporarily|meanwhile|just today|(?:this|last|next) time)\b"
    r"|^\W*(?:today|tonight|(?:this|next|last) \w+|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b(?!'s)"
    r"|(?<!\d)\?",
    re.IGNORECASE,
)
"""What is said of something more, of another time, or under a condition: it changes nothing."""
_OWN = frozenset(("our", "this", "its", "new", "current", "for", "of", "about", "own", "we"))
"""Who tells a change says `the launch` of what was `our launch`. Whose it is else stays: `Tom's`, `her`."""
_OWNED = lazy_pattern(r"(?:my|our|the|its|[\w ]+?'s)\b|.* of ", re.IGNORECASE)
_IS = lazy_pattern(
    r"\b(?!(?:it|that|this|what|there|here|he|she|who|where|how|let)'s)(?P<what>\w+)'s"
    r"(?= (?:(?:now|at|on|in|an?|the|called)\b|\d))",
    re.IGNORECASE,
)
"""`Choir's at seven now`."""
_TAILS = {"address": {"email", "mail", "e-mail"}, "number": {"phone", "mobile", "telephone"}}


class ValueClaim(NamedTuple):
    """Something, and the value it is said to have."""

    subject: frozenset[str]
    how: How
    kind: Kind
    value: tuple[str, ...]
    text: str
    """The value as it is written."""
    rest: frozenset[str]
    fresh: bool
    """Is it said to be so only now?"""
    new: bool
    """Is the thing itself said to be a new one?"""
    was: tuple[str, ...] = ()
    link: str = ""
    """Of what is somewhere: by which word, as in `hosted on`."""
    acts: bool = False
    """Is it something that the thing itself did? Who switched to tea is still who he was."""
    instead: bool = False
    """Is it said to take the place of what was?"""
    owned: bool = False
    """Is it told of what somebody or something has: `our vet`, `Milo's teacher`, `the coach of the team`?"""


@lru_cache(maxsize=4096)
def even_out(text: str) -> str:
    """The statement without manners; `no longer` is `not`, `instead of` is `over`."""
    return trim_blanks(without_openings(text)).rstrip(".!").replace("’", "'")


def is_bounded(text: str) -> bool:
    """Does it tell of something more, of another time, or under a condition?"""
    return _APART.search(text) is not None


def without_since(clause: str) -> str:
    """Without what says at its end only that it is so now."""
    return _SINCE.sub("", clause)


def is_fresh(text: str) -> bool:
    """Does it say that it is so only now?"""
    return _NOW.search(text) is not None


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[str, ...]:
    """The whole statement, and what it says before and after a comma."""
    whole = even_out(text)
    parts = [part for part in _CLAUSES.split(whole) if part]
    return (whole, *parts) if 1 < len(parts) <= 3 else (whole,)  # noqa: PLR2004 - more is a story


@lru_cache(maxsize=4096)
def value_claims(text: str) -> tuple[ValueClaim, ...]:
    """What the statement tells, in whichever form it is put; nothing where it is bounded."""
    if is_bounded(text) or len(text) > 200:  # noqa: PLR2004 - a longer one is a story
        return ()
    fresh = is_fresh(text)
    instead = _INSTEAD.search(text) is not None
    found = [
        one._replace(instead=instead)
        for clause in clauses(text)
        for one in _clause_claims(clause, fresh=fresh)
    ]
    holder = _HOLDER.fullmatch(even_out(text))
    if holder and (not fresh or _is_only_one(holder["subject"])):
        found.append(_make_claim(holder, "is", fresh=fresh, was=()))
    return tuple(dict.fromkeys(filter(_is_short, found)))


def are_needed_by_two(new: str, old: str) -> bool:
    """What she needs by then, and what he needs, or when it is due: another's need does not change that."""
    ours, theirs = (
        {claim.link for claim in value_claims(text) if claim.link.startswith(_NEEDED_BY)}
        for text in (new, old)
    )
    if ours and not theirs:
        is_due = any(_DEADLINE in claim.subject for claim in value_claims(old))
        return is_due and ours.isdisjoint(_NEEDED_BY_US)
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _is_only_one(subject: str) -> bool:
    """Who is our pupil now need not be the only one; who is the contact is, and who is our accountant."""
    return subject.startswith("the ") or stem(subject.rpartition(" ")[2].lower()) in ROLES_OF_ONE


def _clause_claims(clause: str, *, fresh: bool) -> Iterator[ValueClaim]:
    was: tuple[str, ...] = ()
    if denied := _NOT.fullmatch(clause):
        clause, was = denied["head"], parse_statement(denied["was"]).words
    clause = _IS.sub(r"\g<what> is", clause)
    while (shorter := _SINCE.sub("", clause)) != clause:
        clause = shorter
    clause = re.sub(r"\b(is|are) (?:now|currently|just)\b", r"\1", clause)
    if found := _PASSIVE.fullmatch(clause):
        yield _make_claim(found, _how(found), fresh=True, was=was, acts=not found["undergone"])
    elif found := _ACTIVE.fullmatch(clause) or _RESOLVED.fullmatch(clause):
        yield _make_claim(found, _how(found), fresh=True, was=was)
    elif found := _AGED.fullmatch(clause):
        yield _make_claim(found, "is", fresh=True, was=was, unit=" years old")
    elif (found := _NEEDED.fullmatch(clause)) and TIMED.fullmatch(found["value"]):
        who = " ".join(parse_statement(found["who"]).words)
        needed = _make_claim(found, "at", fresh=fresh, was=was, more="deadline")
        yield needed._replace(link=f"{_NEEDED_BY}{who}")
    elif found := _STATES.fullmatch(clause):
        at = found["at"] or found["when"] or found["due"]
        more = "name" if found["called"] else "deadline" if found["due"] else ""
        link = f"{found['set'] or ''} {found['at'] or found['when'] or ''}".strip().lower()
        how: How = "at" if at else "is"
        yield _make_claim(found, how, fresh=fresh, was=was, more=more)._replace(link=link)


def _how(found: re.Match[str]) -> How:
    return "moved" if found["moved"] else "renamed" if found["renamed"] else "changed"


def _make_claim(
    found: re.Match[str],
    how: How,
    *,
    fresh: bool,
    was: tuple[str, ...],
    more: str = "",
    unit: str = "",
    acts: bool = False,
) -> ValueClaim:
    subject, text = found["subject"], found["value"] + unit
    before = parse_statement(found.groupdict().get("was") or "").words
    head = text if TIMED.fullmatch(text) else _REST.sub("", text)
    rest = frozenset(parse_statement(_WHY.sub("", text[len(head) :])).words) - _OWN
    renewed = _NEW.search(subject) is not None
    return ValueClaim(
        subject=_subject_words(f"{subject} {more}"),
        how=how,
        kind=kind_of(head),
        value=parse_statement(head).words,
        text=head,
        rest=rest,
        fresh=fresh or renewed,
        new=renewed,
        was=before or was,
        acts=acts,
        owned=_OWNED.match(subject) is not None,
    )


def _is_short(one: ValueClaim) -> bool:
    return all(0 < len(words) <= MOST_VALUE for words in (one.value, one.subject))


def _subject_words(subject: str) -> frozenset[str]:
    told = [word for word in parse_statement(subject).words if word not in _OWN]
    # A manager's manager is another.
    words = {
        f"{word} {n}" if (n := told[:at].count(word)) else word for at, word in enumerate(told)
    }
    doubled = {tail for tail, heads in _TAILS.items() if tail in words and words & heads}
    return frozenset(words - doubled)


def kind_of(value: str) -> Kind:
    """A time, a figure, a name, or any word."""
    if TIMED.fullmatch(value) and (DAYS.search(value) or CLOCKS.search(value)):
        return "time"
    if _NUMBER.fullmatch(value) and _STREET.fullmatch(value) is None:
        return "number"
    return "name" if any(_NAME.match(word) for word in value.split()) else "word"


def is_address(value: str) -> bool:
    """Is it where something is found, and nothing else: a link, a street with its number?"""
    return _LINKED.fullmatch(value) is not None or _STREET.fullmatch(value) is not None


def unit_of(number: str) -> tuple[str, ...]:
    """In what it is counted: `£4,000` in pounds, `60 requests per minute` in these; a bare one in nothing."""
    found = _MEASURE.fullmatch(number.lower())
    if found is None:
        return parse_statement(number).words[1:]
    signs = (found["sign"].strip("~"), found["mark"])
    words = (*(sign for sign in signs if sign), *parse_statement(found["unit"]).words)
    return tuple(_UNITS.get(word, word) for word in words)
