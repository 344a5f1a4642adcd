"""What a statement plainly says of one thing, as in `the port is 8080`; and is it another value of it?

Only of what has one value at a time, or is told by a measure, and only in the same respect.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, trim_blanks, without_openings

from .descriptions import only_describes
from .judgements import in_one_respect
from .places import HALVES, may_hold
from .single_valued import ACTORS, ATTRIBUTES, KIN, NAMED, PEERS

_MARKERS = frozenset(
    {"default", "favourite", "favorite", "preferred", "current", "main", "primary"}
)
_CLAIM = lazy_pattern(
    r"(?P<subject>.*?)\s*(?:\b(?P<relation>"
    r"lives? (?:in|at)|works? (?:at|for|as)|is based in|is located (?:in|at)|reports? to|"
    r"listens? on(?: port)?|runs? on port|is due (?:on|by)|expires? on|is scheduled for|starts? at|"
    r"ends? at|opens? at|closes? at|takes?|lasts?|requires?|needs?|allows?|"
    r"costs?|weighs?|is called|is named|points? to|is set to|defaults? to|equals?|"
    r"is (?:pinned|locked|limited) to|is capped at|is)\b"
    r"|=|:(?=\s))\s*(?P<value>\S.*)"
)
_NUMBERED = lazy_pattern(
    r"(?P<subject>\S.*?)\s+(?:ist|beträgt|lautet|est(?: de)?|es(?: de)?|è(?: di)?|é(?: de)?|bedraagt|это|"
    r"равен|равна|равно|составляет|هو|هي|kostet|kost|coûte|cuesta|costa|custa|стоит)\s+"
    r"(?:der |die |das |le |la |el |il |o )?(?P<value>[^\W\d_]*\d(?:[\w.,:/-]*\s+\S+|\S*))"
)
"""In other languages only what is a figure: which words are names and which are not, we do not know there."""
_LED = lazy_pattern(
    r"^(?:(?:(?:we|i)(?:'ve| have)? (?:just )?(?:moved|switched|changed(?: it)?)|update|correction|actually|"
    r"sorry|no|ok(?:ay)?|btw|by the way|note|fyi|heads up)\s*[,:;–—-]+\s*){1,3}"
)
"""What is said before a value that has changed."""
_ANEW = lazy_pattern(
    r",?\s*\b(?:from now on|from today(?: on)?|as of (?:now|today)|these days|now)\W*$",
    re.IGNORECASE,
)
"""That it holds from now on."""
_LIMITS = frozenset({"for", "when", "during", "with"})
"""What begins so tells of what it holds, or when: the rent for the garage is not the rent."""
_PLACED = frozenset({"live in", "is based in", "is located in"})
_MEASURING = frozenset({"take", "last", "require", "need", "allow"})
"""So much of one kind at a time: 12 minutes, 16 characters. Of other kinds it may take, or need, more."""
_BOUND_TO = frozenset({"is pinned to", "is locked to", "is limited to", "is capped at"})
"""To one figure at a time; of names it may be bound to several."""
_OF_ONE = lazy_pattern(r"\W*(?:the|our|my|its|this \w+)\s", re.IGNORECASE)
"""It is told of one known thing."""
_PEOPLE = frozenset({*KIN, *PEERS, *ACTORS})
"""Who needs two of something may need three of something else."""
_IS = (None, "is", "equals", "equal", "is set to")
_REST = lazy_pattern(r"\s+(?:in|on|for|at|with|during|by|when|of|from|until|since|because)\s+.*")
_IN_TOWN = lazy_pattern(r"(?P<before>\d\S*) in [A-Z][\w-]+(?: [A-Z][\w-]+)?\W*$")
_FIGURES = lazy_pattern(r"\d[\d,/]*\d")
_PATH = lazy_pattern(
    r"(?<=(?:branch|folder) is )[^\s,;]+|(?<=path is )[^\s,;]+|(?<=directory is )[^\s,;]+"
    r"|(?<!\S)(?:https?:/|[.~]{0,2}(?=/\w))[^\s,;]+"
    r"|\b(?:europe|america|asia|africa|australia|pacific|atlantic|indian|etc)/\w+(?:/\w+)?"
)
_LIST = lazy_pattern(r",|;|\band\b|\bor\b|\bboth\b|/")
_DIMENSIONS = frozenset({"old", "tall", "long", "wide", "high", "deep", "thick", "away", "strong"})
_BARE_FIGURE = lazy_pattern(r"[-+−]?\d[\d.,]*")
_AGE = frozenset({"year old", "year", "yr", "yo"})
_WITHIN = frozenset({"in", "at", "with", "from", "near", "by", "under", "behind"})
MOST_VALUE = 5
BETWEEN = 2


class Claim(NamedTuple):
    """Something, and the one value it is said to have."""

    subject: tuple[str, ...]
    relation: str
    value: tuple[str, ...]
    rest: tuple[str, ...]
    told: str = ""
    """The value as it is written."""


def has_new_value(new: str, old: str) -> bool:
    """Another value of what has one value at a time."""
    one, other = claim(new), claim(old)
    if one is None or other is None or one[:2] != other[:2]:
        return False
    if one.rest != other.rest and (
        one.rest or _LIMITS & {*other.rest[:1]} or not _ANEW.search(new)
    ):
        return False
    a, b = set(one.value), set(other.value)
    placed = one.relation in _PLACED
    anew = _ANEW.search(new) is not None
    if a <= b or b <= a or (placed and may_hold(one.value, other.value, anew=anew)):
        return False
    if not in_one_respect(_noun(one.subject), one.told, other.told):
        return False
    if one.relation in _BOUND_TO | _MEASURING:
        measured = _are_measures(one, other) and _same_unit(one, other)
        known = _OF_ONE.match(new) is not None and not _PEOPLE & {*one.subject}
        return measured and (known or one.relation in _BOUND_TO)
    return one.relation != "is" or _is_other_value(one, other, new, old)


def _is_other_value(one: Claim, other: Claim, new: str, old: str) -> bool:
    """Is it told of what has one value at a time, and in the same respect?"""
    noun, a, b = _noun(one.subject), set(one.value), set(other.value)
    if _is_place(one) != _is_place(other) or only_describes((noun,), one.told, other.told):
        return False
    if _are_measures(one, other):
        return noun in ATTRIBUTES | NAMED or _same_unit(one, other)
    if noun in NAMED:
        return _is_specific(new, a) and _is_specific(old, b)
    return noun in ATTRIBUTES or not _MARKERS.isdisjoint(one.subject)


@lru_cache(maxsize=4096)
def claim(text: str) -> Claim | None:
    """The one thing that the statement says of its subject, if that is how it is put."""
    said = trim_blanks(without_openings(text)).rstrip(".!").lower().replace("’", "'")
    said = _ANEW.sub("", _LED.sub("", said)).strip(" ,")
    if _LIST.search(_PATH.sub("", _FIGURES.sub("", said))) or "?" in text:
        return None
    if number := _NUMBERED.fullmatch(said):
        return Claim(
            parse_statement(number["subject"]).words,
            "is",
            parse_statement(number["value"]).words,
            (),
            _as_written(text, number["value"]),
        )
    found = _CLAIM.fullmatch(said)
    if found is None:
        return None
    head = found["value"] if _is_with_town(text, found) else _REST.sub("", found["value"])
    value = parse_statement(head).words
    if not value or len(value) > MOST_VALUE:
        return None
    rest = parse_statement(found["value"][len(head) :]).words
    relation = "is" if found["relation"] in _IS else _one_form(found["relation"])
    subject = parse_statement(found["subject"]).words
    return Claim(subject, relation, value, rest, _as_written(text, head))


def _is_with_town(text: str, found: re.Match[str]) -> bool:
    """`My address is Parkweg 2 in Berlin`: the town is part of it."""
    told = found["relation"] == "is" and found["subject"].endswith("address")
    town = _IN_TOWN.search(text) if told else None
    return town is not None and town["before"].lower() in found["value"]


def _as_written(text: str, lower: str) -> str:
    at = text.lower().rfind(lower)
    return text[at : at + len(lower)] if at >= 0 else lower


def _one_form(relation: str) -> str:
    """`lives in` and `live in` are one."""
    first, _, rest = relation.partition(" ")
    return relation if first == "is" else f"{first.removesuffix('s')} {rest}".rstrip()


def _noun(subject: tuple[str, ...]) -> str:
    """What it is that has the value: `the owner of the shop` is an owner."""
    return subject[subject.index("of") - 1] if "of" in subject[1:] else (subject or ("",))[-1]


def _is_specific(text: str, value: set[str]) -> bool:
    """Is the value a figure or a name?"""
    return any(c.isdigit() for word in value for c in word) or bool(
        value & parse_statement(text).names
    )


def _is_measure(value: tuple[str, ...]) -> bool:
    """A number, perhaps with its unit, and of what it is the measure: `7 years old`."""
    bare = value[:-1] if len(value) > 1 and value[-1] in _DIMENSIONS else value
    return any(c.isdigit() for c in "".join(bare[:1])) and len(bare) <= BETWEEN


def _are_measures(one: Claim, other: Claim) -> bool:
    return all(_is_measure(each.value) for each in (one, other))


def _same_unit(one: Claim, other: Claim) -> bool:
    """Who is 9 is not 140 cm tall instead; a bare figure of somebody is an age."""
    units = {_BARE_FIGURE.sub("", " ".join(each.value)).strip() for each in (one, other)}
    return len(units) == 1 or units <= {"", *_AGE} or units <= HALVES


def _is_place(one: Claim) -> bool:
    """`in Room 4` tells where a doctor is, and not who."""
    return one.value[0] in _WITHIN
