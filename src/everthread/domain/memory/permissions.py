"""Does a later statement allow what an earlier one forbade, or let go of what it demanded?

`Deploying on Fridays is fine now`; `Letters may be friendly` after `Letters are always formal`.

Only where both name the same thing in the same words and in the same order, whatever their endings: leave
for Mondays, for the other direction, or under a condition, lifts nothing. Nor does what says it again: `No
deployments are allowed`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, stem, trim_blanks, without_openings

_FORBIDS = lazy_pattern(
    r"(?:please,? )?(?:never|don't|do not|(?P<no>no)|we (?:never|don't|do not)|"
    r"you (?:must not|may not|can't)) (?:ever )?(?P<what>\S.*)",
    re.IGNORECASE,
)
_ALLOWS = lazy_pattern(
    r"(?:(?:you|we) (?:(?:can|may)(?: now| again)?|(?:are|'re)(?: now| again)? (?:allowed|free) to)"
    r" (?P<what>\S.*?)"
    r"|it(?:'s| is)(?: now| again)? (?:fine|ok|okay|allowed) to (?P<act>\S.*?)"
    r"|(?P<thing>\S.*?) (?:is|are)(?: now| again)? (?:fine|ok|okay|all right|alright|allowed|permitted))"
    r"(?:,? (?:now|again|from now on|these days|after all))*",
    re.IGNORECASE,
)
_BOUND = lazy_pattern(
    r"\b(?:if|unless|when|only|except|but|until|as long as|provided|not?|none|nobody|never|neither|nor|"
    r"without|with|hardly|barely|fewer)\b",
    re.I,
)
_DEMANDS = lazy_pattern(
    r"(?P<what>\S.*?) (?:(?:is|are) always|(?:must|should)(?: always)? be|ha(?:s|ve) to be|needs? to be) "
    r"(?P<how>[a-z-]+)",
    re.IGNORECASE,
)
_FREES = lazy_pattern(
    r"(?P<what>\S.*?) (?:(?P<other>(?:may|can)(?: now)? be)|(?:need not|needn't|"
    r"(?:do|does)(?: not|n't) (?:have|need) to|no longer (?:has|have|needs?) to) be) "
    r"(?:(?P<less>less|more) )?(?P<how>[a-z-]+)"
    r"(?:,? (?:now|again|from now on|these days|after all|any ?more|any longer))*",
    re.IGNORECASE,
)
_MANNERS = """
    formal/friendly formal/informal formal/casual formal/relaxed formal/personal formal/playful short/long
    short/longer brief/long brief/longer brief/detailed short/detailed serious/playful serious/funny
    strict/relaxed neutral/personal plain/colourful plain/colorful
"""
_OTHER_MANNERS = frozenset(frozenset(pair.split("/")) for pair in _MANNERS.split())
"""What is always the one is not the other: leave for that is leave from it."""
_ENDING = lazy_pattern(r"(?<=\w{3})(?:ing|ment|ed|e|s)$|(?<=^us)(?:ing|e)$")
_DOUBLED = lazy_pattern(r"([bdgmnprt])\1$")
_DEED = lazy_pattern(r"(?:\w{2,}ing|\w{3,}ments?)$")
_THIS_ONE = lazy_pattern(r"(?:the|this|that|these|those) ", re.IGNORECASE)
_WE = lazy_pattern(r"we\b", re.IGNORECASE)
_SMALL = "the a an my our your any this that to on in at for of with from into by"
_ENDS_RUN = frozenset(_SMALL.split())
_WORD = lazy_pattern(r"\w[\w'-]*")


def is_allowed_now(new: str, old: str) -> bool:
    """Does it give leave for just that which was forbidden?"""
    forbids, allows = _forbidding(old), _allowing(new)
    if forbids is None or allows is None:
        return False
    what = allows["what"] or allows["act"] or allows["thing"]
    if _BOUND.search(what) or _BOUND.search(forbids["what"]):
        return False
    if allows["thing"] and not is_deed_named(what, forbids["what"], verbal=not forbids["no"]):
        return False
    return _stems(what) == _stems(forbids["what"])


def is_forbidden_now(new: str, old: str) -> bool:
    """Does it forbid just that for which there was leave: `Don't use emojis` after `You can use emojis`?"""
    forbids, allows = _forbidding(new), _allowing(old)
    if forbids is None or allows is None or forbids["no"] or allows["thing"]:
        return False
    if _WE.match(forbids.group()) or _WE.match(allows.group()):
        return False  # what we don't do on Fridays, we can do all the same
    what = allows["what"] or allows["act"]
    if _BOUND.search(what) or _BOUND.search(forbids["what"]):
        return False
    return _stems(what) == _stems(forbids["what"])


def are_manners(one: str, other: str) -> bool:
    """Two ways in which it can be, of which the one is not the other."""
    return frozenset((one, other)) in _OTHER_MANNERS


def is_let_go(new: str, old: str) -> bool:
    """Need something no longer be what it always was to be, or may it be the other?"""
    demand, freed = _DEMANDS.fullmatch(_even_out(old)), _FREES.fullmatch(_even_out(new))
    if demand is None or freed is None or _BOUND.search(freed["what"]):
        return False
    if _stems(demand["what"]) != _stems(freed["what"]):
        return False
    was, now = demand["how"].lower(), freed["how"].lower()
    if was == now:
        return not freed["other"] or (freed["less"] or "").lower() == "less"
    other = freed["other"] and (freed["less"] or "").lower() != "less"
    return bool(other) and frozenset((was, now)) in _OTHER_MANNERS


def is_deed_named(thing: str, banned: str, *, verbal: bool) -> bool:
    """Is the thing that is fine the deed that was banned, and no thing that is called so?

    `Mocking the database` and `force pushes` are deeds; `the mock database` is a database, and `the
    deployment on Friday` one of many.
    """
    one_of_many = bool(_THIS_ONE.match(thing)) and not _THIS_ONE.match(banned)
    named, forbidden = _WORD.findall(thing.lower()), _WORD.findall(banned.lower())
    if not verbal or not forbidden:
        return not one_of_many
    verb = _stem(forbidden[0])
    told = [word for word in named if _stem(word) == verb]
    if not told:  # only what it is done to is named
        return True
    # A verb stands bare; as a noun it has an ending: `push`, `pushes`.
    bare = takewhile(lambda word: word not in _ENDS_RUN, forbidden)
    plural = any(f"{word}{end}" in named for word in bare for end in ("s", "es"))
    return not one_of_many and (plural or any(_DEED.search(word) for word in told))


@lru_cache(maxsize=4096)
def _forbidding(text: str) -> re.Match[str] | None:
    return _FORBIDS.fullmatch(_even_out(text))


@lru_cache(maxsize=4096)
def _allowing(text: str) -> re.Match[str] | None:
    return _ALLOWS.fullmatch(_even_out(text))


def _even_out(text: str) -> str:
    return trim_blanks(text).rstrip(".!").replace("’", "'")


def _stems(text: str) -> tuple[str, ...]:
    return tuple(map(_stem, parse_statement(without_openings(text)).words))


def _stem(word: str) -> str:
    return _DOUBLED.sub(r"\1", _ENDING.sub("", stem(word)))
