"""Does the agent's message answer a request? Told from what it reports, and what it says it cannot do.

A message may do both: report what was asked for, and be unable to do something beside it. Then that of
the two counts which speaks of the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.text import speech, speech_words
from everthread.domain.text import speech_forms as forms
from everthread.domain.text.patterns import late
from everthread.domain.text.speech import Heard, heard

from .roots import root, roots

LONG = 3
"""A longer message that ends in a plan may have answered before."""

_COLONS = (":", "\uff1a")
_NOTHING = frozenset[str]()
BEGINS = 4
"""Words of a sentence among which its verb stands."""

_POLITE = late(
    r"\b(?:can|could|would|will) you (?:please |kindly |just |also )*"
    r"(?:help (?:me|us) (?:to )?(?!with\b|on\b|in\b))?(\w+)"
)
_HUMS = late(r"h+m+|u+h+m*|a+h+|o+h+|k+")
_SENTENCE = late(r"(?<=[.!?])\s+")
_ADVICE = late(r"^\W*to \w+ (?:this|that|these|it)\b[^,]*, (?:you|one|users?|simply|just|first)\b")
_YOUR_TURN = late(
    r"\b(?:once|when|after|as soon as|if) you\b|\blet me know\b|\btell me\b|"
    r"\b(?:sobald|wenn) du\b|\b(?:dès|quand|une fois) que (?:tu|vous)\b|\bcuando (?:lo |me )?\w+s\b"
)

_NEEDS = late(
    r"\b(?:for (?:that|this|it)|first),? i(?:'d|'ll| will| would)?(?: still)? need\b|"
    r"\bi(?:'d)? (?:still |first )need\b|"
    r"\bi need (?:\S+ ){1,5}(?:first|before)\b|"
    r"\b(?:dafür|dazu|hierfür) (?:brauche|benötige) ich\b|\bich (?:brauche|benötige) (?:noch|erst|"
    r"zuerst|dafür|dazu)\b|"
    r"\b(?:para (?:eso|ello|esto) necesito|necesito (?:primero|antes)|me falta)\b|"
    r"\b(?:il me (?:faut|manque)|j'ai (?:d'abord|encore) besoin)\b|我(?:还)?需要(?:先|你|您)"
)
"""What is to be there before it can be done."""
_PROPOSES = late(
    r"^\W*(?:\w+[,.!]? ){0,3}?i'd (?:propose|suggest|recommend|advise|go (?:with|for)|say|prefer)\b"
)
_OPINES = late(r"^\W*i'd (?!like\b|love\b|need\b|have\b|want\b|be\b|first\b|appreciate\b)\w+")
_TIME = (
    r"(?:morgen|später|nachher|gleich|dann|heute abend|am \w+|nächste\w* \w+|"
    r"mañana|luego|después|más tarde|el \w+|cuando|en cuanto|demain|plus tard|lundi|mardi|mercredi|"
    r"jeudi|vendredi)"
)
_PROMISES = late(
    r"\bich (?:werde|erinnere|melde|kümmere)\b|"
    rf"\bich \w+e (?:(?:dich|dir|sie|ihnen|es|das|ihn|mich|euch|die|den) )?(?:\w+ ){{0,3}}{_TIME}\b|"
    rf"\b(?:te|le|os|se)(?: l[oae]s?)? (?:recuerdo|aviso|mando|envío|escribo|digo|llamo|confirmo|"
    rf"paso)\b.*\b{_TIME}\b|"
    rf"\b(?:lo|la|los|las) (?:hago|mando|envío|reservo|escribo|preparo)\b.*\b{_TIME}\b|"
    r"\b(?:te|le|lo|la|os|se|me)(?: l[oae]s?)? \w{2,}ré\b|"
    r"\bje (?:\w+ |l'|t'|m'){0,2}\w+rai\b"
)
_PROMISES_SIGNS = late(
    "我会|我會|我(?:明天|稍后|待会|到时候?|周.|星期.|晚点)|(?:到时|明天|稍后|周.|星期.)(?:候)?(?:再|会|我)?提醒你|"
    "(?:しておき|お知らせし|やっておき)ます|할게요|하겠습니다"
)
"""Promises in tongues that have no word for `will`, or another."""


_WHEN = late(
    r"\b(?:later|tomorrow|tonight|soon|(?<!and )then|when|once|afterwards|until|as soon as|if|after|remind|"
    r"(?:every|each) (?:day|week|month|morning|evening|night|\w+day)|daily|weekly|"
    r"next (?:time|week|month|year|\w+day|sprint|release)|"
    r"in (?:an? (?:moment|minute|hour|day|week|while)|\w+ (?:minutes|hours|days|weeks))|"
    r"by (?:tomorrow|tonight|noon|the end|\w+day|\d\w*)|on (?:the \d\w*|\w+day|\d\w*)|at \d\w*|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
"""A word of when; in other languages none is looked for, and a promise stays one."""


_WILL_DO = late(
    r"^\W*(?:(?:yes|ok|okay|sure|noted|understood|fine|good|right|of course|got it)\b[\s,.!:–—-]*)*"
    r"will (?:do|remind|check|send|write|draft|prepare|bring|come back|let you know)\b"
)


class Reply(NamedTuple):
    """What a message of the agent means for a request."""

    answered: bool
    deferred: bool
    """Was it put off, refused or promised, so that it will be waited for?"""
    asks: bool = False
    """Only because it is to be told something first?"""
    promises: bool = False
    """Only by saying that it will be done, as who begins with it does, too?"""
    soon: bool = False
    """Without a word of when: then it is what the agent does next."""


def replied(sentences: Sequence[Heard], request: str, *, shown: bool = False) -> Reply:
    """What a message with these sentences is to the request before it.

    `shown`: something stands after the last of them, such as code.
    """
    if not sentences:
        return Reply(answered=shown and not ordered(request), deferred=False)
    about, verb, much = roots(request), ordered(request), len(sentences) > LONG
    refusing = [s for s in sentences if speech.unable(s, aside=much) or _stopped(s, verb, much)]
    telling = [s for s in sentences if s not in refusing and _tells(s, verb)]
    # A report needs no name of what it reports; a statement beside a question back does.
    least = 0 if telling and verb else 1
    if refusing and _most(telling, about) < max(_most(refusing, about), least):
        return Reply(answered=False, deferred=True, asks=all(each.asks for each in refusing))
    if not (verb and telling) and any(_later(s, about if verb else _NOTHING) for s in sentences):
        return Reply(answered=False, deferred=True, promises=True)
    return _ended(sentences, verb, telling, shown=shown)


def _ended(
    sentences: Sequence[Heard], verb: str, telling: Sequence[Heard], *, shown: bool
) -> Reply:
    """What a message is to a request by its last sentence."""
    much, last = len(sentences) > LONG, _last(sentences)
    will = speech.promises(last) or _promised(last)
    if shown and last.text.endswith(_COLONS) and not will:
        return Reply(answered=True, deferred=False)
    if not verb and _OPINES.match(last.lower):
        return Reply(answered=True, deferred=False)
    if _plans(last) or _promised(last) or last.text.endswith(_COLONS):
        done = any(map(_done, sentences)) and (much or bool(telling))
        promised = not done and will
        soon = promised and not _WHEN.search(last.lower) and last.text.isascii()
        return Reply(done, promised, asks=_hers(last), promises=promised, soon=soon)
    return Reply(answered=not all(each.asks for each in sentences), deferred=False)


def _later(each: Heard, about: frozenset[str]) -> bool:
    """Does it promise that very thing for another time: `Will do on Monday`, `I'll nag you on Friday`?"""
    if each.asks or _WHEN.search(each.lower) is None:
        return False
    if _WILL_DO.match(each.lower):
        return True
    return speech.promises(each) and not about.isdisjoint(roots(each.text))


def _last(sentences: Sequence[Heard]) -> Heard:
    """The last that is no mere manners, put like a plan: `let me know if you need more`."""
    for each in reversed(sentences):
        if not (_offers(each) and speech.plans(each)):
            return each
    return sentences[-1]


def _offers(each: Heard) -> bool:
    return speech.offers(each) and forms.ASKS_WHICH.search(each.lower) is None


def _plans(each: Heard) -> bool:
    """Is it about to do something? Who tells another what to do has answered."""
    if not speech.plans(each) or _offers(each):
        return False
    return _ADVICE.match(each.lower) is None and _PROPOSES.match(each.lower) is None


def _promised(each: Heard) -> bool:
    """Does it promise, in a language other than English?"""
    if each.asks or speech.reports(each):
        return False
    if _PROMISES.search(each.lower):
        return True
    return not each.text.isascii() and _PROMISES_SIGNS.search(each.text) is not None


def _hers(each: Heard) -> bool:
    """Is it first the person's turn: `when you have run it, I'll go on with the rest`?"""
    return _YOUR_TURN.search(each.lower) is not None


def _tells(each: Heard, verb: str) -> bool:
    """Does it answer: report what was ordered, or, to who asks, state anything?"""
    if verb:
        return _done(each) or _did(each, verb)
    return not each.asks and not _plans(each) and not speech.offers(each)


def _done(each: Heard) -> bool:
    return speech.reports(each) and not speech.plans(each)


def _most(sentences: Sequence[Heard], about: frozenset[str]) -> int:
    """How much of the request the sentence speaks of that speaks of it most."""
    return max((len(roots(each.text) & about) for each in sentences), default=0)


def ordered(request: str) -> str:
    """The verb of what is to be done; empty where somebody asks, or wants to know what comes of it."""
    asked = heard(request)
    polite = _POLITE.search(asked.lower)
    if asked.asks and not polite:
        return ""
    if polite:
        return _verb(polite[1])
    parts = [heard(part) for part in _SENTENCE.split(request)]
    told = next((part for part in parts if part.orders), parts[0])
    found = [w for w in told.words if w not in speech_words.OPENINGS and not _HUMS.fullmatch(w)]
    if found[1:2] and found[1] in speech_words.FINITE:
        return ""  # `EXP-2 is wrong` begins with a name
    return _verb(found[0] if found else "")


def _verb(word: str) -> str:
    return "" if word in speech_words.LOOKING or word in speech_words.NO_VERB else word


def _did(each: Heard, verb: str) -> bool:
    """Does it tell the ordered deed as done: `Booked.`, `I ordered it`, to `please book`, `order`?"""
    first = (word for word in each.words[:BEGINS] if word.endswith("ed") and word != verb)
    return bool(verb) and any(root(word) == root(verb) for word in first)


def _stopped(each: Heard, verb: str, much: bool) -> bool:  # noqa: FBT001 - how much was said
    """Did something stand in the way of what was ordered? To who asked, that is an answer."""
    if not verb:
        return False
    if speech.hindered(each, aside=much) or (not much and _NEEDS.search(each.lower)):
        return True
    return speech.fails(each) and root(verb) in roots(each.text)
