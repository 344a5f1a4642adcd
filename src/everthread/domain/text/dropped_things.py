"""A thing that is used no longer, by its name: `We dropped Redis`, `We decided against API keys`.

Unlike a choice that is given up for another, nothing need stand in its place. Only what told to use the
thing ends by it, and for that purpose: that Redis listens on port 6379 stays as true as it was, and who
dropped it for sessions may use it for the queue.
"""

from __future__ import annotations

from functools import lru_cache

from .patterns import lazy_pattern

LONGEST = 120
"""Characters of such a sentence."""

NEAR = 60
"""Characters after the verb within which the thing is named that is used."""

_LED = (
    r"\W*+(?:(?:ok(?:ay)?|by the way|btw|and|so|also|well|finally|update|news)\b[\s,.:–—-]*+){0,3}"
)
_ADVERB = r"(?>(?:(?:just|finally|now|recently|already|all|since|also|actually) )*)"
_STOPS = (
    r"(?:dropped|ditched|abandoned|scrapped|retired|phased out|got rid of|gotten rid of|gave up on|moved off|"
    r"moved away from|migrated off|migrated away from|switched away from|decided against|"
    r"(?:stopped|quit) (?:using|working with|running|taking))"
)
_NO_LONGER = (
    r"(?:no longer (?:use|run|need|take|work with|rely on)|(?:are|am) no longer (?:using|on|with|running)|"
    r"(?:do not|don't|won't|will not) (?:use|run|work with|rely on)(?= .*\b(?:any ?more|any longer|now)\b)|"
    r"(?:are not|aren't|am not) (?:using|on|with|running)(?= .*\b(?:any ?more|any longer|now)\b))"
)
_NO_THING = (
    r"(?!(?:it|that|this|them|these|those|him|her|you|me|us|what|all|everything|anything|of|to|by|in|at|"
    r"several|some|many|most|one|two|three|a|an|more|any)\b)"
)
_REST = (
    r"(?>(?: (?:any ?more|any longer|now|for good|completely|entirely|altogether|last \w+|yesterday|today|"
    r"a (?:week|month|year) ago|in \w+))*)(?: for (?P<purpose>(?!good\b)[^,.;:]{2,40}?))?"
)
_FORM = lazy_pattern(
    rf"{_LED}(?:(?:we|i|we've|i've|we're|i'm)(?: have| had| are| am)? ?{_ADVERB}(?:{_STOPS}|{_NO_LONGER})"
    r"|(?:now )?decided against(?: using)?) "
    rf"(?:the |our |my )?{_NO_THING}(?P<gone>[\w.+#/-]*\w(?: [\w.+#/-]*\w){{0,2}}?){_REST}(?:\W*$|[,;:–—.] )"
)
_CALLED_OFF = lazy_pattern(
    rf"{_LED}(?:the |our |my )?(?P<gone>[\w.+#/-]*\w(?: (?:& )?[\w.+#/-]*\w){{0,2}}?)"
    r"(?: (?:has|have))?(?: just| now| sadly)? "
    r"(?:called (?:it )?off|cancell?ed(?: on us)?|backed out|dropped out|pulled out|fell through|"
    r"fallen through|let us down|turned us down)(?: (?:today|yesterday|last \w+|after all))?\W*$"
)
"""Who was to do something, and will not."""
_USES = lazy_pattern(
    r"\b(?:use|uses|using|(?:runs?|running) on|run|runs|running|"
    r"(?:log|logs|sign|signs|work|works|build|builds|go|stay|stick) "
    r"(?:in )?with|rel(?:y|ies) on|host(?:s|ed)? on|deploy(?:s|ed)? (?:to|on)|take|takes|have|has|chose|"
    r"decided (?:on|for|to use)|settled on|switched to|moved to|migrated to|(?:are|is|am) (?:on|with|in)|"
    r"(?:lives?|sits?|goes) (?:in|on)|pay with|order (?:from|at)|bank with|insured with)\b"
)
_TAKES = lazy_pattern(
    r"\b(?:take|book|hire|chose|go with|going with|decided (?:on|for)|settled on|have)\b"
)
_OTHERS = lazy_pattern(r"\b(?:and|or|then)\b|[,;&]")
_DENIED = lazy_pattern(
    r"\b(?:not|no|never|without|against|dropped|stopped|ditched|abandoned|retired|instead of|"
    r"rather than)\b|n't\b"
)
_FOR = lazy_pattern(r"\bfor (?:the |our |my )?(?P<purpose>[^,.;:]{2,40})")
_WORD = lazy_pattern(r"[\w.+#/-]*\w")
_AGAINST = lazy_pattern(r"\bdecided against\b")
_MEANT = lazy_pattern(
    r"\b(?:let's|will|going to|shall|should|chose|decided|settled|plan\w*|take|go with|opted)\b|'ll\b"
)
_NO_NAME = frozenset(
    ("a", "an", "off", "in", "out", "by", "over", "to", "some", "at", "from", "with")
)
_WHOSE = frozenset(("the", "our", "my", "a", "an"))
_BEHIND = """
    for as in on at to with and because since from now here by everywhere currently at so but
"""
_AFTER = frozenset(_BEHIND.split())
"""What may stand behind a thing that is named whole."""


