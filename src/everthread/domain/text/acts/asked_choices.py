"""Is a question put so that its answer decides something, or does it ask how things are?"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from .sentence_forms import phrase_pattern

_CHOICE = phrase_pattern(r"""
    (?:should|shall|prefer|which|or|want me|would you like|go ahead|proceed|soll|oder|ou|или|prefieres)
    ok(?:ay)? (?:to|if)
""")
_TO_CHOOSE = (
    r"(?!.*\b(?:or|should|shall|better|best|prefer\w*|want|wish|would|like|matters?|rather|ok|okay|may|"
    r"can)\b)"
)
_WHICH_IS = lazy_pattern(
    rf"\bwhich\b{_TO_CHOOSE}(?: (?:of )?(?:[\w'-]+ ){{0,3}}?[\w'-]+)? "
    r"(?:is|are|was|were|has|have|had|does|do you have|did)\b"
)
"""`Which side has the sun?`: who answers chooses nothing."""
_WHAT_IS = lazy_pattern(
    rf"^\W*(?:(?:and|so|but|ok(?:ay)?|well|oh)\b[\s,]*)*{_TO_CHOOSE}"
    r"(?:how (?:many|old|long|often|far|big|tall|high|wide|heavy) |"
    r"(?:what|where|who|when)(?:'s| is| are| was| were| did| does| has) |what do you (?:do|have)\b|"
    r"do you have |have you |are you |did (?:you|he|she|they|it) |"
    r"(?:is|are|was) (?:there|he|she|they)\b|does (?:he|she|it|the)\b|has (?:he|she|it|the)\b)"
)


def offers_choice(question: str) -> bool:
    """Is something to be decided by the answer?"""
    lower = question.lower()
    return _CHOICE.search(lower) is not None and _WHICH_IS.search(lower) is None


def asks_what_is(question: str) -> bool:
    """Does it ask how things are, so that the answer decides nothing?"""
    lower = question.lower().replace("’", "'")
    return (_WHAT_IS.search(lower) or _WHICH_IS.search(lower)) is not None
