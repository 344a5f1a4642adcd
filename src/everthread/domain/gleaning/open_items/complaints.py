"""What a complaint is about: the answer just before it, what it names, or another matter altogether.

Whoever is unhappy with one thing has not taken back that another was done. A complaint reopens what
it speaks of, and where it names nothing (`that is wrong`, `it still fails`), what was answered last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern

EARLY = 4
"""Among so many sentences a person says that she is unhappy; later ones tell of something else."""

FEW = 8
"""Words in which one says that it is as it was."""

THIN = 2
"""Telling words of a complaint that needs what was said before to be understood."""

BRIEF = 12
"""Sentences of an answer by whose words it is known again; a longer one speaks of everything."""

_FAULTS = """
    error errors problem problems issue issues trouble fault bug fail fails failed failing failure broken
    broke break breaks wrong work works working worked fix fixed fixes help helps helped try tried trying
    same undo revert happen happens happened see sees seeing saw get gets getting got show shows showing
    thing things stuff result results answer answers response right correct incorrect nothing sense
    crash crashes crashed missed missing forgot ignored want wanted said asked told meant expected mean
    hmm sorry sadly unfortunately please look looks seem seems hello okay thanks thank nope yes yet
    change changed changes doing done make made really quite totally completely exactly even though
    fehler problem falsch immer noch geht ging funktioniert funktionieren klappt stimmt leider hilft
    bekomme sehe dasselbe gleiche gleichen derselbe ist war hat wieder kaputt
    erreur problème faux marche fonctionne pas toujours encore même obtiens vois cassé
    mal error fallo sigue sin funciona funcionar funcionando todavía igual mismo misma problema veo
    incorrecto aún favor porfavor arregla arréglalo arreglarlo arreglar asegúrate asegurate corrige corregirlo
    soluciona soluciónalo solucionarlo bitte reparier reparieren behebe beheb beheben corriger répare réparer
"""
_GENERIC = roots(_FAULTS)
"""Words that say that something is wrong, and not what."""

_ELIDED = lazy_pattern(r"\b(?:[cdjlmnst]|qu)['’](?=[^\W\d_]{2})", re.IGNORECASE)
"""`l'imprimante` names a printer."""

_LASTS = lazy_pattern(
    r"^\W*(?:(?!i\b|we\b|you\b|he\b|she\b)[\w']+ ){0,4}?(?:still|(?:no )?sigue[ns]?|todavía|aún|immer noch|"
    r"noch immer|toujours|ancora|ainda|вс[её] ещ[её]|по-прежнему)\b|"
    r"(?:还是|還是)(?:不|没|沒|有|一样|一樣|很|太)|仍然|依然|まだ|아직도|여전히"
)
"""What was so before, and is not over."""
_WISHES = lazy_pattern(
    r"\b(?:want|wants|need|needs|like|love|prefer|quiero|möchte|veux|works?|fine|great)\b"
)
_CLAUSE = lazy_pattern(r"(?<=\w)[,;\uff0c。](?=\s|[^\x00-\x7f])")
_UNDOES = lazy_pattern(
    r"\b(?:undo|revert|roll\w* ?back|rückgängig|annule\w*|deshaz\w*|reviert\w*)\b"
)
"""Who wants it undone does not want it once more."""
_CODE = lazy_pattern(r"`[^`\n]+`")
_VERB = (
    r"(?:'s|'re|is|isn't|are|aren't|was|wasn't|were|weren't|does|doesn't|do|don't|did|didn't|has|hasn't|have|"
    r"still|only|just|also|never|now|again|broke|breaks|fails?|failed|crash\w*|made|makes|gives?|gave|"
    r"looks?|seems?|ends?|goes|went|wo|won't|can't|cannot|should|shouldn't|helped|didnt|doesnt)"
)
_BACK = phrase_pattern(rf"""
    it(?!'s (?:the|an?|my|our)\b| (?:is|was) (?:the|an?|my|our)\b| (?:seems|looks|appears|turns out)\b)
    (?:that|this|these|those|they)(?={_VERB}\b| {_VERB}\b|\s*[.!?,;]|\s*$)
    you (?:still |just |also )*(?:forgot|missed|didn't|did not|ignored|broke|misunderstood|got|have|were|are)
    you(?:'re|'ve)
    es(?! (?:gibt|scheint)\b)
    (?:das|dies) (?:ist|war|geht|ging|funktioniert|klappt|stimmt|hilft|hat|wird|tut|macht)
    (?:ça|cela)
    c'(?:est|était)(?! (?:le|la|les|un|une)\b)
    (?:eso|esto)
""")
"""Words that point back: at what was said or done just before, where nothing else was named yet."""


def reopened_requests(
    said: Utterance, requests: Sequence[str], reply: Utterance | None, begun: Sequence[str] = ()
) -> frozenset[str]:
    """Which of these, all answered by the reply, the person is unhappy with.

    `begun`: those of which no end was told. What is `still` so is what the agent was at.
    """
    early = said.sentences[:EARLY]
    told = _named_roots(reply.text) if reply and len(reply.sentences) <= BRIEF else frozenset[str]()
    told_begun = [text for text in begun if len(_named_roots(text)) > THIN]
    again: set[str] = set()
    for n, each in enumerate(early):
        if not is_unhappy(each):
            continue
        topic = _topic(early, n)
        named = [text for text in requests if _shares(topic, _named_roots(text))]
        # Who names none of them may speak of it in the words of the answer.
        back = not topic or _is_within(topic, told)
        leans = _lasts(each) and len(topic) <= THIN
        again.update(named or (requests if back else told_begun if leans else ()))
    return frozenset(again)


def is_unhappy(each: ParsedSentence) -> bool:
    """Does it complain, or tell that something is as it was: `The lid is still loose`?"""
    return speech.complains(each) or _lasts(each)


def _lasts(each: ParsedSentence) -> bool:
    """Is it said in few words that a thing, and not a person, still is or does so?"""
    first = _CLAUSE.split(each.lower, maxsplit=1)[0]
    if each.asks or each.orders or len(first.split()) > FEW or _LASTS.search(first) is None:
        return False
    return _WISHES.search(first) is None


def names_nothing(text: str) -> bool:
    """`Still not working, please fix it`: does it say that something is wrong, and not what?"""
    return not _named_roots(text) and _UNDOES.search(text.lower()) is None


def _topic(sentences: Sequence[ParsedSentence], at: int) -> frozenset[str]:
    """What the complaint names; of one that points back, what was named before it in the message.

    Nothing is what was answered last.
    """
    each = sentences[at]
    first = _CLAUSE.split(each.text, maxsplit=1)[0]
    if first != each.text and is_unhappy(parse_sentence(first)) and names_nothing(first):
        return _named_roots(" ".join(s.text for s in sentences[:at]))
    back = _BACK.search(_CODE.sub(_blank_code, each.text.lower().replace("’", "'")))
    if back is None:
        return _named_roots(each.text)
    before = " ".join(s.text for s in sentences[:at])
    return _named_roots(f"{before} {each.text[: back.start()]}")


def _blank_code(code: re.Match[str]) -> str:
    return " " * len(code[0])


def _named_roots(text: str) -> frozenset[str]:
    return roots(_ELIDED.sub("", text)) - _GENERIC


def _shares(topic: frozenset[str], wanted: frozenset[str]) -> bool:
    """Half of what either names."""
    shared = len(topic & wanted)
    return shared > 0 and 2 * shared >= min(len(topic), len(wanted))


def _is_within(topic: frozenset[str], told: frozenset[str]) -> bool:
    """Does the answer speak of most of it?"""
    return 2 * len(topic & told) > len(topic)
