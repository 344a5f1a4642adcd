"""Does a later statement take the place of an earlier one?

Only what is plain in the words is seen: the same statement denied, what was forbidden allowed, an opposite
in its place, a turned preference, an explicit change in whichever form (`updates`), another figure for now,
or another value of something that has one value, or one place, at a time; and where somebody lives who has
moved. A statement of several sentences, one about another time or under another condition, and nearly
everything that needs knowledge of the world is left alone: both are kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.reasons import without_reason
from everthread.domain.text.sayings import (
    LITTLE,
    ParsedStatement,
    parse_statement,
    trim_blanks,
    without_openings,
)
from everthread.domain.text.tellings.qualifiers import is_told_apart
from everthread.domain.text.tellings.told_anew import no_longer_holds

from .descriptions import only_describes
from .judgements import in_one_respect
from .laid_anew import is_laid_anew
from .opposites import is_opposed
from .permissions import is_allowed_now, is_let_go
from .places import HALVES, is_moved, is_rehomed, may_hold, names_land_alone
from .retellings import is_replaced_by_name, retellings
from .single_valued import ACTORS, ATTRIBUTES, KIN, NAMED, PEERS
from .switches import turns_down
from .updates import is_updated

_FAMILIES = {
    "fact": "fact", "identity": "fact", "reference": "fact", "note": "fact",
    "preference": "choice", "rule": "choice", "decision": "choice",
    "open_item": "open",
}  # fmt: skip

_MARKERS = frozenset(
    {"default", "favourite", "favorite", "preferred", "current", "main", "primary"}
)

_CLAIM = lazy_pattern(
    r"(?P<subject>.*?)\s*(?:\b(?P<relation>"
    r"lives? (?:in|at)|works? (?:at|for|as)|is based in|is located (?:in|at)|reports? to|"
    r"listens? on(?: port)?|runs? on port|is due (?:on|by)|expires? on|is scheduled for|starts? at|"
    r"ends? at|opens? at|closes? at|takes?|lasts?|requires?|needs?|allows?|"
    r"costs?|weighs?|is called|is named|points? to|is set to|defaults? to|equals?|is)\b"
    r"|=|:(?=\s))\s*(?P<value>\S.*)"
)
_NUMBERED = lazy_pattern(
    r"(?P<subject>\S.*?)\s+(?:ist|beträgt|lautet|est(?: de)?|es(?: de)?|è(?: di)?|é(?: de)?|bedraagt|это|"
    r"равен|равна|равно|составляет|هو|هي|kostet|kost|coûte|cuesta|costa|custa|стоит)\s+"
    r"(?:der |die |das |le |la |el |il |o )?(?P<value>[^\W\d_]*\d(?:[\w.,:/-]*\s+\S+|\S*))"
)
"""In other languages only what is a figure: which words are names and which are not, we do not know there."""
_NOW = lazy_pattern(
    r"\b(?:now|jetzt|nun|inzwischen|maintenant|désormais|ahora|adesso|agora)\s+(?:(?:is|are|has|have|uses?|takes?|"
    r"costs?|runs?|listens?|stands?|set|at|on|to|in|about|only|port|version|ist|bei|auf|est|es|è|é|en|à)\s+){0,3}"
    r"(?P<value>v?\d(?:[\w.,:/-]*\w)?)",
    re.IGNORECASE,
)
"""A figure that holds now; what it is of stands before: "now room 12" tells of a room."""
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
_IDENTIFIER = lazy_pattern(r"\b[A-Za-z]\w*_\w+|^[A-Za-z]\w*(?=\s*[=:]\s)")
_LIMITS = frozenset({"for", "when", "during", "with"})
"""What begins so tells of what it holds, or when: the rent for the garage is not the rent."""
_SOME_ONLY = frozenset({"for", "at", "once", "and"})
"""Behind these stands for what, where or how often alone something was changed."""
_PERSONAL = lazy_pattern(
    r"\b(?:my|mine|mein\w*)\b|"
    r"^\W*(?:(?:so|and|but|also|well|btw|actually)\W+)*(?:i|ich|je|yo)(?:'m|'ve|'d)?\b"
)
_PLACED = frozenset({"live in", "is based in", "is located in"})
_MEASURING = frozenset({"take", "last", "require", "need", "allow"})
"""So much of one kind at a time: 12 minutes, 16 characters. Of other kinds it may take, or need, more."""
_OF_ONE = lazy_pattern(r"\W*(?:the|our|my|its|this \w+)\s", re.IGNORECASE)
"""It is told of one known thing."""
_PEOPLE = frozenset({*KIN, *PEERS, *ACTORS})
"""Who needs two of something may need three of something else."""
_IS = (None, "is", "equals", "equal", "is set to")
_REST = lazy_pattern(r"\s+(?:in|on|for|at|with|during|by|when|of|from|until|since|because)\s+.*")
_FIGURES = lazy_pattern(r"\d[\d,/]*\d")
_PATH = lazy_pattern(
    r"(?<=(?:branch|folder) is )[^\s,;]+|(?<=path is )[^\s,;]+|(?<=directory is )[^\s,;]+"
)
_LIST = lazy_pattern(r",|;|\band\b|\bor\b|\bboth\b|/")
_SENTENCES = lazy_pattern(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?]\s+\S|\n")
_CHANGE = ("switched", "moved", "migrated", "changed", "upgraded", "downgraded", "renamed")
_NO_MORE = lazy_pattern(r"(?<=[a-z])\s++(?:any ?more|any longer|after all)(?=\W*$)", re.IGNORECASE)
"""`does not like it any more` denies what `likes it` says."""
_DIMENSIONS = frozenset({"old", "tall", "long", "wide", "high", "deep", "thick", "away", "strong"})
_BARE_FIGURE = lazy_pattern(r"[-+−]?\d[\d.,]*")
_AGE = frozenset({"year old", "year", "yr", "yo"})
_WITHIN = frozenset({"in", "at", "with", "from", "near", "by", "under", "behind"})
_ONE_MORE = lazy_pattern(
    rf"(?i:my|our) (?:[a-z]+ )?(?:{'|'.join(sorted(KIN | PEERS))}) is (?:now )?(?:called |named )?[A-Z]"
)
"""Who is a neighbour now is so beside the others."""
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


def are_comparable(new_kind: str, old_kind: str) -> bool:
    """Can a memory of the one kind take the place of one of the other? A correction always can."""
    return new_kind == "correction" or _FAMILIES.get(new_kind) == _FAMILIES.get(old_kind)


@lru_cache(maxsize=2_048)  # each is held against all that was told
def is_personal(text: str) -> bool:
    """Does somebody speak of himself? Another's word neither repeats that nor changes it."""
    return _PERSONAL.search(text.lower().replace("’", "'")) is not None


