"""How an agent is to do things, told by an order that it only consents to: `Use tabs`, `Understood`.

No `always` stands in such an order, and the same words may be meant for once: `Use oil`. But what is meant
for once is carried out in the reply, or belongs to work that is at hand. So an order holds from now on where
five things come together: its words tell a manner, it points at no single thing, nothing else is asked for
beside it, all that the agent does is to say that it will keep to it, and where there is work at hand, it
says so in words that no work is accepted with.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts import speech
from everthread.domain.text.acts.general_rules import OF_ONE_TIME
from everthread.domain.text.acts.kinds_of_things import DEFINITE, is_several
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import BASE, OPENINGS
from everthread.domain.text.patterns import lazy_pattern

from .open_items.unfinished_work import consents
from .roots import roots

# ---- verbs of manners. All others are of work: it is done once, and then is done.

_BY_THEMSELVES = """
    use prefer indent spell prefix suffix capitalise capitalize abbreviate favour favor adopt omit avoid
    respect target
"""
_BY_WHAT_FOLLOWS = """
    address name format sign quote cite round wrap begin end start treat label limit sort order separate
    list write phrase
"""
_BY_OF_ALL = """
    explain mention suggest recommend propose warn flag highlight include skip assume translate keep
    be ensure structure group mark let leave state specify refer reuse preserve prioritize say follow
    show give
"""
_FOREIGN_MANNERS = """
    verwende benutze nutze formatiere zitiere antworte antwortet sprich utilise réponds formate cite usa
    responde formatea cita habla parle
"""
_FOREIGN = frozenset(_FOREIGN_MANNERS.split())
_MANNER = frozenset(_BY_THEMSELVES.split()) | _FOREIGN
_OF_MANY = frozenset(_BY_WHAT_FOLLOWS.split())
"""Manners where many things, and how, are named after them: `quote prices in euros`."""
_OF_WHATEVER = _OF_MANY | frozenset(_BY_OF_ALL.split())
"""Manners where it is said that all things are meant: `explain things with examples`."""

_SPEAKING = frozenset({"answer", "reply", "respond", "speak", "talk", "write"})
_SO = frozenset(
    {"in", "as", "like", "without", "plainly", "formally", "briefly", "slowly", "simply"}
)
_FINDING = frozenset({"suggest", "recommend", "propose"})
_PLACING = frozenset({"group", "mark", "let", "leave"})
_HANDING = frozenset({"show", "give", "i", "i'd", "we", "we'd"})
_WITH = _SO | {"with"}
"""What somebody wants, or is to be given, is a thing that there is, unless it is told how that is to be."""
_TOPICS = frozenset({"about", "to", "soon", "on", "for", "section", "chapter"})
"""Who is spoken to, what about, and when: that is one text."""
_OUTPUTS = """
    answers replies responses mails emails letters messages texts posts comments commits summaries reports
    notes documents docs reviews suggestions recommendations questions explanations examples translations
    sentences paragraphs words lists tables headings titles quotes quotations sources citations references
    links paths dates times prices costs amounts sums numbers figures percentages units temperatures distances
    names variables functions classes constants identifiers strings imports errors warnings logs
    customers clients people readers options versions steps changes decisions risks assumptions code prose
"""
_BROUGHT_FORTH = frozenset(_OUTPUTS.split())
"""What an agent brings forth again and again, and whom it speaks to. All else is there already."""
_HOW = _SO | {"with", "by", "after", "to", "separately", "informally", "alphabetically"}

_FIXED = {
    "stick": frozenset({"to", "with"}),
    "stay": frozenset({"with", "within", "under", "below"}),
    "be": frozenset({"careful"}),
}
"""Verbs that tell a manner before one of these words only."""
_SPARED = frozenset({"from", "for", "at", "of", "on", "until", "till"})
"""`Keep receipts from lunch`: what these follow is to be kept, and not to be kept so."""

_ORDERS = _FOREIGN | {"prefer", "speak"}
"""Orders that `ParsedSentence.orders` does not know."""

# ---- what it points at

_FOREIGN_POINTS = """
    der die das den dem des diese dieser dieses diesen ein eine einen einem einer heute morgen jetzt mal le la
    les ce cette ces un une aujourd'hui demain maintenant el los las este esta esto una hoy mañana ahora
