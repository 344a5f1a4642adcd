"""What an open item wants done: the verb, and to what. `Remind me to renew the TLS certificate`: renew, that.

Only one deed on one thing is read so. Where several are wanted, a report of one of them ends nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts.errands import clause_not_to_forget
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.acts.word_lists import BASE, NO_VERB, WEEKDAY
from everthread.domain.text.patterns import lazy_pattern

LONGEST = 200
"""Letters of an item whose deed is looked for; a longer one tells a story."""

_TIME = (
    rf"(?:tomorrow|tonight|today|later|soon|now|(?:next|this) \w+|"
    rf"(?:on|by|until|till|before|after) {WEEKDAY}s?|in (?:a|an|two|three|\d+) \w+|after (?:the )?\w+)"
)
_LED = (
    r"^\W*+(?>(?:(?:and|also|but|so|then|oh|ok|okay|btw|by the way|yes|well|hey|hi|just|please|pls|thanks|"
    rf"{_TIME})\b[\s,.!:–—-]*+)*)"
)
_ASKED = lazy_pattern(
    rf"{_LED}(?:(?:can|could|would|will) you (?:(?:please|kindly|just|also|maybe) )*|"
    r"(?:i|we)(?: still| also| really)*(?: have to| need to| must|'ve got to| ought to| should)"
    r"(?: still| also| really)* |"
    r"(?:todo(?: for me)?: |still )?(?:have to|need to|must|gotta|got to) |todo(?: for me)?: |"
    r"(?:i|we)(?:'ll| will|'m going to|'re going to| am going to| are going to)(?: also| then| just)* |"
    r"(?:i|we)(?: need|'d like| want) you to )?(?P<what>[a-z].*)"
)
_SENTENCES = lazy_pattern(r"(?<=[.!?])\s+")
_VERB = lazy_pattern(
    r"(?P<verb>[a-z]+)(?: (?P<by>up|off|out|in|back|down|over|away|through|into))?"
    r"(?P<to> (?:to|at|with|for))? (?P<rest>\S.*)"
)
_CAUSED = lazy_pattern(
    r"(?:get|have) (?P<rest>(?:the|my|our|that|this|those|these)\b.*?) (?P<done>[a-z]+ed)\b"
)
_ENDS = lazy_pattern(
    rf"[,;:!?()–—]|\.(?!\w)|\b(?:but|not|before|after|until|till|by|when|once|if|because|so|that|which|while|"
    rf"as|since|unless|whether|{_TIME}|again|please|asap|first|in time|there|here)\b"
)
_TWO_DEEDS = lazy_pattern(r"\b(?:and|then|or)\b(?: then| also| please)*\s+(?P<next>[a-z]+)")
_OF = lazy_pattern(r" (?:of|for|from|in|at|on|with|to|about)(?= )")
_SIGNS = lazy_pattern(r"[\w'-]+")
_JOINED = lazy_pattern(r"(?<=\w)[_/.](?=\w)")
_FOLDERS = lazy_pattern(r"(?<![\w/.])(?:[\w.-]+/){1,8}(?=[\w-]+\.[a-z]\w{0,4}\b)")
"""Where a file lies: it is known by its name."""
_FILES = lazy_pattern(r"(?<![\w/.])(?:[\w.-]+/){1,8}[\w-]+\.[a-z]\w{0,4}\b")
_AMOUNT = lazy_pattern(
    r"^(?:about |around )?(?:\d[\d.,]*|an?|some|two|three|four|five|six|seven|eight|nine|ten|a few|several) ?"
    r"(?:kg|g|kilos?|grams?|l|lit(?:re|er)s?|ml|m|met(?:re|er)s?|tons?|box(?:es)?|bags?|bottles?|packs?|packets?|"
    r"pieces?|rolls?|sheets?|sacks?|crates?|cans?|jars?|pairs?|sets?|dozens?) of "
)
"""How much of it: it is the thing that is to be had."""
_SIDES = lazy_pattern(r"\b(?:to|with|from|by) (?:(?:mr|mrs|ms|dr|the|my|our) )*([\w-]+)")
_NUMBERED = lazy_pattern(r"(?<=\w)(?: [a-z]{1,3})? #?\d.*")
"""Which of its kind it is: `the flight LH 123`."""
_PARTICLES = frozenset(("up", "off", "out", "in", "back", "down", "away"))
_CHOOSES = frozenset(
    ("pick", "choose", "decide", "select", "settle", "agree", "find", "see", "know")
)
"""What is to be chosen or known ends by what it is, and not by a deed."""
_GIVES = lazy_pattern(r"\b(?:me|us|them|him|her)\b ")


class WantedDeed(NamedTuple):
    """What is to be done, to which thing."""

    verb: str
    """As it is ordered; of what is done by others as it will be told: `have the mower repaired`."""
    by: str
    """The small word that belongs to the verb: `pick up`."""
    thing: frozenset[str]
    """The roots of the thing itself, without what is said of it."""
    head: frozenset[str]
    """The root of its noun."""
    words: frozenset[str]
    """All the words of the item."""
    about: frozenset[str]
    """The roots of these."""
    others: frozenset[str]
    """The roots of whom it goes to or comes from: their own deed, and what is theirs, is another."""
    is_one: bool
    """Is it one that is meant, and not just one of its kind?"""
    files: tuple[str, ...] = ()
    """Those that it names with their folders."""


@lru_cache(maxsize=512)  # what is open is held against every later message
def wanted_deed(item: str) -> WantedDeed | None:
    """What the item wants done; None where that is not plain, or more than one thing."""
    if len(item) > LONGEST:
        return None
    every = (_deed_in(part, item) for part in _SENTENCES.split(item))
    found = [deed for deed in every if deed is not None]
    return found[0]._replace(files=(*_FILES.findall(item.lower()),)) if len(found) == 1 else None


def _deed_in(sentence: str, item: str) -> WantedDeed | None:
    clause = clause_not_to_forget(sentence)
    if clause:
        what, bare = plain_words(clause), False
    else:
        asked = _ASKED.match(plain_words(sentence))
        if asked is None:
            return None
        what, bare = asked["what"], asked.start("what") == 0
        if bare and not parse_sentence(sentence).orders:
            return None
    caused = _CAUSED.match(what)
    found = caused or _VERB.match(what)
    if found is None:
        return None
    if caused:
        return _deed_of(caused["done"], "", caused["rest"], item)
    verb, by = found["verb"], found["by"] or ""
    if verb in NO_VERB or (verb in _CHOOSES and not by):
        return None
    wanted = _deed_of(verb, by, found["rest"], item)
    return (
        wanted._replace(others=wanted.others | wanted.thing) if wanted and found["to"] else wanted
    )


def _deed_of(verb: str, by: str, rest: str, item: str) -> WantedDeed | None:
    following = _TWO_DEEDS.search(rest)
    if following and following["next"] in BASE:
        return None
    rest = _GIVES.sub("", _ENDS.split(rest, maxsplit=1)[0].strip(), count=1)
    rest = _AMOUNT.sub("", rest, count=1)
    core = _OF.split(f"{rest} ", maxsplit=1)[0].split()
    if not by and core[-1:] and core[-1] in _PARTICLES:
        by = core.pop()
    thing = roots(" ".join(core))
    named = _NUMBERED.split(" ".join(core), maxsplit=1)[0].split() or core
    head = noun_of(named)
    if not head:
        return None
    words = frozenset(_SIGNS.findall(plain_words(item)))
    is_one = core[0] not in ("a", "an", "some", "new")
    others = roots(" ".join(found[1] for found in _SIDES.finditer(plain_words(item)))) - thing
    about = roots(" ".join(words))
    return WantedDeed(verb, by, thing, head, words, about, others, is_one)


def noun_of(words: Sequence[str]) -> frozenset[str]:
    """The root of the last word that tells something; the end of a file's name does not: `fetch py`."""
    return next((found for word in reversed(words) if (found := roots(word))), frozenset[str]())


def names_other_file(text: str, wanted: WantedDeed) -> bool:
    """Does it name a file of another folder: `tests/config.py`, of `src/api/config.py`?"""
    named = _FILES.findall(text.lower()) if wanted.files else ()
    return bool(named) and not any(
        f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
        for one in named
        for other in wanted.files
    )


def plain_words(text: str) -> str:
    """In small letters; a name of code as the words that it is made of."""
    return _JOINED.sub(" ", _FOLDERS.sub("", text.lower().replace("’", "'")))
