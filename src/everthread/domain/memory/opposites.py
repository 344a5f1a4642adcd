"""Does a later statement put the opposite in the place of one word of an earlier one?

`Caching is off` after `Caching is on`. What only tells apart of which of two things it is told says nothing
against the other: the left door may be locked, and the right one too.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import dropwhile, takewhile

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement, stem

_PLAIN_PAIRS = """
    on/off true/false yes/no always/never tabs/spaces up/down before/after more/fewer more/less
    increase/decrease love/hate like/dislike vegetarian/carnivore include/exclude accept/reject opt-in/opt-out
"""
_QUALITIES = """
    enabled/disabled public/private light/dark metric/imperial allowed/forbidden required/optional open/closed
    active/inactive synchronous/asynchronous sync/async left/right early/late married/single
    employed/unemployed online/offline minimum/maximum ascending/descending signed/unsigned mutable/immutable
    local/remote manual/automatic stable/unstable safe/unsafe single/double broken/fixed broken/working
    broken/repaired failing/passing blocked/unblocked locked/unlocked
"""
_ON_A_SCALE = """
    slow/fast cheap/expensive good/bad long/short high/low big/small large/small easy/hard right/wrong
    correct/incorrect full/empty clean/dirty hot/cold wet/dry strong/weak available/unavailable valid/invalid
    visible/hidden known/unknown formal/informal formal/casual draft/final draft/published draft/sent
    pending/approved pending/rejected pending/paid pending/confirmed approved/rejected confirmed/cancelled
    confirmed/canceled connected/disconnected running/stopped vacant/occupied complete/incomplete
    finished/unfinished alive/dead
"""

Pairs = frozenset[frozenset[str]]


def _pairs(text: str) -> Pairs:
    return frozenset(frozenset(map(stem, pair.split("/"))) for pair in text.split())


_TELLING_APART = _pairs(_QUALITIES)
"""What a thing is like; before its name they tell which one it is."""
_SCALES = _pairs(_ON_A_SCALE)
"""Opposites only of what is said to be so: who likes long walks may like short ones."""
OPPOSITES = _pairs(_PLAIN_PAIRS) | _TELLING_APART

_STILL_TO_DO = "open pending unresolved unsolved blocked ongoing unfixed unmerged unanswered"
_SETTLED = """
    merged fixed resolved done closed solved finished completed rejected declined abandoned answered shipped
    cancelled canceled working
"""
_ON_A_LIST = """
    bug issue ticket pr mr request task todo item incident defect case story epic
"""
_WORK = frozenset(_ON_A_LIST.split())
"""What is worked off: such a thing is open, or it is settled. A window that is open may be fixed as well."""
_OPEN, _DONE = frozenset(_STILL_TO_DO.split()), frozenset(_SETTLED.split())
_UN = "un"
_NO_UN = frozenset({"unless", "unlike"})
_SHORTEST = 4
"""Letters of a word that is turned by `un`."""

_WORKS = lazy_pattern(r" (?:works|is (?:fixed|working|repaired))(?: again| now| fine){0,3}(?=\W*$)")
_BECAME = lazy_pattern(r" (?:ha(?:s|ve)(?: now| just| finally)? been|got)(?= \w+\W*$)")
_WORD = lazy_pattern(r"[^\W_][\w'-]*")
_IS = frozenset(("is", "are", "was", "were", "has", "have", "had", "am", "be"))
_FIRST = "the a an my our your his her its their this that these those all in both each every"
_LEADING = frozenset(_FIRST.split())
_BEHIND_NOUN = frozenset(("of", "in", "on", "with", "about", "for", "from", "to", "by", "at"))
_STRESSED = frozenset(("now", "so", "very", "quite", "really", "rather", "always"))
_BESIDE = """
    has have had own owns owned sell sells offer offers know knows like likes love loves enjoy enjoys
"""
_TAKES_BOTH = frozenset(_BESIDE.split())
"""Who has the one may have the other as well."""
_NUMBERS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds dozen dozens
    thousand thousands
"""
_NUMERALS = frozenset(_NUMBERS.split())
_OPEN_SUBJECTS = """
    another other others some most many much half several few lots plenty couple various certain multiple any
    someone somebody anyone anybody
"""
_SOME = frozenset(_OPEN_SUBJECTS.split())
_ONE_OF = frozenset(("a", "an"))
_LEADS = """
    about around only just still nearly almost roughly over under at least up to more less fewer than exactly
    currently today now so and but also well ok okay
"""
_ABOUT = frozenset(_LEADS.split())
_KNOWN = "the my our your his her its their this that these those all both each every i we you he she they"
_DEFINITE = frozenset(_KNOWN.split())
_POINTING = frozenset(("it", "this", "that"))
_MANY = frozenset(("people", "children", "men", "women", "staff", "folks", "data", "media", "mice"))
_OF_ALL = _pairs(
    "blocked/unblocked locked/unlocked available/unavailable stable/unstable safe/unsafe"
)
"""Of things in general, too: `Deploys are blocked`."""
_ONE_ALONE = "default preferred favourite favorite better best standard chosen"
_CHOSEN = frozenset(_ONE_ALONE.split())
"""Of two, only one is that."""


