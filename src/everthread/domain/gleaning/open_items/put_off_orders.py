"""What a person asks for, and puts off in the same breath: `Can you add a checksum? Later, after the demo.`

Nobody does it at once, so whatever is replied leaves it open, unless it is told as done, or said where words
were wanted. Only what names no day is read so: who asks for a table, `tomorrow`, tells for when the table is.
And only orders: who asks `Is it open? Later, after six` tells what is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.acts.word_lists import LOOKING, OPENINGS
from everthread.domain.text.past_forms import tells_deed
from everthread.domain.text.patterns import lazy_pattern

from .unfinished_work import WORDS, consents

_LATER = (
    r"(?:later(?: on)?|not (?:right )?(?:now|today|yet|tonight)|(?:another|some other) (?:time|day)|"
    r"some ?(?:day|time)|(?:when|whenever|once) (?:there's|there is|you have|we have|i have) time|"
    r"später|(?:nicht|noch nicht) (?:jetzt|heute)|noch nicht|ein andermal|irgendwann|"
    r"plus tard|pas (?:maintenant|aujourd'hui|encore)|más tarde|ahora no|hoy no|todavía no|aún no|"
    r"no (?:rush|hurry)|not urgent)"
)
_WHEN = (
    r"(?:(?:after|once|when|before|nach|wenn|sobald|après|quand|después del?|cuando) [^.?!]{2,60})"
)
_PUTS_OFF = lazy_pattern(
    rf"\W*(?:(?:but|just|maybe|only|though|please|aber|mais|pero|erst|do (?:it|that))\b\W*)*"
    rf"(?:{_LATER}|(?<=pero )eso {_WHEN}|(?<=aber )das (?:erst )?{_WHEN}|(?<=but )that {_WHEN})"
    rf"(?:[\s,;–—-]+(?:(?:and|or|but|though|please|then|ok|is fine|rather)\b|{_LATER}|{_WHEN}))*\W*"
)
_PARTS = lazy_pattern(
    r"(?<=[.!?])\s+|,\s+(?=(?:but|aber|mais|pero)\b)|,\s+(?=not\b|later\W*$)|\s[–—-]\s"
)
_NOTED = lazy_pattern(
    r"\b(?:noted?|noting|later|list(?:ed)?|backlog|reminder|remember|parked|postponed|deferred|down|open|"
    r"notiert|gemerkt|später|vorgemerkt|liste|wait|anotado|apuntado|noté)\b"
)
_POLITE = lazy_pattern(
    r"(?:can|could|would|will) you|kannst du|könntest du|tu peux|peux-tu|pouvez-vous|¿?puedes"
)
BEGINS = 4
"""Among so many words stands what was done."""


def waits_for_later(sentences: Sequence[ParsedSentence], request: str) -> bool:
    """Was it put off by whoever asked, and is it not told as done all the same?"""
    if not puts_itself_off(request):
        return False
    about, verb = roots(request), _first_verb(request)
    if verb in WORDS or verb in LOOKING:
        return not any(map(_says_something, sentences))
    return not any(_tells_done(each, about, verb) for each in sentences)


def puts_itself_off(request: str) -> bool:
    """Does one of the parts after an order say no more than that it is for later?"""
    first, *rest = _PARTS.split(request.lower().replace("’", "'"))
    if ":" in first or (first.endswith("?") and _POLITE.search(first) is None):
        return False  # it is quoted; or a question
    return any(_PUTS_OFF.fullmatch(part) for part in rest)


def _first_verb(request: str) -> str:
    lower = _POLITE.sub("", request.lower(), count=1)
    words = (word.strip(".,;:!?¿") for word in lower.split())
    return next((word for word in words if word and word not in OPENINGS), "")


def _says_something(each: ParsedSentence) -> bool:
    only = consents(each) or speech.promises(each) or _NOTED.search(each.lower)
    return not only and not each.asks


def _tells_done(each: ParsedSentence, about: frozenset[str], verb: str) -> bool:
    done = any(tells_deed(word, verb) for word in each.words[:BEGINS])
    done = done or speech.reports(each) or each.text.endswith((":", "\uff1a"))
    return done and not about.isdisjoint(roots(each.text)) and _NOTED.search(each.lower) is None
