"""Does the agent's message answer a request? Told from what it reports, and what it says it cannot do.

A message may do both: report what was asked for, and be unable to do something beside it. Then that of
the two counts which speaks of the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.gleaning.roots import root, roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts import sentence_forms as forms
from everthread.domain.text.acts import speech, word_lists
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.promise_forms import deed_of, tells_done

from . import given_things, unfinished_work
from .foreign_promises import promises_abroad
from .long_replies import LONG, closing, goes_about, hindering, tells_work
from .put_off_orders import waits_for_later

_COLONS = (":", "\uff1a")
BEGINS = 4
"""Words of a sentence among which its verb stands."""

_POLITE = lazy_pattern(
    r"\b(?:can|could|would|will) you (?:please |kindly |just |also )*"
    r"(?:help (?:me|us) (?:to )?(?!with\b|on\b|in\b))?(\w+)"
)
_HUMS = lazy_pattern(r"h+m+|u+h+m*|a+h+|o+h+|k+")
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+")
_ADVICE = lazy_pattern(
    r"^\W*to \w+ (?:this|that|these|it)\b[^,]*, (?:you|one|users?|simply|just|first)\b"
)
_YOUR_TURN = lazy_pattern(
    r"\b(?:once|when|after|as soon as|if) you\b|\blet me know\b|\btell me\b|"
    r"\b(?:sobald|wenn) du\b|\b(?:dès|quand|une fois) que (?:tu|vous)\b|\bcuando (?:lo |me )?\w+s\b"
)

_NEEDS = lazy_pattern(
    r"\b(?:for (?:that|this|it)|first),? i(?:'d|'ll| will| would)?(?: still)? need\b|"
    r"\bi(?:'d)? (?:still |first )need\b|"
    r"\bi need (?:\S+ ){1,5}(?:first|before)\b|"
    r"\b(?:dafür|dazu|hierfür) (?:brauche|benötige) ich\b|\bich (?:brauche|benötige) (?:noch|erst|"
    r"zuerst|dafür|dazu)\b|\b(?:kann ich|ich kann) (?:\w+ ){0,4}?erst\b|"
    r"\bje ne (?:peux|pourrai) (?:\w+ ){1,4}?(?:qu'|que (?:quand|si|lorsque)|avant)|"
    r"\bno (?:puedo|podré) (?:\w+ ){1,4}?hasta\b|"
    r"\b(?:para (?:eso|ello|esto) necesito|necesito (?:primero|antes)|me falta)\b|"
    r"\b(?:il me (?:faut|manque)|j'ai (?:d'abord|encore) besoin)\b|我(?:还)?需要(?:先|你|您)"
)
"""What is to be there before it can be done."""
_PROPOSES = lazy_pattern(
    r"^\W*(?:\w+[,.!]? ){0,3}?i'd (?:propose|suggest|recommend|advise|go (?:with|for)|say|prefer)\b"
)
_OPINES = lazy_pattern(
    r"^\W*i'd (?!like\b|love\b|need\b|have\b|want\b|be\b|first\b|appreciate\b)\w+"
)
_WHEN = lazy_pattern(
    r"\b(?:later|tomorrow|tonight|soon|(?<!and )then|when|once|afterwards|until|as soon as|if|after|remind|"
    r"(?:every|each) (?:day|week|month|morning|evening|night|\w+day)|daily|weekly|"
    r"next (?:time|week|month|year|\w+day|sprint|release)|"
    r"in (?:an? (?:moment|minute|hour|day|week|while)|\w+ (?:minutes|hours|days|weeks))|"
    r"by (?:tomorrow|tonight|noon|the end|\w+day|\d\w*)|on (?:the \d\w*|\w+day|\d\w*)|at \d\w*|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
"""A word of when; in other languages none is looked for, and a promise stays one."""

_WITHIN = lazy_pattern(r"\bwithin (?:\w+ ){1,3}(?:minutes|hours?|days?|weeks?|months?)\b")
_WILL_DO = lazy_pattern(
    r"^\W*(?:(?:yes|ok|okay|sure|noted|understood|fine|good|right|of course|got it)\b[\s,.!:–—-]*)*"
    r"(?:will (?:do|remind|check|send|write|draft|prepare|bring|come back|let you know)|"
    r"i can (?:do|make|write|send|draft|prepare|have) (?:it|that|this|them|those))\b"
)
_YES_OR_NO = lazy_pattern(
    r"^\W*(?:yes|no|yep|yeah|nope|correct|exactly|certainly|definitely|absolutely|"
    r"not (?:really|quite|at all)|it (?:does|is|will|can)|you (?:do|will|can|are)|they (?:do|will|are)|"
    r"ja|nein|oui|non|sí)\b(?=\s*[,.:;!–—-])"
)
_CONSENTS = (
    "yes yep yeah ok okay sure fine gladly certainly course no problem will do then good i of"
)
_LINKS = "on by before after at in over next this the first thing around early late for a an couple and from"
_LATER_TIMES = """
    tomorrow tonight later soon today week weekend month morning afternoon evening night noon lunch
    dinner breakfast hour hours minute minutes day days weeks holidays january february march april may
    june july august september october november december
