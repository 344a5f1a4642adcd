"""What people say to be kind, and not of the matter: a farewell, a wish, an apology.

It has the form of an order or a choice (`Have a nice weekend!`, `Let's be nice.`), and told in the third
person it would read as one.
"""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern

_FAREWELL = lazy_pattern(
    r"\A\W*(?:(?:ok(?:ay)?|then|so|well|and|great|thanks?(?: you)?|perfect|right|please)\b[\s,.!–—-]*)*"
    r"(?:(?:have|enjoy) (?:an?|the|your) (?:\w+ ){0,2}?(?:one|day|evening|night|week(?:end)?|trip|time|break|"
    r"holidays?|vacation|lunch|dinner|rest|flight|christmas|start|sunday|friday)\b"
    r"(?! (?!and|too|then|you|all|every|in|at|with|off|there|over|ahead|now|to|my|on|when|until)"
    r"(?-i:[a-z]))|"
    r"take care\b|"
    r"sleep well\b|(?:good ?)?bye\b|good ?night\b|see (?:you|ya)\b|(?:talk|"
    r"speak) (?:to you )?(?:soon|later)\b|"
    r"until (?:next|tomorrow|then|later|mon|tues|wednes|thurs|fri|satur|sun)\w*|till (?:next|"
    r"tomorrow|then)\b|"
    r"(?:keep|stay) (?:safe|well|healthy|warm)\b|keep up the\b|cheers\b|say hi\b|"
    r"(?:I['’]m )?(?:logging off|signing off|off to bed|going (?:back )?to bed)\b)",
    re.IGNORECASE,
)
_OPENING = (
    r"(?:(?:ok(?:ay)?|then|so|well|and|also|but|anyway|oh|now|great|good|thanks?(?: you)?(?: for \w{1,12})?|"
    r"perfect|right|please|just|do|try to|feel free to|can you|you|let['’]s|let us|"
    r"that['’]s (?:all|it)(?: for (?:today|now|tonight))?)\b[\s,.!–—-]{0,3})"
)
_GOOD_TIME = (
    r"(?:an?|the|your|some) (?:\w+ ){0,2}?(?:one|days?|evening|night|week(?:end)?|trip|time|break|holidays?|"
    r"vacation|lunch|dinner|rest|sleep|flight|christmas|birthday|year|start|sun|sunday|friday)"
)
_KINDNESS = (
    rf"(?:have|enjoy)(?: (?:yourself|yourselves))? {_GOOD_TIME}|"
    r"have fun|(?:have|get) some (?:fun|rest|sleep)|"
    rf"enjoy(?: yourself| it)?|(?:I |we )?(?:wish|hope)(?: that)? you(?:['’]ll| will)?(?: have| enjoy)? "
    rf"{_GOOD_TIME}|"
    r"be (?:nice|kind|friendly|polite|gentle|good|happy|friends|well)(?: to (?:each other|one another))?|"
    r"(?:keep|stay) in touch|call it a (?:day|night)|celebrate(?: (?:it|that|this))?|cheer up|"
    r"(?:talk|speak|chat)(?: again)? (?:tomorrow|soon|later|then)|take (?:it easy|care)|"
    r"(?:rest|sleep) (?:well|tight)|rest|(?:don['’]?t|do not) work too (?:hard|much|late)|"
    r"(?:say (?:hello|hi)|(?:give|send) my (?:regards|best|love|greetings)) to [\w' -]{1,30}|"
    r"(?:I (?:want|need|wanted|would like)|I['’]d like|let me) (?:to )?"
    r"(?:thank you|say (?:thanks?|thank you|sorry)|apologi[sz]e)"
    r"(?: (?:again|so much|very much|for \w{1,12}(?: \w{1,12}){0,3}))?|"
    rf"I (?:want|wanted|would like) to wish you {_GOOD_TIME}|"
    r"I(?:['’]ve got to| have to| need to| must| gotta) (?:go|run|leave|stop|head out|log off)|"
    r"accept my apolog(?:y|ies)|(?:forgive|pardon|excuse) (?:me|my \w{1,12}|us)(?: for [\w' -]{1,30})?"
)
_KIND = lazy_pattern(
    rf"\A\W{{0,3}}{_OPENING}{{0,5}}(?:{_KINDNESS})"
    rf"(?:(?:,| and|, and|[.!] ?) {_OPENING}{{0,3}}(?:{_KINDNESS})){{0,2}}"
    r"(?:,? (?:too|then|now|all|every(?:one|body)|both|please|(?:out )?there|soon|today|tonight|again)){0,2}"
    r"[\s.!?…)]{0,4}\Z",
    re.IGNORECASE,
)
"""A whole sentence of nothing but kindness: what goes on with the matter is none."""
_LONGEST_KINDNESS = 160


def bids_farewell(sentence: str) -> bool:
    """Is it only what one says when one parts: `Then have a nice weekend!`"""
    return _FAREWELL.match(sentence) is not None


def is_courtesy(sentence: str) -> bool:
    """Is it only kindness or a farewell? Such a sentence asks for nothing and decides nothing."""
    if bids_farewell(sentence):
        return True
    return len(sentence) <= _LONGEST_KINDNESS and _KIND.match(sentence) is not None
