"""What is laid down for a kind of things, and not for one: `stick to British spelling`, `no late calls`.

No `always` stands in it. Whoever means one thing points at it, counts it or calls it by its name: `stick to
the plan`, `only book the small room`, `no sugar in this one`. Whoever means all of a kind names the kind
alone: `only book rooms with a window`. That makes a rule only of what comes up again and again: what is
suggested, booked or written, when somebody may call. `Only fix typos` is done once. And it makes one only
of what people do: `no trains on Sundays` tells of the world.

A sentence is cut into words once, and read from its first word on: no text takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from everthread.domain.text.patterns import lazy_pattern

from .kinds_of_things import (
    DEFINITE,
    MOST,
    NUMBERS,
    ON_SIGNS,
    WEEKDAYS,
    is_bare,
    is_deed,
    is_kind,
    is_made,
    is_number,
    is_several,
    thing_from,
    words_of,
)
from .word_lists import BASE, LOOKING

LONGEST, FEWEST = 240, 2
"""Characters of a sentence that lays something down in passing, and words of it."""


_LEAD = lazy_pattern(
    r"\W*+(?:(?:and|also|but|so|then|oh|ok|okay|yes|well|right|please|btw|by the way|again|"
    r"one (?:more |last |other )?thing(?: though)?|note|reminder|important)\b[\s,.:;!–—-]*+)*+"
    r"(?P<lasting>(?:(?:in (?:the )?future|for (?:all )?future \w+|in general|generally|as a rule)\b"
    r"[\s,:–—-]*+(?:please )?+)?+)"
)
_CLAUSE_END = lazy_pattern(r"[,;:.!?()–—]| -+ | because | since | so ")
_WORD = lazy_pattern(r"[^\W_]+(?:['.:-][^\W_]+)*")
_NAME = lazy_pattern(r"(?<=\w )[A-Z][a-z][\w-]*")

_OF_ONE_TIME = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|yesterday|(?<!from )now|for once|this|these|those|(?<!\ws )that(?! you)|"
    r"next|last (?!\w+ \w+s\b)\w+|until|till|yet|so far|left|again|any ?more|any longer|either|instead|"
    r"for (?:the )?\w+day|except|exceptionally|maybe|perhaps|if you like)\b"
)
"""It is meant for once, or points at something."""
_TOLD_OF = lazy_pattern(
    r"\b(?:said|says|told|wrote|writes|reads|the sign|a sign|poster|notice|sadly|unfortunately|alas|"
    r"apparently|luckily|(?<!sure )there|here|was|were|had|did|came|went|been|got|available|allowed|"
    r"possible|found|seen|hurray|hooray|yay|ugh|lol)\b"
)
"""It tells how something is or was, or what stands somewhere."""

# ---- words, by what they do in such a sentence

_HOURS = NUMBERS | words_of("noon midnight lunch dinner breakfast")
_PARTS = words_of("mornings afternoons evenings nights")
_CLOCK = words_of("before after at between during")
_AFTER_HOUR = words_of("o'clock am pm and for in unless")
"""Not `no calls after two weeks`."""
_WHENS = words_of("on before after during at in over between")
_LACKING = words_of("""
    errors warnings failures issues problems bugs matches hits traces signs mentions entries results
    differences regressions leaks crashes exceptions ideas worries thanks reasons news replies answers
    objections comments complaints questions plans chances words things people updates typos mistakes stops
    coverage access progress growth improvement movement activity traffic feedback interest support demand
    agreement evidence proof history
""")
"""What is found or missing, or how things stand; nobody bans it."""
_SPEAKS = words_of("suggest recommend propose mention cite quote use raise plan schedule")
_GOES_ON = _SPEAKS | words_of("""
    book buy order invite cook bake deploy restart merge push send link choose pick hire praise contact
    email call offer
""")
"""What an agent does again and again, to things of a kind; the second sort also once."""
_MANNER = words_of("""
    short brief concise simple formal informal neutral plain small polite friendly factual light free clear
    separate crisp readable lowercase civil private confidential anonymous consistent minimal professional
""")
_AT_MOST = words_of("under below within to")
_VALUES = words_of("""
    prices amounts sums figures numbers dates times units measurements temperatures distances weights
    lengths volumes
