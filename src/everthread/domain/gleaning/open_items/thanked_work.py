"""Is a person glad of what she had asked for? Then it was made, whoever saw that: nobody waits for it.

`Thanks for the member list, perfect`, `the table plan is exactly what I wanted`, `5a loved the crossword you
made`. It must be the very thing, called by `the` or `your`, with nothing else told of it and nothing missing.
Where the thing was there before (`Fix the login bug`), the deed itself must be named: `thanks for fixing it`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.related_words import kin_of

_FINE = (
    r"(?:great|perfect|brilliant|excellent|wonderful|beautiful|fantastic|awesome|superb|amazing|fabulous|lovely|"
    r"helpful|useful|delicious|spot on)"
)
_GLAD = lazy_pattern(
    rf"\b(?:thanks|thank you|thx|cheers|{_FINE}|lov(?:e|es|ed)|lik(?:e|es|ed)|enjoy(?:s|ed)?|ador(?:e|es|ed)|"
    r"exactly|helped|helps|help|saved|hit|success|well|good|nicely|perfectly|beautifully|happy|pleased|glad)\b"
)
_LED = (
    r"^\W*+(?>(?:(?:oh|wow|and|also|hey|hi|hello|yes|ok|okay|so|well|btw|by the way|i think|good morning|"
    rf"{_FINE}|(?:thanks|thank you|thx|cheers)(?! (?:for|again|a|so|very)\b))\b[\s,.!:;–—-]*+)*)"
)
_IN = r"(?:[^,;:.!?()–—]|[.,:](?=\d))"
_NAMED = rf"(?:the|your|that|this|those|these) (?P<thing>{_IN}{{1,60}}?)"
_YOU_DID = (
    r" (?:that |which )?you(?:'ve| have)?(?: just| already)? "
    r"(?P<did>[a-z]+)(?: (?:up with|up|out|together))?(?: (?:for )?(?:me|us))?"
)
_BY_YOU = rf"(?:{_YOU_DID})?"
_VERY = r"(?>(?: (?:really|very|so|just|absolutely|truly|all|simply|such|quite))*)"
_PRAISED = (
    rf"(?:(?:is|are|was|were|looks?|looked|reads?|turned out|came out){_VERY} "
    rf"(?:{_FINE}|a (?:big |great |huge )?(?:hit|help|success)|"
    r"exactly what (?:i|we) (?:wanted|needed|had in mind|was after))|"
    rf"(?:works?|worked|reads?|looks?|looked|fits?|fitted|went(?: down)?|came out|turned out){_VERY} "
    r"(?:well|good|nicely|perfectly|beautifully)|saved (?:me|us|my day|our day|the day))\b"
)
_REST = rf"(?P<rest>(?>{_IN}*))"
_END = (
    rf"{_BY_YOU}(?= (?:(?:so|very) much|a lot|and|at|in|on|for|of|to|about|with|near|from)\b|[^\w\s']|\s*$)"
    rf"{_REST}"
)
_LIKED = (
    r"(?!(?:if|when|who|what|would|nobody|nothing)\b)(?:(?:the|my|our|all) )?[\w&-]+(?: [\w&-]+)?"
    r"(?: (?:really|all|just|absolutely|both))?"
    r" (?:lov(?:e|es|ed)|lik(?:e|es|ed)|enjoyed|ador(?:e|es|ed)|(?:am|are|is|was|were) (?:so |very )?"
    r"(?:happy|pleased|delighted) with)"
)
_USED = (
    r"(?:i|we)(?:'ve| have)?(?: just| already)? "
    r"(?:used|printed|sent|published|read|hung|posted|mailed|signed)"
)
_SERVED = (
    r"(?:came|arrived|has come|hangs?|won|(?:is|are|was|were) (?:printed|published|signed|sent))\b"
)
"""So one tells of what is there, without a word of praise: then it must be said who made it."""
_FORMS = tuple(
    lazy_pattern(_LED + form)
    for form in (
        rf"(?:thanks|thank you|thx|cheers)(?: again| a lot| so much| very much| a million)? for "
        rf"(?:(?P<doing>[a-z]+ing)(?: (?:up|out|together))?(?: (?P<whom>me|us))? )?(?:all )?{_NAMED}{_END}",
        rf"{_NAMED}{_BY_YOU} {_PRAISED}{_REST}",
        rf"{_LIKED} {_NAMED}{_END}",
        rf"you(?:'ve| have)?(?: just| already)? (?P<did>[a-z]+)(?: (?:up|out|together))?"
        rf"(?: (?P<whom>me|us))? (?:the|that|those|an? {_FINE}) (?P<thing>(?>{_IN}{{1,80}}))(?P<rest>)",
    )
)
_USES = tuple(
    lazy_pattern(_LED + form)
    for form in (
        rf"{_NAMED}{_YOU_DID} {_SERVED}{_REST}",
        rf"{_USED} {_NAMED}{_YOU_DID}\b{_REST}",
    )
)
_EXCLAIMED = lazy_pattern(
    rf"^\W*+(?:wow|oh)?\W*+(?:what an? )?{_FINE} (?P<thing>(?>{_IN}{{1,60}}))\W*$"
)
_YOU = lazy_pattern(r"\byou(?:'ve)? ")
_LACKS = lazy_pattern(
    r"\b(?:in advance|when|once|if|would|could|should|will|'ll|need|needs|must|please|still|yet|not|never|no|"
    r"missing|but|wrong|except|although|though|forgot|instead|without|until|offering|offer|tomorrow|later|"
    r"asap|soon|hope|hoping|looking forward|however|unfortunately|nothing|hardly|barely|almost|nearly|too|"
    r"wish|half|mistakes?|errors?|typos?|broken|useless|redo|again|last (?!night\b|week\b|weekend\b)\w+|ago|"
    r"(?:19|20)\d\d|used to|back then|old|older|previous|earlier|other|another|similar|his|her|their|"
    r"idea|things?|was to|supposed|promised|by now|waiting|where)\b|n't\b"
)
"""What is not there, not right, or of another time or person."""
_AFTERWARDS = lazy_pattern(
    r"\b(?:missing|wrong|forgot|mistakes?|incomplete|unfinished|still|not (?:done|finished|ready)|redo|but)\b"
)
_ENDS = lazy_pattern(
    r"[,;:.!?–—(]|\b(?:of|for|about|with|from|in|on|at|to|by|near|that|which|who|so|because|and|into|before|"
    r"after|until|as|using|based)\b"
)
_ORDER = lazy_pattern(
    r"\W*+(?>(?:(?:please|and|also|then|now|ok|okay|so|hi|hello|hey|thanks|pls)\b[\s,.!]*+)*)"
    r"(?:(?:can|could|would|will) you (?>(?:please |kindly |just |also )*)|i need you to |i'd like you to )?"
    r"(?:help (?:me|us) (?:to )?)?(?P<verb>[a-z]+)\b"
    r"(?>(?: (?:up|out|down|together|over|into|for|me|us))*)(?P<after>.*)"
)
_SIDES = lazy_pattern(r"\b(?:from|by|against|to|about)\b")
"""`The letter from the bank` is not that to it."""
_WHOSE = lazy_pattern(r"\b(?:the|your|that|this|those|these|my|our|a)\b")
_MINE = lazy_pattern(r"\b(?:me|us)\b")
_DEFINITE = lazy_pattern(
    r"\W*(?:the|your|that|this|those|these|my|our|his|her|their|all|[\w-]+'s)\b"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MAKES = _words("make write draft create design build compose generate produce compile prepare put")
"""What is asked for by these is mostly not there before."""
_MAY_MEND = _words("make prepare put design")
"""By these, too, something is done to what is there: `Make the bed`."""
_HANDS_OVER = _MAY_MEND - {"put"}
_FINDS = _words("find look search suggest recommend propose give draw paint sketch plan")
"""What these ask for is there before, or others have made the like: `Find a dentist`."""
_MADE = _words(
    "made making wrote written writing drafted drafting created creating designed designing built building "
    "composed composing generated generating produced producing compiled compiling prepared preparing put "
    "putting did doing came sent sending gave giving drew drawing"
)
_FOUND = _words(
    "found finding suggested suggesting recommended recommending gave giving sent sending"
)
_COUNTS = roots("one two three four five six seven eight nine ten few some more new couple")
_SMALL = roots(
    "yesterday today tonight night morning evening week weekend much lot really everybody everyone all well "
    "kindly great lovely perfect brilliant excellent wonderful beautiful fantastic you quick quickly thanks"
)


class _Work(NamedTuple):
    """What is asked for."""

    verb: str
    thing: frozenset[str]
    more: frozenset[str]
    """What is said of it."""
    is_new: bool
    """It is there only when it was made: then praise of it is enough."""
    is_given: bool
    """She has it only when it was given to her: then thanks for it are enough."""
    mine: bool
    """It is for her who asks."""
    sides: frozenset[str]


def is_glad_of(said: Utterance, request: str) -> bool:
    """Is she glad of what this request asked for?"""
    if not _may_be_glad(said.text):
        return False
    wanted = _work_wanted(request)
    if wanted is None:
        return False
    every = said.sentences
    return any(
        _is_told(each, wanted)
        and not any(_AFTERWARDS.search(e.lower) for e in every[n + 1 : n + 2])
        for n, each in enumerate(every)
    )


@lru_cache(maxsize=64)  # a message is held against all that is open
def _may_be_glad(text: str) -> bool:
    lower = text.lower()
    return _GLAD.search(lower) is not None or _YOU.search(lower) is not None


def _is_told(each: ParsedSentence, wanted: _Work) -> bool:
    if each.asks or not _may_be_glad(each.lower) or _LACKS.search(each.lower):
        return False
    shouted = _EXCLAIMED.match(each.lower)
    if shouted and wanted.is_given and _is_it(shouted["thing"], wanted):
        return True
    forms = (*_FORMS, *_USES) if _GLAD.search(each.lower) else _USES
    found = (form.match(each.lower) for form in forms)
    return any(_is_meant(one, wanted) for one in found if one is not None)


def _is_meant(found: re.Match[str], wanted: _Work) -> bool:
    """Is it this thing, made or done as it was asked for?"""
    told = found.groupdict()
    deed = told.get("doing") or told.get("did") or ""
    if deed and not _is_deed(deed, wanted):
        return False
    enough = wanted.is_given if "doing" in told else wanted.is_new
    if not deed and not enough:
        return False
    if told.get("whom") and not (wanted.is_given or wanted.mine):
        return False
    return _is_it(f"{told['thing']} {told['rest']}", wanted)


def _is_it(named: str, wanted: _Work) -> bool:
    """The thing, and nothing else: no `shopping list`, no `list of the guests`, no `reminder of the list`."""
    told = roots(named) - _COUNTS
    if not wanted.sides.issuperset(_SIDES.findall(named)):
        return False
    return "'" not in named and wanted.thing <= told <= wanted.thing | wanted.more | _SMALL


def _is_deed(word: str, wanted: _Work) -> bool:
    if wanted.verb in _MAKES and word in _MADE:
        return True
    if wanted.verb in _FINDS and word in _FOUND | _MADE:
        return True
    return word in kin_of(wanted.verb) or word in _forms_of(wanted.verb)


@lru_cache(maxsize=256)
def _forms_of(verb: str) -> frozenset[str]:
    """What was done, and the doing of it: `fixed`, `fixing`; `planned`, `copied`, `updating`."""
    bare = verb.removesuffix("e")
    stems = {bare, bare + bare[-1:]}
    ied = {f"{verb[:-1]}ied"} if verb.endswith("y") else set[str]()
    return frozenset({f"{s}{end}" for s in stems for end in ("ed", "ing")} | {f"{verb}ing"} | ied)


@lru_cache(maxsize=512)
def _work_wanted(request: str) -> _Work | None:
    """What is to be made; None where it is not plain what that is."""
    order = _ORDER.match(parse_sentence(request).lower)
    if order is None or order["verb"] not in BASE:
        return None
    verb, after = order["verb"], order["after"]
    own = _ENDS.split(_WHOSE.sub(" ", after, count=1).lstrip(), maxsplit=1)
    thing = roots(own[0]) - _COUNTS
    if not thing:
        return None
    there = _DEFINITE.match(after) is not None
    is_new = verb in _MAKES and not (there and verb in _MAY_MEND)
    several = own[0].rstrip().endswith("s")  # thanks for one gift may be for the gift of another
    is_given = is_new or (verb in _FINDS and several and not there) or verb in _HANDS_OVER
    mine = _MINE.search(request.lower()) is not None
    more = roots(after) - thing - _COUNTS
    return _Work(verb, thing, more, is_new, is_given, mine, frozenset(_SIDES.findall(after)))