"""
_POINTS = DEFINITE | frozenset(_FOREIGN_POINTS.split())
_WIDE = "all each every any only everything anything things throughout everywhere"
_GENERAL = frozenset(_WIDE.split())
_OF_ALL = _GENERAL | {"me", "us", "you", "your", "my", "our"}
"""Who says one of these points at nothing."""

_NAMED = lazy_pattern(r"(?<=\w )[A-Z][a-z]|[^\W_]_[^\W_]|\w\(|\w\.\w|/")
_LABEL = lazy_pattern(r"\w [a-z]+ [A-Z](?!\S*\w)")
"""One of a row: `plan B`."""
_GROUND = lazy_pattern(r",[^,]*\b(?:is|are|was|were|has|have)\b")
"""How things stand is told beside it: `use stairs, the lift is broken`."""
_CALLED = lazy_pattern(r"call me [A-Z]\w+\W*$")

_ONE = r"(?:the|your|my|our|it|i|we|this|that|these|those)\b"
_WHAT = rf"(?: (?!{_ONE})\w+){{0,3}}\W*$"
_EACH_TIME = lazy_pattern(
    r"\bbefore (?:you )?(?:commit|push|merg|releas|submit|repl|answer|respond|delet|deploy)"
    rf"\w*{_WHAT}"
)
"""It is done each time that something else is, which is done often: `before committing`."""

_ONCE = r"(?:leav|go\b|going\b|start|begin|com(?:e|ing)\b|head|mov|\w*thing\b|morn|even)"
_ASKS_FIRST = lazy_pattern(
    r"^\W*(?:please )?(?:(?:ask|tell|warn|check with|confirm with|consult|notify) (?:me|us)|show|give)\b[^.]*"
    rf"\bbefore (?!{_ONCE}|{_ONE})(?:you (?!{_ONCE})\w+|\w+ing){_WHAT}"
)

_TOGETHER = lazy_pattern(r"\W*(?:\w+\W+){0,2}let['’]?s (?:go|take|pick|choose|have)\b")
"""So two choose one thing, and neither tells the other how to behave."""

_EVERYDAY = frozenset({"use", "avoid", "keep"})

# ---- what is replied

_TAKES_UP = lazy_pattern(
    r"\b(?:on it|right away|starting|start on|get on|(?:happy|glad) to|gladly|with pleasure|consider it done|"
    r"let's do|sofort|gerne?|tout de suite|avec plaisir|enseguida|subito|today|tonight|tomorrow|"
    r"(?<!from )now|later|soon|next|in a (?:moment|minute|second)|by \w+day|once)\b"
)
"""So one takes on work, or says when it is done. A manner is neither begun nor done."""
_TAKES_NOTE = lazy_pattern(
    r"\b(?:understood|noted|(?:keep|stick|hold) to|from now on|going forward|always|remember|won't forget|"
    r"verstanden|ab jetzt|compris|entendu|bien reçu|entendido|понял|принято)\b"
)

_FIRST = frozenset({"first"})

LONGEST, FEWEST = 3, 2
"""Sentences of a reply that says no more than that it will; words of what is told."""


def is_accepted_manner(
    said: Sequence[ParsedSentence],
    n: int,
    reply: Sequence[ParsedSentence],
    *,
    at_hand: bool = False,
) -> bool:
    """Does the sentence lay down how things are done, and does the agent only say that it will keep to it?

    `at_hand`: is there work at hand, which it may be meant for?
    """
    noted = any(_TAKES_NOTE.search(each.lower) for each in reply)
    if not (_is_manner(said[n], noted=noted) and 0 < len(reply) <= LONGEST):
        return False
    beside = (each for at, each in enumerate(said) if at != n)
    if any(each.asks or (each.orders and not _is_manner(each, noted=noted)) for each in beside):
        return False
    if at_hand and not noted:
        return False
    return all(_accepts(each, roots(said[n].text)) for each in reply)


def _is_manner(each: ParsedSentence, *, noted: bool) -> bool:
    """`noted`: does the reply take note of it? Then more may be meant so."""
    words = [word for word in each.words if word not in OPENINGS]
    if each.asks or len(words) < FEWEST or OF_ONE_TIME.search(each.lower):
        return False
    if _TOGETHER.match(each.lower) or (not each.orders and words[0] not in _ORDERS):
        return False
    if _EACH_TIME.search(each.lower) or _ASKS_FIRST.search(each.lower):
        return True
    if _LABEL.search(each.text) or _GROUND.search(each.lower):
        return False
    how = _tells_how(each, words) and (noted or _is_of_speech(words))
    if not (how or (noted and _tells_of_kind(each, words))):
        return False
    rest = [word for word in words[1:] if word not in _OF_ALL]
    owned = any(word.endswith("'s") or word[0].isdigit() for word in rest)
    return not owned and _POINTS.isdisjoint(rest)


def _is_of_speech(words: Sequence[str]) -> bool:
    """`Use candles`, `keep kids busy`: such verbs are of anything, unless an agent's own is named."""
    return words[0] not in _EVERYDAY or not (_GENERAL | _BROUGHT_FORTH).isdisjoint(words)


