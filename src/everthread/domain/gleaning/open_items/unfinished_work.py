"""An agent's reply to an order that does not carry it out: consent alone, or work that is still under way.

Consent and the words of how far something is are few in every language; what is done is told in any
words there are. So the first is looked for here, and whatever else is replied counts as an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern

from .leftovers import tells_missing

_BEHAVING = """
    stop wait hold ignore forget remember note keep use call be let go continue proceed think relax skip
    leave avoid never consider assume imagine pretend act treat mind trust focus stay speak talk answer
    reply respond stick quit start begin resume carry move drop disregard bear take do come enjoy help
    warte vergiss merk lass hör sei nenn nutze verwende bleib attends oublie arrête utilise sois appelle
    espera olvida usa deja
"""
_STARTING = "start launch restart boot spin kick bring trigger resume serve open run"
_WORDING = """
    write draft compose give suggest list name tell explain translate summarise summarize propose describe
    show rhyme phrase word title rewrite rephrase reword outline sketch recommend pick choose compare quote
    recite schreib formuliere gib nenn schlag erklär übersetze écris rédige donne propose traduis escribe
    redacta dame ponme sugiere traduce prüf prüfe schau sieh vérifie regarde mira comprueba
"""
_BEHAVES = frozenset(_BEHAVING.split())
"""What is asked of how one behaves: who consents to that does it."""

_AWAY_FROM_HERE = """
    book buy remind renew send mail email call phone ring reserve pay invite print ship post register return
    collect deliver file rent hire pick contact reschedule translate vacuum water schreib schreibe schick
    bestell buche ruf
"""
_ERRANDS = frozenset(_AWAY_FROM_HERE.split())
"""Verbs of orders beside those of `BASE`. What begins with no such verb only tells something."""

_STARTS = frozenset(_STARTING.split())
"""After these `it is running` tells that it is done."""

_WORDS = frozenset(_WORDING.split())
"""What is made by these is words: they may be of anything, and what is still to come."""

_CONSENTS = lazy_pattern(
    r"(?:\W*\b(?:ok(?:ay)?|sure(?: thing)?|will do|noted|got it|understood|on it|right away|of course|"
    r"certainly|(?:all ?)?right|no problem|gladly|roger|absolutely|definitely|with pleasure|i'm on it|"
    r"(?:i am|i'm) (?:happy|glad) to(?: help)?|happy to(?: help)?|glad to(?: help)?|(?:very )?good idea|"
    r"(?:great|good|nice|perfect|excellent|fine)(?: (?:idea|plan|point|call|thinking))?|"
    r"(?:that )?(?:makes sense|sounds (?:good|great|reasonable))|let's do (?:it|that)|consider it done|"
    r"starting(?: on (?:it|that))?(?: right)? (?:now|away)|i'll (?:get|start)(?: right)? on (?:it|that)|"
    r"i(?: have|'ve) noted (?:it|that|this)(?: down)?|i won't forget(?: it| that| this)?|"
    r"i (?:will|shall)(?:,? (?:once|as soon as|when|if|after|tomorrow|tonight|later)\b[^?.!\n]*+)?|"
    r"alles klar|(?:na )?klar|gern(?:e)?|geht klar|mach(?:e)? ich(?: gerne?| sofort)?|wird gemacht|"
    r"verstanden|"
    r"gute idee|in ordnung|d'accord|entendu|compris|bien (?:sûr|reçu)|ça marche|tout de suite|"
    r"avec plaisir|bonne idée|claro(?: que sí)?|vale|entendido|de acuerdo|por supuesto|enseguida|"
    r"buena idea|perfecto|va bene|certo|subito|хорошо|конечно|понял|принято|сделаю)(?!\w))++\W*+"
)
_UNDER_WAY = lazy_pattern(
    r"\b(?:is|are|'s|'re) (?:still |now |currently |only )*(?:running|in progress|under ?way|building|"
    r"ongoing|being \w+)\b|\b(?:läuft|laufen) (?:gerade|noch|derzeit)\b|\best en cours\b|\bestá en curso\b"
)
_HALF = lazy_pattern(
    r"\bso far\b|\bhalf(?:way)? (?:of (?:it|them|that) )?(?:is |are )?(?:done|through|finished|there)\b|"
    r"\bpart(?:ly|ially) (?:done|finished|complete|implemented)\b|\bnothing (?:was|has been|is|got) \w+|"
    r"\b(?:not|n't)(?: been| even)? (?:start|begu?n|begin|finish)(?:ed)?\b|"
    r"(?:\bnot|n't) (?:\w+ ){0,4}yet\b|"
    r"\bthe (?:rest|others?|remaining \w+) (?:is|are|will|comes?|follows?|still|remains?)\b|"
    r"\b(?:is|are|comes) next\b|"
    r"\bwill need\b[^.;]*\bfirst\b|\bpending\b|\bbisher\b|\bnoch nicht\b|\bpas encore\b|"
    r"\btodavía no\b|\baún no\b"
)
"""Words of how far it is: not to the end."""


def only_consents(sentences: Sequence[ParsedSentence], verb: str) -> bool:
    """`Sure!`, `On it.`: who is to make something, and says no more than that, has not made it."""
    if verb in _BEHAVES or not (verb in BASE or verb in _ERRANDS):
        return False
    return all(map(consents, sentences))


def consents(each: ParsedSentence) -> bool:
    """Does it say yes, and no more?"""
    return _CONSENTS.fullmatch(each.lower) is not None


def is_under_way(each: ParsedSentence, verb: str) -> bool:
    """Does it tell that what was ordered is not done to the end?"""
    if each.asks or verb in _WORDS:
        return False
    if _UNDER_WAY.search(each.lower):
        return verb not in _STARTS
    return _HALF.search(each.lower) is not None or tells_missing(each.text)


def first_told(sentences: Sequence[ParsedSentence]) -> ParsedSentence | None:
    """The first that is more than consent. What comes after it may tell what else there is to know."""
    return next((each for each in sentences if not consents(each)), None)
