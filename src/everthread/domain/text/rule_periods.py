"""Until when a rule holds that names its last day: `No deploys until Monday`.

The day must be that of the rule itself. `Never say that we are open until Monday` holds on; so does what is
done each time until some day, and what must not last so long: `Don't wait until Monday`, `Don't mute alerts
until Monday`. So only a ban of what is done in a moment ends. A day that comes again each month or week ends
no ban that is meant for good: `Never pay bills until the 3rd`. A ban told with somebody's absence ends with
that, if it is of the same person and of nothing else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .patterns import lazy_pattern
from .until_dates import end_of_period

LONGEST = 200
"""Characters of such a rule; what is longer says more than that."""

_NAMING = ("til", "through", "week")

_LED = r"^\W*(?:(?:please|ok|okay|so|and|also|but|no,|note|remember|reminder)\b[\s,:]*)*"
_TO = r"(?:until|till|til|through)"
_BAN = (
    rf"{_LED}(?:(?:we|you) (?=must))?"
    r"(?P<ban>don't|do not|never|must not|mustn't|no|avoid|nothing|nobody)\b"
)
_BANNED = lazy_pattern(
    rf"{_BAN}(?P<what>[^,;:.!?–—]*?) (?P<to>{_TO}) (?P<end>[^,;:.!?–—]+)(?:$|\W+(?P<why>.*))"
)
_MOMENT = lazy_pattern(
    r" (?:deploy|releas|merg|push|commit|publish|send|e-?mail|mail|call|phon|ring|text|messag|writ|contact|"
    r"disturb|bother|ping|touch|chang|edit|restart|reboot|updat|upgrad|delet|remov|start|begin|tell|announc|"
    r"install|migrat|renam|refactor|approv|submit|upload|invit|visit|order|buy|pay|sign|ship|answer|reply|"
    r"respond|ask|mention|post|print|shar|add|creat|us|eat|drink|feed|wash|mow|paint|hir|clean|water|"
    r"(?:plan|book|schedule)(?= any))[a-z]{0,3}\b"
)
_NO_MORE = lazy_pattern(
    r" (?:[\w-]+ ){0,2}(?:deploys?|deployments?|releases?|merges?|merging|pushes|commits?|changes?|edits?|"
    r"calls?|meetings?|e-?mails?|mails?|messages?|updates?|upgrades?|restarts?|reboots?|features?|"
    r"migrations?|visitors?|alcohol|sugar|meat|coffee)\b"
)
"""What is done in a moment, or again and again: it cannot itself last until then."""
_COMES_AGAIN = lazy_pattern(
    r"\b(?:tomorrow|tonight|today|morning|noon|evening|midnight|night|week|month|year)\b|"
    r"^(?:the )?\d+(?:st|nd|rd|th)(?: please)?$"
)
_DATED = lazy_pattern(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)|\d{4}-\d\d-\d\d"
)
_ONE = lazy_pattern(
    r"\b(?:the|this|these|my|our|his|her|their|me|us|him|them|any\w*)\b|(?<=\w )[A-Z][a-z]"
)
"""It is of one thing or person: that is banned for once."""
_BEGINS = lazy_pattern(
    rf"{_LED}(?P<to>{_TO}) (?P<end>\w+(?: \w+){{0,2}}?),? (?:please )?"
    r"(?:(?:don't|do not|no|never|nothing)\b.*|"
    r"(?:answer|reply|write|speak|use|call|address|send|skip|avoid|stop)\b.*)"
)
_DAY = lazy_pattern(
    r"(?>(?:(?>(?:the |next |this )*)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar"
    r"|apr|may|june?"
    r"|july?|aug|sept?|oct|nov|dec)[a-z]*+|\d+(?:st|nd|rd|th)?|\d{4}-\d\d-\d\d|(?:end|start) of|of|week|month"
    r"|year|tomorrow|tonight|today|please|inclusive|(?:in the |at )?(?:morning|noon|evening|midnight|night))"
    r"(?: |$))+)"
)
"""Nothing but a day: `until Friday without asking` bounds something else."""
_INNER = lazy_pattern(
    r"\b(?:that|which|who|whom|whose|if|when|where|because|as|while|unless|whether|how|what|why|is|are|was|"
    r"were|am|be|been|will|has|have|had|can|only|need|from|i|we|he|she|they|\w+'(?:m|s|re|ve|ll)|than)\b"
)
"""A clause within: the day may be its own."""
_LASTS = lazy_pattern(
    r"\b(?:wait\w*|leave|leaving|stay\w*|keep\w*|put|postpon\w*|delay\w*|hold\w*|work\w*|sleep\w*|last\w*|"
    r"run|running|go|going|continu\w*|let|book\w*|extend\w*|push\w*|schedul\w*|defer\w*|sav\w+|stor\w+|"
    r"remain\w*|sit|party|count\w*|retain\w*|plan\w* (?:ahead|out)|need|drag\w*|carry|stretch\w*|play\w*|"
    r"read\w*|drive|driving|open|valid|closed|due|available|good|free|back|away|out|late|up|awake|"
    r"days|time|hours|weeks|left|tickets?|vouchers?|coupons?|discounts?|pass(?:es)?|contracts?|leases?|"
    r"subscriptions?|memberships?|offers?|trials?|trips?|stays?|events?|shifts?|deadlines?|holidays?)\b"
)
"""What itself may go on until then: it is that which is banned, and at any time."""
_OLD = lazy_pattern(
    r"\b(?:\w+ed|bought|made|sold|sent|done|built|written|taken|given|paid|born|kept|held|shown|seen)$"
)
"""What was done to the thing by then: `tickets bought until Friday`."""
_PLAN_ANY = lazy_pattern(r"^ (?:plan|book|schedule) any\w*")
_ALWAYS = lazy_pattern(
    r"\b(?:always|every|each|usual\w*|normally|whenever|per|ever|in general|generally|\w+days|except|unless|"
    r"then|after that|afterwards|from then|again|only|or|weekly|daily|monthly|yearly|slot)\b"
)
"""It holds at other times, too, or something else does then."""
_MORE = lazy_pattern(
    r"\b(?:never|don't|do not|no|must|should|always|and|but|if|when|said|says|kidding|joking|joke|"
    r"(?:that|it) (?:was|is|used)|that's)\b"
)
"""Another rule beside, a condition, or somebody else's word."""
_REASON = lazy_pattern(
    r"(?:please|thanks|thank you)\b|(?:(?:because|since|as|so|until then) )?"
    r"(?:[\w-]+ ){0,3}?[\w-]+(?:'re|'m|'s|'ve| is| are| has| have| needs?| wants?)\b"
)
"""Why, by those who speak: `the saying goes` is no reason."""
_CLAUSES = lazy_pattern(r"\s*[,;]\s+(?:so |and |but )?|\s[–—-]\s|\sso ")
_PLAIN_BAN = lazy_pattern(
    rf"{_LED}(?:don't|do not|no) (?:plan|book|schedule|invite|call|phone|ring|text|e-?mail|mail|write|"
    r"message|ping|contact|disturb|expect|ask|assign|meetings?|calls?|visits?)"
    r"(?: (?:any\w*|(?:any |new )?(?:meetings?|calls?|visits?|answers?|repl(?:y|ies))))?"
    r"(?: (?:with|for|to|from|of))? [\w-]+(?: anything)?(?: please)?\W*$"
)
"""What one does to reach somebody, or plans with him; `don't call me Bob` is for good."""
_ABOUT = {"he": "him", "she": "her", "they": "them", "i": "me", "we": "us"}
_NAME = lazy_pattern(r"\b[A-Z][a-z]+")
_FEW = 7
"""Words of a ban that is told beside an absence."""


