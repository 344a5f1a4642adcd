"""What an agent fails at: an attempt that did not work, or a fault that is still there.

Who explains something says `crash`, `fail` and `error`, too: what a change prevents, what would break if,
what a message means, what was mended. Nothing of that went wrong.
"""

from __future__ import annotations

import re

from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.fault_fixes import ends_mended, says_mended
from everthread.domain.text.patterns import lazy_pattern

from .passing_remarks import is_guess, leans_on_before, tells_of_person
from .utterances import Utterance

_OF_EDITOR = lazy_pattern(
    r"\W*(?:error\W+)?(?:(?:the )?(?:string|text) to replace (?:was |is )?not (?:be )?found|"
    r"(?:could|did) not find the (?:string|text) to replace|(?:the )?patch "
    r"(?:does not|did not|failed to) apply)"
)
"""What an editor answers to a call that it cannot do; the next call does it."""

_GOES_WRONG = (
    r"(?:crash|fail|break|broken?\b|hang|stuck|scheiter|abst[uü]rz|fall[aeoó]|rompe|échou|plant)"
)
_ADJECTIVE = r"(?:broken|failing|failed|crashing)"
_NONE_YET = lazy_pattern(
    r"\b(?:prevent|avoid|ensur|guard|protect|verhinder|vermeid|previen|evita|empêch|évit)\w*|"
    r"\b(?:without|no longer|not|never|won't|doesn't|don't|didn't|ohne|sin|sans)(?: \w+ly)? "
    rf"{_GOES_WRONG}|"
    r"\b(?:will|would|could|can|may|might|should|wird|würde|kann|könnte|puede|podría|peut|pourrait)"
    rf"(?!['’]t\b| not\b)(?: (?:\w+ly|be|get|also|still|then|even|just|all))* {_GOES_WRONG}|"
    r"^\W*(?:if|unless|falls|wenn|si|every time|whenever)\b|"
    rf"\b(?:the|an?|any|all|those|these|your|our) {_ADJECTIVE} [\w`*]|"
    r"n['’]t (?:just|only|merely|simply)\b|\bknown (?:issue|problem|bug)\b|\bmeans ['\"“]"
)
"""What is kept from going wrong, or only may, and what something means or is like in general."""
_SO_IT_IS = lazy_pattern(
    r"(?:n['’]t|\bnot) (?:\w+ )?(?:match|exist|support|handle|enough|possible|passive)\w*",
    re.IGNORECASE,
)
"""What something lacks: that is how it is, and nothing went wrong."""
_SIGNS = lazy_pattern("避免|防止|会导致|如果|不会|不再|防ぐ|ないように|방지")


def fails_at(said: Utterance, n: int) -> bool:
    """Does it tell what went wrong, and not explain, guess at, prevent or mend it?"""
    each = said.sentences[n]
    if not _tells_failure(each) or each.text.endswith((":", "\uff1a")):
        return False
    if is_guess(each) or tells_of_person(each) or leans_on_before(each) or _is_none_yet(each):
        return False
    if _OF_EDITOR.match(each.lower):
        return False
    return not says_mended(each) and not ends_mended(said.sentences[n + 1 :])


def _tells_failure(each: ParsedSentence) -> bool:
    if not speech.fails(each):
        return False
    rest = _SO_IT_IS.sub(" ", each.text)
    return rest == each.text or speech.fails(parse_sentence(rest))


def _is_none_yet(each: ParsedSentence) -> bool:
    if _NONE_YET.search(each.lower):
        return True
    return not each.text.isascii() and _SIGNS.search(each.text) is not None
