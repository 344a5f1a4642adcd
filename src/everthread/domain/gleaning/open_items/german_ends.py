"""What is told as done in German: `Hab die Versicherung gefragt`, `Getränke sind bestellt`.

German puts the verb last and its object before it, so the forms of other tongues do not fit. Half of the
nouns of what was open must be named in that sentence, one of them not only of what it is for, and the deed
must be that which was wanted, or one that ends anything.
"""

from __future__ import annotations

from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

_DEEDS = {
    "frag": "gefragt nachgefragt angefragt",
    "ruf": "angerufen telefoniert erreicht gesprochen",
    "schreib": "geschrieben angeschrieben geschickt",
    "schick": "geschickt verschickt losgeschickt abgeschickt",
    "bestell": "bestellt gekauft besorgt",
    "besorg": "besorgt gekauft geholt bestellt",
    "kauf": "gekauft besorgt geholt bestellt",
    "hol": "geholt abgeholt besorgt",
    "bring": "gebracht hingebracht mitgebracht",
    "klär": "geklärt besprochen",
    "organisier": "organisiert besorgt",
    "buch": "gebucht reserviert",
    "reservier": "reserviert gebucht",
    "bezahl": "bezahlt überwiesen",
    "überweis": "überwiesen bezahlt",
    "meld": "gemeldet angemeldet abgemeldet",
    "prüf": "geprüft überprüft kontrolliert",
    "druck": "gedruckt ausgedruckt",
    "sprech": "gesprochen besprochen geredet",
    "red": "geredet gesprochen besprochen",
    "such": "gesucht gefunden rausgesucht herausgesucht",
    "vereinbar": "vereinbart ausgemacht",
    "plan": "geplant",
    "schau": "angeschaut nachgeschaut angesehen nachgesehen",
    "guck": "angeguckt nachgeguckt angesehen",
    "mach": "gemacht geschrieben erstellt",
    "erstell": "erstellt gemacht geschrieben",
}
"""By which participles is it done what is wanted by a verb with this stem?"""

_ANY = frozenset(["erledigt", "geklärt", "fertig", "abgehakt"])
_EVERY = _ANY | frozenset(" ".join(_DEEDS.values()).split())
_VERBS = lazy_pattern(rf"(?i)(?<!\w)(?P<stem>{'|'.join(_DEEDS)})(?:e|en|st|t|n)?(?!\w)")
_FURTHER = lazy_pattern(r"\b(?:für|wegen|von|vom|am|bis|zum|zur|über|bei|im|in)\b")
"""From here on it is told which one is meant, or what for."""
_TO_ME = lazy_pattern(r"\b(?:mich|mir|uns)\b")
_SEES_TO = lazy_pattern(r"(?i)\bkümmer")
_NOUN = lazy_pattern(r"(?<![.!?:] )(?<!^)\b[A-ZÄÖÜ][a-zäöüß]{2,}\b")
_WORD = lazy_pattern(r"[a-zäöüß]{3,}")
_DATES = """
    montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend wochenende woche monat tag abend
    morgen mittag januar februar märz april mai juni juli august september oktober november dezember ihnen sie
"""
_TIMES = frozenset(_DATES.split())
_NOT_DONE = lazy_pattern(
    r"\b(?:nicht|noch|nie|kein\w*|fast|beinahe|halb|teils|wird|werden|werde|muss|müssen|soll\w*|wenn|falls|bald|"
    r"hoffentlich|vielleicht|wohl|aber|leider|außer|morgen|ob|wollte|versucht|will|kann|könnte|hätte|wäre)\b"
)
_GIVES = lazy_pattern(
    r"^\W*(?:\w+[,!.]? ){0,2}?hier (?:ist|sind|kommt|kommen) (?:die|der|das|dein\w*|deine\w*|ein\w*|mein\w*) "
    r"(?P<what>[^:.!?]{3,60}):\s*\S"
)


def is_told_in_german(said: Utterance, item: str) -> bool:
    """Does the message tell that this item is done, or give what was asked for?"""
    things = _things(item)
    return bool(things) and any(_tells(each, item, things) for each in said.sentences)


def _things(item: str) -> frozenset[str]:
    """Its nouns, which German writes large."""
    return frozenset(found[0].lower() for found in _NOUN.finditer(item)) - _TIMES


def _tells(each: ParsedSentence, item: str, things: frozenset[str]) -> bool:
    if each.asks:
        return False
    given = _GIVES.match(each.lower)
    words = frozenset(_WORD.findall(given["what"] if given else each.lower))
    if 2 * len(things & words) < len(things) or not _heads(item, things) & words:
        return False
    if given:
        return True
    if _NOT_DONE.search(each.lower) or _TO_ME.search(each.lower):
        return False
    return not words.isdisjoint(_wanted(item))


def _heads(item: str, things: frozenset[str]) -> frozenset[str]:
    """What is wanted, and not what it is for: the drinks for the party."""
    return (things & _things(_FURTHER.split(item, maxsplit=1)[0])) or things


def _wanted(item: str) -> frozenset[str]:
    if _SEES_TO.search(item):
        return _EVERY
    stems = (found["stem"].lower() for found in _VERBS.finditer(item))
    return _ANY.union(*(_DEEDS.get(stem, "").split() for stem in stems))
