"""What a person asks for, and puts off in the same breath: `Can you add a checksum? Later, after the demo.`

Nobody does it at once, so whatever is replied leaves it open, unless it is told as done. Only what names no
day is read so: who asks for a table, `tomorrow`, tells for when the table is.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

_LATER = (
    r"(?:later(?: on)?|not (?:right )?(?:now|today|yet|tonight)|(?:another|some other) (?:time|day)|"
    r"some ?(?:day|time)|(?:when|whenever|once) (?:there's|there is|you have|we have|i have) time|"
    r"später|(?:nicht|noch nicht) (?:jetzt|heute)|noch nicht|ein andermal|irgendwann|"
    r"plus tard|pas (?:maintenant|aujourd'hui)|más tarde|ahora no|hoy no)"
)
_WHEN = (
    r"(?:(?:after|once|when|before|nach|wenn|sobald|après|quand|después de|cuando) [^.?!]{2,60})"
)
_PUTS_OFF = lazy_pattern(
    rf"\W*(?:(?:but|just|maybe|only|though|please|aber|mais|pero|erst|do (?:it|that))\b\W*)*{_LATER}"
    rf"(?:[\s,;–—-]+(?:(?:and|or|but|though|please|then|ok|is fine|rather)\b|{_LATER}|{_WHEN}))*\W*"
)
_PARTS = lazy_pattern(
    r"(?<=[.!?])\s+|,\s+(?=(?:but|aber|mais|pero)\b)|,\s+(?=not\b|later\W*$)|\s[–—-]\s"
)
_NOTED = lazy_pattern(
    r"\b(?:noted?|noting|later|list(?:ed)?|backlog|reminder|remember|parked|postponed|deferred|down|open|"
    r"notiert|gemerkt|später|vorgemerkt|liste)\b"
)


def waits_for_later(sentences: Sequence[ParsedSentence], request: str) -> bool:
    """Was it put off by whoever asked, and is it not told as done all the same?"""
    if not puts_itself_off(request):
        return False
    about = roots(request)
    return not any(_tells_done(each, about) for each in sentences)


def puts_itself_off(request: str) -> bool:
    """Does one of its parts after the first say no more than that it is for later?"""
    _, *rest = _PARTS.split(request.lower().replace("’", "'"))
    return any(_PUTS_OFF.fullmatch(part) for part in rest)


def _tells_done(each: ParsedSentence, about: frozenset[str]) -> bool:
    done = speech.reports(each) or each.text.endswith((":", "\uff1a"))
    return done and not about.isdisjoint(roots(each.text)) and _NOTED.search(each.lower) is None