def end_of_rule(text: str, said_ms: int) -> int | None:
    """The first moment at which the rule holds no longer, in milliseconds; None where it names none."""
    if len(text) > LONGEST:
        return None
    bound = _bounding_words(text.strip().replace("’", "'"))
    return end_of_period(bound, said_ms) if bound else None


def has_ended(text: str, said_ms: int, now_ms: int) -> bool:
    """Is it a rule, or somebody's absence, whose last day is past?"""
    end = last_moment(text, said_ms) if now_ms > said_ms else None
    return end is not None and end <= now_ms


def last_moment(text: str, said_ms: int) -> int | None:
    """When a rule, or somebody's absence, is over by its own words; None where they name no day."""
    if not any(word in text for word in _NAMING):
        return None  # nearly all that is carried, and with each message
    bound = _ending_words(text)
    return end_of_period(bound, said_ms) if bound else None


@lru_cache(maxsize=2_048)
def _ending_words(text: str) -> str:
    """The words that tell the last day of a rule, or of an absence."""
    bound = _bounding_words(text.strip().replace("’", "'")) if len(text) <= LONGEST else ""
    return bound or (text if _is_absence(text) else "")


@lru_cache(maxsize=2_048)
def _bounding_words(text: str) -> str:
    """The words that tell its last day; empty where that is not the rule's own."""
    lower = text.lower()
    if (
        "?" in lower
        or _ALWAYS.search(lower.replace("for now", ""))
        or len(re.findall(rf"\b{_TO}\b", lower)) != 1
    ):
        return ""
    if found := _BANNED.match(lower):
        what = text[found.start("what") : found.end("what")]
        if _DAY.fullmatch(found["end"]) and _bans_a_deed(found) and _is_for_once(found, what):
            return f"{found['to']} {found['end']}"
    elif (found := _BEGINS.match(lower)) and _DAY.fullmatch(found["end"]):
        return f"{found['to']} {found['end']}"
    return _absence_beside(text)


