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


_WAS = lazy_pattern(
    r"\b(?:war|waren|wurden?|hatten?|vorher|früher|zuerst|anfangs|ursprünglich\w*|zuvor|damals|bisher|"
    r"vor de[mnr])\b"
    r"|^\W*(?:warum|wieso|weshalb)\b|\b(?:könn\w+|kann|sollte\w*|should|might)\b"
)
"""In German what was, a reason, and what could be; in either what should be."""

_FRAGEND = lazy_pattern(
    r"\W*(?:(?:von|zu|bei|mit|für|an|in|ab|bis|seit) )?"
    r"(?:wer|wem|wen|wo|wie|wann|was|wessen|welche[rmns]?|wohin|woher|womit|wofür|woran|worauf|wovon)\b"
)
_GERMAN_WHAT = lazy_pattern(
    r"\W*was (?!(?:the|there|these|those|that|it|she|he|we|this|someone|anyone|everyone)\b)"
    r"[a-zäöüß]+(?:e|t|en|nd)\b"
)
"""`Was zahle ich?` has the English past only by its looks."""

_EACH = lazy_pattern(
    r"\b(?:each|all) (?:day|week|month|quarter|year|time|night|morning|evening)s?\b"
)
"""`When do we meet each week?` asks for one thing."""


def wants_what_holds(question: Question) -> bool:
    """Does it ask how things are, and not how they were or came to be?"""
    return not question.spans and _PAST.search(question.text.lower()) is None


def asks_how_it_is(question: Question, *, dated: bool = False) -> bool:
    """Is it a short question of how something is, in English or German; `dated`: or will be at a time?

    Like `asks_for_value`; but it asks for any answer, not only for a figure or a day, so that no word of
    the question tells against it.
    """
    asked = question.text.lower().strip()
    if (question.spans and not dated) or len(asked.split()) > MOST_ASKED:
        return False
    if not asked.endswith("?") and not _ASKING.match(asked) and not _FRAGEND.match(asked):
        return False
    asked = _EACH.sub("", _GERMAN_WHAT.sub("", asked))
    return not (_happened(asked) or _PAST.search(asked) or _WAS.search(asked))


def asks_for_value(question: Question) -> bool:
    """May it ask for a value that holds? A short question of how something is.

    What happened is told once, and neither what could be nor a reason is a value.
    """
    asked = question.text.lower().strip()
    if len(asked.split()) > MOST_ASKED or _CALLS.search(asked):
        return False
    if not asked.endswith("?") and not _ASKING.match(asked):
        return False
    return not _happened(asked) and wants_what_holds(question)


def _happened(asked: str) -> bool:
    perfect = _PERFECT.search(asked) and not _DOES.search(asked)
    return bool(_HAPPENED.search(asked) or perfect)