def are_opposites(one: str, other: str) -> bool:
    """Two words of which of one thing only one is true."""
    return frozenset({stem(one), stem(other)}) in OPPOSITES | _SCALES


def is_opposed(new: str, old: str) -> bool:
    """`caching is on`, `caching is off`: one word differs, and it is the opposite."""
    new, old = _with_one_word(new), _with_one_word(old)
    apart = _differing(parse_statement(new).line, parse_statement(old).line)
    if apart is None:
        return False
    pair = frozenset(apart)
    if _are_some(new) or (_is_of_each(new, apart) and _are_any(new)):
        return False
    if pair in OPPOSITES:
        return not (pair in _TELLING_APART and _tells_which(new, apart[0]))
    last = pair in _SCALES or _is_turned_by_un(*apart) or _is_worked_off(new, *apart)
    return last and _is_said_last(new, apart[0])


def _are_some(text: str) -> bool:
    """`Six invoices`, `another bug`, `half the guests`: the one may be meant here, and another there."""
    words = tuple(dropwhile(_ABOUT.__contains__, _before_is(text)))
    if not words or words[0] in _DEFINITE or words[0].endswith("'s"):
        return False
    first = words[0]
    if first in _ONE_OF or first in _NUMERALS:
        return True
    counted = any(
        (one.isdigit() or one in _NUMERALS) and any(map(_is_plural, words[n + 1 :]))
        for n, one in enumerate(words)
    )
    return counted or not _SOME.isdisjoint(words) or (first.isdigit() and _is_said_of_many(text))


def _are_any(text: str) -> bool:
    """`Issues`, `unpaid people`, `it`: nothing tells which ones."""
    words = tuple(dropwhile(_ABOUT.__contains__, _before_is(text)))
    if not words or words[0] in _POINTING:
        return len(words) == 1
    if words[0] in _DEFINITE or any(word.endswith("'s") for word in words):
        return False
    head = tuple(takewhile(lambda word: word not in _BEHIND_NOUN, words))
    return bool(head) and _is_plural(head[-1])


def _is_of_each(text: str, pair: tuple[str, str]) -> bool:
    """Is it so of each by itself, as a bill is paid, and no state of all, as prices are high?"""
    alone = "pending" in pair or _is_turned_by_un(*pair) or not _WORK.isdisjoint(_subject(text))
    return alone and frozenset(pair) not in _OF_ALL


def _before_is(text: str) -> tuple[str, ...]:
    """The subject; nothing where it is not said to be something."""
    words = _words(text)
    found = tuple(takewhile(lambda word: word not in _IS, words))
    return found if len(found) < len(words) else ()


def _is_said_of_many(text: str) -> bool:
    return not {"are", "were", "have"}.isdisjoint(_words(text))


def _is_plural(word: str) -> bool:
    return word in _MANY or (word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")))


def _is_turned_by_un(one: str, other: str) -> bool:
    """`paid`, `unpaid`."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and long == _UN + short and long not in _NO_UN


def _is_worked_off(text: str, one: str, other: str) -> bool:
    """`PR 42 is open`, `PR 42 is merged`."""
    settled = (one in _OPEN and other in _DONE) or (one in _DONE and other in _OPEN)
    return settled and not _WORK.isdisjoint(_subject(text))


def _subject(text: str) -> tuple[str, ...]:
    """`The bug in the parser` is a bug, and `the list of bugs` a list."""
    words = list(takewhile(lambda word: word not in _IS, _words(text)))
    head = list(takewhile(lambda word: word not in _BEHIND_NOUN, words))
    return tuple(stem(word) for word in head if not any(map(str.isdigit, word)))[-1:]


@lru_cache(maxsize=4096)
def _with_one_word(text: str) -> str:
    """What works, or is mended, is working; what has been closed is closed."""
    return _WORKS.sub(" is working", _BECAME.sub(" is", text))


def _differing(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, str] | None:
    if len(one) != len(other):
        return None
    apart = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return apart[0] if len(apart) == 1 else None


def _is_said_last(text: str, word: str) -> bool:
    """Is that what something is said to be, and nothing more?"""
    words = _words(text)
    while words and words[-1] == "now":
        words = words[:-1]
    before = [one for one in words[:-1] if one not in _STRESSED]
    return bool(before) and stem(words[-1]) == word and before[-1] in _IS


def _tells_which(text: str, word: str) -> bool:
    """Does it stand where it tells of which thing something is said, or which one somebody has as well?"""
    words = _words(text)
    at = next((n for n, one in enumerate(words) if stem(one) == word), 0)
    before, after = words[:at], words[at + 1 :]
    if not after:
        return False
    told = [one for one in before if one not in _LEADING and not one.endswith("'s")]
    if told and told[-1] in _TAKES_BOTH:
        return True
    in_subject = not told or (_IS.isdisjoint(before) and not _IS.isdisjoint(after))
    return in_subject and _CHOSEN.isdisjoint(after)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower().replace("’", "'")))
