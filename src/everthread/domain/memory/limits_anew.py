"""Is a rule that says how many, or how long, set anew?

`Two decimals are enough for p values from now on` after `always report p values with three decimals`: one
number of the same things, told of nothing that the rule does not name. And who asked for short answers lets
them be longer again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.acts.hasty_spelling import plain_spelling
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import stem

from .topics import POLES, topic_words

LONGEST = 120
"""Characters of such a rule; a longer one tells more than that."""

_NUMBERS = "one two three four five six seven eight nine ten eleven twelve fifteen twenty"
_COUNT = lazy_pattern(
    rf"\b(?P<number>\d+(?:[.,]\d+)?|{'|'.join(_NUMBERS.split())})[ -](?P<unit>[a-z]{{3,}})\b"
)
_ANEW = lazy_pattern(
    r"\b(?:from (?:now|here|today|tomorrow|next \w+|\w+day) on(?:wards)?|going forward|instead|"
    r"as of (?:now|today)|"
    r"(?:is|are) (?:now )?(?:the|our|my) new (?:limit|max|maximum|minimum|rule|default))\b|"
    r"(?<=\w) now\W*$"
)
_LIMITS = lazy_pattern(
    r"\b(?:always|keep|max(?:imum)?|min(?:imum)?|at (?:most|least)|no (?:more|longer|fewer) than|under|below|"
    r"up to|limit|within|with|use|report|write|give|round|in|to|be|needs?|requires?|allows?|gets?)\b"
)
_AT_LEAST = lazy_pattern(r"\b(?:at least|minimum|min|no (?:fewer|less) than|over|above|or more)\b")
_AT_MOST = lazy_pattern(
    r"\b(?:at most|maximum|max|no (?:more|longer) than|under|below|within|up to|or (?:less|fewer))\b"
)
_TELLS = lazy_pattern(
    r"^\W*(?:i|we|he|she|they|it|there|this|that)\b|\b(?:was|were|had|did|has|have|takes?|took|costs?)\b"
)
_BOUND = lazy_pattern(
    r"\?|\b(?:if|when|whenever|unless|until|except|but|also|too|both|not|never|\w+n't|only for|today|tonight|"
    r"this time|for now|maybe|perhaps|might|or|and)\b"
)
_SAYING = frozenset(
    topic_words(
        "enough fine ok max maximum minimum limit new now most least up can may be will should must rule "
        "default set sufficient plenty allowed keep use report write give round more fewer less"
    )
)
_SHORT = lazy_pattern(
    r"\b(?:short|brief|concise|"
    r"(?:under|at most|no more than|max(?:imum)?) (?:\w+ ){1,2}(?:sentences|words|lines)|"
    r"kurz|knapp|(?:höchstens|maximal|unter) \w+ (?:sätze|sätzen|worte|wörter|zeilen)|corto|cortas?|breves?|"
    r"(?:menos de|máximo) \w+ (?:frases|palabras|líneas)|court|courtes?|brièvement|"
    r"(?:moins de|maximum) \w+ (?:phrases|mots|lignes))\b"
)
_LONGER = lazy_pattern(
    r"\b(?:longer|länger\w*|ausführlicher\w*|más larg[oa]s?|plus longue?(?:ment|s)?|plus longs?)\b"
)
_AGAIN = lazy_pattern(
    r"\b(?:again|wieder|jetzt|ab jetzt|volver|otra vez|de nuevo|ya|de nouveau|désormais|from now on|now)\b"
)
_ANSWERS = lazy_pattern(
    r"\b(?:answer\w*|repl(?:y|ies)|respon\w+|antwort\w*|schreib\w*|contest\w+|réponse?s?|répond\w*)\b"
)

_WAITS = lazy_pattern(r"\b(?:tak|wait|need|stay|work|last|keep)\w* (?:\w+ )?longer\b")
"""It is no text that is longer."""
_WHERE = lazy_pattern(
    r"\b(?:on|for|at|in)\b(?! (?:short|brief|general|future|zukunft|menos|at)\b)|"
    r"\bto (?!write|answer|reply|respond|give|be\b)|\b(?:auf|für|bei|im)\b"
)
"""Which answers are meant."""
_TO_THE_AGENT = lazy_pattern(
    r"\b(?:you|your|du|feel free|puedes|peux|pouvez|please|bitte)\b|^\W*(?:longer|länger|ausführlicher)\b|"
    r"\banswers? (?:are|can|may)\b|\bantworten (?:dürfen|können|sind)\b"
)


class _Limit(NamedTuple):
    number: str
    unit: str
    about: frozenset[str]
    way: str
    """At most, or at least; nothing where that is not said."""
    anew: bool


def is_limit_anew(new: str, old: str) -> bool:
    """Does the later say another number of what the earlier limits, or let answers be longer again?"""
    if _lets_longer(new):
        return _keeps_short(old)
    one = _limit(new)
    if one is None or not one.anew:
        return False
    other = _limit(old)
    if other is None or one.unit != other.unit or one.number == other.number:
        return False
    if one.way != other.way and one.way and other.way:
        return False
    return bool(one.about) and one.about <= other.about


def sets_limit(text: str) -> bool:
    """A quick look: does it set any limit anew?"""
    one = _limit(text)
    return (one is not None and one.anew) or _lets_longer(text)


@lru_cache(maxsize=2_048)
def _limit(text: str) -> _Limit | None:
    """None where it limits nothing, or more than one thing, or tells how something was."""
    if len(text) > LONGEST:
        return None
    lower = plain_spelling(" ".join(text.lower().replace("’", "'").split()))
    counts = [*_COUNT.finditer(lower)]
    if len(counts) != 1 or _BOUND.search(lower) or _TELLS.search(lower):
        return None
    rest = _ANEW.sub(" ", lower)
    anew = rest != lower
    if not anew and not _LIMITS.search(lower):
        return None
    found = counts[0]
    about = frozenset(topic_words(rest.replace(found[0], " "))) - _SAYING - POLES
    way = "least" if _AT_LEAST.search(lower) else "most" if _AT_MOST.search(lower) else ""
    return _Limit(found["number"], stem(found["unit"]), about, way, anew)


@lru_cache(maxsize=2_048)
def _lets_longer(text: str) -> bool:
    lower = text.lower()
    if len(text) > LONGEST or "?" in text or not (_LONGER.search(lower) and _AGAIN.search(lower)):
        return False
    if _WAITS.search(lower) or _WHERE.search(lower):
        return False
    hers = _TO_THE_AGENT.search(lower) is not None and _BOUND.search(lower) is None
    return hers and _ANSWERS.search(lower) is not None


@lru_cache(maxsize=2_048)
def _keeps_short(text: str) -> bool:
    lower = text.lower()
    return (
        len(text) <= LONGEST
        and _SHORT.search(lower) is not None
        and _ANSWERS.search(lower) is not None
        and _TELLS.search(lower) is None
        and _WHERE.search(lower) is None
    )
