"""How an agent is to do things, told by an order that it only consents to: `Use tabs`, `Understood`.

No `always` stands in such an order, and the same words may be meant for once: `Use oil`. But what is meant
for once is carried out in the reply. So an order holds from now on where four things come together: it tells
a manner, it points at no single thing, nothing else is asked for beside it, and all that the agent does is
to say that it will keep to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts import speech
from everthread.domain.text.acts.general_rules import OF_ONE_TIME
from everthread.domain.text.acts.kinds_of_things import DEFINITE
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import OPENINGS
from everthread.domain.text.patterns import lazy_pattern

from .open_items.unfinished_work import consents
from .roots import roots

_MANNERS = """
    use prefer format indent spell cite address name wrap quote prefix suffix capitalise capitalize
    abbreviate favour favor follow employ adopt target treat keep include omit skip avoid suggest recommend
    propose mention explain warn flag sign begin end round highlight assume respect stay stick translate
"""
_WORKS = """
    add append apply archive attach book build bump buy call cancel change clean clear close commit compile
    complete configure confirm connect convert copy correct create cut debug delete deploy do download draft
    drop edit email enable execute export extract fetch fill find finish fix generate get give go have help
    implement import improve insert install integrate investigate kill list load look make measure merge
    migrate move notify open optimize order paste patch pay pick plan play post prepare print produce publish
    pull push put redo refactor register reload remind remove rename replace request rerun reset resolve
    restart restore retry return revert review rewrite run save schedule search send set ship show solve
    start stop submit summarise summarize switch sync take tell test think tidy try turn undo uninstall
    update upgrade upload validate verify visit wait walk watch work
"""
_WORK = frozenset(_WORKS.split())
"""What is done once, as a rule, and then is done."""
_SPEAKING = frozenset({"answer", "reply", "respond", "speak", "talk", "write"})
_MANNER = frozenset(_MANNERS.split())
_IN = frozenset(
    {"in", "as", "like", "with", "without", "plainly", "formally", "briefly", "slowly", "simply"}
)
_FOREIGN_MANNERS = """
    verwende benutze nutze formatiere zitiere antworte antwortet sprich utilise réponds formate cite usa
    responde formatea cita habla parle
"""
_FOREIGN_POINTS = """
    der die das den dem des diese dieser dieses diesen ein eine einen einem einer heute morgen jetzt mal le la
    les ce cette ces un une aujourd'hui demain maintenant el los las este esta esto una hoy mañana ahora
"""
_FOREIGN = frozenset(_FOREIGN_MANNERS.split())
_POINTS = DEFINITE | frozenset(_FOREIGN_POINTS.split())
_ALL = "me us you your my our all each every any everything anything"
_OF_ALL = frozenset(_ALL.split())
"""Who says one of these points at nothing."""

_ONCE = r"(?:leav|go\b|going\b|start|begin|com(?:e|ing)\b|head|mov|\w*thing\b|morn|even)"
_ONE = r"(?:the|your|my|our|it|i|we|this|that|these|those)\b"
_EACH_TIME = lazy_pattern(
    rf"\bbefore (?!{_ONCE}|{_ONE})(?:you (?!{_ONCE})\w+|\w+ing)(?: (?!{_ONE})\w+){{0,3}}\W*$"
)
"""It is done each time that something else is: `before committing`."""

_NAMED = lazy_pattern(r"(?<=\w )[A-Z][a-z]|[^\W_]_[^\W_]|\w\(|\w\.\w|/")
_HOW = _MANNER | _FOREIGN | {"only"}
_ORDERS = _FOREIGN | {"prefer", "speak"}
"""Orders that `ParsedSentence.orders` does not know."""

_FIRST = frozenset({"first"})

LONGEST, FEWEST = 3, 2
"""Sentences of a reply that says no more than that it will; words of what is told."""


def is_accepted_manner(
    said: Sequence[ParsedSentence], n: int, reply: Sequence[ParsedSentence]
) -> bool:
    """Does the sentence lay down how things are done, and does the agent only say that it will keep to it?"""
    if not (_is_manner(said[n]) and 0 < len(reply) <= LONGEST):
        return False
    beside = (each for at, each in enumerate(said) if at != n)
    if any(each.asks or (each.orders and not _is_manner(each)) for each in beside):
        return False
    return all(_accepts(each, roots(said[n].text)) for each in reply)


def _is_manner(each: ParsedSentence) -> bool:
    words = [word for word in each.words if word not in OPENINGS]
    if each.asks or len(words) < FEWEST or OF_ONE_TIME.search(each.lower):
        return False
    if not each.orders and words[0] not in _ORDERS:
        return False
    if _EACH_TIME.search(each.lower):
        return True
    if not _tells_how(words) and (words[0] in _WORK or words[0] in _SPEAKING or _names_one(each)):
        return False
    rest = [word for word in words[1:] if word not in _OF_ALL]
    owned = any(word.endswith("'s") or word[0].isdigit() for word in rest)
    return not owned and _POINTS.isdisjoint(rest)


def _tells_how(words: Sequence[str]) -> bool:
    """By its verb; `answer in German` by what stands after it, for `answer mails` is work."""
    verb, *rest = words
    if verb in _SPEAKING:
        return not _IN.isdisjoint(rest[: 1 + (rest[0] in ("me", "us"))])
    return verb in _HOW or (verb == "call" and rest[0] == "me")


def _names_one(each: ParsedSentence) -> bool:
    """Does it call somebody or something by its name?"""
    return _NAMED.search(each.text) is not None


def _accepts(each: ParsedSentence, about: frozenset[str]) -> bool:
    """Is it consent, a promise, or consent with nothing but words of the order: `Got it, aisle seats`?"""
    if each.asks or speech.reports(each):
        return False
    if consents(each) or speech.promises(each):
        return True
    agreed, _, echo = each.text.partition(",")
    told = roots(echo) - _FIRST
    return bool(told) and consents(parse_sentence(agreed)) and told <= about
