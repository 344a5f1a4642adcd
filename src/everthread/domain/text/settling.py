"""What a person settles in passing: one way and not the other, or the one that it shall be.

`Use Postgres, not SQLite` orders and decides at once, `We'll ship on Friday, not Thursday` decides, and so
does `Friday it is`. Who puts something right says the same words after a `no`: that is a correction.
"""

from __future__ import annotations

from . import speech_words as words
from .patterns import late
from .speech import Heard
from .speech_forms import IN_CASE, QUOTATION, forms

FEW = 8
"""Words of a sentence that does no more than name what was chosen."""

_LED = (
    r"^\W*(?:(?:ok(?:ay)?|yes|yep|right|good|great|fine|well|so|then|and|but|please|hm+|ja|gut|sí|vale|oui|bon)\b"
    r"[\s,.!–—-]*)*"
)
_CHOICE = (
    r"(?:use|take|go|keep|choose|pick|stay|stick|switch|make|call|name|ship|book|buy|order|meet|start|launch|"
    r"deploy|release|move|store|put|target|support|host|run|pay|travel|fly|drive|serve|invite|hire)"
)
_WILL = (
    r"(?:let'?s|let us|(?:we|i)(?:'ll| will|'re going to|'m going to| are going to| am going to|"
    r"'re gonna))"
)
_BE = r"(?:i'm|we're|i am|we are)"
_OTHER = (
    r"(?:instead of|rather than|and not|, not|,? over)"
    r"(?! (?:just|only|sure|yet|even|to|too|that|all|very|so|because|until|before|if|when|now|really|"
    r"necessarily|"
    r"happy|the (?:other|next|last|past|top|phone|weekend|years?|course)|a (?:week|month|year|period|few)|"
    r"here|there|"
    r"time|and)\b)(?= [\w`'\"$€£/.-])"
)
_CONTRASTS = forms(rf"""
    {_LED}{_CHOICE} [^;.]{{1,120}}?{_OTHER}
    {_WILL} \w+ [^;.]{{0,120}}?(?:instead of|rather than|, not|and not)(?! (?:just|only|sure|yet|even|to|too|that|all|very|so|because|until|before|if|when|now|really)\b)(?= [\w`'\"$€£/.-])
    (?:wir|lass uns|nimm|nehmt|nehmen wir|verwende|verwenden wir|benutze|bleiben wir)\b[^;.]{{1,100}}\b(?:statt|anstatt|anstelle(?: von)?|und nicht)(?= \w)
    (?:usa|usemos|usaremos|vamos|iremos|haz|hagamos|pon|pongamos|compra|compremos)\b[^;.]{{1,100}}\b(?:en vez de|en lugar de|y no)(?= \w)
    (?:on va|nous allons|utilise|utilisons|prends|prenons|mets|mettons|gardons|garde)\b[^;.]{{1,100}}\b(?:au lieu d\w*|plutôt qu\w*|et pas|et non)
""")  # noqa: E501 - a phrase is one line
_SETTLES = forms(rf"""
    {_LED}(?:stay|stick) (?:with|to) (?!(?:me|us|it|that|this|you)\b)[\w"'`]
    {_LED}make (?:it|that) (?:an? |the )?[\d$€£]\S*(?: \w+)?(?=\W*$|,|\.)
    {_LED}(?:use|take|pick|choose|keep) (?:the|number|option) (?:[\w'-]+ ){{0,3}}?(?:one|option|version|variant|approach|design)(?: then| please| instead)*(?=\W*$|,)
    {_LED}{_BE} (?:keeping|dropping|staying with) (?:it|them|that|this|these|those|both)(?: ones?)?(?=\W*$|,| then\b| as\b)
    {_LED}{_BE} (?:ditching|scrapping|leaving out) \w+
    {_WILL} go for (?:the|option|number|\d)(?! (?:moment|whole|win|best)\b)
    (?:is|are) (?:off the table|ruled out)
    (?:^|, )mejor (?:el|la|los|las|un|una|con|sin) \w+
    {_LED}(?:wir bleiben|bleiben wir|bleib) bei (?!(?:dir|euch|mir|uns)\b)\w+
    {_LED}(?:on reste|restons|reste) (?:sur|avec) \w+
    {_LED}(?:nos quedamos|quédate|quedémonos) con \w+
""")  # noqa: E501 - a phrase is one line
_SHALL_BE = late(
    r"^\W*(?:(?:ok(?:ay)?|right|good|great|fine|hm+|well|so|no|sorry|wait|actually|ja|nein|doch|gut|sí|vale|"
    r"non)\b[\s,.!–—-]*)*"
    r"(?P<what>[^,.;:?!¿\n]{2,50}?) (?:then|it is|it is then|only|entonces|alors|dann)"
    r"(?: after all| instead)?(?:\W*$|, )"
)
_HOLDS = late(
    rf"{_LED}{_BE} (?:keeping|dropping|staying with) (?:the|this|that|these|those|both|all|our|my|your) "
    r"(?P<what>[^,.;:?!\n]{2,50}?)\W*$"
)
_NAMELESS = """
    i you he she we they it me us them there here that this what how why where when who which see bye until
    since till back just even by not now only yes no yeah oh but so if as is are was were be been do
    does did has have had will would can could should talk speak go try let redo do again thanks thank night
    morning evening luck indeed course whatever well think know guess non oui ça là puis bon pero ya
    ich du wir sie es ist war bis erst again later read write view works work my your
    merry happy poor lucky lovely sorry
"""
_NO_NAME = frozenset(_NAMELESS.split())
_JOINS = frozenset(("and", "or", "et", "ou", "y", "o", "e", "und", "oder"))
_SIGNS = late(
    "还是.{1,14}吧|就(?:用|选|定|坐|住|去|按|订|买).{1,14}|(?:に|で)(?:しよう|行こう|いこう|決めた)|"
    "(?:으로|로) (?:하자|할게|가자|정했)"
)
_DOUBTS = late(
    r"\b(?:maybe|perhaps|not sure|unsure|wonder\w*|might|could|think about|vielleicht|quizás?|peut-être)\b"
)