""")
_OUTPUT = _VALUES | words_of("""
    answers replies responses messages emails mails summaries reports drafts tables quotes translations
    suggestions recipes titles headlines headings captions labels names texts values sizes commits letters
    posts reviews chapters paragraphs invitations
""")
"""What an agent gives, and the values in it."""
_GIVES = _VALUES | words_of("answers replies responses summaries explanations translations quotes")
_WRITTEN = words_of("""
    semicolons colons commas dashes brackets hashtags emojis abbreviations acronyms jargon slang adjectives
    adverbs buzzwords cliches puns jokes metaphors exclamations footnotes bullets anglicisms platitudes
    sarcasm irony humour humor profanity clickbait markdown html boilerplate latin sql code
""")
_SAYING = words_of("give write quote state express")
_HANDLING = words_of("sign begin end")
_INFORMING = words_of("cc bcc copy remind warn")
_DOES = BASE | _GOES_ON | _HANDLING | {"when"}
_EFFECTS = words_of(
    "be have get think enjoy help guess look go work play make find fix stop let see"
)
_REPORTING = _EFFECTS | words_of("tell call ping notify remind ask say check show wait")
"""What is to be so, or done at some time, and not in a certain way: `tell me when you book`."""

# ---- wishes, and orders for each time

_YOURS = r"(?:(?:any|every)thing|whatever|what) you \w+|your \w+s\b"
_NO_PART = lazy_pattern(
    r"(?:i|we) (?:don't|do not|never) (?:ever )?want (?:to see )?(?:any )?"
    rf"(?P<what>[^,;.]{{2,60}}?) in (?:{_YOURS}|(?P<place>[^,;.]{{3,60}}))"
)
_WISH = r"(?:i|we)(?:(?:'d| would)(?: really)? (?:like|prefer)|(?: really)? (?:want|expect))"
_WISHES = lazy_pattern(
    rf"{_WISH} you to (?:please )?(?:(?:always|never|only ever) \w+|"
    r"[^;.]{2,120}?\b(?:every|each) time\W*$)|"
    rf"{_WISH} (?!to\b)[^;.]{{2,120}}?, (?:every|each) (?:single )?time\W*$|"
    r"(?:i|we)(?:'d| would) (?:rather|prefer it if|like it if) you [^;.]{2,120}?\b(?:in|at|on|for|after|"
    r"before) (?:every|each) \w+\W*$|"
    r"(?:any|every|each|all)(?: [\w'-]+){1,3} you \w+ (?:must|ha(?:s|ve) to|needs? to)\b(?! have\b)"
)
_SURE = lazy_pattern(r"(?:be|make) (?:sure|careful) (?:(?:that )?you |to )")
_WISHED_SO = lazy_pattern(
    rf"{_WISH} (?P<what>\w+) (?:in|as|without) (?P<how>[^,;.]{{3,40}})(?=\W*$|[,;.])"
)
_EVERY_TIME = lazy_pattern(r"\b(?:every|each) (?:single )?time\W*$")
_ON_DAYS = lazy_pattern(
    r"\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| (?:mornings|afternoons|evenings|nights))|"
    r"(?:on|at) weekends|on weekdays)\W*$"
)
_SEEKS = lazy_pattern(
    r"\b(?:if|whether|what|which|who|why|where|how|that|open|closed|it|he|she|they|i|we)\b"
)
"""Somebody else does it, or it is asked for."""
_WHEN = lazy_pattern(
    r"\bwhen(?:ever)? you (?:suggest|recommend|propose|list|describe|plan|mention|write|give|send|quote|"
    r"draft|answer|reply|explain|translate|look for|book|cook|schedule|name|cite|summari[sz]e|compare|"
    r"review|edit|refactor|commit|deploy|order|buy|invite|rewrite|correct|grade)\b"
    r"(?! (?:me |us |back )?(?:it|that|this|these|those|the|an?|them|my|our|him|her)\b)"
)


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
    if _OF_ONE_TIME.search(rest) or _TOLD_OF.search(rest):
        return False
    if (first[0] in _WISHING and _is_wished(rest)) or (often and _is_ordered(rest)):
        return True
    words = _WORD.findall(_CLAUSE_END.split(rest, maxsplit=1)[0])
    names = frozenset(name.lower() for name in _NAME.findall(text))
    if lead and lead["lasting"] and words[:1] == ["no"]:
        return is_kind(thing_from(words, 1), names)
    return _has_form(words, names, alone=start == 0 or "please" in bag)


def _has_form(words: Sequence[str], names: frozenset[str], *, alone: bool) -> bool:
    if len(words) < FEWEST:
        return False
    form = _FORMS.get(words[0])
    if form is not None and (len(words) > FEWEST or form is _avoid) and form(words, names):
        return True
    return alone and words[-1] == "only" and _only_at_end(words, names)


def _is_wished(rest: str) -> bool:
    """`I'd like you to always …`, `I don't want any … in your answers`."""
    if _WISHES.match(rest):
        return True
    so = _WISHED_SO.match(rest)
    if so is not None:
        return so["what"] in _GIVES and is_bare(_WORD.findall(so["how"]))
    found = _NO_PART.match(rest)
    if found is None or not DEFINITE.isdisjoint(found["what"].split(" ")[:1]):
        return False
    place = found["place"]
    return place is None or is_made(thing_from(_WORD.findall(place), 0), frozenset())


def _is_ordered(rest: str) -> bool:
    """An order for each time, for certain days, or for when the agent does something of a kind."""
    rest = _SURE.sub("", rest, count=1)
    first = _WORD.match(rest)
    if first is None or first[0] in _EFFECTS or first[0] not in _DOES:
        return False
    if _WHEN.search(rest):
        return first[0] not in _REPORTING
    often = _EVERY_TIME.search(rest) or _ON_DAYS.search(rest)
    return often is not None and first[0] not in LOOKING and _SEEKS.search(rest) is None


# ---- forms, by their first word


def _no(words: Sequence[str], names: frozenset[str]) -> bool:
    """`No hotels without a lift`, `no meetings on Fridays`, `no raw SQL in handlers`."""
    thing = thing_from(words, 1)
    rest = words[1 + len(thing) :]
    if len(rest) < FEWEST or not 0 < len(thing) <= MOST or not is_bare(thing):
        return False
    if thing[-1] in _LACKING:
        return False
    if rest[0] in ("over", "above"):
        return is_several(thing[-1]) and is_number(rest[1])
    return _lacks(thing, rest, names) or _is_placed(thing, rest, names) or _is_timed(thing, rest)


def _lacks(thing: Sequence[str], rest: Sequence[str], names: frozenset[str]) -> bool:
    """`No hotels without a lift`; `no roses without thorns` is a saying."""
    if "without" not in rest or not is_kind(thing, names) or thing[-1] in ON_SIGNS:
        return False
    after = rest[rest.index("without") + 1 :]
    named = after[:1] != [] and (after[0] in DEFINITE - {"the"} or after[0].endswith("ing"))
    return (named or is_deed(thing[-1])) and "the" not in after


def _is_placed(thing: Sequence[str], rest: Sequence[str], names: frozenset[str]) -> bool:
    """In things of a kind that are made: `no adverbs in dialogue tags`, `no pushes to shared branches`."""
    if rest[0] not in ("in", "into", "to") or (rest[0] == "to" and not is_deed(thing[-1])):
        return False
    if rest[1] in ("anything", "everything", "whatever"):
        return rest[2:3] == ["you"]
    if not (len(thing) > 1 or is_several(thing[-1]) or thing[-1] in _WRITTEN):
        return False
    place = thing_from(rest, 1)
    after = rest[1 + len(place) :]
    ends = not after or after[0] in ("to", "for", "when", "unless")
    return ends and is_made(place, names)


def _is_timed(thing: Sequence[str], rest: Sequence[str]) -> bool:
    """At certain times, of what somebody does: `no calls before nine`, and not `no trains on Sundays`."""
    if not is_deed(thing[-1]) or rest[0] not in _WHENS:
        return False
    if not (WEEKDAYS | _PARTS).isdisjoint(rest[1:3]) or rest[:2] == ["at", "night"]:
        return True
    hour = rest[1] in _HOURS or rest[1][0].isdigit()
    return hour and rest[0] in _CLOCK and (len(rest) == FEWEST or rest[2] in _AFTER_HOUR)


def _only(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Only book rooms with a window`; `only book the small room` is for once."""
    at = 2 if words[1] == "ever" else 1
    if words[at] not in _GOES_ON:
        return False
    often = words[at] in _SPEAKS
    at += 1 + (words[at + 1 : at + 2] in (["me"], ["us"], ["to"]))
    thing = thing_from(words, at)
    rest = words[at + len(thing) :]
    if thing[1:2] == ["own"]:  # `our own photos` are a kind, too
        thing = thing[2:]
    return is_kind(thing, names) and (often or bool(rest) or len(thing) > 1)


