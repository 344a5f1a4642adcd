"""What an agent promises in tongues that have no word for `will`, or another: `Mache ich bis Freitag`."""

from __future__ import annotations

from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

_TIME = (
    r"(?:morgen|später|nachher|gleich|dann|heute abend|am \w+|nächste\w* \w+|bis \w+|diese woche|"
    r"mañana|luego|después|más tarde|el \w+|cuando|en cuanto|demain|plus tard|lundi|mardi|mercredi|"
    r"jeudi|vendredi)"
)
_PRESENT = (
    r"(?!(?:habe?|hatte|bin|war|fand|ließ|liess|sah|gab|kam|ging|nahm|schrieb|rief|blieb|hielt|damit|dass|ob|"
    r"wenn|als|weil|wie|was|wo|wann|nachdem|"
    r"\w+t(?<!arbeit)(?<!bereit)(?<!leit)(?<!schalt)(?<!wart)(?<!test)(?<!richt)(?<!halt)(?<!wert)e)\b)"
)
"""Not as it was (`teste` is now), nor where `ich` stands behind what joins two sentences."""
_PROMISES = lazy_pattern(
    r"\bich (?:werde|erinnere|melde|kümmere)\b|"
    rf"\bich \w+e (?:(?:dich|dir|sie|ihnen|es|das|ihn|mich|euch|die|den) )?(?:\w+ ){{0,3}}{_TIME}\b|"
    rf"\b{_PRESENT}\w+ ich (?:(?:mir|dir|das|es|mich|gerne?|drum|darum|sofort) )*(?:\w+ ){{0,3}}?"
    rf"{_TIME}\b|"
    r"\b(?:schaue?|sehe?|kümmere?) ich (?:mir|mich)\b|"
    rf"\b(?:te|le|os|se)(?: l[oae]s?)? (?:recuerdo|aviso|mando|envío|escribo|digo|llamo|confirmo|"
    rf"paso)\b.*\b{_TIME}\b|"
    rf"\b(?:lo|la|los|las) (?:hago|mando|envío|reservo|escribo|preparo)\b.*\b{_TIME}\b|"
    r"\b(?:te|les?|los?|las?|os|se|me)(?: l[oae]s?)? \w{2,}ré\b|\bich warte\b|"
    r"\bje (?:\w+ |l'|t'|m'){0,2}\w+rai\b"
)
_PROMISES_SIGNS = lazy_pattern(
    "我会|我會|我(?:明天|稍后|待会|到时候?|周.|星期.|晚点)|(?:到时|明天|稍后|周.|星期.)(?:候)?(?:再|会|我)?提醒你|"
    "(?:しておき|お知らせし|やっておき)ます|할게요|하겠습니다"
)


def promises_abroad(each: ParsedSentence) -> bool:
    """Does it promise, in a language other than English?"""
    if each.asks or speech.reports(each):
        return False
    if _PROMISES.search(each.lower):
        return True
    return not each.text.isascii() and _PROMISES_SIGNS.search(each.text) is not None
