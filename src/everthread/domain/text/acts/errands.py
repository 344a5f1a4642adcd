"""What is not to be forgotten, and is done once: `remember to book the hall`, `don't let me forget the rent`.

Whoever says `remember to …` mostly lays down how it is to be done always: `remember to use the metric
system`, `remember to run the tests before committing`. That it names one thing does not make it one act. An
errand is told by its day, by what is done in the world and not in a text (`book`, `pay`), by the person who
is called or asked, or by her who will do it herself. In doubt it is a rule: one that is kept too long does
less harm than one that ends. It knows English only.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from .word_lists import WEEKDAY

_LED = (
    r"^[\s*•–—-]*(?:(?:and|also|but|so|then|oh|ok|okay|btw|by the way|yes|well|please|pls|hey|just|now|"
    r"(?:can|could|would|will) you)\b[\s,.!:–—-]*)*"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_SOME_DAY = (
    rf"(?:today|tonight|tomorrow|(?:this|next) (?:week(?:end)?|month|year|quarter|sprint|morning|afternoon|"
    rf"evening|{WEEKDAY}|{_MONTH})|(?:on|by|before) (?:the )?(?:{WEEKDAY}|\d+(?:st|nd|rd|th)\b|\d+ {_MONTH}|"
    rf"{_MONTH} \d+)|(?:in|by|before) {_MONTH}|in (?:an?|\d+|two|three) (?:hours?|days?|weeks?|months?))"
)
_SOON = rf"(?:{_SOME_DAY}|later|soon|in time|at (?:noon|midnight|\d{{1,2}}(?::\d\d)?(?: ?[ap]m)?)|please)"
_HEAD = lazy_pattern(
    rf"{_LED}(?:(?:please |just |also )*remember to |(?:do not|don['’]?t) (?:let (?:me|us) )?forget (?:to )?|"
    rf"remind (?:me|us)(?: {_SOON}){{0,2}} (?:to|about|of) )(?P<what>\S.*)"
)
"""How one asks that something be done in time. `Never forget to …` is for every time."""
_OWN = lazy_pattern(rf"{_LED}(?:remind|(?:do not|don['’]?t) let) (?:me|us)\b")
_TO_DO = lazy_pattern(rf"{_LED}[^,.;]*?\b(?:remember|forget|remind (?:me|us)\b[^,.;]*?) to\b")
_ASKED = lazy_pattern(r"\b(?:can|could|would|will) you (?:(?:please|just|also) )?remind\b")
_ABOUT = lazy_pattern(r"(?:that|how|what|why|who|when|where|which|whether|if)\b")
"""What is to be known, and not done."""
_TELLS = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|must|does|did|needs?)\b|\w['’]s \w+ed\b"
)
"""`Don't forget the server is in Frankfurt` tells something."""
_STANDS = lazy_pattern(
    r"\b(?:always|never|ever|every|each|any|all|only|whenever|wherever|while|during|throughout|within|often|"
    r"from now on|in (?:the )?future|going forward|next time|regularly|hourly|daily|nightly|weekly|monthly|"
    r"yearly|(?:once|twice|times) an?|per \w+|(?:when|if|before|after|unless|until|till|as|once) "
    r"(?:you|we|i|it|they|he|she|there|somebody|someone|an?|\w+ing)|(?:when|if|unless|until|till)|"
    r"\w+days|mornings|evenings|nights|weekends|at night|at all times|as a rule|first|instead|not|"
    r"with (?!the|an?|my|our|his|her|their)\w+|(?:i|we|you|they) \w+(?=\W*$))\b"
)
_THE = r"(?:the|an?|my|our|his|her|their|your|this|that|these|those)"
_DETERMINER = rf"(?:{_THE}|it|him|them|me|us|one|two|three|both)"
_PARTICLE = r"(?:up|off|out|in|on|back|down|over|away|to|for|at|about|with|after|into|through)"
_THING = lazy_pattern(rf"[\w'’-]+ (?:{_PARTICLE} )?{_DETERMINER}\b")
"""A verb, and one thing."""
_MANNER = lazy_pattern(
    r"(?:be|stay|keep|use|avoid|prefer|try|stick|follow|treat|respect|respond|answer|speak|talk|think|consider|"
    r"mind|focus|leave|include|cite|quote|mention|name|state|format|round|wrap|spell|address|sound|act|behave|"
    r"start|begin|count|run|test|lint|commit|push|pull|build|work|do|have|get up|call (?:me|us|it)|"
    r"write (?:(?:to )?(?:me|us|it|in)|(?:the )?tests?))\b"
)
"""How somebody is, speaks or works."""
_IN_THE_WORLD = (
    r"(?:book|buy|pay|renew|rent|hire|ring|phone|invite|reserve|pick up|drop off|repay|refund)"
)
"""Nobody does that to a text."""
_ALSO_IN_TEXTS = (
    r"(?:order|post|cancel|return|register|submit|file|call|send|schedule|collect|deliver|print|ship|"
    r"e-?mail|mail|text|message|contact|notify|bring|fetch|get|sign up for|apply for)"
)
_DEED = lazy_pattern(rf"(?:{_IN_THE_WORLD}|{_ALSO_IN_TEXTS})(?! (?:me|us)\b) \w")
_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][a-z'’-]+"
_NOUN = r"(?!(?:in|on|by|with|without|under|over|through|like|as|per|after|before|than)\b)[\w'’-]+"
_ONE = rf"(?:the|my|our|his|her|their) (?:{_NOUN} ){{0,2}}?{_NOUN}"
_OF_ONE = rf"{_ONE}|{_NAME}"
_TAIL = rf"(?: (?:up|off|back|again|please)| (?:for|from|to|about|at|of) (?:{_OF_ONE}|school|work|town))*\W*$"
_DEED_ON_ONE = lazy_pattern(
    rf"{_IN_THE_WORLD} (?:(?!\w+ \w+e(?:r|st) \w){_ONE}(?<!ly)(?<! one)(?<! twice)|"
    rf"an? (?:\w+ )?\w+ for {_NAME}|{_NAME}){_TAIL}"
)
"""A deed on one thing, and nothing that says how or which: `book the hall`, `buy a present for Tom`."""
_ASKS_SOMEBODY = lazy_pattern(
    r"(?:call|ring|phone|e-?mail|mail|text|message|invite|visit|meet|tell|ask|send|pay|thank|contact|"
    rf"(?:write|reply|talk|speak) to) {_NAME}(?: {_ONE})?{_TAIL}"
)
"""Whom it is about: `call Ann`, `send Mrs Aydin the contract`; `reply to Ann in French` says how."""
_NEW_THING = lazy_pattern(
    r"(?:add|write|create|prepare|draft) an? [^,;]*\b(?:before|by) the (?:release|launch|go-live|meeting|"
    r"demo|conference|fair|trip|wedding|party|exam|deadline|weekend|holidays?|presentation|move|audit|interview)\W*$"
)
"""What is made once, in time for one thing: `add a backup script before the release`."""
_KIND = lazy_pattern(
    rf"\b(?:in|on|for|with|of|to|from|into|as|before|after|by) (?!{_THE}\b|{WEEKDAY}|\d)"
    r"(?:\w+ )?[a-z]{2,}[a-rt-z]s\b"
)
"""A kind of thing: `include the unit in tables`."""
_ONCE = lazy_pattern(
    rf"\b{_SOME_DAY}(?=\W*$|[,;:.–—]| (?:to|at|before|by|for|about|of|with|and|or)\b)"
)
"""A day; `on the 5th failure` and `the May rates` name none."""
_THING_ALONE = lazy_pattern(
    rf"(?:the|my|our) [\w'’-]+(?: (?!{_SOME_DAY})[\w'’-]+(?<!ed)(?<!s))?(?: {_SOME_DAY})?\W*$"
)


def clause_not_to_forget(text: str) -> str:
    """What is not to be forgotten, in its own words; empty where the sentence asks nothing of the kind."""
    found = _HEAD.match(text.lower())
    if found is None or len(text.lower()) != len(text):
        return ""
    what = text[found.start("what") :]
    return "" if _ABOUT.match(what.lower()) else what


def is_for_oneself(text: str) -> bool:
    """Will she do it herself, and only wants to be told in time?"""
    return _OWN.match(text.lower()) is not None


def is_errand(text: str) -> bool:
    """Is what is not to be forgotten one act, that is done and then is done?"""
    clause, lower = clause_not_to_forget(text), text.lower()
    if not clause or _STANDS.search(clause.lower()) or _KIND.search(clause.lower()):
        return False
    if lower.rstrip().endswith("?") and not _ASKED.search(lower):
        return False
    if _TO_DO.match(lower) is None:
        return _is_thing(clause.lower(), lower)
    return _is_one_act(clause, own=is_for_oneself(text), dated=bool(_ONCE.search(lower)))


def _is_thing(clause: str, text: str) -> bool:
    """`Don't forget the milk`; who only asks of what she does not know any more names no day."""
    if _TELLS.search(clause):
        return False
    head = text[: len(text) - len(clause)]
    if "remind" in head:
        return _ONCE.search(head) is not None
    once = is_for_oneself(text) or _ONCE.search(clause) is not None
    return once and _THING_ALONE.match(clause) is not None


def _is_one_act(clause: str, *, own: bool, dated: bool) -> bool:
    """`own`: who wants to be told in time means one time. `dated`: a day is named."""
    lower = clause.lower()
    if _MANNER.match(lower):
        return False
    if _DEED_ON_ONE.match(clause) or _ASKS_SOMEBODY.match(clause) or _NEW_THING.match(lower):
        return True
    if own or dated:
        return bool(_DEED.match(lower) or _THING.match(lower))
    return False