def _only_at_end(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Use metric units only`, `window seats only`, `prices in euros only`."""
    if words[0] in _SPEAKS:
        return is_kind(words[1:-1], names) and len(thing_from(words, 1)) == len(words) - FEWEST
    thing = thing_from(words, 0)
    rest = words[len(thing) : -1]
    if not rest:
        return len(thing) > 1 and is_kind(thing, names) and ON_SIGNS.isdisjoint(thing)
    return thing[-1:] != [] and thing[-1] in _OUTPUT and rest[0] == "in" and is_bare(rest)


def _stick(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Stick to British spelling`; `stick to the plan` means one."""
    thing = thing_from(words, 2)
    if words[1] != "to" or not 0 < len(thing) <= MOST:
        return False
    if "per" in words:
        return True
    one = len(thing) == 1 and not is_several(thing[0]) and "when" not in words
    return not one and len(thing[-1]) > 1 and is_bare(thing) and not names.issuperset(thing)


def _keep(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Keep paragraphs short`, `keep teasers to two lines`, `keep Wednesday afternoons free`."""
    if words[1] == "to":
        return _stick(words, names)
    if "out" in words:
        return _leave_out(words, names)
    own = words[1] in ("my", "our") and words[2] in WEEKDAYS
    thing = [*takewhile(lambda word: word not in _MANNER, thing_from(words, 1 + own))]
    rest = words[1 + own + len(thing) :]
    if not rest or "the" in rest or not (own or is_kind(thing, names)) or thing == ["things"]:
        return False
    counted = rest[0] in _AT_MOST and len(rest) > 1 and is_number(rest[1])
    return counted or rest[0] in _MANNER


def _leave_out(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Keep politics out of letters`, `leave client names out of logs`."""
    thing = [*takewhile(lambda word: word != "out", words[1:])]
    rest = words[1 + len(thing) :]
    if not 0 < len(thing) <= MOST or not is_bare(thing) or rest[:2] != ["out", "of"]:
        return False
    return is_made(thing_from(rest, 2), names)


def _make_sure(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Make sure backups run before upgrades`: each time, for these come again and again."""
    if words[1] not in ("sure", "careful"):
        return False
    does = [*takewhile(lambda word: word not in _SPEAKS, words)]
    if 2 < len(does) < MOST + 1 and is_kind(thing_from(words, len(does) + 1), names):  # noqa: PLR2004
        return words[len(does)] not in ("use", "raise")
    at = next((n for n, word in enumerate(words) if word in ("before", "after")), 0)
    return at > 0 and is_kind(words[at + 1 :], names)


def _say(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Give distances in kilometres`, `write numbers as words`."""
    at = 1 + (words[1] in ("me", "us"))
    thing = thing_from(words, at)
    rest = words[at + len(thing) :]
    if not rest or rest[0] not in ("in", "as") or not is_bare(rest):
        return False
    return is_kind(thing, names) and thing[-1] in _VALUES


def _handle(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Sign letters with my full name`, `begin reviews with what is good`."""
    thing = thing_from(words, 1)
    how = words[1 + len(thing) : 2 + len(thing)]
    return is_kind(thing, names) and thing[-1] in _OUTPUT and how in (["with"], ["as"], ["by"])


def _inform(words: Sequence[str], names: frozenset[str]) -> bool:
    """`Cc me on venue mails`, `remind me of birthdays a week ahead`."""
    if words[1] not in ("me", "us") or words[2] not in ("on", "of", "about", "before"):
        return False
    return is_kind([*takewhile(lambda word: word != "a", thing_from(words, 3))], names)


def _avoid(words: Sequence[str], names: frozenset[str]) -> bool:
    thing = thing_from(words, 1)
    return is_bare(thing) and bool(thing) and thing[-1] in _WRITTEN


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
