"""That a fault is gone, as both sides say it: what was done to it, that it works again, that it helped.

Whoever mends something names what was wrong with it, so a word for a failure beside a deed is no objection;
only what is said after the last deed can be one. In doubt the fault is gone: it stays told, as what it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from .acts import speech
from .acts.sentence_forms import IN_CASE
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern
from .symptoms import tells_fault

_LOOKED = (
    r"(?:looked|checked|tried|noticed|wanted|searched|tested|asked|investigated|reviewed|examined|inspected|"
    r"analy[sz]ed|compared|verified|confirmed|failed|attempted|reproduced|reali[sz]ed|suspected|assumed|opened|"
    r"listed|mentioned|described|explained|suggested|wondered|received|encountered|identified|traced|located|"
    r"discovered|learned|recommended|apologi[sz]ed|hoped|planned|missed|believed|needed|need|expected|guessed|"
    r"decided|stopped|scanned|queried|logged|debugged|considered|loaded|visited|followed|watched|observed|"
    r"tracked|narrowed|pinned|started|used|indeed|feed|proceed|succeed|agreed|understood|promised)\b"
)
_I_DID = lazy_pattern(
    r"\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| now| also| already| then| therefore)* "
    rf"(?!{_LOOKED})(?:\w{{2,}}ed|rewrote|reset|set|put|made|took|undid|built|sent|cut|wrote|rebuilt|redid|"
    r"gave|brought|written|undone|shut|split|threw)\b"
)
"""Any deed of one's own that is more than a look."""

_GOES = (
    r"(?:loads?|works?|working|opens?|runs?|running|shows?|displays?|renders?|starts?|prints?|responds?|"
    r"responding|connects?|connected|appears?|builds?|pass|passes|plays?|loading|visible|online|reachable|"
    r"available|back|fine|correct)"
)
_WELL = lazy_pattern(
    rf"\b(?:{_GOES}(?: up| online| and running)* (?:again|now|fine|correctly|properly|normally|as expected|"
    rf"as it should)|now {_GOES}|(?:is|are|'s) back|no longer \w+|fixed|solved|resolved|repaired|corrected|"
    r"sorted|mended|restarted|restored|behoben|gelöst|repariert|korrigiert|"
    r"(?:geht|läuft|funktioniert|lädt|klappt) (?:jetzt|wieder)|jetzt (?:geht|läuft|funktioniert|klappt|lädt)|"
    r"réglée?|résolue?|corrigée?|réparée?|(?:marche|fonctionne) (?:maintenant|à nouveau|de nouveau)|"
    r"resuelt[oa]|arreglad[oa]|corregid[oa]|solucionad[oa]|ya (?:funciona|carga|va)|vuelve a \w+)\b|"
    "修好|修复|修正了|已修正|已解决|解决了|直しました|直りました|直った|修正しました|고쳤|수정했|해결"
)
_HELPED = lazy_pattern(
    r"\b(?:that|this|it)(?:'s|'ve| has| really| actually| all| just)* (?:helped|worked(?! (?:before|until|"
    r"last|yesterday))|(?:did|does) (?:it|the trick)|fixed (?:it|that)|solved (?:it|that)|was it|was the "
    r"(?:problem|issue|cause|reason)|cleared it up)\b|"
    r"\b(?:never ?mind|my (?:bad|mistake|fault)|false alarm|user error)\b|"
    r"\bit was (?:just |only |simply )?(?:my|cached|the(?! same)|an?)\b|\bit(?:'s| is)(?: all)? working\b|"
    r"^\W*(?:(?:ok(?:ay)?|ah|oh|yes|great|perfect|nice|good|cool|thanks|wait)\b[\s,.!–—-]*)*"
    r"(?:it )?(?:works|worked|loads|all good|all set|got it working|got it to work)"
    r"(?: now| fine| again| great)*"
    r"(?=\W*$|\s*[,;.!–—])|"
    r"\b(?:i|we) can (?:now )?(?:see|open|load|log in|print|access)\b(?: \w+){0,3} (?:now|again)\b|"
    r"\blooks? (?:good|fine|great|right|perfect|correct)\b|"
    r"\bhat (?:geholfen|geklappt|funktioniert)\b|\bça (?:a marché|marche|fonctionne)\b(?! pas)|"
    r"\b(?:funcionó|sirvió)\b|好了|可以了|됐어"
)
_NOT_YET = lazy_pattern(
    r"n't\b|\b(?:not|cannot|never|unless|until|once|if|will|would|should|could|can|may|might|to be|be|try|"
    r"nicht|keine?[mnrs]?|noch|soll\w*|pas|aucune?|no|todavía|si|wenn)\b"
)
_ONCE = lazy_pattern(
    r"\b(?:once|if|unless|as soon as|(?:after|when|whenever) you|sobald|wenn|falls|dès que|si|cuando)\b"
)
_CLAUSE = lazy_pattern(
    r"[,;:–—]|\b(?:so|and|but|because|since|where|which|und|aber|et|mais|y|pero)\b"
)
_VAIN = lazy_pattern(
    r"\b(?:still(?! (?:think|recommend|suggest|want))|unfortunately|sadly|the same (?:error|problem|issue)|"
    r"persists?|in vain|no (?:luck|effect|success|change)|(?:did not|didn't|doesn't|does not|hasn't|has not) "
    r"(?:help|helped|work|change|fix|solve)|without (?:success|effect)|immer noch|toujours|todavía|sigue)\b|"
    r"(?:\b(?:and|but|yet)|,) (?:\w+ ){0,4}(?:fails|failed|crashes|crashed|doesn't|does not|won't|can't|"
    r"cannot|remains)\b(?!.*(?:any ?more|no longer))"
)
_CAUSE = lazy_pattern(
    r"\b(?:was|were|had|wasn't|weren't|hadn't|because|caused)\b|"
    r"\b(?:issue|problem|bug|culprit|error|cause) (?:is|comes|came|lies)\b|\bturn(?:s|ed) out\b"
)

