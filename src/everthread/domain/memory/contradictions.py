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

from .abilities import turns_ability
from .laid_anew import is_laid_anew
from .opposites import is_opposed
from .permissions import is_allowed_now, is_forbidden_now, is_let_go
from .places import is_moved, is_rehomed, names_land_alone
from .plain_claims import has_new_value
from .retellings import is_replaced_by_name, retellings
from .single_valued import KIN, PEERS
from .switches import turns_down
from .updates import is_updated
from .value_claims import are_needed_by_two

_FAMILIES = {
    "fact": "fact", "identity": "fact", "reference": "fact", "note": "fact",
    "preference": "choice", "rule": "choice", "decision": "choice",
    "open_item": "open",
}  # fmt: skip
_NOW = lazy_pattern(
    r"\b(?:now|jetzt|nun|inzwischen|maintenant|désormais|ahora|adesso|agora)\s+(?:(?:is|are|has|have|uses?|takes?|"
    r"costs?|runs?|listens?|stands?|set|at|on|to|in|about|only|port|version|ist|bei|auf|est|es|è|é|en|à)\s+){0,3}"
    r"(?P<value>v?\d(?:[\w.,:/-]*\w)?)",
    re.IGNORECASE,
)
"""A figure that holds now; what it is of stands before: "now room 12" tells of a room."""
_IDENTIFIER = lazy_pattern(r"\b[A-Za-z]\w*_\w+|^[A-Za-z]\w*(?=\s*[=:]\s)")
_SOME_ONLY = frozenset({"for", "at", "once", "and"})
"""Behind these stands for what, where or how often alone something was changed."""
_PERSONAL = lazy_pattern(
    r"\b(?:my|mine|mein\w*)\b|"
    r"^\W*(?:(?:so|and|but|also|well|btw|actually)\W+)*(?:i|ich|je|yo)(?:'m|'ve|'d)?\b"
)
_SENTENCES = lazy_pattern(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?!(?<=[Ss]tr)\.\s+\d|(?<=\b[Nn][ro])\.\s+\d)[.!?]\s+\S|\n"
)
_ASKS = lazy_pattern(
    r"^\W*(?:do|does|did|is|are|isn['’]t|aren['’]t|don['’]t|doesn['’]t|why|how)\b.*\?", re.I
)
_CHANGE = ("switched", "moved", "migrated", "changed", "upgraded", "downgraded", "renamed")
_NO_MORE = lazy_pattern(r"(?<=\w)\s++(?:any ?more|any longer|after all)(?=\W*$)", re.IGNORECASE)
"""`does not like it any more` denies what `likes it` says."""
_ONE_MORE = lazy_pattern(
    rf"(?i:my|our) (?:[a-z]+ )?(?:{'|'.join(sorted(KIN | PEERS))}) is (?:now )?(?:called |named )?[A-Z]"
)
"""Who is a neighbour now is so beside the others."""


BETWEEN = 2


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
    if are_needed_by_two(new, old):
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
    if one.hedges != other.hedges or _ASKS.search(new):
        return False
    if _is_denied(one, other) or _is_turned(one, other):
        return True
    return not one.denials and not other.denials and (has_new_value(new, old) or is_moved(new, old))


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
    if turns_ability(new, old) or is_forbidden_now(new, old) or is_let_go(new, old):
        return True
    if turns_down(new, old) or no_longer_holds(new, old):
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


def _split_at_over(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    at = words.index("over")
    return words[:at], words[at + 1 :]


def _common_start(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many words both begin with."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same