def contradicts(new: str, old: str) -> bool:
    """Can the earlier statement not stand beside the later one, whatever the reason that is given?"""
    new, old = without_reason(new), without_reason(old)
    if is_laid_anew(new, old):
        return True
    return _speaks_against(new, old) and not may_both_stand(new, old)


def may_both_stand(new: str, old: str) -> bool:
    """Is it told of less, of more or of others by a small word; of one more; or of where that is?"""
    if is_told_apart(new, old) or _ONE_MORE.match(new) or _are_two_identifiers(new, old):
        return True
    return names_land_alone(new, old) and not is_rehomed(new, old)


def _are_two_identifiers(new: str, old: str) -> bool:
    """`MAX_RETRIES` of the environment and `max_retries` of a file are two."""
    one, other = _identifiers(new), _identifiers(old)
    return any({one.get(name), each} == {name, name.upper()} for name, each in other.items())


@lru_cache(maxsize=4096)
def _identifiers(text: str) -> dict[str, str]:
    return {each.lower(): each for each in _IDENTIFIER.findall(text)}


def _speaks_against(new: str, old: str) -> bool:
    one, other = parse_statement(new), parse_statement(old)
    # Nearly all pairs end here: they have nothing to do with each other.
    if (set(one.words) - LITTLE).isdisjoint(other.words):
        return is_rehomed(new, old) or no_longer_holds(new, old) or is_opposed(new, old)
    if _is_several(new) or _is_several(old):
        return False
    turned = is_opposed(new, old) or _is_changed(one, other) or _is_replaced(one, other)
    if turned or _is_restated(new, old) or _is_told_anew(new, old):
        return True
    one = _parsed_plainly(new)
    if one.hedges != other.hedges:
        return False
    if _is_denied(one, other) or _is_turned(one, other):
        return True
    return (
        not one.denials and not other.denials and (_has_new_value(new, old) or is_moved(new, old))
    )


