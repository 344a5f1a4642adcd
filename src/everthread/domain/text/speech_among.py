"""How people settle something among themselves: one puts it to the others, and another takes it up.

An agent that is asked is told what to do. Between people nobody is: who says `can we make it six?` waits
for a word, and `fine by me` is one. What was settled is dropped as lightly: `scrap the lake`.
"""

from __future__ import annotations

from .patterns import late
from .speech import Heard
from .speech_forms import QUOTATION, forms

FEW = 12
"""Words of a sentence that agrees, whatever else it says."""

TAGS = 4
"""Words of a question that only asks whether the others agree to what was said before it."""

_PUTS = forms(r"""
    (?:can|could|shall|should|may) (?:we|i)
    (?:let's|lets|let us)(?! (?:see|hope|say|face|not forget)\b)
    (?:how|what) about
    what if (?:we|i)
    why (?:don't|not|doesn't) (?:we|i|you)
    (?:i|we)(?:'d| would)(?: rather| really| much| also| happily)? (?:say|suggest|propose|vote|go|like|love|do|take|give|offer|leave|keep|put|make|pay|prefer|swap|ask|start|move|book)
    i (?:say|suggest|propose|vote|reckon|think we|think i)
    we (?:could|should|might|ought)
    (?:my|the) (?:vote|suggestion|proposal|offer|idea) (?:is|would|was|'s)
    (?:sollen|wollen|können|könnten|sollten) wir
    lass(?:t)? uns
    wie (?:wär|wäre)(?:'s|s| es)?
    ich (?:schlage|wäre|bin) (?:\w+ ){0,3}(?:vor|für|dafür)
    was haltet ihr
    (?:et si|si) on
    on (?:pourrait|devrait)
    je propose
    y si
    (?:podríamos|deberíamos|propongo|qué tal si)
""")  # noqa: E501 - a phrase is one line
_TAG = late(
    r"\b(?:ok(?:ay)?|agreed?|deal|fine|right|yes|thoughts|objections?|against|opposed|happy|good|cool|works?|"
    r"all right|alright|in favou?r|einverstanden|okay|recht|passt|dagegen|d'accord|ça va|de acuerdo|vale)\b"
)
_CALLS = late(
    r"\b(?:any(?:one|body)|objections?|unless (?:any|some)(?:one|body)|speak now|shout (?:if|now)|"
    r"jemand|einwände|quelqu'un|alguien)\b"
    r".{0,30}\b(?:against|object\w*|oppos\w*|mind\w*|disagree\w*|shout\w*|else|dagegen|contre|contra)\b"
    r"|\b(?:any )?objections\b|\bspeak now\b"
)
"""Who asks so has settled it, unless somebody speaks up."""

_AGREES = forms(r"""
    ^\W*(?:(?:oh|ah|well|hm+|haha|lol|right|ok|and|so|then|na|also)\b[\s,.!–—-]*)*(?:yes|yep|yeah|yup|yea|aye|ok|okay|sure|agreed?|deal|fine|perfect|great|brilliant|lovely|works|same|seconded|sold|exactly|definitely|absolutely|ja|jo|klar|gern|gerne|passt|einverstanden|genau|abgemacht|oui|d'accord|sí|si|vale|claro|hecho|sim|va bene)
    ^\W*(?:(?:yes|ok|okay|oh|well|fine|then|please|ja)\b[\s,.!–—-]*)*(?:go (?:on|ahead|for (?:it|that))|do (?:it|that|so)|book (?:it|that|them)|say yes|count me in|good (?:idea|plan|call)|fair enough|sounds (?:good|great|fine|right|like a plan)|no objections?|suits me|all for it|let's do (?:it|that|this)|let's|i second|me too|us too|of course|why not|mach (?:das|es|mal)|von mir aus|ça marche|adelante)
    ^\W*done(?=\W*$|[.!,])
    (?:i'm|im|we're|i am) (?:in|for it|for that|happy with|fine with|ok with|okay with|good with|up for|sold|not against|all for)
    (?:fine|ok|okay|good|great|alright|all right|cool|recht) (?:by|with|for|für) (?:me|us|mich|uns)
    (?:work|do)(?:s)? for (?:me|us)
    (?:i|we)(?:'d| would| can| could)? (?:agree|live with|defend|vote for)
    (?:i|we|i'd|we'd) (?:like|love|take) (?:it|that|this)(?=\W*$|[.!,])
    (?:is|are|'s|'re|be|sounds?) (?:fine|ok|okay|good|great|perfect|lovely|right|alright)\W*$
    [\w£$€.,]+ (?:yes|ok|okay|fine|ja)\W*$
    you (?:have|win|got) (?:a deal|it)
""")  # noqa: E501 - a phrase is one line
_SIGNS = late("👍|👌|✅|🙌|💯|^\\s*\\+1\\b")
_AGAINST = late(
    r"\b(?:no|nope|not|never|don't|dont|do not|won't|can't|cannot|isn't|wouldn't|against|instead|rather|"
    r"unless|nein|nicht|kein\w*|non|pas)\b"
)
_TAKES_SOME = late(r"^\W*(?:yes|ok|okay|fine|agreed|ja|oui|sí)\b.{0,40}?\b(?:to|but|if|for)\b")

