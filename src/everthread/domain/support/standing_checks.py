"""Does a sentence keep how its sources say it: as hearsay, as a plan, as a question, of some, as over?

What another told the user is not the user's own word; what was planned, asked or wished is not done.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from everthread.domain.text.patterns import lazy_pattern

from .deed_checks import PASTS
from .kindred_words import forms
from .orders import reads_as_order
from .sentence_parts import SentenceParts, lower_tokens, sentence_parts, stem, telling_stem

HEARD = 0.5
"""A sentence tells what somebody reported where so many of its words are from the report."""

_SAYING = """
    said say says told tells tell claim claims claimed think thinks thought believe believes believed mention
    mentions mentioned report reports reported write writes wrote insist insists insisted announce announces
    announced swear swears swore heard hear hears according read rumour rumor suspect suspects suspected
    assume assumes assumed reckon reckons reckoned guess guesses guessed suppose supposes supposed
    sagt sagte meint meinte behauptet erzählt gesagt laut dit
"""
_REPORTING = frozenset(_SAYING.split())
_WHO = r"(?<![\w'’-])(?P<who>(?:[^\W\d_][\w'’-]*+\s)?[^\W\d_][\w'’-]*+)"
_REPORT = lazy_pattern(
    rf"{_WHO}\s+(?:(?:has|had|hat|just|also)\s+)*(?:(?:told|tells)\s(?:me|us)|said|says|claim(?:s|ed)?|"
    r"thinks|believes|suspects|assumes|reckons|guesses|supposes|mention(?:s|ed)|report(?:s|ed)\s+that|wr(?:ites|ote)\s+that|insist(?:s|ed)|"
    r"announced|swears|sagte?|meinte?|behauptet|(?:mir |uns )?(?:gesagt|erzählt))\b,?\s*"
    r"(?:(?:me|us|mir|uns)\s+)?(?:that\s|dass\s)?(?P<what>.+)",
    re.IGNORECASE,
)
_BY_WORD = lazy_pattern(
    r"\b(?:according to|laut)\s(?P<who>(?:the |my |our |der |dem |meiner? )?[^\W\d_][\w'’-]*),?\s"
    r"(?P<what>.+)",
    re.IGNORECASE,
)
_HEARSAY = lazy_pattern(
    r"\b(?:i|we)(?:['’]ve| have)?(?: just)? (?:heard|(?:was|were) told)(?: that)? (?P<what>.+)",
    re.I,
)
_OWN = frozenset(("i", "we", "you", "ich", "wir", "user", "it", "which", "that", "as", "who"))
_IS = lazy_pattern(
    r"(?:the |our )?(?:user|human|customer|person)(?:['’]s name)?\s(?P<verb>is|was|has|works|lives)\s"
    r"(?:called |named )?(?P<what>\S+)",
    re.IGNORECASE,
)
_FIRST = frozenset(
    (
        "i",
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "im",
        "we",
        "we're",
        "we've",
        "ich",
        "wir",
        "je",
        "io",
        "yo",
        "nous",
    )
)
_MY = lazy_pattern(r"\b(?:my|our|mein\w*|unser\w*)\s(\w+(?:\s\w+)?)", re.IGNORECASE)
_CUTS = lazy_pattern(r"[,;:()–—]|\b(?:and|but|while|so|und|aber)\b", re.IGNORECASE)
_MINE_IS = lazy_pattern(
    r"(?:my|our|mein\w*|unser\w*)\s(?:\w+\s){1,3}?(?:is|was|has|had|works|lives|ist|hat|arbeitet|wohnt)\b",
    re.IGNORECASE,
)
"""Of somebody or something of the user's it is said, not of the user."""
_CALLED = (
    r"\b(?:i am|i['’]m|im|my name is|my name['’]s|call me|this is|it['’]s|ich bin|ich hei(?:ß|ss)e|"
    r"mein name ist|je suis|je m['’]appelle|soy|me llamo|sono|mi chiamo)\s+(?:[\w.]+\s+){0,2}"
)
_ENDING = """
    gone ended ends end expired expires cancelled canceled removed dropped retired obsolete outdated revoked
    abolished discontinued over stopped finished former formerly lapsed
"""
_ENDED = frozenset(_ENDING.split())
_OVER = _ENDED - {"over", "end", "ends", "finished", "stopped", "former", "formerly"}
_ONCE = lazy_pattern(
    r"\bused to (?P<was>.+?)(?:$|[,;.–—]|(?=\b(?:but|now)\b))(?P<since>.*)", re.IGNORECASE
)
_NOW = lazy_pattern(r"\b(?:but|now|nowadays|today|these days|currently)\b", re.IGNORECASE)
_WAS = frozenset(
    ("used", "was", "were", "had", "former", "formerly", "earlier", "previously", "once")
)
_PART = frozenset(("most", "half", "few", "sometimes", "rarely", "seldom", "mostly", "partly"))
_COUNTED = frozenset(("the", "a", "at", "next", "last", "past", "these", "those", "first"))
"""Before `few`, `most` and `half` these make a number of it, or a superlative."""
_SOME = _PART | {"some", "many", "several", "part", "often", "usually", "majority"}
_ALL = frozenset(
    ("all", "every", "always", "everyone", "everybody", "everything", "entire", "whole")
)
_IDIOM = lazy_pattern(
    r"\b(?:in|at|after|above) all\b|\bas a whole\b|\bon the whole\b|"
    r"\bevery (?:minute|hour|day|night|week|month|quarter|year)\b"
)
"""They do not say it of all; how often something is, `figure_checks` sees."""
_EACH = _ALL | {
    "each",
    "any",
    "both",
    "never",
    "none",
    "no",
    "altogether",
    "anything",
    "only",
    "everywhere",
}
_AHEAD = """
    will shall going plan plans planning want wants hope intend must would need needs let's should could can
    we'll i'll they'll it'll
"""
_PLANS = frozenset(_AHEAD.split())
_TO_BE = lazy_pattern(r"\b(?:will|must|shall|should|can|to) (?:\w+ )?be (\w+)", re.IGNORECASE)
"""Before what is to be done to something."""
_UNCHANGED = frozenset(
    ("quit", "beat", "spread", "cut", "put", "set", "shut", "hit", "let", "split", "cost")
)
"""Verbs whose past is no other word."""
_ASKING = """
    ask asks asked asking whether if question questions wonder wonders wondered wants want wanted request
    requests requested unclear unsure know needs need would wish wishes like looking check interested
"""
_ASKED = frozenset(_ASKING.split())
_TAG = lazy_pattern(
    r",\s*(?:right|okay|ok|yeah|correct|huh|eh|no|you know|isn['’]t it|aren['’]t (?:you|they)|don['’]t you|"
    r"oder|nicht(?: wahr)?|n['’]est-ce pas)\s*\?$",
    re.IGNORECASE,
)
_WHEN = (
    {"yesterday", "last", "previous", "earlier"},
    {"tomorrow", "next", "upcoming", "later"},
    {"today"},
)


