"""How a person writes: one line, computed from her messages and carried on as they come.

The line is all that is carried, so it says over how many messages it speaks; what comes later is
weighed in by that number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.text.patterns import lazy_pattern

from .digest import ASKS, Point

SOURCES = 4
_LINE = lazy_pattern(
    r"Over (\d+) messages the user wrote (\d+) words on average, in ([^;]+);"
    r" (\d+) % of them ask, (\d+) % greet(?: or thank|, thank or praise), (\d+) % are informal\."
)
"""Older lines said the same of fewer words."""

_GREETS = lazy_pattern(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|hallo|guten|bonjour|hola|ciao)\b|"
    r"\b(?:thanks|thank you|thx|danke|merci|gracias)\b|谢谢|謝謝|ありがとう|감사",
    re.IGNORECASE,
)
_PRAISES = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|wow|oh)\W+)?(?:"
    r"(?:(?:(?:this|that|it|all|looks?|works?|das|ist)(?:'s| is| was)?|very|so|really|sehr|très|muy) )*"
    r"(?:great|good|nice|nicely|well|perfect|perfectly|excellent|awesome|amazing|wonderful|lovely|brilliant|"
    r"fantastic|beautiful|well done|sweet|cool|gut|prima|klasse|toll|super|wunderbar|perfekt|parfait|génial|"
    r"bravo|bien|excelente|perfecto|genial|ottimo|perfetto|benissimo|ótimo|perfeito|uitstekend|mooi)"
    r"(?: (?:job|work|one|stuff|catch|find|point|idea|gemacht|fait|joué|hecho|trabajo))?"
    r"(?=\s*(?:[.!,;:)\u2013\u2014-]|$|and\b|now\b|\n)))"
    r"|^\W*(?:很好|不错|太好了|棒|素晴らしい|いいね|完璧|좋아|훌륭|완벽|отлично|хорошо|супер)",
    re.IGNORECASE,
)
"""Who says first that it is good; `nice to have` and `good care` praise nothing."""

_INFORMAL = lazy_pattern(
    r"\b(?:gonna|wanna|lol|haha|yeah|yep|nope|btw|pls|u|cool|awesome|kinda|dude|omg|ok)\b|[!?]{2,}|"
    r"[\U0001f300-\U0001faff]|[:;]-?[)D(P]",
    re.IGNORECASE,
)
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_SMALLEST = {
    "English": "the and is to of it you that this for with not can i we are my what have be from they but if",
    "German": "der die das und ist nicht ich wir ein eine mit für auf zu es",
    "French": "le la les et est pas je nous un une avec pour sur des du que",
    "Spanish": "el los las y es no yo un una con para por que en de lo se",
    "Italian": "il gli e non io un una con per che di del della sono è",
    "Portuguese": "o os as e não eu um uma com para que do da em é",
    "Dutch": "de het en is niet ik we een met voor op te van dat",
}
_FUNCTION: Mapping[str, frozenset[str]] = {
    name: frozenset(text.split()) for name, text in _SMALLEST.items()
}
_SCRIPTS = (
    ("Japanese", lazy_pattern("[\u3040-\u30ff]")),
    ("Korean", lazy_pattern("[\uac00-\ud7af]")),
    ("Chinese", lazy_pattern("[\u4e00-\u9fff]")),
    ("Ukrainian", lazy_pattern("[\u0404\u0406\u0407\u0454\u0456\u0457\u0490\u0491]")),
    ("Russian", lazy_pattern("[\u0400-\u04ff]")),
    ("Urdu", lazy_pattern("[\u0679\u0688\u0691\u06ba\u06d2]")),
    ("Persian", lazy_pattern("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")),
    ("Arabic", lazy_pattern("[\u0600-\u06ff]")),
    ("Hebrew", lazy_pattern("[\u05d0-\u05ea]")),
    ("Thai", lazy_pattern("[\u0e00-\u0e7f]")),
    ("Greek", lazy_pattern("[\u0370-\u03ff]")),
    ("Hindi", lazy_pattern("[\u0900-\u097f]")),
)
_WRITTEN_ALIKE: Mapping[str, tuple[str, ...]] = {
    "Arabic": ("Persian", "Urdu"),
    "Persian": ("Urdu",),
    "Russian": ("Ukrainian",),
    "Chinese": ("Japanese",),
}
"""A message without the letters that another language has for itself may be of that language."""

LEAST, SURE, FEW = 2, 4, 3
"""Small words by which a language is known; so many after so many messages, when another is the habit."""
_READ = 600
"""Characters of a message by which its tone is told."""


class Tone(NamedTuple):
    """What is carried of a person's way to write."""

    messages: int = 0
    words: float = 0.0
    asking: float = 0.0
    greeting: float = 0.0
    informal: float = 0.0
    language: str = ""
    sources: tuple[bytes, ...] = ()
    at_ms: int = 0

    def heard(self, text: str, message: Message) -> Tone:
        """One more message; `text` is what she wrote herself, without what she pasted."""
        if not text.strip():
            return self  # all of it was pasted: of how she writes it tells nothing
        head = text[:_READ]
        total = self.messages + 1

        def mean(old: float, new: float) -> float:
            return old + (new - old) / total

        spoken = language(head, SURE if self.messages >= FEW else LEAST)
        return Tone(
            total,
            mean(self.words, len(text.split())),
            mean(self.asking, any(mark in text for mark in ASKS)),
            mean(self.greeting, bool(_GREETS.search(head) or _PRAISES.search(head))),
            mean(self.informal, _INFORMAL.search(head) is not None),
            _longer(self.language, spoken, self.messages),
            (*self.sources[-(SOURCES - 1) :], message.key),
            max(self.at_ms, message.at_ms),
        )

    def point(self) -> Point | None:
        """The line; none before a few messages were heard."""
        if self.messages < 3 or not self.sources:  # noqa: PLR2004 - two are no habit
            return None
        text = (
            f"Over {self.messages} messages the user wrote {self.words:.0f} words on average, in "
            f"{self.language or 'an unknown language'}; {100 * self.asking:.0f} % of them ask, "
            f"{100 * self.greeting:.0f} % greet, thank or praise, {100 * self.informal:.0f} % are informal."
        )
        return Point("tone", text, self.sources, "system", self.at_ms, 0.5)


def read_tone(point: Point | None) -> Tone:
    """What the line says, to be carried on."""
    found = _LINE.fullmatch(point.text) if point else None
    if point is None or found is None:
        return Tone()
    asking, greeting, informal = (int(found[n]) / 100 for n in (4, 5, 6))
    spoken = "" if found[3] == "an unknown language" else found[3]
    return Tone(
        int(found[1]), int(found[2]), asking, greeting, informal, spoken, point.sources, point.at_ms
    )


def language(text: str, least: int = LEAST) -> str:
    """Which language it looks like, by its script or its smallest words; empty if neither tells."""
    if not text.isascii():
        for name, script in _SCRIPTS:
            if len(script.findall(text)) > 2:  # noqa: PLR2004 - a sign or two may be quoted
                return name
    # Each word once: who says `no` three times speaks no Spanish yet.
    words = {word.lower() for word in _LETTERS.findall(text)}
    scores = {name: len(words & known) for name, known in _FUNCTION.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= least else ""


def _longer(carried: str, heard: str, messages: int) -> str:
    """One message in another language does not change the habit; among the first few it may."""
    if not carried or not heard:
        return carried or heard
    if carried == heard or heard in carried or carried in _WRITTEN_ALIKE.get(heard, ()):
        return carried
    return heard if messages < FEW else f"{carried.partition(' and ')[0]} and {heard}"
