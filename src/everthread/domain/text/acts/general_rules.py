"""What is laid down for a kind of things, and not for one: `stick to British spelling`, `no late calls`.

No `always` stands in it. Whoever means one thing points at it, counts it or calls it by its name: `stick to
the plan`, `only book the small room`, `no sugar in this one`. Whoever means all of a kind names the kind
alone: `only book rooms with a window`. That makes a rule only of what an agent says, gives, suggests or does
again and again. `Only fix typos` is done once. And it makes one only of what people do: `no trains on
Sundays` tells of the world.

The form must use up its clause: `no meetings on Fridays at my old firm` tells of a place, `only suggest
names for the kitten` is for once. A clause behind it may only say more of the same, or what is so for good:
`my editor hates them`, and not `it is hot outside`.

A sentence is cut into words once, and read from its first word on: no text takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from everthread.domain.text.patterns import lazy_pattern

from .each_time import YOU_DO, is_ordered, is_wished
from .kinds_of_things import (
    DEFINITE,
    DONE_AGAIN,
    LACKING,
    LENGTHS,
    MANNER,
    MOST,
    ON_SIGNS,
    OUTPUT,
    STYLE,
    SUGGESTED,
    UNITS,
    VALUES,
    WEEKDAYS,
    WORDED,
    WRITTEN,
    is_bare,
    is_deed,
    is_kind,
    is_number,
    thing_from,
    words_of,
)
from .word_lists import WEEKDAY

LONGEST, FEWEST = 240, 2
"""Characters of a sentence that lays something down in passing, and words of it."""


_LEAD = lazy_pattern(
    r"\W*+(?>(?:(?:and|also|but|so|then|oh|ok|okay|yes|well|right|please|btw|by the way|again|"
    r"one (?:more |last |other )?thing(?: though)?|note|reminder|important)\b[\s,.:;!–—-]*+)*)"
    r"(?P<lasting>(?>(?:(?:in (?:the )?future|for (?:all )?future \w+|in general|generally|as a rule)\b"
    r"[\s,:–—-]*+(?>(?:please )?))?))"
)
_CLAUSE_END = lazy_pattern(r"[,;:.!?()–—]| -+ | because | since | so ")
_WORD = lazy_pattern(r"[^\W_]+(?:['.:-][^\W_]+)*")
_NAME = lazy_pattern(r"(?<=\w )[A-Z][a-z][\w-]*")

OF_ONE_TIME = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|yesterday|(?<!from )now|for once|this|these|those|(?<!\ws )that(?! you)|"
    r"next|last (?!\w+ \w+s\b)\w+|until|till|yet|so far|left|again|any ?more|any longer|either|instead|"
    r"for (?:the )?\w+day|except|exceptionally|maybe|perhaps|if you like)\b"
)
"""It is meant for once, or points at something."""
_TOLD_OF = lazy_pattern(
    r"\b(?:said|says|told|wrote|writes|reads|the sign|a sign|poster|notice|sadly|unfortunately|alas|"
    r"apparently|luckily|there|here|was|were|had|did|came|went|been|got|available|allowed|"
    r"possible|found|seen|hurray|hooray|yay|ugh|lol)\b"
)
"""It tells how something is or was, or what stands somewhere."""
_SO_FOR_GOOD = (
    r"(?:[\w'-]+ ){1,3}(?:hates?|(?:can't|cannot) (?:stand|eat|bear|read|drink|digest|hear)|"
    r"(?:don't|doesn't|never) (?:eat|drink|fly|drive|read|like|use|smoke|want|trust)|"
    r"(?:is|am|are) (?:allergic|vegan|vegetarian|intolerant|coeliac|diabetic|deaf|colou?r-?blind|dyslexic))"
    r"\b[^,;.]*"
)
_BESIDE = lazy_pattern(
    r"\W*(?:(?:please|thanks|thank you|from now on|one [\w-]+ each|not [\w-]+(?: [\w-]+)?|"
    r"no [\w-]+(?:, when you [^,;.]+)?|unless (?:i|you) [^,;.]+|when(?:ever)? you [^,;.]+|"
    rf"(?:because |since |as )?{_SO_FOR_GOOD})\W*)?$"
)
"""What may stand behind it: more of the same, or what is so for good. Else it may be for the moment."""

# ---- words, by what they do in such a sentence

_SPEAKS = words_of("suggest recommend propose mention cite quote plan schedule")
_SUGGESTS = words_of("suggest recommend propose cite quote")
_GOES_ON = _SPEAKS | words_of("use raise book hire deploy restart merge push")
"""What an agent does again and again, to things of a kind; the second sort also once."""
_AT_MOST = words_of("under below within to")
_ASKING = words_of("asking telling checking review approval permission my an a tests")
_SAYING = words_of("give write quote state express")
_FORMATS = words_of("words format notation figures digits full order")
_HANDLING = words_of("sign begin end")
_INFORMING = words_of("cc bcc copy remind")
_WHICH = words_of("with without from in under below during")
_LOOSELY = words_of("for near about by of on over between")
"""What tells which only where it stands with a bare word: `books for beginners`."""
_FURTHER = _WHICH | words_of("for to at on about into after before while and or is are was has")
_STATES = words_of("new old broken missing open small big")
"""As what is before one now may be: `only restart broken jobs`."""
_TARGETS = words_of("branches environments servers repositories repos clusters clients customers")
_OF_ONE = words_of("my our your his her their this")

_TAIL = rf"(?: (?:please|for me|for us|from now on)| unless (?:i|you) .*| {YOU_DO}.*)?"
_HOUR = (
    r"(?:\d[\d.:]*(?:am|pm)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|"
    r"lunch|dinner|breakfast)(?: (?:am|pm|o'clock))?"
)
_AT_TIMES = lazy_pattern(
    rf"(?:(?:on|over|during) (?:{WEEKDAY}s|(?:{WEEKDAY}|weekday) (?:mornings|afternoons|evenings|nights)|"
    rf"weekends|weekdays)|at (?:night|weekends)|(?:before|after|during|at) {_HOUR}|"
    rf"between {_HOUR} and {_HOUR}){_TAIL}"
)
_ENDED = lazy_pattern(_TAIL)
_AHEAD = lazy_pattern(r"(?:an? |two |three )?\w+ (?:ahead|before|in advance)")
_MY_NAME = lazy_pattern(r"my (?:\w+ )?(?:name|names|initials|title)")


def holds_of_kind(own: str, text: str, bag: frozenset[str], *, orders: bool) -> bool:
    """Does it lay something down for a kind of things?

    `own`: in small letters, without quotations; `text`: as it was said.
    """
    if bag.isdisjoint(_HINTS) or len(own) > LONGEST:
        return False
    lead = _LEAD.match(own)
    start = lead.end() if lead else 0
    often = orders and not bag.isdisjoint(_OFTEN)
    first = _WORD.match(own, start)
    if first is None or not (often or "only" in bag or first[0] in _FIRST):
        return False
    rest = own[start:]
    if OF_ONE_TIME.search(rest) or _TOLD_OF.search(rest):
        return False
    if (first[0] in _WISHING and is_wished(rest)) or (often and is_ordered(rest)):
        return True
    names = frozenset(name.lower() for name in _NAME.findall(text))
    clause, *beside = _CLAUSE_END.split(rest, maxsplit=1)
    words = _WORD.findall(clause)
    if lead and lead["lasting"] and words[:1] == ["no"]:
        return is_kind(words[1:], names) and thing_from(words, 1) == words[1:]
    lasts = not beside or _BESIDE.match(beside[0]) is not None
    return lasts and _has_form(words, names, alone=start == 0 or "please" in bag)


def _has_form(words: Sequence[str], names: frozenset[str], *, alone: bool) -> bool:
    if len(words) < FEWEST:
        return False
    form = _FORMS.get(words[0])
    if form is not None and (len(words) > FEWEST or form is _avoid) and form(words, names):
        return True
    return alone and words[-1] == "only" and _only_at_end(words, names)


# ---- what follows a thing


def _is_ended(rest: Sequence[str]) -> bool:
    """Is nothing said further that could make it one thing, one place or one time?"""
    return not rest or _ENDED.fullmatch(f" {' '.join(rest)}") is not None


def _tells_which(rest: Sequence[str], names: frozenset[str], *, the: frozenset[str]) -> bool:
    """Does it only tell which of the kind: `with a window`? `the`: after which words a `the` may stand."""
    if _is_ended(rest):
        return True
    after = [*takewhile(lambda word: word != "unless", rest[1:])]
    loosely = bool(the) and rest[0] in _LOOSELY and len(after) <= FEWEST and is_bare(after)
    if not (loosely or rest[0] in _WHICH) or not 0 < len(after) <= MOST + 1:
        return False
    # `in the public domain` tells of which sort, `from the list` of which ones.
    pointed = "the" in after and (rest[0] not in the or len(after) <= FEWEST)
    owned = any(word in names or word in _OF_ONE or word.endswith("'s") for word in after)
    counted = is_number(after[-1])
    return not (pointed or owned or counted) and _FURTHER.isdisjoint(after)


_NOWHERE = frozenset[str]()


# ---- forms, by their first word


def _no(words: Sequence[str], names: frozenset[str]) -> bool:
    """`No hotels without a lift`, `no meetings on Fridays`, `no raw SQL in handlers`."""
    thing = thing_from(words, 1)
    rest = words[1 + len(thing) :]
    if len(rest) < FEWEST or not 0 < len(thing) <= MOST or not is_bare(thing):
        return False
    if thing[-1] in LACKING:
        return False
    if rest[0] in ("over", "above") and is_number(rest[1]):
        after = rest[1 + len(thing_from(rest, 1)) :]
        return _lacks(thing, after) if after else thing[-1] in SUGGESTED
    if is_deed(thing[-1]) and _AT_TIMES.fullmatch(" ".join(rest)):
        return True
    return _lacks(thing, rest) or _is_placed(thing, rest, names)


def _lacks(thing: Sequence[str], rest: Sequence[str]) -> bool:
    """`No hotels without a lift`, `no merges without review`; `no roses without thorns` is a saying."""
    after = rest[1:]
    if rest[0] != "without" or not 0 < len(after) < MOST or not _FURTHER.isdisjoint(after):
        return False
    if thing[-1] in DONE_AGAIN:
        return after[0] in _ASKING
    return is_kind(thing) and thing[-1] not in ON_SIGNS and after[0] in ("a", "an")


def _is_placed(thing: Sequence[str], rest: Sequence[str], names: frozenset[str]) -> bool:
    """In things of a kind that are made: `no adverbs in dialogue tags`, `no pushes to shared branches`."""
    if rest[0] == "to":
        return thing[-1] in DONE_AGAIN and rest[-1] in _TARGETS and is_kind(rest[1:], names)
    if rest[0] not in ("in", "into"):
        return False
    if rest[1] in ("anything", "everything", "whatever"):
        return rest[2:3] == ["you"]
    place = thing_from(rest, 1)
    after = rest[1 + len(place) :]
    ends = _is_ended(after) or (after[0] == "to" and is_kind(after[1:], names))
    return ends and thing[-1] in WRITTEN and is_kind(place, names)


def _only(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Only book rooms with a window`; `only book the small room` is for once."""
    at = 2 if words[1] == "ever" else 1
    if words[at] not in _GOES_ON:
        return False
    often = words[at] in _SPEAKS
    at += 1 + (words[at + 1 : at + 2] in (["me"], ["us"]))
    thing = thing_from(words, at)
    rest = words[at + len(thing) :]
    own = thing[1:2] == ["own"]  # `our own photos` are a kind, too
    if not is_kind(thing[2:] if own else thing, names):
        return False
    if often and rest[1:2] == ["can"]:  # `outings we can reach by bus`
        return _OF_ONE.isdisjoint(rest) and "the" not in rest and names.isdisjoint(rest)
    the = words_of("in from during") if often or own else words_of("during")
    sort = len(thing) > 1 and not thing[0].endswith("ed") and thing[0] not in _STATES
    narrowed = often or own or sort or rest[:2] in (["with", "a"], ["during", "the"])
    return narrowed and _tells_which(rest, names, the=the)


