"""What a person's next words mean for what she asked before: to go on with it, to leave it, to put it anew.

Nobody says `this request is closed`. She tells that it works, that it was her own mistake, that it can
wait; or she asks for the same in other words, and the first words count no more.
"""

from __future__ import annotations

from everthread.domain.text.patterns import late
from everthread.domain.text.speech import Heard
from everthread.domain.text.speech_forms import forms

from .roots import roots
from .said import Said

BRIEF = 6
"""Words of a message that says no more than `go on`."""

ENOUGH = 2
"""Words in common that tell that two speak of one thing, where either has as many."""

_CONTINUES = forms(r"""
    ^\W*(?:(?:ok|okay|yes|yep|yeah|great|good|perfect|please|now|just|and|sure|alright|right|so)\b[\s,.!–—-]*)*(?:continue|go on|go ahead|keep going|keep at it|keep on|carry on|proceed|resume|do it|do that|start|get started|retry|try again|try it again|once more|finish (?:it|that|this)|go for it|next)(?: with (?:it|that|this))?(?: now| please| then)*\W*$
    ^\W*(?:(?:ja|ok|okay|gut|bitte)\b[\s,.!]*)*(?:(?:mach|mache|machen sie|nur|bitte|geh|es geht) )?weiter(?:machen)?(?: bitte)?\W*$
    ^\W*(?:(?:oui|ok|bien|vas-y)\b[\s,.!]*)*(?:continue[rz]?|vas-y|poursuis|reprends)\W*$
    ^\W*(?:(?:sí|si|ok|bien)\b[\s,.!]*)*(?:continúa|continua|sigue|adelante|prosigue)\W*$
""")  # noqa: E501 - a phrase is one line
_SIGNS = late("继续|繼續|続けて|続きを|계속")
_IT = r"(?:it|this|that|these|those|them|everything|things)"
_WE = r"(?:let's|let us|we(?:'ll| will| can| could| should|'d)?|i(?:'ll| will| can|'d)?)"
_LATER = r"(?:later|another time|some other time|tomorrow|next time|afterwards|down the road)"
_FOR_NOW = (
    r"(?:for (?:now|later|today|the moment|the time being|another (?:time|day))|aside|as it is|as is|"
    r"as they are|alone|be|like (?:that|this))"
)
_ASIDE = forms(rf"""
    {_WE}(?: \w+){{0,2}} (?:do|tackle|handle|fix|address|revisit|return to|come back to|get (?:back )?to|deal with|worry about|look (?:at|into)|think about|take care of|discuss|sort out|leave|see)\b(?: [^\s,;.]+){{0,6}} {_LATER}
    ^\W*(?:(?:ok|okay|no|well|and|please|just|actually|but|then|so|now|hm+)\b[\s,.!–—-]*)*(?:do|tackle|handle|fix|leave|save|keep|park|postpone|defer|push|move) (?:{_IT}|(?:the|my|our) [^,;.]+?) (?:{_LATER}|until later|to later)
    (?:leave|skip|drop|park|shelve|forget(?: about)?|ignore|pause|hold off on) (?:{_IT}|(?:the|all|my|our) [^,;.]{{1,60}}?) {_FOR_NOW}
    ^\W*(?:no\W+)?not (?:right )?now\W*$
    ^\W*(?:nm|nvm|nevermind)\b
    (?:was|is|'s)? ?(?:user error|false alarm|just kidding)
    (?:that|it|this)(?:'s| was| is) (?:my|totally my|all my) (?:bad|mistake|fault|error)
    ^\W*(?:oops\W+|sorry\W+)*my (?:bad|mistake|fault)\b
    (?:i|we)(?:'ve| have)?(?: just| finally| already)* (?:figured (?:it|that|this) out|solved (?:it|that|this)|got (?:it|that|this) (?:working|to work)|fixed (?:it|that|this))
    ^\W*(?:(?:ok|okay|ah|oh|yes|great|perfect|nice|good|cool|thanks|awesome|wait|never ?mind|now)\b[\s,.!–—-]*)*(?:it|that|this)(?:'s| is)?(?: all)? (?:works?|working|worked|fixed|solved|resolved)(?: now| fine| perfectly| great| again| like a charm)*\W*(?:$|[,;.!–—])
    (?:all|already|now) (?:fixed|solved|resolved|sorted|sorted out)(?: now)?\W*$
    (?:lassen wir|lass) (?:das|es|die|den)(?: \w+){{0,4}} (?:erst ?mal|vorerst|so|sein|liegen)
    (?:das|es|die|den)(?: \w+){{0,3}} (?:machen|lösen|klären|angehen) wir(?: \w+){{0,2}} (?:später|morgen|ein andermal)
    (?:geht jetzt|funktioniert jetzt|klappt jetzt|mein fehler)
    (?:laisse|laissons|oublie|oublions)(?: \S+){{1,5}} (?:pour l'instant|pour le moment|comme ça|tranquille)
    (?:on (?:verra|fera|s'en occupera)) (?:ça |cela )?plus tard
    (?:ça marche maintenant|c'est ma faute)
    (?:deja|dejemos|olvida)(?:lo|la)?(?: \S+){{0,5}} (?:por ahora|así|para (?:luego|después|más tarde))
    (?:lo (?:vemos|hacemos|haremos)) (?:luego|más tarde|después|mañana)
    (?:ya funciona|fue mi (?:error|culpa))
""")  # noqa: E501 - a phrase is one line
_ASIDE_SIGNS = late(
    "先不管|先放着|以后再说|稍后再|算了|後で(?:いい|やる)|そのままでいい|나중에 (?:하|해)"
)
_POINTS = late(
    r"\b(?:it|that|this|these|those|das|es|ça|cela|lo|eso|esto)\b|dejalo|déjalo|[\u3040-\ud7af]"
)
"""Words that point at what was spoken of last."""
_WORDS_OF_ASIDE = roots(
    "later tomorrow tackle handle revisit address leave skip drop park shelve forget ignore aside alone "
    "moment being today postpone defer pause error user mistake fault false alarm kidding figured solved "
    "fixed works working worked charm fine perfectly sorry oops come look think worry deal discuss "
    "machen später erstmal vorerst fehler geht funktioniert plus tard instant luego ahora después now "
    "table hold thing things everything another time next after afterwards return sort care"
)
"""Words by which something is left, and not what is left."""