@lru_cache(maxsize=4096)
def _is_several(text: str) -> bool:
    """Has it more than one sentence?"""
    return _SENTENCES.search(text.strip()) is not None


@lru_cache(maxsize=4096)
def _parsed_plainly(text: str) -> ParsedStatement:
    return parse_statement(_NO_MORE.sub("", text))


def _is_told_anew(new: str, old: str) -> bool:
    if is_updated(new, old) or is_rehomed(new, old) or is_allowed_now(new, old):
        return True
    if is_let_go(new, old) or turns_down(new, old) or no_longer_holds(new, old):
        return True
    return is_replaced_by_name(new, old) or any(is_updated(e, old) for e in retellings(new))


def _is_denied(one: ParsedStatement, other: ParsedStatement) -> bool:
    """`prefers tabs`, `prefers no tabs`."""
    return one.words == other.words and {one.negations, other.negations} == {0, 1}


def _is_turned(one: ParsedStatement, other: ParsedStatement) -> bool:
    """`tabs over spaces`, `spaces over tabs`."""
    if (
        one.words.count("over") != 1
        or other.words.count("over") != 1
        or one.denials != other.denials
    ):
        return False
    (left, right), (left2, right2) = _split_at_over(one.words), _split_at_over(other.words)
    same = _common_start(left, left2)
    a, b = left[same:], left2[same:]
    if not a or not b:
        return False
    return right[: len(b)] == b and right2[: len(a)] == a and right[len(b) :] == right2[len(a) :]


def _is_replaced(one: ParsedStatement, other: ParsedStatement) -> bool:
    """`uses pnpm instead of npm` after `uses npm`."""
    if one.words.count("over") != 1 or one.denials or other.denials:
        return False
    left, right = _split_at_over(one.words)
    before = _common_start(left, other.words)
    return bool(before and right) and before < len(left) and other.words[before:] == right


def _is_changed(one: ParsedStatement, other: ParsedStatement) -> bool:
    """`the project moved from A to B` after `the project uses A`."""
    verb = next((w for w in one.words if w in _CHANGE), None)
    if verb is None or "from" not in one.words or one.denials or other.denials:
        return False
    at, start = one.words.index(verb), one.words.index("from")
    if start != at + 1 or "to" not in one.words[start:]:
        return False
    end = one.words.index("to", start)
    if not _SOME_ONLY.isdisjoint(one.words[end:]):
        return False
    subject, was = one.words[:at], one.words[start + 1 : end]
    head, tail = other.words[: len(subject)], other.words[len(subject) :]
    between = len(tail) - len(was)
    return bool(was) and head == subject and 0 < between <= BETWEEN and tail[between:] == was


def _is_restated(new: str, old: str) -> bool:
    """`its port is now 9090, not the old one` after the same with 8080."""
    one, other = _value_now(new), _value_now(old)
    if one is None or other is None or one[0] == other[0]:
        return False
    return one[1] == other[1]


@lru_cache(maxsize=4096)
def _value_now(text: str) -> tuple[str, str] | None:
    """The value that it says to be so now, and the text without it."""
    found = _NOW.search(text)
    if found is None:
        return None
    start, end = found.span("value")
    rest = trim_blanks(without_openings(f"{text[:start]}#{text[end:]}")).rstrip(".!").lower()
    return found["value"], rest


def _has_new_value(new: str, old: str) -> bool:
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
    if one.relation in _MEASURING:
        measured = _are_measures(one, other) and _same_unit(one, other)
        return measured and bool(_OF_ONE.match(new)) and not _PEOPLE & {*one.subject}
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
    head = _REST.sub("", found["value"])
    value = parse_statement(head).words
    if not value or len(value) > MOST_VALUE:
        return None
    rest = parse_statement(found["value"][len(head) :]).words
    relation = "is" if found["relation"] in _IS else _one_form(found["relation"])
    subject = parse_statement(found["subject"]).words
    return Claim(subject, relation, value, rest, _as_written(text, head))


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


def _split_at_over(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    at = words.index("over")
    return words[:at], words[at + 1 :]


def _common_start(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many words both begin with."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same
