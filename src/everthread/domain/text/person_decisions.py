"""What a person settles in passing: one way and not the other, or the one that it shall be.

`Use Postgres, not SQLite` orders and decides at once, `We'll ship on Friday, not Thursday` decides, and so
does `Friday it is`. Who puts something right says the same words after a `no`: that is a correction.
"""

from __future__ import annotations

from .acts import word_lists as words
from .acts.sentence_forms import IN_CASE, QUOTATION, phrase_pattern
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

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
_WILL_OR = rf"(?:{_WILL} )?"
_UNITS = (
    r"minutes?|hours?|days?|weeks?|months?|years?|copies|versions|backups|retries|attempts|characters|words|"
    r"lines|pages|rows|entries|percent|gb|mb|kb|connections|workers|threads"
)
_ALL_OVER = (
    r"(?:throughout|everywhere|"
    r"(?:across|in|all over) (?:all|the (?:whole|entire) \w+|the (?:project|code|app)\w*))\b"
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
_CONTRASTS = phrase_pattern(rf"""
    {_LED}{_CHOICE} [^;.]{{1,120}}?{_OTHER}
    {_WILL} \w+ [^;.]{{0,120}}?(?:instead of|rather than|, not|and not)(?! (?:just|only|sure|yet|even|to|too|that|all|very|so|because|until|before|if|when|now|really)\b)(?= [\w`'\"$€£/.-])
    (?:wir|lass uns|nimm|nehmt|nehmen wir|verwende|verwenden wir|benutze|bleiben wir)\b[^;.]{{1,100}}\b(?:statt|anstatt|anstelle(?: von)?|und nicht)(?= \w)
    (?:usa|usemos|usaremos|vamos|iremos|haz|hagamos|pon|pongamos|compra|compremos)\b[^;.]{{1,100}}\b(?:en vez de|en lugar de|y no)(?= \w)
    (?:on va|nous allons|utilise|utilisons|prends|prenons|mets|mettons|gardons|garde)\b[^;.]{{1,100}}\b(?:au lieu d\w*|plutôt qu\w*|et pas|et non)
""")  # noqa: E501 - a phrase is one line
_SETTLES = phrase_pattern(rf"""
    {_LED}(?:stay|stick) (?:with|to) (?!(?:me|us|it|that|this|you)\b)[\w"'`]
    {_LED}make (?:it|that) (?:an? |the )?[\d$€£]\S*(?: \w+)?(?: (?:an?|per|each) \w+)?(?=\W*$|,|\.)
    {_LED}(?:use|take|pick|choose|keep) (?:the|number|option) (?:[\w'-]+ ){{0,3}}?(?:one|option|version|variant|approach|design)(?: then| please| instead)*(?=\W*$|,)
    {_LED}(?:keep|retain|store|allow|(?:limit|cap) (?:it|them|that) (?:to|at)) (?:(?:it|them|only|just|about|at most|up to|the last|for) )*\d[\d.,]*+ (?:\w+ )?(?:{_UNITS})\b(?! (?:ago|free|clear|open)\b)
    {_LED}{_BE} (?:keeping|dropping|staying with) (?:it|them|that|this|these|those|both)(?: ones?)?(?=\W*$|,| then\b| as\b)
    {_LED}{_BE} (?:ditching|scrapping|leaving out) \w+
    {_WILL} go for (?:the|option|number|\d)(?! (?:moment|whole|win|best)\b)
    {_LED}{_WILL} (?:stay|stick) with (?:the|this|that|these|those|option|number|\d)(?! (?:kids?|children|baby|boys?|girls?|dogs?|cats?|family|grandparents|others|group|guests|patient|car|bags|luggage)\b)
    (?:^|[,;] ){_WILL_OR}(?:stay|leave (?:it|that|them)|keep (?:it|that|them)) at [\d$€£]
    {_LED}(?:no[\s,.!–—-]+)?(?:i|we) want (?:us )?to (?:use|go with|stay with|stick (?:with|to)) (?!(?:it|this|that|these|those|them)(?:\W*$| (?:to|for|as|in|on|at|when|with)\b))[\w"'`]
    (?:is|are) (?:off the table|ruled out)
    (?:^|[,;:.–—] ){_WILL} (?:take|go with|have) (?:him|her|them|that one|this one)(?: then| please| instead)*\W*$
    {_LED}{_WILL} rename [^;.?]{{2,60}}? to [\w"'`]
    {_LED}{_WILL_OR}(?:rename|name) [^;.?]{{2,120}}? {_ALL_OVER}
    (?:^|, )(?:please )?(?:use|prefer|avoid) [^;.?]{{2,80}}? (?:if|when(?:ever)?|where(?:ver)?)(?: it'?s| it is)? (?:at all )?possible(?=\W*$|,)
    (?:^|, )mejor (?:el|la|los|las|un|una|con|sin) \w+
    {_LED}(?:wir bleiben|bleiben wir|bleib) bei (?!(?:dir|euch|mir|uns)\b)\w+
    {_LED}(?:on reste|restons|reste) (?:sur|avec) \w+
    {_LED}(?:nos qued(?:amos|aremos)|quédate|quedémonos) con \w+
""")  # noqa: E501 - a phrase is one line
_SHALL_BE = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|right|good|great|fine|hm+|well|so|no|sorry|wait|actually|ja|nein|doch|gut|sí|vale|"
    r"non)\b[\s,.!–—-]*)*"
    r"(?P<what>[^,.;:?!¿\n]{2,50}?) (?:then|it is|it is then|only|entonces|alors|dann)"
    r"(?: after all| instead)?(?:\W*$|, )"
)
_THEN = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|right|fine|hm+|well|so|no)\b[\s,.!–—-]*)*(?:then|dann|alors|entonces) "
    rf"(?:(?:it's|it is|{_WILL} (?:take|go with)|we (?:take|go with)) )?(?:the |an? )?"
    r"(?P<what>[^,.;:?!¿\n]{2,40})\W*$"
)
_HOLDS = lazy_pattern(
    rf"{_LED}{_BE} (?:keeping|dropping|staying with) (?:the|this|that|these|those|both|all|our|my|your) "
    r"(?P<what>[^,.;:?!\n]{2,50}?)\W*$"
)
_WITHOUT = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|right|true|good|fine|hm+|well|so|yes|yeah)\b[\s,.!–—-]*)*"
    r"no (?P<what>[^,.;:?!\n]{2,40}?) then\W*$"
)
_TAKES = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|sure|right|good|great|fine|well|so|then|hm+|no|alright|all right)\b"
    rf"[\s,.!–—-]*)*{_WILL} (?:take|pick|choose) (?:the|both|number|option) "
    r"(?!(?:time|lead|chance|opportunity|risk|blame|credit|day|week|morning|afternoon|evening|night|plunge|"
    r"dogs?|kids|children|bins?|rubbish|hint|bait|trouble|next|same)\b)"
    r"[\w'&-]+(?: (?!later\b|tomorrow\b|first\b|next\b|when\b|if\b|once\b)[\w'&-]+){0,3}?"
    r"(?: then| please| instead| after all)*(?:\W*$|, )"
)
_NO_THING = (
    r"(?!(?:an? )?(?:look|break|rest|walk|step|guess|nap|photo|picture|screenshot|breath|seat|bath|deep|"
    r"shower|closer|quick|second|minute|moment|stab|shot|time|care|turns|place|advantage|stock|note|part|"
    r"it|this|that|them|these|those|him|her|you|me)\b)"
)
_TAKES_KNOWN = lazy_pattern(
    rf"{_LED}(?:{_WILL} (?:take|pick|choose|have|go (?:with|for))|we (?:take|pick|choose|go (?:with|for))) "
    rf"{_NO_THING}(?:(?:the|an?|both|our) )?(?P<what>[^,.;:?!\n]{{2,60}}?)"
    r"(?: (?:then|please|instead|after all|(?:because|since|as|so|and|but)\b.*))*(?:\W*$|[,;:–—-] )"
)
_ERRAND = lazy_pattern(r"\b(?:to|up|off|out|home|back|along|down|over)\b|\w{2,}ed$")
"""`I'll take Rex to the vet`, `I'll have the car checked`: to be done, and not chosen."""
_SAYS_MANY = lazy_pattern(
    rf"{_LED}(?:let'?s|let us) (?:say|make it) (?P<what>\d[\d.,]*(?: [\w-]+)?)(?: then| for now| please)?\W*$"
)
_WANTED = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|right|good|hm+|well|so|then|no)\b[\s,.!–—-]*)*"
    r"(?:(?:an?|the|both|just|only) )?(?P<what>[^,.;:?!\n]{2,40}?),? "
    r"(?:please|for (?:me|us|everybody|all))\W*$"
)
"""So one takes what was offered, and so one asks for anything: it counts after a question that names it."""
_WISHES = lazy_pattern(
    r"^\W*(?:(?:no|yes|well|but|and|so)\b[\s,.!–—-]*)*(?:i|we)(?:'d| would)?(?: really| just)? "
    r"(?:(?:do not|don't) )?(?:want|need|like|prefer)\b(?! (?:you|to)\b)"
)
_IT_IS = lazy_pattern(r"\w it is(?: then)?\W*$")
_TURNS_DOWN = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|no|nah|nope|well|hm+|right|so|then|i think|i guess)\b[\s,.!–—-]*)*"
    r"(?:(?:it's|that's|it is|it isn't|that is) )?(?:not )?"
    r"(?:worth (?:it|the \w+|\w+ing)|needed|necessary|for us)\b"
)
_BACK_AT_ONCE = lazy_pattern(
    r"^\W*(?:(?:hm+|oh|ok(?:ay)?|well|wait|no|sorry|hang on|hold on|but|ah)\b[\s,.!–—-]*)*"
    r"(?:actually,? (?:no|wait|scratch|scrap|make|let's|rather|better|send|not)\b|"
    r"(?:scratch|strike|scrap|forget) that\b|on second thoughts?\b|or rather\b|"
    r"i take (?:it|that) back\b|i(?:'ve)? changed my mind\b|"
    r"correction\b|better not\b|(?<=no, )(?:wait|rather|better|make it|sorry)\b|(?<=wait, )no\b)|"
    r"^\W*(?:no,? wait|wait,? no|hm+,? no|oh,? no|no,? sorry)\b"
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
_SIGNS = lazy_pattern(
    "还是.{1,14}吧|就(?:用|选|定|坐|住|去(?!掉)|按|订|买).{1,14}|(?:に|で)(?:しよう|行こう|いこう|決めた)|"
    "(?:으로|로) (?:하자|할게|가자|정했)"
)
_DOUBTS = lazy_pattern(
    r"\b(?:maybe|perhaps|not sure|unsure|wonder\w*|might|could|think about|vielleicht|quizás?|peut-être)\b"
)


_OPPOSED = "not instead rather over statt anstatt anstelle nicht vez lugar no lieu plutôt pas non"
_OPPOSING = frozenset(_OPPOSED.split())
_CHOSEN = """
    stay stick make use take pick want choose keep retain store allow limit cap
    keeping dropping staying ditching scrapping leaving go table
    ruled leave rename name prefer avoid
    mejor bleiben bleib reste restons quedamos quedaremos quédate quedémonos
"""
_SETTLING = frozenset(_CHOSEN.split())
"""One of these stands in every form."""


def contrasts(said: ParsedSentence) -> bool:
    """Does she choose one thing, and not the other?"""
    if said.asks or said.bag.isdisjoint(_OPPOSING) or _DOUBTS.search(said.lower):
        return False
    own = QUOTATION.sub("it", said.lower)
    found = _CONTRASTS.search(own)
    return found is not None and IN_CASE.search(own[: found.start() + 1]) is None


def says_settled(said: ParsedSentence) -> bool:
    """Does she say that it shall be so, by a verb that leaves no doubt?"""
    if said.asks or _DOUBTS.search(said.lower):
        return False
    if not said.text.isascii() and _SIGNS.search(said.text):
        return True
    if said.bag.isdisjoint(_SETTLING):
        return False
    return takes_named(said) or _SETTLES.search(QUOTATION.sub("it", said.lower)) is not None


def takes_named(said: ParsedSentence) -> bool:
    """Does she take one of what there is, by its name: `let's take the duo`? Nothing is asked by that."""
    return not said.asks and not doubts(said) and _TAKES.match(said.lower) is not None


def doubts(said: ParsedSentence) -> bool:
    """Does the speaker say that it is not certain?"""
    return _DOUBTS.search(said.lower) is not None


def named_choice(said: ParsedSentence) -> str:
    """What she names as what it shall be, or stay: `Friday then`. Only if that was spoken of, she decides."""
    if said.asks or len(said.words) > 2 * FEW or _DOUBTS.search(said.lower):
        return ""
    for form in (_HOLDS, _WITHOUT):
        if found := form.match(said.lower):
            return "" if found["what"] in _NO_NAME else found["what"]
    found = _SHALL_BE.match(said.lower) or _THEN.match(said.lower)
    if found is None or said.orders or len(found["what"].split()) >= FEW:
        return ""
    first, *more = found["what"].split()
    nameless = not _NO_NAME.isdisjoint((first, *more)) or first in _JOINS | words.THANKS
    return "" if nameless else found["what"]


def names_alone(said: ParsedSentence) -> bool:
    """Is it nothing but a name, and that it shall be this: `Fork & Field then`? To a question it answers."""
    found = _SHALL_BE.match(said.lower)
    return found is not None and len(said.words) <= FEW - 2 and not said.lower.endswith("only")


def names_surely(said: ParsedSentence) -> bool:
    """Does it name what it shall be in words that say nothing else: `RDS it is`?"""
    return not said.asks and _IT_IS.search(said.lower) is not None


def wanted_choice(said: ParsedSentence) -> str:
    """What she asks for by its name alone: `a repair please`. Only if that was offered, she decides."""
    if said.asks or len(said.words) > FEW or _DOUBTS.search(said.lower):
        return ""
    found = _WANTED.match(said.lower)
    return found["what"] if found else ""


def taken_choice(said: ParsedSentence) -> str:
    """What she takes by its name: `let's take pine for the worktop`. If that was spoken of, she decides."""
    if said.asks or _DOUBTS.search(said.lower):
        return ""
    found = _TAKES_KNOWN.match(said.lower)
    return found["what"] if found and not _ERRAND.search(found["what"]) else ""


def says_how_many(said: ParsedSentence) -> bool:
    """Is it a number that shall do, `let's say 20 guests`? To a question it answers."""
    return _SAYS_MANY.match(said.lower) is not None


def turns_down(said: ParsedSentence) -> bool:
    """Does she say that it is not worth it, whatever was asked?"""
    short = len(said.words) <= FEW and not said.asks
    if not short or "not" not in said.lower.replace("n't", " not"):
        return False
    return _TURNS_DOWN.match(said.lower) is not None


def takes_back_at_once(said: ParsedSentence) -> bool:
    """Does it begin by taking back what stands before it: `Actually no, send it to me`?"""
    return _BACK_AT_ONCE.match(said.lower) is not None


def wishes(said: ParsedSentence) -> bool:
    """Does she only say what she would like, and order nothing: `I want predictable`?"""
    return len(said.words) <= FEW and not said.asks and _WISHES.match(said.lower) is not None


def settles_alone(said: ParsedSentence) -> bool:
    """Does it answer what she asked herself, whatever that was?"""
    return turns_down(said) or takes_named(said)
