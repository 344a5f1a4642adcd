"""Does a later statement tell that something else is taken than the earlier one tells?

By a verb of change (`We switched to B for mail`), or by turning down just what the earlier told to take: `Use
yarn, not pnpm` after `Use pnpm, not npm`. Then both must be the same statement but for that one thing: for
another purpose, person, place or time both hold.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.dropped_things import is_called_off, is_used_no_longer
from everthread.domain.text.given_up_choices import is_given_up
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .chosen_means import is_chosen_anew
from .known_names import are_of_one_sort, are_of_two_sorts
from .single_valued import KIN
from .value_claims import even_out, is_bounded, value_claims, without_since

_TURNED = lazy_pattern(
    r"(?:i|we)(?:(?:'ve| have)?(?: just| recently| finally| now)? (?:switched|moved|migrated|changed)"
    r"|(?:'re|'m| are| am)(?: now)? (?:switching|moving|migrating|changing))"
    r"(?: over)?(?: (?P<object>(?:the|our|my) \S+(?: \S+)??))?"
    r"(?: from (?P<was>\S+(?: \S+){0,2}?))? to (?P<value>\S+(?: \S+){0,3}?)"
    r"(?: for (?P<purpose>\S.*))?"
)
_USES = lazy_pattern(
    r"(?:we|i|(?P<user>(?:the|our|my) \S+(?: \S+)?))"
    r" (?:uses?|runs?(?: on)?|hosts? on|(?:are|is)(?: hosted)? on|deploys? to|works? with)"
    r" (?P<value>\S+(?: \S+){0,3}?)(?: for (?P<purpose>\S.*))?"
)
_USED = lazy_pattern(
    r"^(?:the|our|my) (?:[\w-]+ ){0,3}?(?:target|host|hoster|hosting|provider|platform|registrar|database|db|"
    r"queue|cache|editor|ide|framework|stack|tool|tracker|ci|bank|insurer|carrier|cloud|server|backend|broker|manager|"
    r"vendor|supplier|crm|wiki|chat|calendar|mailer|store|registry) (?:is|are)\b",
    re.IGNORECASE,
)
"""What one has and may change for another; nobody moves away from a birthplace, a customer or a favourite."""
_WHOSE = lazy_pattern(r"^(?:the|our|my) ")
_TURNS = lazy_pattern(
    r"\b(?:switched|moved|migrated|changed|upgraded|downgraded|updated|bumped|(?:switch|mov|migrat|chang)ing)\b"
)

LONGEST = 120
"""Characters of such a statement; a longer one tells more than that."""

MOST = 3
"""Words of the thing that is taken or turned down."""

Words = tuple[str, ...]

_HINTS = lazy_pattern(r"\b(?:not|no longer|instead of|rather than|from) \S", re.IGNORECASE)
_AGAINST = lazy_pattern(
    r"(?P<head>\S.*?),? (?:and |but )?(?:not|over) (?:(?:on|in|at|with|from|to|by|as) )?(?P<gone>\S.*)"
)
_FROM_TO = lazy_pattern(
    r"(?:(?:we|let's|please)(?:'ve| have|'re| are)? )?(?:just |now )?"
    r"(?:switch(?:ed|ing)?|mov(?:ed?|ing)|migrat(?:ed?|ing)|chang(?:ed?|ing))(?: over)? "
    r"from (?P<gone>\S+(?: \S+){0,2}?) to (?P<head>\S+(?: \S+)?)(?: please)?",
    re.IGNORECASE,
)
_HENCEFORTH = lazy_pattern(r"\W*from (?:now|today) on\b", re.IGNORECASE)
_BOUNDING = """
    for in on at when while during with by as from until till before after than because since so and or but
    only if unless to this that these those last next first second today tonight tomorrow yesterday week
    month year once again time here there half every each most about of without within regarding per via
"""
_BOUNDS = frozenset(_BOUNDING.split())
"""What stands with one of these is taken for some purpose, or some time, only."""
_OURS = ("we", "let")
"""Who says `use it` to an agent says it of what `we use`."""
_POINTING = """
    i me my mine you your he him his she her they them their the a an this that these those