"""
_BESIDE_TIME = frozenset(f"{_CONSENTS} {_LINKS}".split())
_TIMES = frozenset(_LATER_TIMES.split())
_WEEKDAY = lazy_pattern(rf"{word_lists.WEEKDAY}s?")
_SAYING = (
    "give suggest name propose choose pick tell show find check guess look convert print list say"
)
_SAYS = frozenset(_SAYING.split())
_ANY_TIME = lazy_pattern(
    r"\b(?:when|(?:week)?day|date|month|year|time|hour|slot|deadline|holiday)\b"
)
_PUTTING = "write add put set create make save schedule file"
_NOTES_DOWN = frozenset(_PUTTING.split())
"""What is also said of the errand itself: `I wrote it down`."""
_NOTED = lazy_pattern(r"\b(?:wrote|written|taken|took|put|jotted|got)\b.*\bdown\b")
_POINTERS = frozenset({"it", "that", "this", "them", "him", "her"})


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


def reply_to(
    sentences: Sequence[ParsedSentence], request: str, *, shown: bool = False, begun: bool = False
) -> Reply:
    """What a message with these sentences is to the request before it.

    `shown`: something stands after the last of them, such as code. `begun`: the agent was at it with a
    tool, so that this is what came of it.
    """
    later = not shown and waits_for_later(sentences, request)
    if later or _leaves_errand(sentences, request):
        return Reply(answered=False, deferred=True, promises=True, soon=not later)
    if not sentences:
        return Reply(answered=shown and (begun or not ordered_verb(request)), deferred=False)
    about, verb, much = roots(request), ordered_verb(request), len(sentences) > LONG
    if (bare := _reply_by_consent(sentences, request, verb, shown=shown)) is not None:
        return bare
    refusing = [
        s
        for s in hindering(sentences, about)
        if speech.defers_work(s, aside=much) or _was_stopped(s, verb, much)
    ] or _under_way(sentences, request, verb)
    telling = [s for s in sentences if s not in refusing and _tells(s, verb)]
    # A report needs no name of what it reports; a statement beside a question back does.
    least = 0 if telling and verb else 1
    if refusing and _most_shared(telling, about) < max(_most_shared(refusing, about), least):
        return Reply(answered=False, deferred=True, asks=all(each.asks for each in refusing))
    ends = (s for s in closing(sentences) if not (tells_work(sentences) and waits_for_person(s)))
    if not (verb and telling) and any(
        _promises_later(s, about if verb else frozenset()) for s in ends
    ):
        return Reply(answered=False, deferred=True, promises=True)
    return _reply_by_end(sentences, verb, telling, shown=shown)


def _reply_by_consent(
    sentences: Sequence[ParsedSentence], request: str, verb: str, *, shown: bool
) -> Reply | None:
    """What a message is that says no more than yes, or when; None if it says more."""
    dated = bool(verb) and not _wants_time(request, verb)
    dated = dated and all(map(_only_says_when, sentences))
    begin = unfinished_work.before_guesses(sentences)
    idle = _is_order(request) and (
        unfinished_work.only_consents(begin, request, verb)
        or (len(begin) < len(sentences) and all(map(_only_promises, begin)))
    )
    if not shown and (dated or idle):
        return Reply(answered=False, deferred=True, promises=True, soon=not dated)
    if not shown and unfinished_work.only_takes_up(begin, request):
        return Reply(answered=False, deferred=False)
    wish = _is_order(request) and all(map(unfinished_work.consents, sentences))
    wish = wish or unfinished_work.stands_by(sentences[-1], request, verb)
    wish = wish or (not verb and unfinished_work.takes_in(sentences[-1], request))
    if wish or (verb in unfinished_work.WORDS and given_things.gives_words(sentences, request)):
        return Reply(answered=True, deferred=False)  # it is a wish how to behave; or here it is
    return None


def _reply_by_end(
    sentences: Sequence[ParsedSentence],
    verb: str,
    telling: Sequence[ParsedSentence],
    *,
    shown: bool,
) -> Reply:
    """What a message is to a request by its last sentence."""
    much, last = len(sentences) > LONG, _last_sentence(sentences)
    will = speech.promises(last) or promises_abroad(last)
    if shown and last.text.endswith(_COLONS) and not will:
        return Reply(answered=True, deferred=False)
    yes = _says_yes_or_no(sentences[0]) and not promises_abroad(last)
    if not verb and (yes or _OPINES.match(last.lower)):
        return Reply(answered=True, deferred=False)
    if _plans(last) or promises_abroad(last) or last.text.endswith(_COLONS):
        done = (much or bool(telling)) and not goes_about(last)
        done = done and any(map(_reports_done, sentences))
        asks, dated = waits_for_person(last), _WHEN.search(last.lower)
        at_once = last.text.endswith(_COLONS) or (tells_work(sentences) and (asks or not dated))
        promised = will and not done and not at_once
        soon = promised and not dated and last.text.isascii()
        return Reply(done, promised, asks=asks, promises=promised, soon=soon)
    return Reply(answered=not all(each.asks for each in sentences), deferred=False)


def _only_promises(each: ParsedSentence) -> bool:
    """`I'll look at them.`"""
    return speech.promises(each) and len(each.words) <= BEGINS + 2 and not _offers(each)


def _wants_time(request: str, verb: str) -> bool:
    """`Suggest a day`: is it ordered to say when? Then a time is all of the answer."""
    return verb in _SAYS and _ANY_TIME.search(request.lower()) is not None


def _only_says_when(each: ParsedSentence) -> bool:
    """`On Friday, yes`: nothing but when, and consent. What was ordered is promised for then."""
    rest = [word for word in each.words if word not in _BESIDE_TIME and not word.isdigit()]
    timed = all(word in _TIMES or _WEEKDAY.fullmatch(word) for word in rest)
    return bool(rest) and timed and not each.asks


def _leaves_errand(sentences: Sequence[ParsedSentence], request: str) -> bool:
    """What is only not to be forgotten waits, whatever is said to it, until that very thing is told as done.

    `I've added it to your list` is what most answer.
    """
    errand = speech.errand_of(parse_sentence(request))
    return bool(errand) and not any(_tells_errand(each, errand) for each in sentences)


def _tells_errand(each: ParsedSentence, errand: str) -> bool:
    if not (_reports_done(each) or tells_done(each)) or _NOTED.search(each.lower):
        return False
    verb = parse_sentence(errand).words[0]
    if not (_tells_deed(each, verb) or deed_of(each, verb, by_name=True)):
        return False
    pointed = verb not in _NOTES_DOWN and not each.bag.isdisjoint(_POINTERS)
    return pointed or not (roots(errand) - {root(verb)}).isdisjoint(roots(each.text))


def dated_promise(sentences: Sequence[ParsedSentence]) -> str:
    """What the agent says that it will do, and by when: `I'll refund 20 euros within 5 days`; else empty."""
    for each in closing(sentences):
        dated = _WHEN.search(each.lower) or _WITHIN.search(each.lower)
        if dated and not each.asks and speech.promises(each) and len(roots(each.text)) > 1:
            return "" if waits_for_person(each) or _offers(each) else each.text
    return ""


def _says_yes_or_no(first: ParsedSentence) -> bool:
    """`Yes, I'll refund it`: who asked whether knows now, though it is still to be done."""
    return not first.asks and _YES_OR_NO.match(first.lower) is not None


def _promises_later(each: ParsedSentence, about: frozenset[str]) -> bool:
    """Does it promise that very thing for another time: `Will do on Monday`, `I'll nag you on Friday`?"""
    if each.asks or _WHEN.search(each.lower) is None:
        return False
    if _WILL_DO.match(each.lower):
        return True
    return speech.promises(each) and not about.isdisjoint(roots(each.text))


def _last_sentence(sentences: Sequence[ParsedSentence]) -> ParsedSentence:
    """The last that is no mere manners, put like a plan: `let me know if you need more`."""
    for each in reversed(sentences):
        if not (_offers(each) and speech.plans(each)):
            return each
    return sentences[-1]


def _offers(each: ParsedSentence) -> bool:
    return speech.offers(each) and forms.ASKS_WHICH.search(each.lower) is None


def _plans(each: ParsedSentence) -> bool:
    """Is it about to do something? Who tells another what to do has answered."""
    if not speech.plans(each) or _offers(each) or given_things.thing_given(each.lower):
        return False
    return _ADVICE.match(each.lower) is None and _PROPOSES.match(each.lower) is None


def hands_over(said: Utterance, request: str) -> bool:
    """Is what was asked for given, whenever that was: `Here are the notes for 2.14: …`?"""
    return any(given_things.hands_over(each.lower, request) for each in said.sentences)


def waits_for_person(each: ParsedSentence) -> bool:
    """Is it first the person's turn: `when you have run it, I'll go on with the rest`?"""
    return _YOUR_TURN.search(each.lower) is not None


def _tells(each: ParsedSentence, verb: str) -> bool:
    """Does it answer: report what was ordered, or, to who asks, state anything?"""
    if verb:
        return _reports_done(each) or _tells_deed(each, verb)
    return not each.asks and not _plans(each) and not speech.offers(each)


def _reports_done(each: ParsedSentence) -> bool:
    return speech.reports(each) and not speech.plans(each)


def _most_shared(sentences: Sequence[ParsedSentence], about: frozenset[str]) -> int:
    """How much of the request the sentence speaks of that speaks of it most."""
    return max((len(roots(each.text) & about) for each in sentences), default=0)


def ordered_verb(request: str) -> str:
    """The verb of what is to be done; empty where somebody asks, or wants to know what comes of it."""
    asked = parse_sentence(request)
    if forms.LABEL.match(asked.lower):
        return ""
    polite = _POLITE.search(asked.lower)
    if asked.asks and not polite:
        return ""
    if polite:
        return _verb(polite[1])
    parts = [parse_sentence(part) for part in _SENTENCE.split(request)]
    firm = (p for p in parts if p.orders and p.words[0] not in ("i", "i'd", "we", "we'd"))
    told = [*firm, *(part for part in parts if part.asks or part.orders), *parts][0]
    found = [w for w in told.words if w not in word_lists.OPENINGS and not _HUMS.fullmatch(w)]
    if told.asks or (found[1:2] and found[1] in word_lists.FINITE):
        return ""  # `EXP-2 is wrong` begins with a name
    return _verb(found[0] if found else "")


def _verb(word: str) -> str:
    return "" if word in word_lists.LOOKING or word in word_lists.NO_VERB else word


def _tells_deed(each: ParsedSentence, verb: str) -> bool:
    """Does it tell the ordered deed as done: `Booked.`, `I ordered it`, to `please book`, `order`?"""
    first = (word for word in each.words[:BEGINS] if word.endswith("ed") and word != verb)
    return bool(verb) and any(root(word) == root(verb) for word in first)


def tells_deed(said: Utterance, request: str) -> bool:
    """Is what was ordered told as done by its very verb, and by nothing else: `Booked, seat 14C`?"""
    first = unfinished_work.first_told(said.sentences)
    if first is None or not first.words or not first.words[0].endswith("ed"):
        return False
    return _tells_deed(first, ordered_verb(request))


def _was_stopped(each: ParsedSentence, verb: str, much: bool) -> bool:  # noqa: FBT001 - how much was said
    """Did something stand in the way of what was ordered? To who asked, that is an answer."""
    if not verb:
        return False
    if speech.tells_hindrance(each, aside=much):
        return True
    if not much and _NEEDS.search(each.lower):
        return True
    # `Reverted.` is what was ordered, though it may tell of a failure elsewhere.
    fails = speech.fails(each) and not speech.plans(each)
    return fails and root(verb) in roots(each.text) and not _tells_deed(each, verb)


def _is_order(request: str) -> bool:
    """`Deploy key is rotated` begins with a verb of orders, and tells something."""
    return any(parse_sentence(part).orders for part in _SENTENCE.split(request))


def _under_way(
    sentences: Sequence[ParsedSentence], request: str, verb: str
) -> list[ParsedSentence]:
    """What tells that the ordered deed is not done to the end, if a short reply begins with that."""
    short = verb and len(sentences) <= LONG and not any(map(goes_about, sentences[:-1]))
    first = unfinished_work.first_told(sentences) if short else None
    if first is None or not unfinished_work.is_under_way(first, request, verb):
        return []
    done = not {"nothing", "being"} & {*first.words[:BEGINS]} and _tells_deed(first, verb)
    return [] if done else [first]
