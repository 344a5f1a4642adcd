"""Rules to ask first, and leave to act without: `run migrations without asking from now on`.

Who gives such leave says little of the rule: of `ask me before you run migrations` only the migrations. It
ends the rule where it is of the same deed, for good, and of nothing less: `on staging` is less, `this one` is
one time. Whose leave it was must be the speaker's own, as in the rule.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everthread.domain.text.acts.approvals import MINE, WORD
from everthread.domain.text.acts.hasty_spelling import plain_spelling
from everthread.domain.text.acts.release_forms import LEAD
from everthread.domain.text.acts.releases import is_anothers_word, is_bounded
from everthread.domain.text.patterns import lazy_pattern

from .topics import POLES, topic_words

LONGEST = 160
"""Characters of a sentence that is read: what is longer tells a story."""

_ASK = r"(?:ask|check with|consult|check in with|run it by|confirm with)"
_ASKING = (
    r"(?:asking|checking with|consulting|confirming with|checking in with)"
    rf"(?: (?:me|us))?(?: first| for {WORD})?"
)
_UNASKED = rf"without (?:{_ASKING}|{MINE}|any {WORD})"
_NOW = (
    r"(?P<now>(?:,? (?:again|now|any ?more|any longer|from (?:now|here|today) on|these days|for good|too|"
    r"please|by the way))*)"
)
_YOU_MAY = (
    r"(?:you(?:'re| are)?(?: now| also| just)? (?:can|may|could|allowed to|free to|welcome to)"
    r"(?: now| also| just| always| simply)?|feel free to)"
)

_SOMEBODY = r"(?:i|we|you|he|she|they|it|who|people|somebody|everybody|nobody)\b"

_DUTIES = (
    lazy_pattern(
        rf"(?:please )?(?:always )?{_ASK}(?: me| us)?(?: first)?(?: for {WORD})?,? before "
        r"(?:you |ever |any )*(?P<deed>\S.*)"
    ),
    lazy_pattern(
        rf"(?:please )?(?:never|do not|don't|no|you (?:must|may|should) not) (?:ever )?"
        rf"(?P<deed>\S.*?),? {_UNASKED}(?: first)?"
    ),
    lazy_pattern(rf"(?:please )?(?:get|wait for|ask for) {MINE} before (?:you )?(?P<deed>\S.*)"),
    lazy_pattern(rf"(?:please )?(?:only )?(?P<deed>\S.*?) (?:only )?(?:with|after) {MINE}"),
)
_LEAVES = (
    lazy_pattern(rf"{LEAD}(?P<may>{_YOU_MAY} )?(?P<deed>(?!{_SOMEBODY})\S.*?),? {_UNASKED}{_NOW}"),
    lazy_pattern(
        rf"{LEAD}(?P<may>{_YOU_MAY} )(?P<deed>\S.*?)(?: on your own| by yourself| yourself| freely| at will| "
        rf"(?:whenever|as often as) you (?:like|want|wish)| as you (?:like|please)){_NOW}"
    ),
    lazy_pattern(
        rf"{LEAD}(?P<may>stop|no (?:more )?need to|no longer|there's no need to|"
        rf"(?:you )?(?:do not|don't|need not|needn't|no longer)(?: have| need)?(?: to)?) "
        rf"(?:{_ASK}|{_ASKING})(?: me| us)?(?: first)?(?: for {WORD})? (?:before|to|about|for|when)"
        rf"(?: you| any| every| each)* (?P<deed>\S.*?){_NOW}"
    ),
    lazy_pattern(
        rf"{LEAD}you (?P<may>no longer need|do not need|don't need|need no more|need not wait for) "
        rf"(?:{MINE}) (?:to|for|before)(?: any| every| each)? (?P<deed>\S.*?){_NOW}"
    ),
)
_HINTS = (
    "without", "yourself", "your own", "freely", "at will", "you like", "you want", "you wish", "you please",
    "ask", "need", "check", "consult",
)  # fmt: skip
_EVERY = frozenset({"any", "every", "each", "stop"})
_ONE = lazy_pattern(r"\b(?:the|this|that|these|those|it|one|a|an)\b")
_NOT = lazy_pattern(r"\b(?:not|never|nobody|no one|none|\w+n't|cannot)\b")
_LIGHT = frozenset(topic_words("run make do use add write send execute perform change"))
_ANYTHING = frozenset(topic_words("file files code thing change message mail"))
"""What a deed is done to anyway: of secrets and production data nothing is said by it."""
_FIGURE = lazy_pattern(
    r"\d|\b(?:one|two|three|four|five|six|ten|hundred|thousand|more|less|over|under|up to|above|below)\b"
)
_OPENING = lazy_pattern(r"^\W*(?:from (?:now|here|today) on|going forward|as of now)[\s,:–—-]+")
_ENDING = re.compile(r"[.!\s]+$")


@lru_cache(maxsize=2_048)
def asked_before(rule: str) -> str | None:
    """Before what is one to ask? Nothing where the rule demands something else."""
    lower = _even_out(_OPENING.sub("", rule.lower()))
    found = next((one for form in _DUTIES if (one := form.fullmatch(lower))), None)
    return found["deed"] if found else None


@lru_cache(maxsize=2_048)
def left_to_you(said: str) -> str | None:
    """What may be done from now on without asking?"""
    lower = _even_out(said)
    opened = _OPENING.sub("", lower)
    if len(said) > LONGEST or "?" in said or not any(hint in lower for hint in _HINTS):
        return None
    if is_bounded(opened) or is_anothers_word(said):
        return None
    found = next((one for form in _LEAVES if (one := form.fullmatch(opened))), None)
    if found is None or _NOT.search(found["deed"]):
        return None
    lasts = found["now"] or opened != lower or not _EVERY.isdisjoint(opened.split())
    general = found["may"] and _ONE.search(found["deed"]) is None
    return found["deed"] if lasts or general else None


def is_freed_of_asking(said: str, rule: str) -> bool:
    """Does it give leave for just what one was to ask before?"""
    freed = left_to_you(said)
    wanted = asked_before(rule) if freed is not None else None
    if freed is None or wanted is None:
        return False
    if _FIGURE.search(wanted) or _FIGURE.search(freed):
        return False  # up to so much, or from so much on
    need, given = _deed(wanted), _deed(freed)
    if not given or not given <= need:
        return False
    rest = need - given - _LIGHT
    # `You can commit without asking` is said of all commits; `push` says nothing of pushing to main.
    return not rest or (rest <= _ANYTHING and _first(wanted) in given)


def _deed(text: str) -> frozenset[str]:
    return frozenset(topic_words(text)) - POLES


def _first(deed: str) -> str:
    return next(iter(topic_words(deed)), "")


def _even_out(text: str) -> str:
    lower = plain_spelling(" ".join(text.lower().replace("’", "'").split()))
    return _ENDING.sub("", lower)
