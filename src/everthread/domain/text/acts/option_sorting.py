"""Does somebody sort what was offered: this one yes, that one no, the other one later?

`A is out, too dear. B for the first version, C later.` Each label needs a verdict that is clear; where
one of them has none, nothing was sorted.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from .option_taking import NAMES, doubts, taken_labels, takes_back

LONGEST = 400
"""Characters of a sentence that sorts."""

TAKEN, OUT, LATER = "taken", "out", "later"

_HINT = lazy_pattern(r"(?<!\w)(?:\d{1,2}|[a-h])(?!\w)")
_NAMED = rf"(?:(?:{NAMES}|number|nr|punkt|point|item|steps?|schritte?|étapes?|pasos?)\s*)?"
_LABEL = r"\#?(?:\d{1,2}|[a-h])(?![\w'’-]|[.:]\d)"
_LABELS = rf"{_LABEL}(?:\+{_LABEL})*"
_JOINT = lazy_pattern(
    rf"(?P<one>(?<![\w.'’-]){_LABEL})\s*(?:and|&|\+|/|und|et|y)\s*{_NAMED}"
    rf"(?={_LABEL}(?!\s+(?:lot|few|bit|little)\b))"
)
"""Of two labels with an `and` between them the same is said."""
_MARK = lazy_pattern(rf"(?P<label>(?<![\w.,'’-]){_LABEL})\s*(?:[:=.)]|[–—-]+)(?=\s)\s*")
"""`A: no`, `2. yes`, `C - later`: what follows is said of the label."""
_PARTS = lazy_pattern(
    r"\n\s*|[,;]\s*|[()!:–—]\s*|[.?]\s+|[.?]$|\s-+\s|"
    r"\s+(?:and|but|so|while|whereas|&|und|aber|dafür|et|mais|y|pero)\s+"
)
_LED = (
    r"(?:ok|okay|yes|yeah|sure|so|then|and|but|well|also|i'd|i'll|we'd|we'll|i|we|let's|lets|"
    r"please|"
    r"say|think|want|would|will|do|take|use|choose|pick|go(?:ing)? (?:with|for)|(?:start|"
    r"begin) with|"
    r"for now|now|first|the|die|der|das|dann|ich|wir|nehmen|nehme|nimm|erst|zuerst|jetzt|on|je|"
    r"la|le|el|prends?|prenons|"
    r"d'abord|tomo|tomamos|primero|ahora)"
)
_TOO = r"(?:(?:way|far|much|viel|bien|mucho)\s+)?(?:too|zu|trop|demasiado)\s+\w"
_IS = r"(?:(?:is|are|was|were|looks?|seems?|sounds?|costs?|ist|sind|wäre|kommt|est|sont|es|son|sería)\s+)?"
_SOFTLY = (
    r"(?:(?:just|simply|definitely|also|unfortunately|sadly|maybe|probably|clearly|leider|auch|"
    r"halt|wohl|"
    r"aussi|también|por desgracia)\s+)*"
)
_NO = (
    r"(?:out|no|nope|nah|off|gone|dead|rejected|dropped|excluded|discarded|ruled out|overkill|"
    r"unusable|"
    r"impossible|sold out|full|(?:fully )?booked|unavailable|never|raus|weg|nein|nicht|nie|"
    r"gestrichen|"
    r"verworfen|entfällt|fällt (?:weg|aus|flach)|scheidet aus|non|pas|jamais|écartée?|exclue?|"
    r"éliminée?|"
    r"fuera|descartad[oa]|nunca|"
    r"tampoco|not (?:good|great|an option|possible|acceptable|for us|for me|needed|wanted)|not)"
)
_LATE = (
    r"(?:later|next (?:week|month|year|time|sprint|quarter|release|version)|afterwards?|tomorrow|"
    r"another (?:day|time)|some (?:other time|day)|after (?:that|launch|the \w+)|someday|"
    r"(?:can|could|may|should|must|has to) (?:still |well )?(?:wait|come later|follow)|waits|"
    r"(?:is |gets )?(?:postponed|deferred|parked|on hold)|not (?:now|yet|today|for now|this time)|"
    r"for (?:later|another day|next \w+|the future)|später|nachher|danach|morgen|vorerst nicht|"
    r"(?:kann|muss|soll) (?:noch )?warten|noch nicht|nicht jetzt|verschoben|nächste\w* \w+|"
    r"plus tard|ensuite|après|demain|pas (?:encore|maintenant|tout de suite)|peut attendre|"
    r"reportée?|"
    r"más (?:tarde|adelante)|luego|después|mañana|todavía no|ahora no|puede esperar|aplazad[oa])"
)
_END = r"(?:\s+(?:then|please|for (?:me|us)|too|as well|maybe|perhaps|anyway|bitte|auch|aussi|también))*\W*$"
_OUT_AFTER = lazy_pattern(
    rf"\W*{_SOFTLY}{_IS}{_SOFTLY}(?:{_TOO}|{_NO}\b)|\W*(?:\w+ )?\w+n't\b|"
    r"\W*(?:won't|can't|cannot|doesn't|does not|will not|isn't|is not)\b"
)
_LATE_AFTER = lazy_pattern(
    rf"\W*{_SOFTLY}{_IS}{_SOFTLY}{_LATE}\b|.*\b(?:later|später|plus tard|más tarde)\W*$"
)
_YES_AFTER = lazy_pattern(
    rf"\W*{_IS}{_SOFTLY}(?:yes|yep|yeah|ok|okay|fine|good|great|perfect|in|now|first|today|at once|"
    r"right away|it is|ja|jetzt|zuerst|gut|passt|sofort|heute|oui|maintenant|d'abord|bien|sí|"
    r"ahora|primero|vale|hoy)"
    rf"{_END}|\W*(?:for|für|pour|para) (?!later|next)\w.*"
)
_OUT_BEFORE = (
    r"(?:no|not|drop|skip|forget|ditch|reject|exclude|scrap|kill|without|leave out|rule out|"
    r"don't (?:do|take|want|use)|no to|nicht|kein\w*|ohne|streich\w*|vergiss|lass|pas|sans|"
    r"oublie\w*|sin|olvida\w*|descarta\w*)"
)
_LATE_BEFORE = (
    r"(?:later|postpone|defer|park|hold off on|next week|maybe later|später|verschieb\w*|"
    r"plus tard|reporte\w*|"
    r"más tarde|luego|aplaza\w*)"
)
_SAYS = lazy_pattern(
    rf"\W*(?:{_LED}\W+)*?(?:(?P<out>{_OUT_BEFORE})\s+|(?P<later>{_LATE_BEFORE})\s+)?(?:the\s+)?"
    rf"{_NAMED}(?P<labels>{_LABELS})(?P<rest>.*)$"
)
_WAITS = lazy_pattern(
    r"\b(?:can|could|may|must|should|has to)(?: still| well)? wait\b|\b(?:maybe|perhaps|"
    r"probably) later\b"
)
"""What is put off, and is no doubt, and takes nothing back."""
_TAKES = lazy_pattern(
    r"\b(?:do|take|use|choose|pick|with|for|nehm\w*|nimm|prend\w*|prenons|tom\w+)\W*$"
)
_OTHER = lazy_pattern(
    r"\b(?:or|nor|neither|either|than|versus|vs|unless|if|oder|weder|noch|ou|ni|o|wenn|falls|si)\b"
)


class LabelVerdict(NamedTuple):
    """A label, in small letters, and what becomes of it."""

    label: str
    how: str
    """One of `TAKEN`, `OUT`, `LATER`."""


def label_verdicts(lower: str) -> list[LabelVerdict] | None:
    """What a sentence says of each label that it names; none if it names none, None if it is not clear."""
    if len(lower) > LONGEST or not _HINT.search(lower):
        return []
    lower = _WAITS.sub("later", lower)
    if doubts(lower) or takes_back(lower):
        return None
    found: list[_Part] = []
    for part in _PARTS.split(_MARK.sub(r", \g<label> ", _JOINT.sub(r"\g<one>+", lower))):
        one = _read_part(part) if part and _HINT.search(part) else None
        if one is not None:
            found.append(one)
    # Of `2, 3 later` nobody knows whether 2 is put off as well.
    loose = any(one.bare and other.after for one, other in pairwise(found))
    if loose or not all(one.how for one in found):
        return None
    return [LabelVerdict(label, one.how) for one in found for label in one.labels]


def all_label_verdicts(sentences: Iterable[str]) -> list[LabelVerdict]:
    """What all of it says of each label: each once, or nothing."""
    found: dict[str, LabelVerdict] = {}
    for lower in sentences:
        told = label_verdicts(lower)
        if told is None:
            return []
        for one in told:
            if found.setdefault(one.label, one) != one:
                return []
    return [*found.values()]


class _Part(NamedTuple):
    labels: tuple[str, ...]
    how: str
    """Empty where no verdict is clear."""
    bare: bool = False
    """Is it nothing but the label?"""
    after: bool = False
    """Does the verdict stand behind it, and turn it down or put it off?"""


def _read_part(part: str) -> _Part | None:
    """The labels with which a part begins, and what becomes of them."""
    match = _SAYS.match(part)
    if match is None:
        return None
    labels, rest = tuple(one.strip("# ") for one in match["labels"].split("+")), match["rest"]
    bare = part.strip(" .!") == match["labels"]
    if _OTHER.search(rest) or _HINT.search(rest.replace(" a ", " ")):
        return _Part(labels, "")
    if match["out"] or match["later"]:
        how = (OUT if match["out"] else LATER) if not rest.strip(" .!") else ""
        return _Part(labels, how)
    how = _verdict_in(rest)
    # Of `take B and C later` nobody knows whether B is put off as well.
    if how == LATER and len(labels) > 1 and _TAKES.search(part[: match.start("labels")]):
        return _Part(labels, "")
    if not how and taken_labels(part.replace("+", " and ")):
        how = TAKEN
    # `a queue is out` names no option.
    if not how and labels in {("a",), ("e",)}:
        return None
    return _Part(labels, how, bare, after=how in (OUT, LATER))


def _verdict_in(rest: str) -> str:
    """What is said after a label, if it is a verdict."""
    if _LATE_AFTER.match(rest):
        return LATER
    if _OUT_AFTER.match(rest):
        return OUT
    return TAKEN if _YES_AFTER.match(rest) else ""