def why_other_standing(
    sentence: SentenceParts, ground: Sequence[SentenceParts], names: Collection[str], *, own: bool
) -> str:
    """Why the sentence says as certain, done or the user's what its sources say otherwise; else empty.

    `own`: it gives a person's words; what an agent passes on is not held to be hearsay.
    """
    return (
        (why_hearsay(sentence, ground) if own else "")
        or _why_not_them(sentence, ground, names)
        or _why_not_over(sentence, ground)
        or _why_not_all(sentence, ground)
        or _why_not_done(sentence, ground)
        or _why_other_day(sentence, ground)
    )


def why_hearsay(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it tell as a fact what the user only has from somebody?"""
    tokens, words = sentence.tokens, {*sentence.words}
    for each in ground:
        found = _reported(each.text)
        if found is None:
            continue
        who, what = found
        told = {*sentence_parts(what).words}
        if not words or len(words & told) < HEARD * len(words):
            continue
        named = not who or any(word in tokens for word in who)
        if not named or _REPORTING.isdisjoint(tokens):
            return "it tells as a fact what its sources only have from somebody"
    return ""


def _reported(text: str) -> tuple[set[str], str] | None:
    """Who reported something, by the telling words, and what; None where nobody did."""
    if found := _HEARSAY.search(text):
        return set(), found["what"]
    found = _BY_WORD.search(text) or _REPORT.search(text)
    if found is None:
        return None
    last = lower_tokens(found["who"])[-1:]
    if not last or last[0] in _OWN:
        return None
    who = {word for token in lower_tokens(found["who"]) if (word := telling_stem(token))}
    return (who, found["what"]) if who else None


def _why_not_them(
    sentence: SentenceParts, ground: Sequence[SentenceParts], names: Collection[str]
) -> str:
    """Does it say of the user what was said of another?"""
    found = _IS.match(sentence.text)
    if found is None:
        return ""
    what = found["what"].strip(".,;:!?\"'")
    if what[:1].isupper() and what.isalpha():
        said = any(re.search(_CALLED + re.escape(what), g.text, re.IGNORECASE) for g in ground)
        return "" if said or what.lower() in names else f"nobody said that the user is {what}"
    words = {*sentence.words}
    if found["verb"].lower() == "has" and any(_is_mine(each.text, words) for each in ground):
        return ""
    parts = (part.strip() for each in ground for part in _CUTS.split(each.text))
    said = [part for part in parts if words & {*sentence_parts(part).words}]
    if all(_FIRST.isdisjoint(each.tokens) for each in ground) or (
        said and all(map(_MINE_IS.match, said))
    ):
        return "its sources do not say it of the user"
    return ""


def _is_mine(text: str, words: Collection[str]) -> bool:
    """Is one of these the user's own? `My car is red` says that there is a car."""
    own = " ".join(_MY.findall(text)).lower().split()
    return any(stem(word) in words for word in own)


def _why_not_over(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it leave out that something is over, or was so once?"""
    if sentence.denials or not _ENDED.isdisjoint(sentence.tokens):
        return ""
    words = {*sentence.words}
    for each in ground:
        if _WAS.isdisjoint(sentence.tokens) and _was_once(each.text, words):
            return "it leaves out that its sources say it was so once"
        for clause in each.clauses:
            ends = {stem(word) for word in _OVER & each.tokens} & clause.words
            if ends and len(clause.words & words) > len(clause.words - ends) / 2:
                return "it leaves out that its sources say it is over"
    return ""


def _was_once(text: str, words: Collection[str]) -> bool:
    """Is what these words tell only what was so once, and not what the sentence says of today?"""
    once = _ONCE.search(text)
    if once is None:
        return False
    was, since = ({*sentence_parts(part).words} for part in (once["was"], once["since"]))
    today = _NOW.search(once["since"]) is not None and not (since - was).isdisjoint(words)
    return not was.isdisjoint(words) and not today


def _why_not_all(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it say of all what is said of some?"""
    given = {token for each in ground for token in each.tokens}
    bare = {*lower_tokens(_IDIOM.sub(" ", sentence.text.lower()))}
    if bare & _ALL and given.isdisjoint(_EACH):
        return "it says of all what its sources do not"
    if sentence.tokens.isdisjoint(_SOME) and any(_has_part(each.text) for each in ground):
        return "it leaves out that its sources say it of a part only"
    return ""


def _has_part(text: str) -> bool:
    tokens = lower_tokens(text)
    return any(
        token in _PART and not _COUNTED.intersection(tokens[max(0, at - 1) : at])
        for at, token in enumerate(tokens)
    )


def _why_not_done(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it tell as a fact what was asked, or as done what was planned or ordered?"""
    if not _ASKED.isdisjoint(sentence.tokens) or sentence.text.rstrip().endswith("?"):
        return ""
    if all(_asks(each.text) for each in ground):
        return "it tells as a fact what its sources ask"
    told = lower_tokens(_TO_BE.sub(" ", sentence.text))
    done = _all_forms(token for token in told if _may_be_past(token))
    for each in ground:
        if done & _planned(each.text) - _past(ground) and _PLANS.isdisjoint(sentence.tokens):
            return "it tells as done what its sources plan or ask for"
    return ""


def _asks(text: str) -> bool:
    """Is it a question? What only looks for a nod is none: `it is done, right?`"""
    bare = text.rstrip("\"')”’ ")
    return bare.endswith(("?", "\uff1f")) and _TAG.search(bare) is None


def _planned(text: str) -> set[str]:
    """The verbs of what is to be done."""
    tokens = lower_tokens(text)
    found = [
        token
        for at, token in enumerate(tokens)
        if not token.endswith("ed") and not _PLANS.isdisjoint(tokens[max(0, at - 2) : at])
    ]
    found += [verb.lower() for verb in _TO_BE.findall(text)]
    if reads_as_order(text):
        found += tokens[:3]
    return _all_forms(token for token in found if telling_stem(token) is not None)


def _past(ground: Sequence[SentenceParts]) -> set[str]:
    tokens = (token for each in ground for token in lower_tokens(_TO_BE.sub(" ", each.text)))
    return _all_forms(t for t in tokens if t.endswith("ed") or t in PASTS - _UNCHANGED)


def _may_be_past(token: str) -> bool:
    return token.endswith("ed") or token in PASTS | _UNCHANGED


def _all_forms(tokens: Iterable[str]) -> set[str]:
    return {form for token in tokens for form in forms(token)}


def _why_other_day(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it say tomorrow for yesterday, or last for next?"""
    given = {token for each in ground for token in each.tokens}
    mine = [group for group in _WHEN if group & sentence.tokens]
    theirs = [group for group in _WHEN if group & given]
    if theirs and any(group not in theirs for group in mine):
        return "it says another day than its sources"
    return ""