def continues(said: Said) -> bool:
    """Is it all she says that the agent should go on with what it was at?"""
    words = sum(len(each.words) for each in said.sentences)
    if not said.sentences or words > BRIEF + 2:
        return False
    return any(_goes_on(each) for each in said.sentences)


def _goes_on(each: Heard) -> bool:
    if len(each.words) <= BRIEF and _CONTINUES.search(each.lower):
        return True
    return not each.text.isascii() and _SIGNS.search(each.text) is not None


def lays_aside(each: Heard) -> bool:
    """Does she leave it: it can wait, it was her mistake, it works by now?"""
    if each.asks:
        return False
    if _ASIDE.search(each.lower):
        return True
    return not each.text.isascii() and _ASIDE_SIGNS.search(each.text) is not None


def left(each: Heard, request: str, *, newest: bool) -> bool:
    """Is it this request that is left? Where she names none, it is the newest."""
    named, wanted = roots(each.text) - _WORDS_OF_ASIDE, roots(request)
    if named and 2 * len(named & wanted) >= len(named):
        return True
    return newest and (not named or _POINTS.search(each.lower) is not None)


def anew(order: str, request: str, *, asks: bool, asked: bool) -> bool:
    """Does she ask for the same in other words? A question about an order does not take its place.

    `asks`: is the new one a mere question; `asked`: was the old one?
    """
    return (asked or not asks) and akin(order, request)


def akin(one: str, other: str) -> bool:
    """Do both speak of the same: half of what the one names of which less is told?"""
    first, second = roots(one), roots(other)
    shared, least = len(first & second), min(len(first), len(second))
    return shared >= min(ENOUGH, least) and 2 * shared >= least > 0


def named_in(said: Said, item: str) -> bool:
    """Does she speak of it?"""
    about = roots(item)
    spoken = frozenset[str]().union(*(roots(each.text) for each in said.sentences))
    return len(about & spoken) >= min(ENOUGH, len(about)) > 0
