"""What those who speak still have to do themselves, where no model tells: in other languages, and in lists.

`Ich muss Ida noch anmelden`, `todo for next week: the outline, the mail`. `I have to` alone tells of much
that is nobody's chore, so in English only the head of a list is taken.
"""

from __future__ import annotations

from functools import lru_cache

from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

_LED = (
    r"^\W*+(?>(?:(?:ach|ja|ok|okay|und|also|aber|übrigens|y|et|e|pero|mais|bueno|bon|and|so|oh|btw)\b"
    r"[\s,.:–—-]*+)*)"
)
_DAY = r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|wochenende"
_WHEN = (
    r"(?:morgen|übermorgen|heute(?: abend| nachmittag| noch)?|nachher|später|gleich|demnächst|dann noch|"
    rf"(?:am|bis|kommenden|nächsten|diesen) (?:{_DAY}|\d\w*)|(?:nächste|diese|kommende) woche|"
    r"bis (?:ende|anfang|mitte|morgen|heute|dahin)|in den nächsten tagen)\b"
)
_GERMAN_ERRANDS = (
    r"(?:frag|ruf|schreib|schick|bestell|besorg|kauf|hol|bring|klär|erledig|organisier|buch|bezahl|überweis|"
    r"meld|prüf|druck|reservier|sprech|red|such|vereinbar|bereit|plan|mach|schau|guck|üb?ergeb)"
)
_FORMS = (
    lazy_pattern(
        rf"{_LED}(?:ich {_GERMAN_ERRANDS}e?\b(?! mich\b)|(?:das |es |die |den )?{_GERMAN_ERRANDS}e? ich\b)"
        rf"(?:[^.!?]* )?{_WHEN}"
    ),
    lazy_pattern(
        rf"{_LED}(?:ich kümmere? mich (?:\S+ ){{0,4}}?(?:um|darum|drum)\b|(?:da|um .*) kümmer)"
    ),
    lazy_pattern(
        r"^(?:.*, )?(?:(?:ich|wir) )?warten? (?:immer )?(?:noch )?auf (?:die |eine |seine |ihre |deren )?"
        r"(?:antwort|rückmeldung|bescheid|nachricht|zusage|bestätigung|rückruf|freigabe)\b"
    ),
    lazy_pattern(
        rf"{_LED}let me (?:(?:check|talk|speak|clarify|confirm|discuss (?:it|this|that)) (?:with|to)|ask) "
        r"(?!you\b|the (?:model|agent)\b)\w+"
    ),
    lazy_pattern(
        rf"{_LED}(?:put|leave|keep|add) .{{1,60}} (?:on|to) (?:the|my|our) (?:to-?do )?list, "
        r"(?:i|we)(?:'ll| will) "
    ),
    lazy_pattern(
        rf"{_LED}(?:ich |wir )?(?:muss|müssen|sollte|sollten) (?:\S+ ){{0,4}}?noch "
        r"(?:\S+ ){1,9}?\w+(?:en|ern|eln)\b"
    ),
    lazy_pattern(
        rf"{_LED}(?:todavía |aún )?(?:tengo|tenemos) que (?:\S+ ){{0,6}}?(?:todavía|aún)\b"
    ),
    lazy_pattern(rf"{_LED}(?:todavía|aún) (?:tengo|tenemos) que \w+r\b"),
    lazy_pattern(rf"{_LED}(?:je dois|nous devons|il (?:me|nous) faut) encore \w+"),
    lazy_pattern(
        rf"{_LED}(?:my |our )?to-?dos?(?: list)?"
        r"(?: for (?:me|us|(?:next|this) \w+|today|tomorrow|\w+day))?: \S"
    ),
)
_UNREAL = lazy_pattern(r"\b(?:immer|nie|wenn|falls|siempre|si|toujours|always|never|nicht)\b")


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def own_chore(said: ParsedSentence) -> bool:
    """Is it one?"""
    if said.asks or _UNREAL.search(said.lower):
        return False
    return any(form.match(said.lower) for form in _FORMS)
