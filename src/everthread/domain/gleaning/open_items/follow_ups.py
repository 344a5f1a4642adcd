"""What a person's next words mean for what she asked before: to go on with it, to leave it, to put it anew.

Nobody says `this request is closed`. She tells that it works, that it was her own mistake, that it can
wait; or she asks for the same in other words, and the first words count no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from everthread.domain.gleaning.roots import root, roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.acts.word_lists import BASE, NO_VERB, OPENINGS, WEEKDAY
from everthread.domain.text.patterns import lazy_pattern

from .agent_replies import ordered_verb, tells_deed
from .put_off_orders import puts_itself_off
from .unfinished_work import is_work

BRIEF = 6
"""Words of a message that says no more than `go on`."""

SHORT = 30
"""Characters of a message that only consents."""

ENOUGH = 2
"""Words in common that tell that two speak of one thing, where either has as many."""

_CONTINUES = phrase_pattern(r"""
    ^\W*(?:(?:ok|okay|yes|yep|yeah|great|good|perfect|please|now|just|and|sure|alright|right|so|(?<=@)(?:agent|workspace|copilot|claude|cursor))\b[\s,.!–—-]*)*(?:continue|go on|go ahead|keep going|keep at it|keep on|carry on|proceed|resume|do it|do that|start|get started|retry|try again|try it again|once more|finish (?:it|that|this)|go for it|next)(?: with (?:it|that|this))?(?: now| please| then)*\W*$
    ^\W*(?:(?:ja|ok|okay|gut|bitte)\b[\s,.!]*)*(?:(?:mach|mache|machen sie|nur|bitte|geh|es geht) )?weiter(?:machen)?(?: bitte)?\W*$
    ^\W*(?:(?:oui|ok|bien|vas-y)\b[\s,.!]*)*(?:continue[rz]?|vas-y|poursuis|reprends)\W*$
    ^\W*(?:(?:sí|si|ok|bien)\b[\s,.!]*)*(?:continúa|continua|sigue|adelante|prosigue)\W*$
