"""What a person says that she will do herself, and that she has done it: `I'll ring the plumber on Monday`.

Nobody is asked for anything, and yet it is open. Only errands count: who says `I'll take the second` has
chosen, and who says `I'll be there` tells where she will be.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .acts.errands import clause_not_to_forget
from .acts.sentence_forms import QUOTATION
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

LONGEST = 40
"""Words of a sentence that promises; a longer one tells a story."""

_ERRANDS = (
    r"(?:ring|call|phone|tell|ask|e-?mail|mail|write|send|text|message|pay|book|order|buy|check|"
    r"look (?:into|at|up)|find out|talk to|speak to|sort|fix|do|update|change|switch|bring|post|print|sign|"
    r"file|submit|upload|pick up|collect|return|chase|arrange|organi[sz]e|measure|test|review|read|finish|"
    r"prepare|draft|get back to|report|renew|register|cancel|confirm|set up|clean|paint|drop off|forward|"
    r"share|add|put up|schedule|invite|visit|go (?:through|over|round)|give (?:\w+ ){1,2}a (?:ring|call)|"
    r"let (?:\w+ ){1,3}know|turn (?:it|that) off|rewrite|decide|think (?:about|it over)|sleep on it|"
    r"deal with|take care of|handle|see to)"
)
_SELF = r"(?:i|we)"
_PROMISES = lazy_pattern(
    rf"\b{_SELF}(?:'ll| will|'m going to|'re going to| am going to| are going to| shall|'m gonna)"
    rf"(?: also| then| just| try to| have to| need to| go and| probably| definitely)* {_ERRANDS}\b|"
    rf"\b{_SELF} (?:still |also |really )*(?:(?:need|have|ought) to|must) (?:still )?{_ERRANDS}\b|"
    rf"\b{_SELF}(?:'m|'re| am| are) (?:still )?(?:doing|writing|ringing|calling|sending|rewriting|paying) "
    r"(?:[\w'-]+ ){0,4}(?:tonight|tomorrow|later|on \w+day|next \w+|this (?:week(?:end)?|evening))\b|"
    r"^\W*(?:ok(?:ay)?|yes|yep|sure|right)?\W*will (?:do|ring|call|write|send|ask|check|pay)\b|"
    r"^\W*leave (?:it|that|this) (?:with|to) me\b|"
    r"\bich (?:werde|muss noch|kümmere mich|rufe|schreibe|schicke|frage|bezahle|bestelle|besorge)\b|"
    r"\bje vais (?:appeler|écrire|demander|envoyer|payer|réserver|commander)\b|"
    r"\bvoy a (?:llamar|escribir|preguntar|enviar|pagar|reservar|pedir)\b"
)
_NOT = lazy_pattern(
    r"\b(?:won't|will not|never|not going to|if (?:i|we|you|it|they|he|she)|unless|would|could|might|maybe|"
    r"wonder|when (?:i|we) (?:was|were)|nicht|ne .* pas|(?:do|should|can|must|shall) (?:i|we)|"
    r"(?:(?:the|an?|this|that|my|our|all|every) \w+|what|which|that|who|everything) (?:i|we)"
    r"(?:'(?:ll|m|re)| will| am| are| have| need| must| ought)|going to do what(?:ever)? you)\b"
)
_DONE = lazy_pattern(
    r"\b(?:done|did|rang|called|phoned|told|asked|wrote|written|sent|paid|booked|ordered|bought|checked|"
    r"looked|found out|talked|spoke|sorted|fixed|updated|changed|switched|brought|posted|printed|signed|"
    r"filed|submitted|uploaded|collected|returned|chased|arranged|organi[sz]ed|measured|tested|reviewed|read|"
    r"finished|prepared|drafted|reported|renewed|registered|cancell?ed|confirmed|cleaned|painted|dropped|"
    r"forwarded|shared|added|scheduled|invited|visited|went|rewritten|rewrote|decided|came|arrived|"
    r"taken care of|dealt with|handled|"
    r"erledigt|angerufen|geschrieben|geschickt|gefragt|bezahlt|bestellt|fait|appelé|envoyé|hecho|llamado)\b"
)
_SPEAKS = (
    "ring rang rung call called phone phoned talk talked speak spoke tell told ask asked write wrote written "
    "email emailed mail mailed text message anrufen rufe angerufen schreibe geschrieben frage gefragt "
    "appeler appelé llamar llamado"
)
_FAMILIES = (
    _SPEAKS,
    "send sent email emailed mail mailed post posted forward forwarded share shared upload uploaded submit "
    "submitted file filed schicke geschickt envoyer envoyé enviar",
    "pay paid bezahle bezahlt payer pagar",
    "book booked order ordered buy bought collect collected bring brought arrange arranged pick bestelle "
    "bestellt besorge",
    "check checked look looked find found test tested review reviewed read measure measured",
    "fix fixed change changed switch switched update updated rewrite rewrote rewritten",
    "visit visited go went",
)
_KIN = {word: n for n, family in reversed([*enumerate(_FAMILIES)]) for word in family.split()}
"""By which of these is it done what was promised by another? Each is kin to those of its line."""
_ANY = frozenset(
    {
        "done",
        "did",
        "finished",
        "sorted",
        "taken care of",
        "dealt with",
        "handled",
        "erledigt",
        "fait",
        "hecho",
    }
)
"""By these anything is done."""
_STEM = 4
_ERRAND = lazy_pattern(rf"\b{_ERRANDS}\b|\b(?:{'|'.join(_KIN)})\b")
_ENDS = lazy_pattern(
    r"[,;:.!?–—(]|\b(?:to|in|on|for|about|with|from|at|by|of|before|after|until|if|and|so|because|when|while|"
    r"that|whether|tomorrow|tonight|today|next|this|later|again|über|wegen|mit|bei|für)\b"
)
_CLAUSES = lazy_pattern(r"[,;:.!?–—(]")
_LEAD = lazy_pattern(
    r"\W*+(?>(?:(?:ok|okay|so|yes|yep|right|and|all|just|it's|that's|i've|we've|i|we)\b\W*+)*)"
)
"""What may stand before the word for what was done, and names nothing."""
_LATELY = (
    r"(?>(?: (?:now|already|finally|at last|myself|today|yesterday|this (?:morning|afternoon|evening|week)|"
    r"last (?:night|week)|on [a-z]+day))*)"
)
_UNNAMED = lazy_pattern(
    rf"(?: (?:it|that|this|them|him|her|both|all))?{_LATELY}(?=\s*+(?:[,.;:!–—-]|$)| and\b)"
)
"""Nothing more is told of it: `called it a day` and `sorted all socks` are of something else."""
_TAKEN_BACK = lazy_pattern(
    r"\b(?:(?:i|we) (?:hope|think|guess|suppose|believe|thought|tried)|or so|as in|almost|nearly|half|partly|"
    r"mostly|except|but|kidding|joking|failed|fails|bounced|busy|engaged|voicemail|mailbox|closed|"
    r"out of stock|sold out|came back|by (?:some|an?other|other)\w*|wrong|apparently|supposedly|allegedly|"
    r"hopefully|probably|maybe|perhaps|should|soon|that's done it)\b"
)
"""It was tried, or others did it, or perhaps nobody did."""
_TO_ME = lazy_pattern(r"\s+(?:me|us|mich|uns)\b")
_UNDONE = lazy_pattern(
    r"\b(?:not|n't|didn't|haven't|hasn't|never|forgot\w*|still|yet|no(?:body)?|without|nicht|noch|pas|no)\b"
)


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def promises(said: ParsedSentence) -> bool:
    """Does she say that she will do something herself?"""
    if said.asks or len(said.words) > LONGEST or _NOT.search(said.lower):
        return False
    return _PROMISES.search(QUOTATION.sub("it", said.lower)) is not None


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def tells_done(said: ParsedSentence) -> bool:
    """Does she tell that something was done?"""
    if said.asks or promises(said):
        return False
    return _DONE.search(said.lower) is not None and _UNDONE.search(said.lower) is None


def begins_with_deed(said: ParsedSentence) -> bool:
    """Does the word for what was done stand first, and names nothing: `asked. 2 weeks`?"""
    found = _DONE.search(said.lower)
    return found is not None and stands_alone(said, found)


def stands_alone(said: ParsedSentence, deed: re.Match[str]) -> bool:
    """Is that it was done all that is told of it?"""
    if _UNNAMED.match(said.lower, deed.end()) is None:
        return False
    return _LEAD.fullmatch(said.lower, 0, deed.start()) is not None


def takes_back(said: ParsedSentence) -> bool:
    """Was it only tried, or done by others, or is that not sure?"""
    return _TAKEN_BACK.search(said.lower) is not None


def deed_of(said: ParsedSentence, promise: str, *, by_name: bool = False) -> re.Match[str] | None:
    """The word by which a sentence tells that what was promised is done: `rang`, of `I'll call`.

    `by_name`: not by one that is said of anything, as `done` is.
    """
    wanted = {_verb_family(found[0]) for found in _ERRAND.finditer(promise.lower())}
    for found in _DONE.finditer(said.lower):
        any_deed = found[0] in _ANY and not by_name
        if (any_deed or _verb_family(found[0]) in wanted) and not _TO_ME.match(
            said.lower, found.end()
        ):
            return found
    return None


def object_of(promise: str) -> str:
    """What is to be rung, sent or paid; empty where that is not said in the same breath."""
    lower = promise.lower().replace("’", "'")
    found = _PROMISES.search(lower)
    if found:
        return _ENDS.split(lower[found.end() :], maxsplit=1)[0]
    wanted = clause_not_to_forget(lower)
    verb = _ERRAND.match(wanted)
    return _ENDS.split(wanted[verb.end() :] if verb else wanted, maxsplit=1)[0]


def clause_of(said: ParsedSentence, deed: re.Match[str]) -> tuple[str, str]:
    """What the deed was, in two: before its word, and from there on; what stands beside it is another."""
    before = _CLAUSES.split(said.lower[: deed.start()])[-1]
    return before, _CLAUSES.split(said.lower[deed.start() :], maxsplit=1)[0]


def is_two_way(verb: str) -> bool:
    """Is it a deed that goes to and fro? Whoever `called` may be the one who was to be called."""
    return _verb_family(verb) == _KIN["call"]


def _verb_family(words: str) -> int | str:
    verb = words.partition(" ")[0]
    return _KIN.get(verb, verb[:_STEM])
