"""What a sentence lets go: that something shall stop, is allowed again, or is to be again as it was.

`Stop signing my mails`, `comments are welcome again`, `back to euros for prices`. Only what is to hold from
now on is read so; what is said of one time, under a condition, of somebody else, or asked, is none. So is
what sets again what had been let go: `back to no emojis`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from .hasty_spelling import plain_spelling

Letting = Literal["cease", "revoke", "allow", "return", "resume"]
"""Something shall stop; a rule is given up by its name; something is allowed; it is to be as it was; a
person does again what she had stopped."""

LONGEST = 160
"""Characters of a sentence that is read: what is longer tells a story."""

_TAIL = (
    r"(?P<tail>(?:,? (?:again|now|any ?more|any longer|from (?:now|here|today) on|from here|after all|"
    r"for good|these days|altogether|entirely|completely|please|thanks|then|though|with me|by me|for me|"
    r"as well|at all|too|instead|since \w+ \w+))*)"
)
_LEAD = (
    r"(?:(?:ok|okay|well|so|and|oh|hey|right|alright|actually|also|please|just|then|now|yes|yeah|sure|"
    r"from now on|as of (?:now|today)|you know what|i think|i guess|let's|lets|we should|you should)\b"
    r"[ ,]*+)*+"
)
_YOU = r"(?:(?:you|we) (?:can|may|could)(?: now| also| just| really)* )?"
_END = (
    r"(?:drop|scrap|forget(?: about)?|ditch|lose|ignore|disregard|abandon|never mind|lift|axe|retire|skip|"
    r"cut|cancel|omit|leave (?:out|off|away)|do away with|get rid of)"
)
_NAME = (
    r"(?:what i (?:said|told you|wrote|asked)(?: about| on| for)?|rule|ban|thing|stuff|business|policy|"
    r"limit|cap|cutoff|restriction|requirement|embargo|instruction|preference|avoiding)"
)
_DONT = r"(?:do not|don't|does not|doesn't|no longer)"
_NOT = rf"(?:{_DONT}|is not|isn't|are not|aren't|need not|needn't)"
_PLACE = r"(?:in|on|for|at|with|after|before|during|from)"
_WHAT = r"(?P<what>\S.*?)"

_TO_END = "drop scrap forget ditch lose ignore disregard abandon lift axe retire skip cut cancel omit leave"
_ENDS = (*_TO_END.split(), "never mind", "do away", "get rid")
_DENIES = ("n't", " not", "no longer")
_FOR_GOOD = ("any more", "anymore", "any longer")
_NEEDED = ("needed", "necessary", "required", "wanted", "important", "a must")
_WELL = "fine ok alright good possible back free allowed welcome permitted"
_FINE = (*_WELL.split(), "all right")
_LEAVE = ("can", "may", "allowed to", "free to", "welcome to")
_WAYS: tuple[tuple[Letting, tuple[str, ...], str], ...] = (
    ("revoke", _ENDS, rf"{_LEAD}{_YOU}{_END} (?P<what>(?:\S+ )*?{_NAME}(?:s|es)?\b.*?){_TAIL}"),
    (
        "revoke",
        ("worry", "care", "fret"),
        rf"{_LEAD}(?:{_NOT}) (?:worry|care|fret) about {_WHAT}{_TAIL}",
    ),
    (
        "revoke",
        ("off", "over", "gone", "lifted", "dropped", "history", "dead", "void", "cancel"),
        rf"(?:the |that |my |our )?(?P<what>\S.*?\b{_NAME}\b.*?) (?:is|are|was|has been)(?: now)? "
        rf"(?:off|over|gone|lifted|dropped|history|dead|void|cancell?ed){_TAIL}",
    ),
    (
        "revoke",
        ("limit", "cap", "cutoff", "restriction"),
        rf"{_LEAD}no (?:more )?(?P<what>(?:limit|cap|cutoff|restriction)s? (?:on|for) .*?){_TAIL}",
    ),
    ("cease", ("stop", "quit"), rf"{_LEAD}{_YOU}(?:stop|quit)(?: with| it with)? {_WHAT}{_TAIL}"),
    ("cease", _ENDS, rf"{_LEAD}{_YOU}{_END} {_WHAT}(?: (?:out|off|away))?{_TAIL}"),
    ("cease", ("leave",), rf"{_LEAD}{_YOU}leave {_WHAT} (?:out|off|away){_TAIL}"),
    (
        "cease",
        ("no more", "enough", "no longer any"),
        rf"{_LEAD}(?:no more|enough(?: of| with)?|no longer any) {_WHAT}{_TAIL}",
    ),
    ("cease", _FOR_GOOD, rf"{_LEAD}no {_WHAT}(?P<tail> any ?more| any longer)(?: please)?"),
    ("cease", ("bother",), rf"{_LEAD}(?:do not|don't) bother (?:with|to|about) {_WHAT}{_TAIL}"),
    ("cease", ("no need",), rf"{_LEAD}no need (?:to|for)(?: have| keep)? {_WHAT}{_TAIL}"),
    (
        "cease",
        _NEEDED,
        rf"{_LEAD}no {_WHAT} (?:is |are )?(?:needed|necessary|required)(?P<more> (?:to|{_PLACE}) \S.*?)?"
        rf"{_TAIL}",
    ),
    (
        "cease",
        _DENIES,
        rf"{_LEAD}(?:you|we|i|they) {_NOT}(?: really)? (?:have to|need to|need|want|have|keep)? ?"
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "cease",
        ("done with", "through with", "finished with"),
        rf"{_LEAD}(?:we|i)(?:'re| are|'m| am) (?:done|through|finished) with {_WHAT}{_TAIL}",
    ),
    (
        "cease",
        ("stopped", "dropped", "quit", "scrapped", "abandoned", "ditched", "gave up"),
        rf"{_LEAD}(?:we|i)(?:'ve| have)? (?:stopped|dropped|quit|scrapped|abandoned|ditched|gave up) "
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "cease",
        _NEEDED,
        rf"{_WHAT}(?: are| is|'s)? ?(?:not|n't|no longer) "
        rf"(?:needed|necessary|required|wanted|important|a must){_TAIL}",
    ),
    ("cease", _DENIES, rf"(?P<what>\S.*? {_DONT} (?:need|needs|have|has) to\b.*?){_TAIL}"),
    ("cease", _DENIES, rf"{_WHAT} {_DONT} (?:matters?|appl(?:y|ies)|counts?){_TAIL}"),
    (
        "cease",
        ("can", "may"),
        rf"{_WHAT} (?:can|may) (?:go|be (?:dropped|skipped|left out|omitted|cancelled)){_TAIL}",
    ),
    (
        "cease",
        ("without",),
        rf"{_LEAD}(?:\S.* )?without {_WHAT} (?:is|are) (?:fine|ok|okay|allowed){_TAIL}",
    ),
    (
        "allow",
        _LEAVE,
        rf"{_LEAD}(?:you|we)(?:'re| are)? ?(?:can|may|allowed to|free to|welcome to)(?: now| again)? "
        rf"{_WHAT}{_TAIL}",
    ),
    ("allow", ("feel free",), rf"{_LEAD}feel free to {_WHAT}{_TAIL}"),
    (
        "allow",
        _FINE,
        rf"{_LEAD}{_WHAT}(?: is| are|'s|'re)?(?: now| again| totally| perfectly| absolutely){{0,2}} "
        r"(?:allowed|welcome|permitted|(?P<state>fine|ok|okay|alright|all right|good|possible|"
        r"back(?:(?: on| in)(?: the \w+)?)?|free))"
        rf"(?P<more>(?: again| now)* (?:(?P<deed>to)|{_PLACE}) \S.*?)?{_TAIL}",
    ),
    (
        "allow",
        ("can", "may"),
        rf"{_LEAD}(?P<what>\S.*? (?:can|may)(?: now| again)? be \S.*?){_TAIL}",
    ),
    (
        "resume",
        ("again",),
        r"(?:i|we) (?P<what>(?!\w+ed )\S+ \S.*?) again(?P<tail>)(?: now| these days| since \w+ \w+)?",
    ),
    (
        "return",
        ("back to", "return to", "revert to"),
        rf"{_LEAD}{_YOU}(?:(?:go|switch|change|revert|move|return|turn) )?(?:back|return|revert) to "
        rf"{_WHAT}{_TAIL}",
    ),
    (
        "return",
        ("again",),
        rf"{_LEAD}(?P<what>(?!the |a |an |my |our )\S+(?: \S+)?) again(?P<tail>)(?: please| from now on)",
    ),
)
_FORMS: tuple[tuple[Letting, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (how, hints, lazy_pattern(form)) for how, hints, form in _WAYS
)
"""Each with words of which one must stand there: to look for these is a small part of the work."""

_AFRESH = r"(?:again|after all|once more|like before|as before)"
_BAN = r"(?P<no>no more|no|never|don't|do not|stop|avoid|not)"
_START = rf"(?:^|[,;:.] ){_LEAD}"
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

_HINTS = frozenset((*_AGAIN_HINTS, *(hint for _, hints, _ in _WAYS for hint in hints), "nt "))

_LASTING = lazy_pattern(
    r"\b(?:again|any ?more|any longer|no longer|from (?:now|here|today) on|from here|after all|for good|now|"
    r"these days|altogether|no more|back|allowed|welcome|permitted|any|whichever|whatever)\b"
)
"""That it is not meant of one time."""
_BOUNDED = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|for now|for once|once|this (?:time|one|week|month|morning|evening|weekend)|"
    r"that one|exception(?:ally)?|except|just (?:here|this|for)|only|if|unless|until|till|when|whenever it|"
    r"as soon as|as long as|provided|might|maybe|perhaps|wish|would|hope|soon|yet|but|despite|anyway|"
    r"else|other|another|rest|both|also|says?|said he|said she|sometimes|usually|often|mostly|was|were|had|"
    r"did|didn't|hardly|barely|still|not even|either|neither)\b"
)
_POINTING = lazy_pattern(
    r"\b(?:this|these|those|that(?! (?:rule|thing|ban|limit|reminder|business|stuff|policy)))\b"
    r"(?! (?:is|are|'s)\b)"
)
"""Who points means one thing."""
_MAY_BE_ONCE = lazy_pattern(
    rf"{_LEAD}(?:{_YOU}{_END}|(?:you|we|i|they) {_NOT}|(?:do not|don't) bother|no need)\b"
)
_TELLS = (
    r"(?:wrote|writes|said|says|told|tells|texted|mailed|emailed|messaged|thinks?|claim(?:s|ed)|announced|"
    r"replied|answered|insists?|insisted|argues?|argued)"
)
_REPORTS = lazy_pattern(
    rf"(?:^|[.,;:]\s+)\W*(?!i\b|we\b)[\w'-]+(?: (?!i\b|we\b)\w+)? {_TELLS}\b|"
    rf"[\"'”’,]\s*{_TELLS} (?!i\b|we\b)\w+",
    re.IGNORECASE,
)
_SPEAKER = lazy_pattern(r"\W*[A-Z][\w-]+:\s+[\"'“‘„]")
_BACK_TO = lazy_pattern(r"\bback to\b|\bagain\b")
_CLAUSES = lazy_pattern(
    r"(?:[,;.:!–—]| -)\s+|(?<!\bbe)(?<!being)(?<!\bis)(?<!\bare)\s+so\s+(?=\S+ )|"
    r"\s+(?:because|since|now that|and)\s+(?=\S+ )"
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
    """By an order that may be meant of one time: `drop the headings`, `you can skip that`?"""
    state: bool
    """By a word that may tell how somebody or something is: `Marcus is fine again`?"""
    beside: str
    """What else the sentence says: why, or what shall be instead."""


class Resumption(NamedTuple):
    """What shall hold again."""

    what: str
    forbids: bool


def is_anothers_word(text: str) -> bool:
    """Does it tell what somebody else says: `Kim wrote: tabs are fine again`?"""
    return _REPORTS.search(text) is not None or _SPEAKER.match(text) is not None


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
    if _BOUNDED.search(lower) or _POINTING.search(lower):
        return ""
    return _QUOTED.sub(_without_commas, lower)


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
    for how, hints, form in _FORMS:
        found = form.fullmatch(clause) if any(hint in clause for hint in hints) else None
        if found is None:
            continue
        parts = found.groupdict()
        what = found["what"] + (parts.get("more") or "").removeprefix(" to")
        if how not in ("revoke", "cease") and (_DENIED.search(what) or _OTHERS.search(what)):
            return None
        return Release(
            how,
            what,
            lasting=_LASTING.search(clause) is not None,
            direct=how == "cease" and _MAY_BE_ONCE.match(clause) is not None,
            state=parts.get("state") is not None and parts.get("deed") is None,
            beside="",
        )
    return None