""")  # noqa: E501 - a phrase is one line
_SIGNS = lazy_pattern("继续|繼續|続けて|続きを|계속")
_IT = r"(?:it|this|that|these|those|them|everything|things)"
_WE = r"(?:let's|let us|we(?:'ll| will| can| could| should|'d)?|i(?:'ll| will| can|'d)?)"
_LATER = (
    r"(?:later|another time|some other time|tomorrow|tonight|afterwards|down the road|"
    rf"next (?:time|week|month|year|{WEEKDAY})|(?:on|until|till) {WEEKDAY})"
)
_FOR_NOW = (
    r"(?:for (?:now|later|today|tomorrow|the moment|the time being|another (?:time|day)|next \w+)|aside|"
    rf"until \w+|till \w+|{_LATER})"
)
_SPAETER = r"(?:später|morgen|übermorgen|nachher|ein andermal|nächste[nrs]? \w+|am \w+tag)"
_PUTS_OFF = phrase_pattern(rf"""
    {_WE}(?: \w+){{0,2}} (?:do|tackle|handle|fix|address|revisit|return to|come back to|get (?:back )?to|deal with|worry about|look (?:at|into)|think about|talk about|take care of|discuss|sort out|leave|see|finish|decide|postpone|defer)\b(?: [^\s,;.]+){{0,6}} {_LATER}
    ^\W*(?:(?:ok|okay|no|well|and|please|just|actually|but|then|so|now|hm+)\b[\s,.!–—-]*)*(?:do|tackle|handle|fix|leave|save|keep|park|postpone|defer|push|move) (?:{_IT}|(?:the|my|our) [^,;.]+?) (?:{_LATER}|until later|to later)
    (?:leave|skip|drop|park|shelve|forget(?: about)?|ignore|pause|hold off on) (?:{_IT}|(?:the|all|my|our) [^,;.]{{1,60}}?) {_FOR_NOW}
    (?:it|that|this|(?:the|my|our) [^,;.]{{1,60}}?) (?:can|could|may|has to|will have to) wait
    (?:let's|let us|please|we(?:'ll| will| should)?|i(?:'ll| will)?) (?:postpone|defer|put off|hold off on)
    ^\W*(?:no\W+)?not (?:right )?now\W*$
    (?:lassen wir|lass) (?:das|es|die|den)(?: \w+){{0,4}} (?:erst ?mal|vorerst|liegen)
    (?:das|es|die|den)(?: \w+){{0,3}} (?:machen|lösen|klären|angehen|besprechen|schauen) wir(?: \w+){{0,3}} {_SPAETER}
    (?:machen|lösen|klären|besprechen) wir (?:das|es|die|den)(?: \w+){{0,3}} {_SPAETER}
    (?:das|es|die|der) (?:\w+ )?(?:kann|hat) (?:noch )?(?:warten|zeit)
    (?:laisse|laissons|oublie|oublions)(?: \S+){{1,5}} (?:pour l'instant|pour le moment)
    (?:on (?:verra|fera|s'en occupera|le fera|la fera)) (?:ça |cela )?(?:plus tard|demain|la semaine prochaine)
    (?:deja|dejemos|olvida|déja)(?:lo|la)?(?: \S+){{0,5}} (?:por ahora|para (?:luego|después|más tarde|mañana))
    (?:lo (?:vemos|hacemos|haremos|dejamos)) (?:para )?(?:luego|más tarde|después|mañana|la semana que viene|el \w+)
""")  # noqa: E501 - a phrase is one line
_PUTS_OFF_SIGNS = lazy_pattern(
    "先不管|先放着|以后再|稍后再|晚点再|明天再|下周再|後で(?:いい|やる)|また今度|明日(?:に|やる)|"
    "나중에 (?:하|해)|내일 (?:하|해)"
)
_ASIDE = phrase_pattern(rf"""
    (?:leave|skip|drop|park|shelve|forget(?: about)?|ignore|pause|hold off on) (?:{_IT}|(?:the|all|my|our) [^,;.]{{1,60}}?) (?:as it is|as is|as they are|alone|be|like (?:that|this))
    ^\W*(?:nm|nvm|nevermind)\b
    (?:was|is|'s)? ?(?:user error|false alarm|just kidding)
    (?:that|it|this)(?:'s| was| is) (?:my|totally my|all my) (?:bad|mistake|fault|error)
    ^\W*(?:oops\W+|sorry\W+)*my (?:bad|mistake|fault)\b
    (?:i|we)(?:'ve| have)?(?: just| finally| already)* (?:figured (?:it|that|this) out|solved (?:it|that|this)|got (?:it|that|this) (?:working|to work)|fixed (?:it|that|this))
    ^\W*(?:(?:ok|okay|ah|oh|yes|great|perfect|nice|good|cool|thanks|awesome|wait|never ?mind|now)\b[\s,.!–—-]*)*(?:it(?: all)? (?:works?|worked)|(?:that|this)(?: all)? worked|(?:it|that|this)(?:'s| is| was| got)(?: all)? (?:fixed|solved|resolved))(?: now| fine| perfectly| great| again| like a charm)*(?=\W*$|\s*[,;.!–—])
    ^\W*(?:(?:ok|okay|ah|oh|yes|great|perfect|nice|good|cool|thanks|awesome|wait|never ?mind|now)\b[\s,.!–—-]*)*(?:it|that|this)(?:'s| is)?(?: all)? (?:works?|working)(?: now| fine| perfectly| great| again| like a charm)+(?=\W*$|\s*[,;.!–—])
    (?:all|already|now) (?:fixed|solved|resolved|sorted|sorted out)(?: now)?\W*$
    (?:lassen wir|lass) (?:das|es|die|den)(?: \w+){{0,4}} (?:so|sein)
    (?:geht jetzt|funktioniert jetzt|klappt jetzt|mein fehler)
    (?:laisse|laissons|oublie|oublions)(?: \S+){{1,5}} (?:comme ça|tranquille)
    (?:ça marche maintenant|c'est ma faute)
    (?:deja|dejemos|olvida)(?:lo|la)?(?: \S+){{0,5}} así
    (?:ya funciona|fue mi (?:error|culpa))
""")  # noqa: E501 - a phrase is one line
_ASIDE_SIGNS = lazy_pattern("算了|そのままでいい")
_CONSENT = phrase_pattern(r"""
    ^\W*(?:(?:ok|okay|k|yes|yep|yeah|yup|sure|fine|right|alright|good|ja|gut|oui|bien|sí|si|vale|claro)\W*)+$
""")
_CONSENT_SIGNS = lazy_pattern(r"^\W*(?:好的?|嗯+|行|可以|はい|うん|네|응)\W*$")
_FURTHER = lazy_pattern(
    r"^\W*(?:(?:ok|okay|yes|great|good|thanks|perfect|please)\b[\s,.!–—-]*)*(?:(?:and|then|also|next|"
    r"besides|"
    r"in addition|additionally|another|dann|und|außerdem|auch|ensuite|puis|et|aussi|luego|también|y|"
    r"además)\b)|"
    r"^\W*(?:然后|還有|还有|另外|それから|그리고)"
)
"""What begins so comes beside what was asked before."""
_INSTEAD = lazy_pattern(
    r"\b(?:instead|or rather|rather than|i meant?|stattdessen|anstatt|plutôt|à la place|en vez)\b|"
    r"^\W*(?:no|actually|nein|lieber|doch lieber|besser|non|mejor)\b|而是|改成|代わりに|대신"
)
"""What takes the place of what was asked before says so."""
_HERSELF = lazy_pattern(
    r"^\W*(?:(?:ok|okay|hm+|well|good|thanks|sure|yes|no|wait|first|but|and|so)\b[\s,.!–—-]*)*(?:"
    r"let me (?:just |first |quickly )?(?:ask(?! you\b|:| this\b| that\b| again\b| a question)|"
    r"check with|think|sleep on|talk|get back|consult|confirm with|"
    r"find out|see(?=\W*$)|check(?=\W*$| first| that| it| if| whether| my| our| when))\b|"
    r"lass mich (?:kurz |mal |erst )*(?:\w+ ){0,3}(?:fragen|überlegen|nachdenken|nachsehen|"
    r"nachfragen)\b|"
    r"(?:déjame|déjeme) (?:que )?(?:preguntar|pensar|consultar|ver(?=\W*$))\w*|"
    r"laisse-moi (?:\w+ )?(?:demander|réfléchir|vérifier)\b)[^.!?]*\W*$|"
    r"^\W*(?:让我|讓我|我)(?:先)?(?:想想|问问|問問|问一下|想一下|考虑一下)[^。\uff01\uff1f]*\W*$"
)
_POINTS = lazy_pattern(
    r"\b(?:it|that|this|these|those|das|es|ça|cela|lo|eso|esto)\b|dejalo|déjalo|[\u3040-\ud7af]"
)
"""Words that point at what was spoken of last."""
_POLITE = lazy_pattern(
    r"\W*(?:(?:ok|okay|so|and|now|please|hey)\b\W*)*(?:can|could|would) you (?:please )?(?P<deed>\w+)"
)
"""So one orders what was put off before."""
_IN_ITS_PLACE = lazy_pattern(
    r"\b(?:i|we) (?:could|can)\b.*\b(?:instead|in its place)\b|"
    r"\b(?:instead|alternatively),? i (?:could|can)\b|"
    r"\bich (?:könnte|kann) stattdessen\b|\bstattdessen (?:könnte|kann) ich\b"
)
_WORDS_OF_ASIDE = roots(
    "later tomorrow tackle handle revisit address leave skip drop park shelve forget ignore aside alone "
    "moment being today postpone defer pause error user mistake fault false alarm kidding figured solved "
    "fixed works working worked charm fine perfectly sorry oops come look think worry deal discuss "
    "monday tuesday wednesday thursday friday saturday sunday week month year tonight wait talk montag "
    "dienstag mittwoch donnerstag freitag woche morgen nächste warten mañana demain semana semaine "
    "machen später erstmal vorerst fehler geht funktioniert plus tard instant luego ahora después now "
    "table hold thing things everything another time next after afterwards return sort care"
)
"""Words by which something is left, and not what is left."""


def continues(said: Utterance) -> bool:
    """Is it all she says that the agent should go on with what it was at?"""
    words = sum(len(each.words) for each in said.sentences)
    if not said.sentences or words > BRIEF + 2:
        return False
    return any(_goes_on(each) for each in said.sentences)


def _goes_on(each: ParsedSentence) -> bool:
    if len(each.words) <= BRIEF and _CONTINUES.search(each.lower):
        return True
    return not each.text.isascii() and _SIGNS.search(each.text) is not None


def consents(said: Utterance) -> bool:
    """Only `ok`: who says that while somebody works takes nothing back, and has seen no end of it."""
    if len(said.text) > SHORT:
        return False
    return any(form.match(said.text.lower()) for form in (_CONSENT, _CONSENT_SIGNS))


def adds(said: Utterance) -> bool:
    """Does what she says come beside what she said before: `And paint the gate`?"""
    return _FURTHER.match(said.text.lower()) is not None


def she_acts_herself(text: str) -> bool:
    """Is it she who will ask or think: `let me ask Tom`? Nothing is wanted of the agent."""
    return _HERSELF.match(text.lower().replace("’", "'")) is not None


def puts_off(each: ParsedSentence) -> bool:
    """Does she want it another time, so that it stays open?"""
    return _any_of(each, _PUTS_OFF, _PUTS_OFF_SIGNS)


def lays_aside(each: ParsedSentence) -> bool:
    """Does she leave it for good: it was her mistake, it works by now?"""
    return _any_of(each, _ASIDE, _ASIDE_SIGNS) and not puts_off(each)


def _any_of(each: ParsedSentence, form: re.Pattern[str], signs: re.Pattern[str]) -> bool:
    if each.asks:
        return False
    return form.search(each.lower) is not None or (
        not each.text.isascii() and signs.search(each.text) is not None
    )


def is_left(each: ParsedSentence, request: str, *, newest: bool) -> bool:
    """Is it this request that is left? Where she names none, it is the newest."""
    named, wanted = roots(each.text) - _WORDS_OF_ASIDE, roots(request)
    if named and 2 * len(named & wanted) >= len(named):
        return True
    return newest and (not named or _POINTS.search(each.lower) is not None)


def left_failing(said: Utterance, reply: Utterance | None, asked: Iterable[str]) -> list[str]:
    """What she puts off that the agent told that it failed at: `Leave it for now`. It is still to be done."""
    if reply is None or not any(map(puts_off, said.sentences)):
        return []
    if not any(speech.fails(each) or speech.tells_hindrance(each) for each in reply.sentences):
        return []
    return [text for text in asked if not tells_deed(reply, text)]


def takes_instead(said: Utterance, reply: Utterance | None) -> bool:
    """Does she order what the agent offered in place of what it cannot do: `I could list them instead`?"""
    offered = () if reply is None else reply.sentences
    offers = [roots(each.text) for each in offered if _IN_ITS_PLACE.search(each.lower)]
    orders = (roots(each.text) for each in said.sentences if each.orders)
    return any(len(own & one) >= ENOUGH for own in orders for one in offers)


def comes_to(said: Utterance, request: str, now: Iterable[str]) -> bool:
    """Is it told as done by its verb alone: `Booked`? Not where that is asked of another thing `now`."""
    if not tells_deed(said, request):
        return False
    verb = ordered_verb(request)
    return all(ordered_verb(other) != verb for other in now)


def asks_besides(said: Iterable[ParsedSentence]) -> bool:
    """Is something asked for in these? `Wait` and `stop` ask for nothing that could be taken back."""
    return any(
        each.asks or (each.orders and is_work(each.text, ordered_verb(each.text))) for each in said
    )


def asks_anew(order: str, request: str, *, asks: bool, asked: bool) -> bool:
    """Does she ask for the same in other words? A question about an order does not take its place.

    `asks`: is the new one a mere question; `asked`: was the old one?
    """
    again = asked or not asks or _orders_now(order, request)
    return again and speaks_of_same(order, request) and not is_second(order, request)


def _orders_now(order: str, request: str) -> bool:
    """Is it the very deed that she had put off: `can you add it now?`"""
    deed = _POLITE.match(order.lower())
    return deed is not None and puts_itself_off(request) and f" {deed['deed']} " in request.lower()


def is_second(order: str, request: str) -> bool:
    """Is it another one of like wording: does either name what the other does not?

    `Then book …` comes beside what was asked, and `book … instead` in its place.
    """
    lower = order.lower()
    if _INSTEAD.search(lower):
        return False
    new, old = roots(order) - _unnamed_words(), roots(request) - _unnamed_words()
    return bool(new - old) and (bool(old - new) or _FURTHER.match(lower) is not None)


@lru_cache(maxsize=1)
def _unnamed_words() -> frozenset[str]:
    """Verbs of orders and small words: by these alone two requests are not two. Numbers tell them apart."""
    return frozenset(map(root, BASE | NO_VERB | OPENINGS)) - roots(
        "one two three first second third"
    )


def speaks_of_same(one: str, other: str) -> bool:
    """Do both speak of the same: half of what the one names of which less is told?"""
    first, second = roots(one), roots(other)
    shared, least = len(first & second), min(len(first), len(second))
    return shared >= min(ENOUGH, least) and 2 * shared >= least > 0


def is_named(said: Utterance, item: str) -> bool:
    """Does she speak of it?"""
    about = roots(item)
    spoken = frozenset[str]().union(*(roots(each.text) for each in said.sentences))
    return len(about & spoken) >= min(ENOUGH, len(about)) > 0
