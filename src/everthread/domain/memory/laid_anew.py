"""Is an instruction given anew, with something else in one of its places?

`Comments in English from now on` after `Comments in German`; `use spaces for indentation from now on`,
`remind me at 9 instead`, `call me Robert from now on`. Both are taken apart into what is done, to what, and
where, when or how. One place may differ, and it must be one that is filled once: who uses tabs for Go may
use spaces for Makefiles, and who never deploys on Fridays may not deploy on Mondays either. Only what says
that it holds from now on, or instead, takes the other's place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.acts.hasty_spelling import plain_spelling
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .known_names import are_of_one_sort, job_of
from .limits_anew import is_limit_anew, sets_limit
from .opposites import are_opposites
from .permissions import are_manners
from .sorts import VALUES, value_of_another
from .topics import topic_words

LONGEST = 110
"""Characters of such an instruction; a longer one tells more than that."""

MOST = 4
"""Words of what stands in a place."""

_MARK = lazy_pattern(
    r",?\s*\b(?:from (?:now|here|today|tomorrow|next \w+|\w+day) on(?:wards?)?|from now|going forward|"
    r"in (?:the )?future|as of (?:now|today|tomorrow)|starting (?:now|today|tomorrow|next \w+|\w+day)|"
    r"instead(?! of\b)|henceforth)\b,?\s*"
)
_SWITCH = lazy_pattern(
    r"^(?:(?:let's|you can) )?(?:(?:switch|change)(?: back| over)? to|(?:go|move) back to) (?=\S)"
)
_OPENING = lazy_pattern(
    r"^\W*(?:(?:ok|okay|well|so|and|oh|hey|right|alright|actually|please|just|then|yes|yeah|sorry|no wait|"
    r"hm+|always|you know what|on second thoughts?|i changed my mind|change of plan)\b[\s,.:;–—-]*+)*"
)
_ALWAYS = lazy_pattern(r"^\W*(?:please )?always\b")
_PREFERS = lazy_pattern(
    r"^\W*(?:i|(?:the )?user) (?P<now>now )?prefers? (?P<now2>now )?(?=\S)(?!to\b|it\b)"
)
"""What somebody prefers now is as good as an instruction for what is to come."""
_NOW = lazy_pattern(r" (?:now|these days)\W*$")
_CLOSING = lazy_pattern(r"[\s,.!]*(?:\b(?:please|thanks|thank you|always|only|ever)[\s.!,]*)*$")
_BESIDE = lazy_pattern(
    r",\s+(?:the|my|our|his|her|their|he|she|they|it|i|we|you|everyone|everybody|nobody|that's|there|because|"
    r"since|as)\b(?!.*\b(?:if|unless|until|only|except|but|when|while|not)\b)[^.?]*$"
)
"""Why it is so."""
_NOT_ONE = lazy_pattern(
    r"[?;:]|[.!]\s+\S|\b(?:and|or|but|if|when|whenever|unless|until|till|while|because|since|once|except|also|"
    r"too|both|either|neither|not?|never|nothing|\w+n't|dont|avoid|stop|skip|without|only|today|tonight|"
    r"this time|for now|maybe|perhaps|would|could|should|might|may|can|will|shall|i|we|he|she|they|it|there|"
    r"is|are|was|were|am|has|have|had|i'\w+|we'\w+|it's|that's|he's|she's|they're|than|as well|besides|"
    r"that|which|who|what|how|where|why|them|these|those|this)\b"
)
_ADDS = """
    add cc bcc include invite mention tell notify inform exclude ignore check log watch cover list count note
    remember learn try consider read install support test follow
"""
_ADDING = frozenset(_ADDS.split())
"""What is done with one more besides."""
_SMALL = frozenset(["the", "a", "an", "my", "our", "your", "me", "us", "all", "any"])
_NO_NAMES = frozenset(
    [
        "back",
        "first",
        "later",
        "again",
        "now",
        "soon",
        "anytime",
        "whenever",
        "tomorrow",
        "today",
        "sometime",
    ]
)
"""Behind `call me` they tell when."""
_PLACES = frozenset(
    ["in", "on", "at", "to", "from", "with", "by", "as", "into", "under", "via", "over"]
)
_APART = frozenset(["for", "before", "after", "per", "during", "about", "of", "between", "within"])
"""For what, and of what, it is: two of these stand beside each other."""
_EVERY = frozenset(("every", "each"))
_REGULARLY = frozenset(["daily", "weekly", "monthly", "hourly"])
_LIGHT = frozenset(
    ["write", "make", "give", "do", "keep", "have", "put", "set", "use", "show", "send", "quote"]
)
_ANSWERS = {"reply": "answer", "respond": "answer", "talk": "answer", "speak": "answer"}
_BARE_ANSWERS = frozenset({"answer", "write"})
_SPEECH = "speech"
_OWN_WORDS = frozenset({"answer", "write", "comment", "commit"})
"""What an agent itself writes."""
_CLOCK = lazy_pattern(r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o'clock)?|noon|midnight)")
_DAY = lazy_pattern(r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays|weekends)")
_PART = lazy_pattern(
    r"(?:morning|afternoon|evening|night|noon|lunch|breakfast|dinner|day|week|month|hour)s?"
)
_LIKINGS = """
    short long brief simple clear plain large small big little white black red blue green new old polite
    formal friendly casual nice good better clean fresh warm cold hot fast slow cheap soft hard light dark
    thick thin full whole proper running detailed concise precise careful quiet loud early late fewer less
    more extra