def _bans_a_deed(found: re.Match[str]) -> bool:
    """Is it a thing of a moment, so that the ban lasts until then, and not what is banned?"""
    what = found["what"]
    deed = _NO_MORE.match(what) if found["ban"] == "no" else _MOMENT.match(what)
    if deed is None or _INNER.search(what) or _OLD.search(what):
        return False
    if _LASTS.search(what) and not _PLAN_ANY.match(what):
        return False
    why = found["why"]
    return not why or (_REASON.match(why) is not None and not _MORE.search(why))


def _is_for_once(found: re.Match[str], what: str) -> bool:
    """Is this one day meant, and not the day of each month or week?"""
    end = found["end"]
    if _DATED.search(end):
        return True
    comes_again = _COMES_AGAIN.search(end) is not None
    if found["ban"] == "never":
        return not comes_again and bool(found["why"])
    bare = found["ban"] == "no" or len(what.split()) == 1
    return not comes_again or bare or _ONE.search(what) is not None


def _is_absence(text: str) -> bool:
    from .acts.speech import parse_sentence  # noqa: PLC0415 - all that reads speech
    from .due_tasks import tells_absence  # noqa: PLC0415 - as above

    return tells_absence(parse_sentence(text))


def _absence_beside(text: str) -> str:
    """Of a ban and an absence in one sentence, the latter; empty where they are of two people."""
    parts = [part for part in _CLAUSES.split(text.rstrip(".! ")) if part]
    if len(parts) != 2:  # noqa: PLR2004 - more is a story
        return ""
    away = next((part for part in parts if _is_absence(part)), "")
    ban = parts[1] if away == parts[0] else parts[0]
    found = _PLAIN_BAN.match(ban.lower())
    if not away or found is None or len(ban.split()) > _FEW:
        return ""
    words = {*re.findall(r"[\w']+", ban.lower())}
    subject = re.findall(r"[\w]+", away.lower())[0]
    names = {name.lower() for name in _NAME.findall(away)}
    if subject in _ABOUT:
        named = subject not in ("i", "we") and _NAME.search(ban[1:]) is not None
        return away if named or _ABOUT[subject] in words else ""
    return away if words & (names | {"him", "her", "them"}) else ""
