"""What somebody tells as done in few words: `Booked: Friday, 4 pm`, `Suspended the nightly job`.

Any verb in the form of the past may tell a deed. Many of them tell something else: what was seen,
thought or said (`I noticed …`), what something is like (`Based on …`, `Closed on Sundays`). So the verb
must not be one of those, and what follows must be what a deed was done to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.words import STOP

from .speech import ParsedSentence, parse_sentence

STEM = 4
"""Letters by which a verb is known in its other forms: `book`, `booked`."""

LONGEST = 1_000
"""Characters of what was asked that are looked at."""

FEW = 8
"""Of what was asked, so many are remembered: each is held against all that the answer says."""

_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+")
_VERBS = """
    accustomed acknowledged advised agreed aimed allowed analysed analyzed answered anticipated apologised
    apologized appeared appreciated argued asked assumed attached attempted based believed belonged blocked
    bored called calculated caused checked combined compared computed concerned concluded confirmed
    confused considered consisted contained continued counted crashed debugged decided declined delayed
    denied depended deprecated described designed detailed detected determined died disappeared
    discovered discussed disliked dreamed ended enjoyed established estimated examined exceeded excited
    excluded existed expected expired explained explored exposed failed feared felt figured followed founded
    frustrated given glanced guessed handled happened heard hoped identified imagined implied included indeed
    inspected intended interested investigated involved iterated joined known lacked lasted learned liked
    limited listed listened lived located looked loved managed mattered meant measured mentioned missed
    monitored named need needed noted noticed observed occurred offered opposed outlined overlooked owed
    parsed performed planned played pleased pointed preferred presumed promised proposed proved provided
    ranged reached realised realized received recognised recognized recommended referred refused regarded
    rejected related relieved remained remembered reminded replied reported represented required researched
    responded returned reviewed scanned searched seemed shared shouldered skipped smiled sounded spotted
    stated stayed struggled studied suggested summarised summarized supported supposed surprised suspected
    talked tended thanked timed tired traced trained travelled traveled treated tried turned understood unused
    used wanted warned watched wished wondered worked worried
    bed bleed breed creed deed exceed feed freed greed hundred indeed need red reed seed shed speed steed
    succeed weed wed zed sacred naked wicked