def _tells_how(each: ParsedSentence, words: Sequence[str]) -> bool:
    """By its verb; `answer in German` by what stands after it, for `answer mails` is work."""
    verb, *rest = words
    if verb in _FIXED:
        return rest[0] in _FIXED[verb]
    if verb == "call":
        return _CALLED.search(each.text) is not None
    if verb == "keep":
        return _keeps_so(rest)
    if verb in _SPEAKING and _speaks_so(rest):
        return True
    if verb in _OF_WHATEVER and not _GENERAL.isdisjoint(rest):
        return True
    followed = verb == "follow" and rest[0] != "up"
    return followed or verb in _MANNER or (verb in _OF_MANY and _tells_of_many(each, rest))


def _speaks_so(rest: Sequence[str]) -> bool:
    told = rest[1:] if rest[0] in ("me", "us") else rest
    return bool(told) and told[0] in _SO and _TOPICS.isdisjoint(told)


def _tells_of_kind(each: ParsedSentence, words: Sequence[str]) -> bool:
    """Is it wanted of things of a kind, and no work: `recommend vegan dishes`, `I want prices in euros`?"""
    verb, *rest = words
    may_be = (verb not in BASE and "need" not in rest[:2]) or verb in _OF_WHATEVER
    if not may_be or _NAMED.search(each.text):
        return False
    if not _BROUGHT_FORTH.isdisjoint(rest):
        return verb not in _FINDING or "for" not in rest
    if verb in _PLACING or "for" in rest:
        return False
    if verb in _HANDING:
        return not _WITH.isdisjoint(rest)
    return any(map(is_several, rest)) or not _HOW.isdisjoint(rest)


def _tells_of_many(each: ParsedSentence, rest: Sequence[str]) -> bool:
    """Things of a kind and how they are to be: `dates as YYYY-MM-DD`, `customers formally`."""
    at = next((n for n, word in enumerate(rest) if word in _HOW), 0)
    if rest[0] == "me":
        return at == 1 and rest[at] == "as"
    return at > 0 and rest[at - 1] in _BROUGHT_FORTH and _NAMED.search(each.text) is None


def _keeps_so(rest: Sequence[str]) -> bool:
    """`Keep answers short`; but `keep looking` and `keep receipts from lunch`."""
    if rest[0] == "to":
        return True
    at = next((n for n, word in enumerate(rest) if is_several(word)), None)
    after: Sequence[str] = () if at is None else rest[at + 1 :]
    return bool(after) and after[0] not in _SPARED and not rest[0].endswith("ing")


def _accepts(each: ParsedSentence, about: frozenset[str]) -> bool:
    """Is it consent, a promise, or consent with nothing but words of the order: `Got it, aisle seats`?"""
    if each.asks or speech.reports(each) or _TAKES_UP.search(each.lower):
        return False
    if consents(each) or speech.promises(each):
        return True
    agreed, _, echo = each.text.partition(",")
    told = roots(echo) - _FIRST
    return bool(told) and consents(parse_sentence(agreed)) and told <= about
