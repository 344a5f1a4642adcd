"""How people settle something among themselves: one puts it to the others, and another takes it up.

An agent that is asked is told what to do. Between people nobody is: who says `can we make it six?` waits
for a word, and `fine by me` is one. What was settled is dropped as lightly: `scrap the lake`.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from .sentence_forms import QUOTATION, phrase_pattern
from .speech import ParsedSentence

FEW = 12
"""Words of a sentence that agrees, whatever else it says."""

NAMING = 6
"""Words of one that agrees by what it names: `58 yes`, `Ok, the ferry then`."""

TAGS = 4
"""Words of a question that only asks whether the others agree to what was said before it."""

_PUTS = phrase_pattern(r"""
    (?:can|could|shall|should|may) (?:we|i)
    (?:let's|let us|(?:(?<=^)|(?<=[,;:.] )|(?<=so )|(?<=then )|(?<=ok ))lets)(?! (?:see|hope|say|face|not forget|keep in touch|talk (?:soon|again|later))\b)
    (?:how|what) about(?! (?:you|yours?|that|it|them|him|her)\b)
    what if (?:we|i)
    why (?:don't|not|doesn't) (?:we|i|you)
    i(?:'d| would)(?: rather| really| much| also| happily)? (?:say|suggest|propose|vote|go|like|love|do|take|give|offer|leave|keep|put|make|pay|prefer|swap|ask|start|move|book)
    we(?:'d| would) (?:rather|say|suggest|propose|vote|prefer|like to|love to)
    i (?:(?:say|reckon|think|guess) (?:we|let's|lets)|suggest|propose|vote)
    we (?:could|should|might|ought to)(?! (?:have|be)\b)
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
_TAG = lazy_pattern(
    r"\b(?:ok(?:ay)?|agreed?|deal|fine|right|yes|thoughts|objections?|against|opposed|happy|good|cool|works?|"
    r"all right|alright|in favou?r|einverstanden|okay|recht|passt|dagegen|d'accord|ça va|de acuerdo|vale)\b"
)
_AFTER = lazy_pattern(r"\w\s*[,;:–—-]\s*[\w' ]+\?\W*$")
_CALLS = lazy_pattern(
    r"\b(?:any(?:one|body)|objections?|unless (?:any|some)(?:one|body)|speak now|shout (?:if|now)|"
    r"jemand|einwände|quelqu'un|alguien)\b"
    r".{0,30}\b(?:against|object\w*|oppos\w*|mind\w*|disagree\w*|shout\w*|else|dagegen|contre|contra)\b"
    r"|\b(?:any )?objections\b|\bspeak now\b"
)
"""Who asks so has settled it, unless somebody speaks up."""

_OPENS = r"^\W*(?:(?:oh|ah|well|hm+|haha|lol|right|ok|okay|and|so|then|na|also)\b[\s,.!–—-]*)*"
_STOPS = r"(?=\W*$|[.!,;:–—]| (?:then|and|too|from me|for me|now|please|thanks)\b)"
_AGREES = phrase_pattern(rf"""
    {_OPENS}(?:yes|yep|yeah|yup|yea|aye|agreed?|deal|seconded|sold|ja|jo|einverstanden|abgemacht|oui|d'accord|sí|sim|va bene)
    ^\W*(?:(?:yes|ok|okay|oh|well|fine|great|perfect|lovely|sure|then|please|ja)\b[\s,.!–—-]*)*(?:go (?:on|ahead)|why not|of course|me too|us too|let's|i second|do (?:it|that|so)|say yes|suits me|all for it){_STOPS}
    ^\W*(?:(?:yes|ok|okay|oh|well|fine|great|perfect|lovely|sure|then|please|ja)\b[\s,.!–—-]*)*(?:go for (?:it|that)|book (?:it|that|them)|count me in|(?:good|great|nice|lovely) (?:idea|plan|call)|fair enough|sounds (?:good|great|fine|right|like a plan)|no objections?|let's do (?:it|that|this)|mach (?:das|es|mal)|von mir aus|ça marche|adelante)
    ^\W*done(?=\W*$|[.!,])
    (?:i'm|im|we're|i am) (?:in(?=\W*$|[.!,]| too\b)|for it|for that|happy with|fine with|ok with|okay with|good with|up for|sold|not against|all for)
    (?:fine|ok|okay|good|great|alright|all right|cool|recht) (?:by|with|for|für) (?:me|us|mich|uns)
    (?:work|do)(?:s)? for (?:me|us)
    (?:i|we)(?:'d| would| can| could)? (?:agree|live with|defend|vote for)
    (?:i|we|i'd|we'd) (?:like|love|take) (?:it|that|this)(?=\W*$|[.!,])
    (?:that|it|this|which)(?:'s| is| sounds?| would be) (?:fine|ok|okay|good|great|perfect|lovely|right|alright)\W*$
    you (?:have|win|got) (?:a deal|it)
    {_OPENS}(?:ok|okay|sure|fine|klar|gern)\s*[,.!–—-]+\s*(?:i|we)(?:'ll| will| can| could| take| do)
    {_OPENS}(?:ok|okay|sure|fine|perfect|great|brilliant|lovely|works|same|exactly|definitely|absolutely|klar|gern|gerne|passt|genau|si|vale|claro|hecho)(?:\W+(?:ok|okay|sure|fine|perfect|great|cool|then|thanks?|thx|thank you|thing|all|everyone|here|too|from|for|by|with|me|us|it|that|this|one))*(?:\W*$|[\s,]+(?:if|but|to)\b)
""")  # noqa: E501 - a phrase is one line
_NAMES = phrase_pattern(rf"""
    {_OPENS}(?:ok|okay|sure|fine|perfect|great|brilliant|lovely|works|definitely|absolutely|klar|gern|gerne|passt|vale|claro)
    (?:is|are|'s|'re|be|sounds?) (?:fine|ok|okay|good|great|perfect|lovely|right|alright)\W*$
    [\w£$€.,]+ (?:yes|ok|okay|fine|ja)\W*$
""")
"""So one agrees too, but so one begins any other sentence: it counts where it names what was proposed."""
_SETTLES = lazy_pattern(
    r"^\W*(?:the )?[^\s,.;:!]\S*(?: [^\s,;:!]+){0,3} (?:yes|ok|okay|fine|ja|works|"
    r"(?:works|fine|good|ok) (?:for|by|with) (?:me|us)|suits (?:me|us)|is (?:fine|ok|okay)|it is)\W*$"
)
"""So somebody settles what was only mentioned, or asked: by naming it first."""
_SIGNS = lazy_pattern("👍|👌|✅|🙌|💯|^\\s*\\+1\\b")
_AGAINST = lazy_pattern(
    r"\b(?:no|nope|not|never|don't|dont|do not|won't|can't|cannot|isn't|wouldn't|against|instead|rather|"
    r"unless|nein|nicht|kein\w*|non|pas)\b"
)
_COUNTERS = lazy_pattern(
    r"\b(?:prefer|better|too (?:expensive|dear|late|early|far|much|long|many)|maybe|perhaps|depends|not sure|"
    r"let me (?:check|think|see|ask|look)|have to (?:check|think|see|ask)|zu (?:teuer|spät|früh|weit))\b"
)
"""Whoever says so has something else in mind, or has not made it up yet."""
_TAKES_SOME = lazy_pattern(
    r"^\W*(?:yes|ok|okay|fine|agreed|ja|oui|sí)\b.{0,40}?\b(?:to|but|if|for)\b"
)

_LED = r"^\W*(?:(?:ok(?:ay)?|oh|so|well|right|and|but|then|actually|no|hm+|sorry|yes|also)\b[\s,.!–—-]*)*"
_WE = (
    r"(?:(?:let's|lets|please|just|we|i|we'll|i'll|we will|we can|we should|we may as well|we might as well|"
    r"i'd|i would|you can|can we|time to|i say)\s+)*"
)
_PLANS = (
    r"\b(?:idea|plan|plans|deal|trip|tour|party|meeting|dinner|lunch|wedding|holidays?|visit|date|event|project|"
    r"weekend|move|sale|flight|hike|picnic|concert|game|match|celebration|outing|booking|reservation|excursion)"
)
"""What takes place, or not; a heater that is off, and Tom, who is off today, take nothing with them."""
_ENDS = r"(?=\W*$|[,;.:–—(]| now\b| then\b| for (?:now|good)\b| after all\b| again\b| because\b| since\b)"
_DROPS = phrase_pattern(rf"""
    {_LED}{_WE}(?:scrap|ditch|bin|shelve|abandon|call off|forget about|(?<!\bi )(?<!\bwe )forget|scratch|axe) (?:the|that|this|my|our|all|any|about)
    {_LED}{_WE}(?:drop|cancel|kill|park|leave|skip) (?:the|that|this|our|my) (?:[\w'-]+ ){{0,3}}(?:idea|plan|thought|thing|business|trip|party)
    {_LED}let's (?:not|skip|leave out)(?! (?:forget|worry|rush|pretend|argue|to|ahead|over)\b)(?!.*\b(?:before|until|till|yet|today|tonight|tomorrow|this|now)\b)
    (?:is|are|'s|'re) (?:now |all |officially )?(?:scrapped|cancelled|canceled|dropped|shelved|binned|called off|not happening|no longer happening|off the table){_ENDS}
    {_PLANS}(?: [\w'-]+){{0,3}}(?: is| are|'s) (?:now |all |officially )?(?:off|dead|history|not on any ?more){_ENDS}
    {_LED}no [\w'&-]+(?: [\w'&-]+){{0,3}}? after all
    (?:not|no longer|aren't|isn't) (?:doing|going(?: with| to| ahead with)?|having|taking|using|bothering with|buying|booking|getting) [^,.;]{{2,60}}?(?:any ?more|any longer|after all)
    (?:no point|not worth it|no need)\b[^.;]{{0,60}}\b(?:any ?more|any longer|now|after all)
    changed (?:my|our) mind (?:about|on)
    {_LED}(?!(?:i|we|he|she|they|it|that|who|nobody|somebody)\b)[\w'-]+(?: [\w'-]+)?(?: has| have)?(?: just)? (?:cancell?ed(?= *(?:$|[,.;!]| on us))|backed out|dropped out|pulled out|bailed(?: on us)?|fell through|can't make it|isn't available|is unavailable)\b
    {_LED}{_WE}(?:withdraw|take back) (?:the|that|my|our)
    (?:fällt|fallen)\b[^.;]{{0,40}}\b(?:aus|weg|flach)
    (?:lassen wir|streichen wir|streich|vergesst|vergessen wir|vergiss) (?:das|den|die|es|mal)
    doch (?:nicht|kein\w*|lieber nicht)
    (?:ist|sind) (?:abgesagt|gestrichen|vom tisch|gestorben)
    on (?:laisse tomber|annule|oublie)
    (?:cancelamos|olvidemos|olvidamos|descartamos)
""")  # noqa: E501 - a phrase is one line
_BREAKS = (",", ";", "–", "—", ":", ". ")
_IF = lazy_pattern(r"\b(?:if|unless|when|wenn|falls|si)\b")


def puts(said: ParsedSentence) -> bool:
    """Does somebody put something to the others, so that they may agree?"""
    return _PUTS.search(QUOTATION.sub("it", said.lower)) is not None or asks_consent(said)


def asks_consent(said: ParsedSentence) -> bool:
    """`Ok?`, `anyone against?`: the question whether the others agree to what was said before it."""
    few = len(said.words) <= TAGS
    return said.asks and (asks_objections(said) or (few and _TAG.search(said.lower) is not None))


def only_asks_consent(said: ParsedSentence) -> bool:
    """Is it such a question and no more? Alone it puts nothing to anybody: `You ok?` asks how she is."""
    return asks_consent(said) and len(said.words) <= TAGS and _AFTER.search(said.lower) is None


def asks_objections(said: ParsedSentence) -> bool:
    """Does somebody who has settled it ask for objections?"""
    return len(said.words) <= 2 * TAGS and _CALLS.search(said.lower) is not None


def agrees(said: ParsedSentence) -> bool:
    """Does somebody take up what another put to the rest, whatever that was?"""
    if said.asks or len(said.words) > FEW or _COUNTERS.search(said.lower):
        return False
    if not said.text.isascii() and _SIGNS.search(said.text):
        return True
    if _AGREES.search(said.lower) is None:
        return _SIGNS.match(said.text) is not None
    return _AGAINST.search(said.lower) is None or _TAKES_SOME.match(said.lower) is not None


def accepts(said: ParsedSentence) -> bool:
    """May it agree, if it names what was put to the rest? `Ok, the ferry then`, `Saturday is fine`."""
    if said.asks or len(said.words) > NAMING or _NAMES.search(said.lower) is None:
        return False
    return _AGAINST.search(said.lower) is None and _COUNTERS.search(said.lower) is None


def settles_it(said: ParsedSentence) -> bool:
    """Does it name something, and say yes to that? `58 yes`, `Ten past six works for me`."""
    return len(said.words) <= NAMING + 2 and _SETTLES.match(said.lower) is not None


def dropped_plan(said: ParsedSentence) -> str:
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