"""
_POINTERS = frozenset(_POINTING.split())
_WORD = lazy_pattern(r"\w+")
_USING = frozenset(
    ("use", "run", "ship", "host", "deploy", "build", "test", "bank", "order", "buy")
)
_LINKS = frozenset(("with", "on", "at", "to", "via", "through", "from", "in"))


class _Choice(NamedTuple):
    """A statement of what is taken, and what is turned down by it."""

    words: Words
    """Without what is turned down."""
    gone: Words
    whose: Words
    """Of whom or what it speaks: what I am called is not what my sister is called."""


def may_switch(clause: str) -> bool:
    """A quick look before a long one."""
    return _TURNS.search(clause.lower()) is not None


def is_switched(new: str, old: str) -> bool:
    """`We switched from A to B`, `We switched to B for mail`."""
    one, other = even_out(new).lower(), even_out(old).lower()
    used, turn = _USES.fullmatch(other), _TURNED.fullmatch(one)
    if used is None:
        return turn is not None and _left_value(turn, old)
    if turn and turn["value"] != used["value"] and _BOUNDS.isdisjoint(turn["value"].split()):
        purpose, other_purpose = (_bare_purpose(turn, "object"), _bare_purpose(used, "user"))
        if turn["was"]:
            return turn["was"] == used["value"] and (not purpose or purpose == other_purpose)
        if are_of_two_sorts(turn["value"], used["value"]):
            return False
        if turn["object"]:  # the shop has a database, a theme, a currency
            return purpose == other_purpose and are_of_one_sort(turn["value"], used["value"])
        return bool(purpose) and purpose == _bare_purpose(used)
    return False


def _left_value(turn: re.Match[str], old: str) -> bool:
    """`We're moving from Fly to Hetzner` after `The deploy target is Fly`: by its name, for all there is."""
    if not turn["was"] or turn["purpose"] or turn["object"] or not _USED.match(old):
        return False
    told = [each for each in value_claims(old) if each.how == "is" and each.kind == "name"]
    return any(each.text.lower() == turn["was"] and each.subject.isdisjoint(KIN) for each in told)


def _bare_purpose(found: re.Match[str], other: str = "purpose") -> str:
    """What it is used for, or by."""
    return _WHOSE.sub("", found["purpose"] or found[other] or "")


def turns_down(new: str, old: str) -> bool:
    """Is what the earlier told to take turned down, for something else in its place?"""
    given_up = is_given_up(new, old) or is_used_no_longer(new, old) or is_called_off(new, old)
    if given_up or is_chosen_anew(new, old):
        return True
    if _HINTS.search(new) is None:
        return False
    if (turned := _switched(new)) is not None:
        was = _choice(old)
        return was is not None and turned[1] in old and _is_bare_use(was.words, turned[0])
    one = _choice(new)
    other = _choice(old) if one is not None and one.gone else None
    if one is None or other is None or one.whose != other.whose:
        return False
    if _HENCEFORTH.match(new) and _is_thing(one.words):
        return _is_bare_use(other.words, one.gone)
    return any(_stands_there(one, other.words, at) for at in _places(one.gone, other.words))


def takes_same(new: str, old: str) -> bool:
    """Is the same taken, and something else turned down for it?"""
    one = _choice(new)
    other = _choice(old) if one is not None and one.gone else None
    return one is not None and other is not None and bool(other.gone) and one.words == other.words


def _stands_there(one: _Choice, was: Words, at: int) -> bool:
    """Is the rest the same, and another thing in its place?"""
    head, tail = was[:at], was[at + len(one.gone) :]
    if not head or one.words[: len(head)] != head or len(one.words) <= len(head) + len(tail):
        return False
    if tail and one.words[-len(tail) :] != tail:
        return False
    taken = one.words[len(head) : len(one.words) - len(tail)]
    # Who wants its newest edition, and not the plain one, still wants it.
    return _is_thing(taken) and not set(one.gone) <= set(taken)


def _places(thing: Words, words: Words) -> list[int]:
    size = len(thing)
    return [at for at in range(1, len(words) - size + 1) if words[at : at + size] == thing]


def _is_thing(words: Words) -> bool:
    return 0 < len(words) <= MOST and _BOUNDS.isdisjoint(words)


@lru_cache(maxsize=4_096)
def _choice(text: str) -> _Choice | None:
    """None where it is bounded, denied, or asks."""
    if len(text) > LONGEST or is_bounded(text):
        return None
    even = without_since(even_out(text))
    found = _AGAINST.fullmatch(even)
    head, gone = (found["head"], found["gone"]) if found else (even, "")
    one, away = parse_statement(head), parse_statement(without_since(gone))
    if one.denials or away.denials or "over" in one.words or (gone and not _is_thing(away.words)):
        return None
    words = one.words[1:] if one.words[:1] and one.words[0] in _OURS else one.words
    whose = tuple(word for word in _WORD.findall(head.lower()) if word in _POINTERS)
    return _Choice(words, away.words, whose)


@lru_cache(maxsize=4_096)
def _switched(text: str) -> tuple[Words, str] | None:
    """From what all of it is to be switched to something else; and how that is written: Go is no `go`."""
    if len(text) > LONGEST or is_bounded(text):
        return None
    found = _FROM_TO.fullmatch(without_since(even_out(text)))
    if found is None:
        return None
    gone, taken = (parse_statement(found[each]).words for each in ("gone", "head"))
    is_plain = _is_thing(gone) and _is_thing(taken) and gone != taken
    return (gone, found["gone"]) if is_plain else None


def _is_bare_use(words: Words, thing: Words) -> bool:
    """`We ship with DHL`: for whatever it is. Charts that are drawn with it are not all that is."""
    head = words[: -len(thing)]
    if words[-len(thing) :] != thing or not head or head[0] not in _USING:
        return False
    return not head[1:] or (len(head[1:]) == 1 and head[1] in _LINKS)