_FAULT = (
    r"(?:errors?|problems?|issues?|failure|bug|culprit|cause|problemas?|fallo|causa|fehler|ursachen?|"
    r"problème|erreur|проблем\w|ошибк\w|причин\w)"
)
_NAMES_CAUSE = lazy_pattern(
    rf"\W*+(?:[\w'*-]+,? ){{0,5}}?(?<!\ban )(?<!\ba ){_FAULT}\b(?:\s+raíz)?[*_]*\s*[:\n–—-]|"
    r"\W*+(?:[\w'*-]+,? ){0,3}?(?:the|this|that|el|la|los|der|die|das|le)\s(?:[\w'*-]+ ){0,2}?"
    rf"{_FAULT} (?:here |itself |also |just )?"
    r"(?:(?:is|was|were|are|es|era|ist|war|est|était)(?! (?:[\w-]+ed|caught|kept|sent|shown|written)\b)|"
    r"happen\w*|occur\w*|comes?|came|lies|lay|shows?|está|estaba|debe|ocurre|liegt|lag|vient)\b|"
    r"\W*(?:问题|原因|错误原因|問題)"
)
"""`Errors are logged` and `it returns an error: 404` tell how something works, not what was the matter."""
_UNSOLVED = lazy_pattern(
    r"n['’]t\b|\b(?:cannot|can not|could not|not (?:yet|be)|blocks?|blocked|blocking|still|unsolved|unfixed|"
    r"no (?:known |good |real )?(?:fix|way|cure|workaround|solution|remedy)|unless|until|"
    r"kein\w*|noch|nicht|blockiert|pas|aucune?|encore|toujours|bloque|no (?:se )?pued\w+|todavía|sigue|"
    r"bloquea)\b"
)
"""What stands beside a cause that nobody can do away with, or has not yet."""


def reported_fixes(sentences: Sequence[ParsedSentence]) -> list[ParsedSentence]:
    """What the agent tells to have done about a fault; nothing, where it ends with the fault still there."""
    at = [n for n, each in enumerate(sentences) if _tells_fix(each)]
    if not at or any(map(_fault_remains, sentences[at[-1] + 1 :])):
        return []
    return [sentences[n] for n in at]


def ends_mended(sentences: Sequence[ParsedSentence]) -> bool:
    """Do they tell that something is well again, and of no fault after that?"""
    at = [n for n, each in enumerate(sentences) if says_mended(each)]
    return bool(at) and not any(map(_fault_remains, sentences[at[-1] + 1 :]))


def says_mended(each: ParsedSentence) -> bool:
    """Does the agent say that it is well again, or that it mended it?"""
    if each.asks or speech.plans(each) or _VAIN.search(each.lower):
        return False
    # Without blanks a report reads as an order: `已修复` begins with the deed.
    return (not each.orders or not each.text.isascii()) and _works_again(each)


def is_unsolved(lower: str) -> bool:
    """Does it tell of a cause that nobody can do away with, or has not yet?"""
    return _UNSOLVED.search(lower) is not None


def names_cause(each: ParsedSentence) -> bool:
    """Does the agent say what is, or was, the matter? It names it in order to mend it."""
    return _NAMES_CAUSE.match(each.lower) is not None


def says_fixed(each: ParsedSentence) -> bool:
    """Does a person say that it is well now, or what it was?"""
    if each.asks or _VAIN.search(each.lower):
        return False
    return _HELPED.search(each.lower) is not None or _works_again(each)


def _tells_fix(each: ParsedSentence) -> bool:
    if each.asks or speech.plans(each) or _VAIN.search(each.lower):
        return False
    did = _I_DID.search(each.lower)
    if did is not None and not IN_CASE.search(each.lower[: did.start()]):
        return True
    if not each.orders and _works_again(each):
        return True
    return speech.reports(each) and not speech.fails(each) and not _NOT_YET.search(each.lower)


def _works_again(each: ParsedSentence) -> bool:
    """Does it work again, and not only if, or once something is done?"""
    found = _WELL.search(each.lower)
    if found is None or _ONCE.search(each.lower[: found.start()]):
        return False
    return _NOT_YET.search(_CLAUSE.split(each.lower[: found.start()])[-1]) is None


def _fault_remains(each: ParsedSentence) -> bool:
    """Is the fault still there? What was the matter is the cause of what was mended."""
    if _VAIN.search(each.lower):
        return True
    return (speech.fails(each) or tells_fault(each)) and not _CAUSE.search(each.lower)