_OPPOSED = "not instead rather over statt anstatt anstelle nicht vez lugar no lieu plutôt pas non"
_OPPOSING = frozenset(_OPPOSED.split())
_CHOSEN = """
    stay stick make use take pick choose keep keeping dropping staying ditching scrapping leaving go table
    ruled mejor bleiben bleib reste restons quedamos quédate quedémonos
"""
_SETTLING = frozenset(_CHOSEN.split())
"""One of these stands in every form."""


def contrasts(said: Heard) -> bool:
    """Does she choose one thing, and not the other?"""
    if said.asks or said.bag.isdisjoint(_OPPOSING) or _DOUBTS.search(said.lower):
        return False
    own = QUOTATION.sub("it", said.lower)
    found = _CONTRASTS.search(own)
    return found is not None and IN_CASE.search(own[: found.start() + 1]) is None


def settled(said: Heard) -> bool:
    """Does she say that it shall be so, by a verb that leaves no doubt?"""
    if said.asks or _DOUBTS.search(said.lower):
        return False
    if not said.text.isascii() and _SIGNS.search(said.text):
        return True
    if said.bag.isdisjoint(_SETTLING):
        return False
    return _SETTLES.search(QUOTATION.sub("it", said.lower)) is not None


def doubts(said: Heard) -> bool:
    """Does the speaker say that it is not certain?"""
    return _DOUBTS.search(said.lower) is not None


def named(said: Heard) -> str:
    """What she names as what it shall be, or stay: `Friday then`. Only if that was spoken of, she decides."""
    if said.asks or len(said.words) > 2 * FEW or _DOUBTS.search(said.lower):
        return ""
    if found := _HOLDS.match(said.lower):
        return found["what"]
    found = _SHALL_BE.match(said.lower)
    if found is None or said.orders or len(found["what"].split()) >= FEW:
        return ""
    first, *more = found["what"].split()
    nameless = not _NO_NAME.isdisjoint((first, *more)) or first in _JOINS | words.THANKS
    return "" if nameless else found["what"]