_LED = r"^\W*(?:(?:ok(?:ay)?|oh|so|well|right|and|but|then|actually|no|hm+|sorry|yes|also)\b[\s,.!–—-]*)*"
_WE = (
    r"(?:(?:let's|lets|please|just|we|i|we'll|i'll|we will|we can|we should|we may as well|we might as well|"
    r"i'd|i would|you can|can we|time to|i say)\s+)*"
)
_ENDS = r"(?=\W*$|[,;.:–—(]| now\b| then\b| for (?:now|good)\b| after all\b| again\b| because\b| since\b)"
_DROPS = forms(rf"""
    {_LED}{_WE}(?:scrap|ditch|bin|shelve|abandon|call off|forget about|forget|scratch|axe) (?:the|that|this|my|our|all|any|about)
    {_LED}{_WE}(?:drop|cancel|kill|park|leave|skip) (?:the|that|this|our|my) (?:[\w'-]+ ){{0,3}}(?:idea|plan|thought|thing|business|trip|party)
    {_LED}let's (?:not|skip|leave out)(?! (?:forget|worry|rush|pretend|argue)\b)
    (?:is|are|'s|'re) (?:now |all |officially )?(?:off|dead|scrapped|cancelled|canceled|dropped|shelved|binned|called off|not happening|no longer happening|history|off the table|not on any ?more){_ENDS}
    (?:so )?no (?:more )?[\w'&-]+(?: [\w'&-]+){{0,3}}? (?:after all|any ?more|any longer)
    (?:not|no longer|aren't|isn't) (?:doing|going(?: with| to| ahead with)?|having|taking|using|bothering with|buying|booking|getting) [^,.;]{{2,60}}?(?:any ?more|any longer|after all)
    (?:no point|not worth it|no need)\b[^.;]{{0,60}}\b(?:any ?more|any longer|now|after all)
    changed (?:my|our) mind (?:about|on)
    {_LED}{_WE}(?:withdraw|take back) (?:the|that|my|our)
    (?:fällt|fallen)\b[^.;]{{0,40}}\b(?:aus|weg|flach)
    (?:lassen wir|streichen wir|streich|vergesst|vergessen wir|vergiss) (?:das|den|die|es|mal)
    doch (?:nicht|kein\w*|lieber nicht)
    (?:ist|sind) (?:abgesagt|gestrichen|vom tisch|gestorben)
    on (?:laisse tomber|annule|oublie)
    (?:cancelamos|olvidemos|olvidamos|descartamos)
""")  # noqa: E501 - a phrase is one line
_BREAKS = (",", ";", "–", "—", ":", ". ")
_IF = late(r"\b(?:if|unless|when|wenn|falls|si)\b")


def puts(said: Heard) -> bool:
    """Does somebody put something to the others, so that they may agree?"""
    return _PUTS.search(QUOTATION.sub("it", said.lower)) is not None or tags(said)


def tags(said: Heard) -> bool:
    """`Ok?`, `anyone against?`: the question whether the others agree to what was said before it."""
    few = len(said.words) <= TAGS
    return said.asks and (calls(said) or (few and _TAG.search(said.lower) is not None))


def calls(said: Heard) -> bool:
    """Does somebody who has settled it ask for objections?"""
    return len(said.words) <= 2 * TAGS and _CALLS.search(said.lower) is not None


def agrees(said: Heard) -> bool:
    """Does somebody take up what another put to the rest?"""
    if said.asks or len(said.words) > FEW:
        return False
    if not said.text.isascii() and _SIGNS.search(said.text):
        return True
    if _AGREES.search(said.lower) is None:
        return _SIGNS.match(said.text) is not None
    return _AGAINST.search(said.lower) is None or _TAKES_SOME.match(said.lower) is not None


def dropped(said: Heard) -> str:
    """What is to be no more, in the words that name it; empty where nothing is dropped."""
    if said.asks:
        return ""
    found = _DROPS.search(said.lower)
    if found is None or _IF.search(said.lower[: found.start()]):
        return ""
    lower = said.lower
    start = max(
        (at for sign in _BREAKS if (at := lower.rfind(sign, 0, found.start())) >= 0), default=-1
    )
    ends = [at for sign in _BREAKS if (at := lower.find(sign, found.end())) >= 0]
    return lower[start + 1 : min(ends, default=None)]