_LETS_FALL = lazy_pattern(r"\bi(?:'ve)? (?:\w+ )?(?:dropped|abandoned)\b")


def drops_thing(text: str) -> bool:
    """Is it decided by that? Who says `I dropped my phone` decided nothing."""
    return dropped_thing(text) is not None and not _LETS_FALL.search(text.lower())


@lru_cache(maxsize=2_048)
def dropped_thing(text: str) -> tuple[str, str] | None:
    """What is used no longer, and for what purpose, in small letters; None where nothing is."""
    if len(text) > LONGEST or text.rstrip().endswith("?"):
        return None
    found = _FORM.match(text.lower().replace("’", "'"))
    if found is None or not _NO_NAME.isdisjoint(found["gone"].split()):
        return None
    return found["gone"], found["purpose"] or ""


def is_used_no_longer(new: str, old: str) -> bool:
    """Did the earlier statement tell that just this is used, for whatever the later one speaks of?"""
    dropped = dropped_thing(new)
    lower = old.lower().replace("’", "'")
    if dropped is None or len(old) > LONGEST or _DENIED.search(lower):
        return False
    gone, purpose = dropped
    if _AGAINST.search(new.lower()) and not _MEANT.search(lower):
        return False  # another use of it was turned down
    if purpose and not _is_for(lower, purpose):
        return False
    return any(_names(lower[m.end() : m.end() + NEAR], gone) for m in _USES.finditer(lower))


def is_called_off(new: str, old: str) -> bool:
    """Will those not do it who, by the earlier statement, were taken for it: the movers, a band?"""
    gone = _called_off(new)
    if gone is None or len(old) > LONGEST:
        return False
    lower = old.lower().replace("’", "'")
    if _DENIED.search(lower) or not _MEANT.search(lower):
        return False
    if _OTHERS.search(lower.replace(gone, "")):
        return False  # the others still come
    return any(_names(lower[m.end() : m.end() + NEAR], gone) for m in _TAKES.finditer(lower))


@lru_cache(maxsize=2_048)  # each is held against all that was told
def _called_off(text: str) -> str | None:
    """Who will not come."""
    found = _CALLED_OFF.match(text.lower().replace("’", "'")) if len(text) <= LONGEST else None
    named = found is not None and _NO_NAME.isdisjoint(found["gone"].split())
    return found["gone"] if found and named else None


def _is_for(old: str, purpose: str) -> bool:
    told = _FOR.search(old)
    return told is not None and _bare(purpose) == _bare(told["purpose"])


def _bare(text: str) -> set[str]:
    return {*_WORD.findall(text)} - _WHOSE


def _names(text: str, thing: str) -> bool:
    """Is the thing named there, whole, and no more than that: `Redis Cloud` is another one?"""
    words, named = _WORD.findall(text), _WORD.findall(thing)
    if words and words[0] in _WHOSE:
        words = words[1:]
    if words[: len(named)] != named:
        return False
    after = text.split(thing, 1)[-1]
    if after.startswith("'"):
        return False  # hers, not she
    goes_on = words[len(named) : len(named) + 1] if after.startswith(" ") else []
    return all(word in _AFTER for word in goes_on)