"""
_NOT_DONE = frozenset(_VERBS.split())
"""Verbs by which nothing is got done: to see, think, say, be, befall; and nouns that end like one."""

_UN = lazy_pattern(
    r"un(?!installed|blocked|locked|pinned|muted|assigned|subscribed|archived|packed|linked)"
)
_IRREGULAR = (
    r"built|rebuilt|bought|brought|drew|gave|hid|made|remade|overrode|paid|rang|sent|spoke|took|"
    r"undid|wrote|rewrote|rolled back|backed up|set up|shut down|laid out|wound down"
)
_VERB = rf"(?P<verb>(?:{_IRREGULAR})|[a-z]{{2,}}+(?<=ed))"
_PAST = _VERB.replace("built|", "built|put|set|cut|split|reset|shut|ran|", 1)
"""After `I` also what sounds like an order."""
_LEADS = (
    r"^\W*(?>(?:(?:ok|okay|yes|yep|yeah|sure|great|alright|all right|right|good|perfect|nice|fine|of course|"
    r"certainly|thanks|thank you|got it|no problem|there|now|and|also|then|so)\b[\s,.!:–—-]*+)*)"
)
_OBJECT = (
    r"(?:the|an?|your|yours|his|her|its|their|our|my|this|that|these|those|it|them|him|both|all|every|each|"
    r"another|one|two|three|four|five|six|seven|eight|nine|ten|some|several|\d[\w.,:%/-]*|[#`\"'“‘«$€£/~]\S*|"
    r"\S*[\w/][._=@][\w/]\S*|\w+-\w+)(?=\W|$)"
)
_PARTICLE = r"(?:back|up|off|out|down|over|away|again|in|through)"
_BARE = lazy_pattern(
    rf"{_LEADS}{_VERB}(?:\s+{_PARTICLE})?(?P<rest>\s*[:–—]\s+\S|\s*[,;]\s+\S|\s+{_OBJECT})"
)
_GOES = lazy_pattern(
    rf"{_LEADS}(?P<verb>switched|moved|migrated|upgraded|downgraded|updated|changed|bumped|raised|lowered|"
    rf"reverted|rolled back|went back|renamed|reset|scheduled|rescheduled|reserved|booked|submitted|sent|"
    rf"forwarded|assigned|promoted|deployed|released|extended|shortened|increased|reduced)"
    rf"(?:\s+{_PARTICLE})?\s+(?P<rest>(?:to|from|into|for)\s+\S)"
)
_ANY = lazy_pattern(rf"{_LEADS}{_VERB}\s+(?P<rest>\S)")
_OWN = lazy_pattern(
    rf"(?:^\W*|[.;,:–—]\s+|\b(?:and|so|then|but|yes|ok|okay|sure|now|today|first)\b,?\s+)"
    rf"(?:i|we)(?:'ve|\s+have)?(?>(?:\s+(?:now|also|just|already|then|again|only|both|\w+ly))*)\s+{_PAST}"
    rf"(?:\s+{_PARTICLE})?\s+(?!(?:that|if|whether|to|about|at|on|when|how|why|what|because|as)\b)(?P<rest>\S)"
)
_HEDGED = lazy_pattern(
    r"\b(?:if|once|when|whenever|until|unless|should|would|could|might|may|will|before|after|as soon as|"
    r"suppose|imagine|never|not)\b"
)
_DONE = lazy_pattern(
    rf"{_LEADS}(?:(?:it|that|this|all|everything)(?:'s| is| are)? )?(?:all )?(?:now )?"
    r"(?:done|finished|completed|sorted|all set|taken care of)\W*$"
)
_HISTORY = lazy_pattern(
    r"\b(?:did|was|were|had|has|have)\b(?! you\b)(?:n't)?|\bwho\b(?!.*\byou\b)|\b(?:history|timeline|story|"
    r"biograph\w+|career|happened)\b"
)
_BACK = lazy_pattern(
    r"(?:rolled back|reverted|undid|restored|put back|backed out|reset|reinstated)"
)
_ASKS_BACK = lazy_pattern(
    r"\broll(?:ing)? ?back\b|\brevert\w*\b|\bundo\b|"
    r"\b(?:put|take|bring|change|switch|set|get|turn)\b[^.!?]{1,40}\bback\b|"
    r"\brestore\b|\bback (?:out|to)\b|\breinstate\b|\breset\b|\bstay (?:at|with|on)\b"
)


def tells_deed(said: ParsedSentence, asked: str = "") -> bool:
    """Does it tell a deed of who speaks? `asked`: what a person said before it."""
    if said.asks:
        return False
    found = _deed_in(said, asked)
    return found is not None and _HEDGED.search(said.lower, 0, found.start("verb")) is None


def says_only_done(said: ParsedSentence) -> bool:
    """`Done.`: nothing but that something is done, and not what."""
    return not said.asks and _DONE.match(said.lower) is not None


def takes_back_as_asked(said: ParsedSentence, asked: str) -> bool:
    """Does it tell that something was undone, because she asked for that? Then it is no failure."""
    found = _deed_in(said, asked)
    undone = found is not None and _BACK.match(said.lower, found.start("verb")) is not None
    return undone and _ASKS_BACK.search(asked.lower()) is not None


def _deed_in(said: ParsedSentence, asked: str) -> re.Match[str] | None:
    own = _OWN.search(said.lower)
    if own is not None and is_deed(own["verb"]):
        return own
    if asks_for_history(asked):
        return None
    bare = _BARE.match(said.lower) or _GOES.match(said.lower) or _named_deed(said, asked)
    return bare if bare is not None and is_deed(bare["verb"]) else None


def _named_deed(said: ParsedSentence, asked: str) -> re.Match[str] | None:
    """The very deed she ordered, or one done to what has a name, whatever follows the verb."""
    found = _ANY.match(said.lower)
    if found is None or found["rest"] in ".!?":
        return None
    at = found.start("rest")
    if said.lower == said.text.lower() and said.text[at : at + 1].isupper():
        return found
    verb = found["verb"][:STEM]
    ordered = {w[:STEM] for part in request_parts(asked) if part.orders for w in part.words}
    return found if len(verb) == STEM and verb in ordered - STOP else None


def is_deed(verb: str) -> bool:
    """Is something got done by the verb, told in the form of the past?"""
    return verb not in _NOT_DONE and _UN.match(verb) is None


@lru_cache(maxsize=FEW)
def asks_for_history(asked: str) -> bool:
    """Does she ask what came about, so that the deeds told may be anybody's?"""
    return any(part.asks and _HISTORY.search(part.lower) for part in request_parts(asked))


@lru_cache(maxsize=FEW)
def request_parts(asked: str) -> Sequence[ParsedSentence]:
    """The sentences of what a person said, but for what is very long."""
    return tuple(parse_sentence(part) for part in _SENTENCE.split(asked[:LONGEST]) if part)
