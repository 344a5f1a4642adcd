"""What of a question tells that it asks for a value, and for the one that holds."""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from .questions import Question

MOST_ASKED = 12
"""Words of a question for one value; a longer one asks for how things hang together."""

_PAST = lazy_pattern(
    r"\b(?:was|were|used to|originally|at first|initially|(?<!the )(?<!our )(?<!my )first|before|earlier|"
    r"previous(?:ly)?|old(?! \w*[^\Ws]s\b)|former(?:ly)?|history|so far|ever|change[sd]?|in which order|"
    r"over time|both|differ\w*|compar\w*|evol\w*|all|each|list)\b"
)
"""Who asks for what was, or for how it came, wants the older as well; the first reminder, and old invoices,
are what they are."""

_ASKING = lazy_pattern(r"\W*(?:what|when|where|who|whose|which|how)(?:['’]?s)?\b")
"""Many leave out the question mark."""

_CALLS = lazy_pattern(
    r"\b(?:commands?|called|execut\w+|scripts?|invok\w+|tools?|files?|edit\w*|paths?|tried|arguments?|"
    r"how (?:can|to))\b"
)
"""Who asks for what was done wants the call of a tool as well, not what was said last."""

_HAPPENED = lazy_pattern(r"\b(?:did|had|could|would|can)(?:n['’]?t)?\b|^\W*(?:why|how come)\b")
_PERFECT = lazy_pattern(r"\b(?:has|have)\b")
_DOES = lazy_pattern(r"\b(?:do|does)\b")
"""`Has he paid?` asks for what happened, `How many does he have?` for what holds."""


def wants_what_holds(question: Question) -> bool:
    """Does it ask how things are, and not how they were or came to be?"""
    return not question.spans and _PAST.search(question.text.lower()) is None


def asks_for_value(question: Question) -> bool:
    """May it ask for a value that holds? A short question of how something is.

    What happened is told once, and neither what could be nor a reason is a value.
    """
    asked = question.text.lower().strip()
    if len(asked.split()) > MOST_ASKED or _CALLS.search(asked):
        return False
    if not asked.endswith("?") and not _ASKING.match(asked):
        return False
    happened = _HAPPENED.search(asked) or (_PERFECT.search(asked) and not _DOES.search(asked))
    return not happened and wants_what_holds(question)
