"""What a person asked to be made up: a story, a poem, three customers for the tests. None of it is so.

The answer to such a request is the text itself, without any frame. What speaks to the reader, asks, or tells
of the work is the agent's own word.
"""

from __future__ import annotations

from collections.abc import Iterator

from .patterns import lazy_pattern

Range = tuple[int, int]

LONGEST = 600
"""Characters of what was asked that are looked at."""

_LED = (
    r"(?:^|[.!?,]\s|\n)\W*"
    r"(?:(?:please|pls|ok|okay|hey|hi|now|and|so|then|bitte|por favor|s'il te plaît)\b[\s,]*)*"
)
_ASKS = (
    r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i want you to |"
    r"kannst du (?:mir |uns )?|puedes |peux-tu )?"
)
_TALE = lazy_pattern(
    rf"{_LED}{_ASKS}(?:write|tell|compose|invent|make up|improvise|erzähl\w*|schreib\w*|erfinde?\w*|"
    r"dichte\w*|"
    r"cu[eé]nta\w*|escribe\w*|inventa\w*|raconte\w*|écri[st]\w*|invente\w*)"
    r"(?: (?!the\b|our\b|your\b)[\w'-]+){0,6}? (?<!user )"
    r"(?:story|stories|tales?|fables?|legends?|poems?|haikus?|limericks?|sonnets?|songs?|lyrics|jokes?|"
    r"sketch(?:es)?|märchen|geschichten?|gedichte?|lied|witze?|cuentos?|poemas?|canción|chistes?|contes?|"
    r"histoires?|poèmes?|chansons?|blagues?)\b"
)
_FAKES = lazy_pattern(
    rf"{_LED}{_ASKS}(?:invent|make up|come up with|generate|create|write|give me|erfinde?\w*|inventa\w*|"
    r"invente\w*)\b[^.!?\n]{0,80}\b(?:fake|dummy|fictional|fictitious|invented|made-up|imaginary|sample|"
    r"placeholder|test data|for (?:the|our|my) (?:tests?|demo|mock-?ups?|screenshots?)|beispieldaten|"
    r"testdaten|erfundene\w*|fiktive\w*)\b|"
    rf"{_LED}{_ASKS}(?:invent|make up|erfinde?\w*) (?:an?|two|three|four|five|six|ten|some|\d+) "
)
_LETTER = lazy_pattern(
    r"\b(?:write|draft|compose|schreib\w*|verfass\w*|formulier\w*|entwirf|écri\w+|rédige\w*|escrib\w+|"
    r"redact\w+)\b[^.!?\n]{0,60}\b(?:letter|e-?mail|mail|message|note|card|invitation|application|complaint|"
    r"brief|nachricht|karte|einladung|antrag|lettre|courriel|carta|correo|mensaje)\b"
)
_SALUTES = lazy_pattern(
    r"[\"“„]?(?:dear|hi|hello|hey|sehr geehrte\w*|liebe[rs]?|hallo|guten tag|chère?s?|bonjour|madame|"
    r"monsieur|estimad[oa]s?|querid[oa]s?|hola|caro|cara|gentile|drog[ai]|kochan[iy]|beste)\b[^.!?\n]{1,60}[,!]\s"
)
_PARAGRAPH = lazy_pattern(r"[^\S\n]*\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_SPEECH = lazy_pattern(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]")
_OWN = lazy_pattern(
    r"\b(?:you|your|i['’](?:d|ll|ve|m)|let me|let['’]s|dir|dein\w*|ihnen|votre|vous)\b|[:?\uff1a\uff1f]\s*$|"
    r"\bi (?:can(?:not|['’]t)?|could|will|won['’]t|need|wrote|made|saved|put)\b|`|\w/[\w-]+\.\w"
)
"""Speaks to the reader, asks, or tells of the work."""


def made_up(text: str, asked: str) -> Iterator[Range]:
    """The stretches of an answer that are nothing but what was to be made up."""
    wish = asked[:LONGEST].lower().replace("’", "'")
    if not wish:
        return
    invented = _TALE.search(wish) is not None or _FAKES.search(wish) is not None
    letter = not invented and _LETTER.search(wish) is not None
    if not invented and not letter:
        return
    for part in _PARAGRAPH.finditer(text):
        told = part[0].strip().lower()
        own = _OWN.search(_SPEECH.sub("", told)) is not None
        if (invented and not own) or (letter and _SALUTES.match(told)):
            yield part.span()
