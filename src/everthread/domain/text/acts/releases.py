"""What a sentence lets go: that something shall stop, is allowed again, or is to be again as it was.

`Stop signing my mails`, `comments are welcome again`, `back to euros for prices`. Only what is to hold from
now on is read so; what is said of one time, under a condition, of somebody else, or asked, is none. So is
what sets again what had been let go: `back to no emojis`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from .hasty_spelling import plain_spelling
from .release_forms import END, FORMS, HINTS, LEAD, NOT, YOU, Letting

LONGEST = 160
"""Characters of a sentence that is read: what is longer tells a story."""

_AFRESH = r"(?:again|after all|once more|like before|as before)"
_BAN = r"(?P<no>no more|no|never|don't|do not|stop|avoid|not)"
_START = rf"(?:^|[,;:.] ){LEAD}"
_AGAIN = (
    lazy_pattern(rf"\bback to (?:the )?{_BAN} (?P<what>\S[^,;]*)$"),
    lazy_pattern(
        r"(?P<what>\S[^,;]*?) (?:is|are) (?P<no>off limits|off|forbidden|banned|out|taboo|not ok|not fine|"
        rf"not allowed) {_AFRESH}(?: please)?$"
    ),
    lazy_pattern(rf"{_START}{_BAN} (?P<what>\S[^,;]*?) {_AFRESH}(?: please)?$"),
    lazy_pattern(
        rf"{_START}(?:start|resume|begin|go back to|bring back)(?: with)? (?P<what>\S[^,;]*?)"
        rf"(?: {_AFRESH})?(?: (?:on|in|for|to|with|at) [^,;]+)?$"
    ),
    lazy_pattern(
        rf"{_START}(?P<what>(?!(?:you|we|i|it|they|he|she|that|there|my|our|the|his|her|their)\b)"
        rf"\S[^,;]*?) {_AFRESH}(?: please| from now on)?$"
    ),
)

_AGAIN_HINTS = ("again", "after all", "once more", "before", "back", "start", "resume", "begin")

_HINTS = frozenset((*_AGAIN_HINTS, *HINTS, "nt "))

_LASTING = lazy_pattern(
    r"\b(?:again|any ?more|any longer|no longer|from (?:now|here|today) on|from here|after all|for good|now|"
    r"these days|altogether|no more|back|allowed|welcome|permitted|any|whichever|whatever)\b"
)
"""That it is not meant of one time."""
_BOUNDED = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|for now|for once|once|this (?:time|one|week|month|morning|evening|weekend)|"
    r"that one|exception(?:ally)?|except|just (?:here|this|for)|only(?! (?:is|are) (?:now )?(?:off|over|"
    r"gone|history|dead)\b)|if|unless|until|till|when|whenever it|"
    r"as soon as|as long as|provided|might|maybe|perhaps|wish|would|hope|soon|yet|but|despite|anyway|"
    r"else|other|another|rest|both|also|says?|said he|said she|sometimes|usually|often|mostly|was|were|had|"
    r"did|didn't|hardly|barely|still|not even|either|neither)\b"
)
_ASIDE = lazy_pattern(r" ?,? ?\b(?:btw|by the way|fyi|lol|haha|hehe)\b[ ,.!:)]*")
"""Says nothing of what is let go, and parts what is said before it from what comes after."""
_WHY = lazy_pattern(
    r"(?:,|(?<=\w\.)) (?:(?:he|she|they|it|i|we)(?:'\w+)?|got|bought|found|everyone|everybody|nobody|people) "
    r"[^,;.]*"
)
_CONDITION = lazy_pattern(
    r"\b(?:if|unless|until|till|when|except|only|but|provided|still|once|not|\w+n't|maybe|might|as long)\b"
)
_AS_FAR = lazy_pattern(
    r"\bas (?P<how>long|high|large|late|early|wide) as (?:they|it|you|we) "
    r"(?:needs?(?: to be)?|likes?|wants?)\b"
)
_FROM_TODAY = lazy_pattern(
    r"\b(?:from|as of|starting) (?:today|tomorrow|next week)(?: on(?:wards)?)?\b"
)
_FARTHER = {"large": "larger", "late": "later", "early": "earlier", "wide": "wider"}
_POINTING = lazy_pattern(
    r"\b(?:this|these|those|(?<!now )that(?! (?:rule|thing|ban|limit|reminder|business|stuff|policy)))\b"
    r"(?! (?:is|are|'s)\b)"
)
"""Who points means one thing."""
_MAY_BE_ONCE = lazy_pattern(
    rf"{LEAD}(?:{YOU}{END}|(?:you|we|i|they) {NOT}|(?:do not|don't) bother|no need|"
    r"(?:we|i)(?:'ve| have)? changed)\b"
)
_TELLS = (
    r"(?:wrote|writes|said|says|told|tells|texted|mailed|emailed|messaged|thinks?|claim(?:s|ed)|announced|"
    r"replied|answered|insists?|insisted|argues?|argued)"
)
_REPORTS = lazy_pattern(
    rf"(?:^|(?<=[.,;:])(?=\s))\W*+(?!i\b|we\b)[\w'-]+(?: (?!i\b|we\b)\w+)? {_TELLS}\b|"
    rf"[\"'”’,]\s*{_TELLS} (?!i\b|we\b)\w+",
    re.IGNORECASE,
)
_SPEAKER = lazy_pattern(r"\W*[A-Z][\w-]+:\s+[\"'“‘„]")
_BACK_TO = lazy_pattern(
    r"\bback to\b|\bagain\b|\b(?:fine|ok|okay|enough|will do) from (?:now|here) on\b"
)
_CLAUSES = lazy_pattern(
    r"(?:[,;.:!–—]| -)\s+|(?<!\bbe)(?<!being)(?<!\bis)(?<!\bare)\s+so\s+(?=\S+ )|"
    r"\s+(?:because|since|(?<=\bnow )that|and)\s+(?=\S+ )"
)
_QUOTED = lazy_pattern(r"\"[^\"]*\"")
_DENIED = lazy_pattern(
    r"^(?:no|not|never|none|nobody|don't|do not)\b|\b(?:not|never|\w+n't|cannot)\b"
)
_OTHERS = lazy_pattern(
    r"^(?:he|she|they|who|somebody|someone|everybody|people|my \w+|his|her|their) "
)


class Release(NamedTuple):
    """What a clause lets go."""

    how: Letting
    what: str
    """In the words of the clause, in small letters."""
    lasting: bool
    """Does it say that it is meant for good?"""
    direct: bool
    """In words that may be meant of one time: `drop the headings`, `you can skip that`?"""
    state: bool
    """By a word that may tell how somebody or something is: `Marcus is fine again`?"""
    general: bool
    """Of anybody, or of how things stand: `nobody minds`, `is no longer a problem`?"""
    beside: str
    """What else the sentence says: why, or what shall be instead."""


class Resumption(NamedTuple):
    """What shall hold again."""

    what: str
    forbids: bool


def is_anothers_word(text: str) -> bool:
    """Does it tell what somebody else says: `Kim wrote: tabs are fine again`?"""
    return _REPORTS.search(text) is not None or _SPEAKER.match(text) is not None


def is_bounded(lower: str) -> bool:
    """Is it of one time, of one thing, or under a condition?"""
    return _BOUNDED.search(lower) is not None or _POINTING.search(lower) is not None


@lru_cache(maxsize=2_048)
def resumes(text: str) -> Resumption | None:
    """What the sentence sets again, after it had been let go: `start signing again`."""
    lower = _even_out(text)
    hinted = any(hint in lower for hint in _AGAIN_HINTS)
    found = (form.search(lower) for form in _AGAIN) if hinted else ()
    one = next((each for each in found if each), None)
    if one is None:
        return None
    return Resumption(one["what"], one.groupdict().get("no") is not None)


@lru_cache(maxsize=2_048)
def releases(text: str) -> tuple[Release, ...]:
    """What the sentence lets go, clause by clause; nothing where it asks, or is bounded."""
    return tuple(_clause_releases(_even_out(text)))


@lru_cache(maxsize=2_048)
def _even_out(text: str) -> str:
    """The sentence in small letters; nothing where it can let go of nothing."""
    lower = text.lower().replace("’", "'")
    if len(text) > LONGEST or "?" in text or not any(hint in lower for hint in _HINTS):
        return ""
    if is_anothers_word(text):
        return ""
    lower = plain_spelling(" ".join(lower.split())).rstrip(".! ")
    lower = _FROM_TODAY.sub("from now on", lower)
    lower = _AS_FAR.sub(lambda found: _FARTHER.get(found["how"], f"{found['how']}er"), lower)
    lower = _ASIDE.sub(", ", lower).strip(", ")
    bare = _WHY.sub(_kept_condition, lower)
    if is_bounded(bare):
        return ""
    return _QUOTED.sub(_without_commas, lower)


def _kept_condition(why: re.Match[str]) -> str:
    """Why something is let go bounds nothing; a condition does."""
    return why.group() if _CONDITION.search(why.group()) else ""


def _without_commas(quoted: re.Match[str]) -> str:
    return quoted.group().replace(",", "")


def _clause_releases(lower: str) -> Iterator[Release]:
    clauses = [
        clause.strip(" \"'") for clause in _CLAUSES.split(lower) if clause and clause.strip()
    ]
    for n, clause in enumerate(clauses):
        if (found := _first_form(clause)) is not None:
            beside = " ".join((*clauses[:n], *clauses[n + 1 :]))
            back = _BACK_TO.search(beside) is not None
            yield found._replace(beside=beside, lasting=found.lasting or back)


def _first_form(clause: str) -> Release | None:
    for how, hints, form in FORMS:
        found = form.fullmatch(clause) if any(hint in clause for hint in hints) else None
        if found is None:
            continue
        parts = found.groupdict()
        what = " ".join(
            (parts.get("day") or "", found["what"] + (parts.get("more") or "").removeprefix(" to"))
        ).strip()
        if how not in ("revoke", "cease") and (_DENIED.search(what) or _OTHERS.search(what)):
            return None
        return Release(
            how,
            what,
            lasting=_LASTING.search(clause) is not None,
            direct=how in ("cease", "free") and _MAY_BE_ONCE.match(clause) is not None,
            state=parts.get("state") is not None and parts.get("deed") is None,
            general=parts.get("general") is not None,
            beside="",
        )
    return None
