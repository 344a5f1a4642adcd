"""Wishes and orders that hold each time: `I'd like you to always …`, `cite the source every time`.

Only of what an agent does with words: `I want you to win every time` and `when you cook beans, soak them` are
said to anybody.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from .kinds_of_things import DEFINITE, OUTPUT, UNITS, VALUES, WRITTEN, words_of

_GIVES = VALUES | words_of("answers replies responses summaries explanations translations quotes")
_WRITE = (
    r"(?:write|answer(?! the (?:door|phone))|reply|respond|cite|quote|mention|suggest|recommend|propose|"
    r"explain|include|add|use|summari[sz]e|translate|format|round|spell|sign|list|state|link|name|avoid|address|"
    r"(?:start|begin|end) with|give(?! up| in| way)|(?:ask|show|send|remind|warn)(?= me| us| before| first)|"
    r"tell (?=me |us )(?!(?:me|us) when\b)|"
    r"(?:double-check|verify|confirm|convert|compare|number|label|count|leave out)|"
    r"stick to|stay(?= formal| polite| neutral| brief| factual| friendly| concise))\b"
    r"(?![^,;.]*\b(?:yourself|your (?!sources?\b|repl|answers?\b|reasons?\b)))"
)
"""What an agent does with words; nobody says so of what a person does."""
_PIECE = (
    r"(?:answer|reply|response|message|e-?mail|mail|letter|summary|report|draft|table|review|chapter|recipe|"
    r"lesson|commit|translation|explanation|post)"
)
_NO_PART = lazy_pattern(
    r"(?:i|we) (?:don't|do not|never) (?:ever )?want (?:to see )?(?:any )?(?!to\b)"
    r"(?P<what>[^,;.]{2,60}?) in (?:(?:(?:any|every)thing|whatever|what) you "
    r"(?:write|send|suggest|give|draft|post|cook|recommend|propose|plan)\b|"
    r"your (?:(?P<yours>\w+)|\w+ (?P<other>\w+)))"
)
_WISH = r"(?:i|we)(?:(?:'d| would)(?: really)? (?:like|prefer)|(?: really)? (?:want|expect))"
_WROTE = (
    r"(?:asked|gave|wrote|used|started|began|ended|added|explained|cited|quoted|suggested|mentioned|showed|told|"
    r"kept|put|included|answered|named|listed)\b"
)
_WISHES = lazy_pattern(
    rf"{_WISH} you to (?:please )?(?:(?:always|never|only ever) {_WRITE}|"
    rf"{_WRITE}[^;.]{{2,120}}?\b(?:every|each) time\W*$)|"
    rf"{_WISH} (?!to\b)[^;.]{{2,60}}? (?:with|without) [^;.]{{0,20}}?\b(?:translation|sources?|summary|"
    r"explanation|links?|page numbers?|examples?)\b[^;.]{0,40}?, (?:every|each) (?:single )?time\W*$|"
    rf"(?:i|we)(?:'d| would) (?:rather|prefer it if|like it if) you {_WROTE}[^;.]{{2,120}}?\b"
    rf"(?:in|at|on|for|after|before) (?:every|each) {_PIECE}\W*$|"
    r"(?:any|every|each|all)(?: [\w'-]+){1,3} you "
    r"(?:mention|suggest|recommend|propose|cite|quote|write|draft) "
    r"(?:must|ha(?:s|ve) to|needs? to)\b(?! have\b)(?!.*\bby\b)"
)
_SURE = lazy_pattern(r"(?:be|make) (?:sure|careful) (?:(?:that )?you |to )")
_WISHED_SO = lazy_pattern(
    rf"{_WISH} (?P<what>\w+) (?P<by>in|without) (?:[\w-]+ )?(?P<how>[\w-]+)(?:\W*$|, (?=not |please))"
)
_EVERY_TIME = lazy_pattern(
    rf"(?!use |add |list |name |count |sign |give |avoid |address |round ){_WRITE} [^,;]{{2,80}}?"
    r"\b(?:every|each) (?:single )?time\W*$"
)
_ON_DAYS = lazy_pattern(
    r"(?:ask|remind|send|tell|give) (?:me|us) [^,;]{0,80}?"
    r"\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| (?:mornings|afternoons|evenings|nights))|"
    r"(?:on|at) weekends|on weekdays)\W*$"
)
_SEEKS = lazy_pattern(
    r"\b(?:if|whether|what|which|who|why|where|how|that|open|closed|it|he|she|they|i|we)\b"
)
"""Somebody else does it, or it is asked for."""
YOU_DO = (
    r"when(?:ever)? you (?:suggest|recommend|propose|list|describe|mention|write|give|send|quote|"
    r"draft|answer|reply|explain|translate|look for|book|schedule|name|cite|summari[sz]e|"
    r"review|edit|refactor|commit|deploy|rewrite|correct)\b"
    r"(?! (?:me |us |back )?(?:it|that|this|these|those|the|an?|them|my|our|him|her)\b)"
)
_SO = rf"{_WRITE}(?! (?:early|soon))(?>(?:(?!\b(?:the|your|you|it|them|when)\b)[^,;.])*)"
_WHEN = lazy_pattern(rf"(?:{YOU_DO}[^,;.]*, (?:please )?{_SO}\W*$|{_SO}{YOU_DO}[^,;.]*\W*$)")


def is_wished(rest: str) -> bool:
    """`I'd like you to always …`, `I don't want any … in your answers`."""
    if _WISHES.match(rest):
        return True
    so = _WISHED_SO.match(rest)
    if so is not None:
        return so["what"] in _GIVES and so["how"] in (UNITS if so["by"] == "in" else WRITTEN)
    found = _NO_PART.match(rest)
    if found is None or not DEFINITE.isdisjoint(found["what"].split(" ")[:1]):
        return False
    yours = found["yours"] or found["other"]
    return yours is None or yours in OUTPUT


def is_ordered(rest: str) -> bool:
    """An order for each time, for certain days, or for when the agent does something of a kind."""
    rest = _SURE.sub("", rest, count=1)
    if _WHEN.match(rest):
        return True
    often = _EVERY_TIME.match(rest) or _ON_DAYS.match(rest)
    return often is not None and _SEEKS.search(rest) is None