def _only_at_end(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Use metric units only`, `window seats only`, `prices in euros only`."""
    if words[0] in _SPEAKS | {"use"}:
        return is_kind(words[1:-1], names) and len(thing_from(words, 1)) == len(words) - FEWEST
    thing = thing_from(words, 0)
    rest = words[len(thing) : -1]
    if thing[-1:] == [] or thing[-1] not in OUTPUT | {"seats"}:
        return False
    if not rest:
        return len(thing) > 1 and is_kind(thing, names) and ON_SIGNS.isdisjoint(thing)
    return rest[0] == "in" and is_bare(rest) and len(rest) < MOST


def _stick(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Stick to British spelling`; `stick to the plan` means one, `stick to small steps` is advice."""
    thing = thing_from(words, 2)
    rest = words[2 + len(thing) :]
    if words[1] == "to" and rest[:1] == ["per"]:
        return f"{rest[-1]}s" in OUTPUT and len(rest) == FEWEST
    if words[1] != "to" or not 0 < len(thing) <= MOST or not is_bare(thing):
        return False
    if rest[:1] == ["when"]:
        return _is_ended(rest)
    put = thing[-1] in SUGGESTED | WORDED and not names.issuperset(thing)
    if not put or len(rest) + len(thing) == 1:
        return False
    if rest[:1] == ["in"]:
        return is_kind(thing_from(rest, 1), names) and rest[len(thing_from(rest, 1))] in OUTPUT
    return _tells_which([word for word in rest if word != "than"], names, the=_NOWHERE)


def _keep(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Keep paragraphs short`, `keep teasers to two lines`, `keep Wednesday afternoons free`."""
    if words[1] == "to":
        return _stick(words, names)
    if "out" in words:
        return _leave_out(words, names)
    at = 1 + (words[1] in ("my", "our"))
    thing = [*takewhile(lambda w: w not in MANNER and w != "free", thing_from(words, at))]
    rest = words[at + len(thing) :]
    if not rest or not is_kind(thing):
        return False
    if _is_day(thing):
        of = rest[1:2] == ["of"] and is_bare(rest[2:]) and len(rest) < MOST
        return rest[0] in ("free", "clear") and (of or _is_ended(rest[1:]))
    if rest[0] in MANNER:
        return thing[-1] in OUTPUT and at == 1 and _is_ended(rest[1:])
    counted = rest[0] in _AT_MOST and len(rest) > FEWEST and is_number(rest[1])
    written = rest[-1] in LENGTHS or (thing[-1] in OUTPUT and rest[-1] in ("minutes", "hours"))
    return counted and written and len(rest) <= MOST + 1


def _is_day(thing: Sequence[str]) -> bool:
    return thing[-1] in WEEKDAYS or (len(thing) > 1 and f"{thing[-2]}s" in WEEKDAYS)


def _leave_out(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Keep politics out of letters`, `leave client names out of logs`."""
    thing = [*takewhile(lambda word: word != "out", words[1:])]
    rest = words[1 + len(thing) :]
    if not 0 < len(thing) <= MOST or not is_bare(thing) or rest[:2] != ["out", "of"]:
        return False
    return is_kind(rest[2:], names) and rest[-1] in OUTPUT


def _make_sure(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Make sure backups run before upgrades`: each time, for these come again and again."""
    if words[1] not in ("sure", "careful"):
        return False
    if words[2] in ("you", "to") and words[3:4] != [] and words[3] in _SUGGESTS:
        thing = thing_from(words, 4)
        rest = words[4 + len(thing) :]
        told = rest[:1] == ["that"] and _FURTHER.isdisjoint(rest) and DEFINITE.isdisjoint(rest[1:])
        return is_kind(thing, names) and (told or _tells_which(rest, names, the=_NOWHERE))
    at = next((n for n, word in enumerate(words) if word in ("before", "after")), 0)
    return at > 0 and is_kind(words[at + 1 :], names) and words[-1] in DONE_AGAIN


def _say(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Give distances in kilometres`, `write dates as words`."""
    at = 1 + (words[1] in ("me", "us"))
    thing = thing_from(words, at)
    rest = words[at + len(thing) :]
    if not 1 < len(rest) < MOST or rest[0] not in ("in", "as") or not is_bare(rest):
        return False
    return is_kind(thing, names) and thing[-1] in VALUES and rest[-1] in UNITS | names | _FORMATS


def _handle(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Sign letters with my full name`, `begin reviews with a summary`."""
    thing = thing_from(words, 1)
    rest = words[1 + len(thing) :]
    if not is_kind(thing, names) or thing[-1] not in OUTPUT or rest[:1] != ["with"]:
        return False
    if words[0] == "sign":
        return _MY_NAME.fullmatch(" ".join(rest[1:])) is not None
    return len(rest) > FEWEST and _tells_which(rest, names, the=_NOWHERE)


def _inform(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Cc me on venue mails`, `remind me of birthdays a week ahead`."""
    if words[1] not in ("me", "us") or words[2] not in ("on", "of", "about"):
        return False
    thing = [*takewhile(lambda word: word not in DEFINITE, thing_from(words, 3))]
    rest = words[3 + len(thing) :]
    if not is_kind(thing, names):
        return False
    if words[0] == "remind":
        return _AHEAD.fullmatch(" ".join(rest)) is not None
    return thing[-1] in OUTPUT and _is_ended(rest)


def _avoid(words: Sequence[str], names: frozenset[str]) -> bool:
    thing = words[1:]
    return is_bare(thing) and len(thing) < MOST and thing[-1] in STYLE and names.isdisjoint(thing)


_FORMS: Mapping[str, Callable[[Sequence[str], frozenset[str]], bool]] = {
    "no": _no,
    "only": _only,
    "stick": _stick,
    "keep": _keep,
    "leave": _leave_out,
    "make": _make_sure,
    "be": _make_sure,
    "avoid": _avoid,
    **dict.fromkeys(_SAYING, _say),
    **dict.fromkeys(_INFORMING, _inform),
    **dict.fromkeys(_HANDLING, _handle),
}
_WISHING = words_of("i i'd we we'd any every each all")
_FIRST = _WISHING | frozenset(_FORMS)
_OFTEN = WEEKDAYS | words_of("time when whenever")
_WANTING = words_of("want like expect prefer rather must")
_HINTS = frozenset(_FORMS) - {"be", "make"} | _OFTEN | _WANTING | words_of("sure careful")
"""One of these stands in each of the forms."""
