"""Who was to be asked was reached: `talked to Werner: …`, `Fien says yes`, of `I'll ask my uncle Werner`.

Who it is stands in the promise, or, where that says `him` or `her`, is whom it named last. Who was to be
asked for a deed has not done it by saying something, nor told what was asked by speaking of something else.
"""

from __future__ import annotations

import re

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

_TO_REACH = lazy_pattern(
    r"(?i:\b(?:i|we)(?:['\u2019]ll| will| need to| have to| must)?(?: still| also| just)* "
    r"(?:ask|call|ring|phone|text|message|e-?mail|talk (?:to|with)|speak (?:to|with)|check with)(?: up)? )"
    r"(?:(?P<pointed>(?i:him|her|them))\b|(?i:my |our |the )?(?P<whom>[\w-]+(?: [A-Z][\w-]+)?))(?! to\b)"
)
_MATTER = lazy_pattern(r"\b(?:about|whether|if|for)\b(?P<what>.*)")
_NAME = lazy_pattern(r"(?<!^)(?<![.!?] )\b[A-Z][a-z][\w-]+")
_OTHERS = """
    about around if whether for you it that this when in on at again back a an one some any every someone
    somebody another
"""
_NOBODY = frozenset(_OTHERS.split())
_HINDERED = lazy_pattern(
    r"\b(?:not|never|nobody|no answer|voicemail|mailbox|busy|engaged|tried|yet|later|tomorrow|will|if|when|"
    r"should|could|would|might|again|still)\b|n't\b"
)
_CLAUSE = lazy_pattern(r"[,:;]|\band\b|\bthe\b|\bthat\b|$")
"""Up to here it is told that somebody was reached; from here on, what was said."""

_BRIEFLY = lazy_pattern(
    r"\b(?:says?|said|answered|replied):? (?:yes|yep|no|nope|ok|okay|sure|fine|of course)\b|"
    r"\b(?:agree[sd]|confirmed|is (?:fine|ok|okay|happy) with)\b"
)
"""So one answers whatever was asked."""

_LED = r"^\W*(?:(?:ok|so|and|update|news|btw)\b\W*)*"
_THEIR = r"(?:my |our |the )?(?:\w+ )?"
_HERS = (
    r"(?:(?:i|we) (?:just |finally |have )?)?(?:(?:talked|spoke|chatted|checked) (?:to|with)|"
    r"heard (?:back )?from|got (?:hold of|through to)|reached|asked|called|rang|phoned)"
)
_THEIRS = (
    r"(?:just |has |also )*(?:says?|said|answered|replied|confirmed|told (?:me|us)|wrote back|agree[sd]|"
    r"called back|got back to (?:me|us)|is (?:fine|ok|okay|happy) with)\b"
)


def is_reached(said: Utterance, promise: str) -> bool:
    """Does she tell what came of it, from those whom she wanted to ask?"""
    matter = _MATTER.search(promise)
    name, about = _whom(promise), roots(matter["what"]) if matter else frozenset[str]()
    return bool(name) and any(
        _tells(each, name)
        and (not about or _BRIEFLY.search(each.lower) or not about.isdisjoint(roots(each.text)))
        for each in said.sentences
    )


def _whom(promise: str) -> str:
    found = _TO_REACH.search(promise)
    if found is None:
        return ""
    if found["pointed"]:
        names = _NAME.findall(promise, 0, found.start())
        return names[-1].lower() if names else ""
    name = found["whom"].split()[-1].lower()
    return "" if name in _NOBODY else name


def _tells(each: ParsedSentence, name: str) -> bool:
    if each.asks or name not in each.lower:
        return False
    who = re.escape(name)
    told = re.search(rf"{_LED}(?:{_HERS} {_THEIR}{who}\b|{_THEIR}{who} {_THEIRS})", each.lower)
    end = told and _CLAUSE.search(each.lower, told.end())
    return end is not None and _HINDERED.search(each.lower, 0, end.start()) is None