"""
_LIKING = frozenset(_LIKINGS.split())
"""What may be said of one thing together."""


Place = tuple[str, tuple[str, ...]]
"""A small word, and what stands behind it."""


class _Laid(NamedTuple):
    """An instruction in its places."""

    anew: bool
    instead: bool
    """Does it say so outright? What is used from now on may be used beside the other."""
    always: bool
    """Is it said to hold always?"""
    turned: bool
    """Does it only say to what one turns?"""
    verb: str
    what: tuple[str, ...]
    where: tuple[Place, ...]


def is_laid_anew(new: str, old: str) -> bool:
    """Does the later instruction fill one place of the earlier anew, or set its limit anew?"""
    return is_limit_anew(new, old) or _is_filled_anew(new, old)


def _is_filled_anew(new: str, old: str) -> bool:
    one = _laid(new)
    other = _laid(old) if one is not None and (one.anew or one.always) else None
    if one is None or other is None or {one.verb, other.verb} & _ADDING:
        return False
    if not one.anew:
        return _is_in_other_tongue(one, other)
    if not one.where and other.what == ("answer",):
        value = _plain(one.what)
        return len(value) == 1 and any(_is_of_sort(value, told) for _, told in other.where)
    if one.turned:
        return _is_other_thing(one.what, other.what)
    return _same_deed(one, other) and _differs(one, other)


def _is_in_other_tongue(one: _Laid, other: _Laid) -> bool:
    """`Always answer in German`, `Always answer in English`: what is always the one is never the other.

    What is told to others, or made for them, may be in both.
    """
    if (one.verb, one.what) != (other.verb, other.what) or not _OWN_WORDS & {one.verb, *one.what}:
        return False
    apart = _one_place_apart(one, other)
    if apart is None:
        return False
    (link, new), (was, old) = apart
    return link == was == "in" and {job_of(" ".join(value)) for value in (new, old)} == {_SPEECH}


def lays_anew(text: str) -> bool:
    """A quick look: does it say that something is to be otherwise from now on?"""
    one = _laid(text)
    return (one is not None and one.anew) or sets_limit(text)


def _differs(one: _Laid, other: _Laid) -> bool:
    if _same(one.what, other.what):
        return one.what != () and _differs_once(one, other)
    return one.where == other.where and _takes_other(one, other)


def _same_deed(one: _Laid, other: _Laid) -> bool:
    if one.verb == other.verb:
        return True
    light = {"", *_LIGHT}
    return one.verb in light and other.verb in light


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return tuple(map(stem, one)) == tuple(map(stem, other))


def _differs_once(one: _Laid, other: _Laid) -> bool:
    """Is it the same deed, with one other place, person or time?"""
    apart = _one_place_apart(one, other)
    if apart is None:
        return False
    (link, new), (was, old) = apart
    sorts = {_time_of(new), _time_of(old)}
    if sorts != {""}:
        return len(sorts) == 1
    if link != was or link not in _PLACES or (one.verb == "use" and link in ("in", "on", "with")):
        return False
    if (link == "with" and not one.instead) or _are_of_two_sorts(new, old):
        return False
    return not {*new} & {*old} or _is_other_thing(new, old)


def _one_place_apart(one: _Laid, other: _Laid) -> tuple[Place, Place] | None:
    """The only place in which they differ."""
    if len(one.where) != len(other.where):
        return None
    apart = [(a, b) for a, b in zip(one.where, other.where, strict=True) if a != b]
    return apart[0] if len(apart) == 1 else None


def _are_of_two_sorts(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """`In English` and `in two sentences`."""
    one, other = topic_words(" ".join(new)), topic_words(" ".join(old))
    known = any(not sort.isdisjoint((*one, *other)) for sort in VALUES)
    return known and not value_of_another(one, other)


def _takes_other(one: _Laid, other: _Laid) -> bool:
    """Is something else taken for the same?"""
    if one.verb == "call":
        return not one.where and _is_called(one.what) and _is_called(other.what)
    if _is_other_thing(one.what, other.what):
        return True
    if not one.instead or not one.where or not one.verb or one.verb != other.verb:
        return False
    return not {*one.what} & {*other.what} and max(len(one.what), len(other.what)) <= MOST


def _is_called(what: tuple[str, ...]) -> bool:
    """`Call me Robert`: one name."""
    return what[:1] == ("me",) and not what[2:] and not _NO_NAMES.issuperset(what[1:])


def _is_other_thing(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """`British spelling` and `American spelling`, `tabs` and `spaces`; how it is liked stands beside."""
    if not new or not old or new == old:
        return False
    return _is_of_sort(new, old) or _is_other_manner({*new} - {*old}, {*old} - {*new})


def _is_other_manner(new: set[str], old: set[str]) -> bool:
    """`Longer answers`, where it was `keep answers short`."""
    if len(new) != 1 or len(old) != 1:
        return False
    a, b = new.pop(), old.pop()
    return are_opposites(a, b) or are_manners(a, b)


def _is_of_sort(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Two of one sort by themselves, or of the same thing: `oat milk` and `almond milk` may be both there."""
    one, other = _plain(new), _plain(old)
    if not one or not other or one == other:
        return False
    a, b = {*one} - {*other}, {*other} - {*one}
    if len(a) != 1 or len(b) != 1:
        return False
    new_word, old_word = a.pop(), b.pop()
    if len(one) == len(other) == 1 and are_of_one_sort(new_word, old_word):
        return True
    return bool(value_of_another(topic_words(new_word), topic_words(old_word)))


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without how it is liked."""
    return tuple(word for word in words if word not in _LIKING)


def _time_of(value: tuple[str, ...]) -> str:
    """Is it an hour, a day or a part of one?"""
    text = " ".join(value)
    if _CLOCK.fullmatch(text):
        return "clock"
    words = [word for word in value if word not in _EVERY | _REGULARLY]
    if len(words) == 1 and _DAY.fullmatch(words[0]):
        return "day"
    return "part" if not words or (len(words) == 1 and _PART.fullmatch(words[0])) else ""


@lru_cache(maxsize=4_096)
def _laid(text: str) -> _Laid | None:
    """None where it is no plain instruction, tells more than one, or adds to others."""
    if len(text) > LONGEST:
        return None
    lower = plain_spelling(" ".join(text.lower().replace("’", "'").split()))
    lower = _BESIDE.sub("", lower.rstrip(" .!"))
    always = _ALWAYS.match(lower) is not None
    if prefers := _PREFERS.match(lower):
        wish = _NOW.sub("", lower[prefers.end() :])
        now = prefers["now"] or prefers["now2"] or not lower.endswith(wish)
        lower = f"from now on {wish}" if now else wish
    lower = _CLOSING.sub("", _OPENING.sub("", lower))
    bare = " ".join(_MARK.sub(" ", lower).split())
    bare = _CLOSING.sub("", _OPENING.sub("", bare))
    turned = _SWITCH.sub("", bare)
    if not turned or _NOT_ONE.search(turned):
        return None
    anew, instead = bare != lower or turned != bare, "instead" in lower
    laid = _in_places(turned.split(), turned=turned != bare)
    return laid and laid._replace(anew=anew, instead=instead, always=always)


def _in_places(words: list[str], *, turned: bool) -> _Laid | None:
    words = [word.strip(",\"'“”()") for word in words]
    head: list[str] = []
    where: list[tuple[str, list[str]]] = []
    for n, word in enumerate(words):
        often = word in _EVERY or (word in _REGULARLY and n == len(words) - 1)
        if word in _PLACES or word in _APART or (often and head):
            where.append(("", [word]) if often else (word, []))
        elif where:
            where[-1][1].append(word)
        else:
            head.append(word)
    verb, what = _deed(head, alone=turned)
    places = tuple((link, _telling(value)) for link, value in where)
    if any(not value for _, value in places) or not (what or places):
        return None
    return _Laid(
        anew=False,
        instead=False,
        always=False,
        turned=turned,
        verb=verb,
        what=what,
        where=tuple(sorted(places)),
    )


def _deed(head: list[str], *, alone: bool) -> tuple[str, tuple[str, ...]]:
    """What is done, and to what; of a bare name nothing is done."""
    if not head or alone:
        return "", _telling(head)
    verb = _ANSWERS.get(head[0], head[0])
    if verb == "call":
        return verb, tuple(head[1:])
    what = _telling(head[1:])
    if verb in _BARE_ANSWERS and not what:
        return "", ("answer",)
    if verb in _LIGHT or verb in _ADDING:
        return verb, what
    # `Comments in German`, `deploy on Tuesdays`: whether it is a deed or a thing, it is the same in both.
    return "", (verb, *what)


def _telling(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word and word not in _SMALL)
