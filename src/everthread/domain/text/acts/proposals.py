"""Who chose: what an agent settles and what it only proposes, and whether a person consents."""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from . import speech
from . import word_lists as words
from .reports import names_something
from .sentence_forms import phrase_pattern
from .speech import ParsedSentence

FEW = 8
"""Words of a sentence that does nothing but consent."""

_CHOSEN = phrase_pattern(r"""
    (?:i|we)(?:'ve| have)?(?: also| now| just| therefore)* (?:decided|chose|chosen|opted|settled|agreed|concluded|picked|switched|adopted|went with|stuck with)
    (?:i|we)(?:'ll| will|'m going to|'re going to| am going to| are going to|'re gonna) (?:use|go with|stick (?:with|to)|adopt|switch to|keep|stay with|rely on|store|drop|skip)
    (?:i|we)(?:'m|'re| am| are) (?:going|sticking|staying) with
    let'?s (?:use|go with|stick (?:with|to)|keep|adopt|switch to|drop|skip)
    (?:i'll|i will|we'll|we will|let'?s|let us)\b.*(?:instead of|rather than)
    (?:instead of|rather than)\b.*(?:i'll|i will|we'll|we will|let'?s|let us)
    (?:the|our|my) decision (?:is|was)(?:,| to| that)
    decision:
    ^\W*(?:(?:ok|okay|good|great|right|so|then)\b[\s,.!–—-]*)*(?:decided|agreed|settled|chosen|entschieden|décidé|decidido)\**:
    (?:wir|ich) (?:nehmen|nehme|verwenden|verwende|bleiben bei|bleibe bei)
    (?:habe|haben)\b.*entschieden
    (?:on va|nous allons) (?:utiliser|garder)
    (?:on a|nous avons|j'ai) (?:décidé|choisi)
    (?:hemos decidido|usaremos|he decidido)
""")  # noqa: E501 - a phrase is one line
"""Somebody who speaks of himself, and a verb of choosing."""

_RECOMMENDS = phrase_pattern(r"""
    (?:i|we)(?:'d| would)(?: also| rather| strongly| probably| personally)* (?:recommend|suggest|propose|go with|go for|do|use|pick|choose|lean|keep|stick|prefer)
    (?:i|we)(?: strongly| still| personally)* (?:recommend|suggest|propose)
    (?:my|our|the) (?:recommendation|suggestion|proposal|advice)
    (?:best|right|simplest|cleanest|better|safest) (?:approach|option|choice|solution) (?:is|would be|here)
    (?:ich|wir) (?:würden?|empfehlen?|schlagen?)
    (?:je|nous) (?:recommand\w+|propos\w+|suggér\w+|suggèr\w+)
    (?:recomiendo|recomendamos|propongo|proponemos|sugiero|sugerimos)
""")  # noqa: E501 - a phrase is one line
_COULD = phrase_pattern(r"""
    (?:we|you|i)(?: probably| also)? (?:could|should|might|may want to|may)(?: also| probably| just)? (?:use|go|do|keep|adopt|switch|drop|skip|store|rely|stick|pick|choose|move)
    (?:best|right|simplest|cleanest|better|safest) way (?:is|would be|here)
    would be (?:the )?(?:best|better|cleaner|simpler|safer|easier)
""")  # noqa: E501 - a phrase is one line
_HINTS = """
    recommend recommendation suggest suggestion propose proposal advice preference could should might may
    would i'd we'd best right simplest cleanest better safest würde würden empfehle empfehlen schlage
    schlagen recommande recommandons proposons suggère recomiendo recomendamos propongo proponemos
    sugiero sugerimos
"""
_PROPOSING = frozenset(_HINTS.split())
_PROPOSED_SIGNS = lazy_pattern("建议|建議|推荐|推薦|提案|お勧め|おすすめ|추천|제안")
_DECLINES = phrase_pattern(r"""
    we (?:really |actually |definitely )?(?:do(?:n't| not)|no longer)(?: \w+ly)? (?:want|need)
    i (?:really |definitely |actually )?(?:don't|do not) want (?:an?|any|the|our|my) (?!(?:trouble|fights?|arguments?|fuss|drama|problems?|hassle|surprises?|rows?|lecture|mess|situation|repeat|case|world|day|others?|rest|reader|user|wrong|impression|\w+ (?:to|who|that|where|when|being)|\w+ \w+ (?:to|who|that))\b)\w+
    we (?:only|just|really only) (?:want|need|support)
    there(?:'s| is) no need (?:to|for)
    (?:i|we)(?: will not| won't|'ll not) (?:accept|use|need|have|take|allow)
    wir (?:brauchen|wollen) (?:\w+ ){0,3}(?:kein\w*|nicht|nur)
    (?:on|nous) (?:n'a|n'avons|ne veut|ne voulons) (?:\w+ )?(?:pas|plus|que)
    no (?:necesitamos|queremos)
""")  # noqa: E501 - a phrase is one line
"""What is not to be, or the one thing that is."""
_WANTS_NONE = phrase_pattern(r"""
    ich (?:will|möchte|brauche) (?:(?:das|es|hier|da|dort) )?(?:keine?[nrm]? \w+|nicht,? dass?)
    (?:no quiero|я не хочу) \w+
""")
"""The same, in languages where who does not want something reads as who orders."""
_NAYS = frozenset(("kein", "keine", "keinen", "keiner", "keinem", "nicht", "no", "не"))
_VAGUE = lazy_pattern(
    r"\b(?:an? |the )?(?:different|another|new|better|simpler|similar|other)(?: [\w-]+){0,2}? "
    r"(?:approach|way|method|solution|strategy|technique)\b"
)
"""A way that is not named."""

_TAKEN = lazy_pattern(
    r"\b(?:noted|understood|got it|gotcha|acknowledged|roger|will do|of course|certainly|thanks?(?: you)?|"
    r"verstanden|notiert|alles klar|gut|gern|das|dies|es|compris|noté|entendu|ça|cela|ceci|bien|"
    r"entendido|anotado|perfecto|claro|eso|esto|ello|capito|questo|entendi|isso|"
    r"wir|ich|nehmen?|verwenden?|nous|allons|on va|utiliser|garder|usaremos)\b"
)
"""That it was heard, and what points at it: neither names what is chosen."""
_TAKEN_SIGNS = lazy_pattern("(?:(?:その|この|仰る)(?:よう|とおり|通り)|そう)にします|그렇게 하기로")

_CONSENT = lazy_pattern(
    r"^\W*(?:(?:great|perfect|good|nice|cool|awesome|excellent|love it|lgtm|super)\b[\s,.!–—-]*)*"
    r"(?:yes|yep|yeah|yup|ok|okay|sure|agreed|approved|absolutely|definitely|of course|deal|fine|"
    r"go (?:ahead|for it|with (?:it|that|this))|do (?:it|that|this|so)|please do|proceed|make it so|"
    r"sounds (?:good|great|right|fine)|that works|works for me|(?:i )?agree|good idea|"
    r"let'?s (?:do|go with|try|start|build|implement) (?:it|that|this|so)|"
    r"(?:implement|build|start|begin|apply|make|write|fix|refactor) (?:it|that|this|these|them|now)|"
    r"ja|jawohl|einverstanden|genau|mach (?:das|es)|oui|d'accord|vas-y|sí|si|vale|de acuerdo|adelante|"
    r"hazlo|sim|va bene|да|давай)\b"
)
_CONSENT_SIGNS = lazy_pattern(
    r"^\W*(?:好的?|可以|同意|行|对|對|はい|うん|いいです|お願いします|네|예|좋아)"
)
_RESERVES = lazy_pattern(
    r"\b(?:but|no|not|don't|do not|instead|except|however|rather|wait|hold|aber|nicht|mais|pas|pero|no)\b"
)


_WORD = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_BESIDE = "then now both them these those with let's start begin continue ahead adelante bitte please favor"
_WITH_IT = frozenset(_BESIDE.split()) | words.THANKS | words.POLITE
"""What may stand beside a yes, and names nothing else."""


def _without_signs(said: ParsedSentence) -> ParsedSentence:
    if said.text.isascii():
        return said
    return said._replace(text=_TAKEN_SIGNS.sub(" ", said.text))


def settles(said: ParsedSentence) -> bool:
    """Does an agent tell what is chosen now? What it would do, or recommends, nobody has chosen."""
    if not speech.decides(said) or proposes(said):
        return False
    if _CHOSEN.search(said.lower):
        return names_something(_TAKEN.sub(" ", _VAGUE.sub(" ", said.text.lower())))
    return speech.decides_in_signs(_without_signs(said))


def proposes(said: ParsedSentence) -> bool:
    """Does it name one way among others, so that somebody else is to choose?"""
    return recommends(said) or (
        not said.bag.isdisjoint(_PROPOSING) and _COULD.search(said.lower) is not None
    )


def recommends(said: ParsedSentence) -> bool:
    """Does it say which way is best, and name it? What only leads to a list names nothing."""
    if said.asks or said.text.endswith((":", "\uff1a")):
        return False
    if not said.text.isascii() and _PROPOSED_SIGNS.search(said.text):
        return True
    if said.bag.isdisjoint(_PROPOSING) or _RECOMMENDS.search(said.lower) is None:
        return False
    return names_something(_VAGUE.sub(" ", said.text.lower()))


def consents(said: ParsedSentence) -> bool:
    """Does a person say yes to what was just proposed, and nothing else?"""
    if said.asks or len(said.words) > FEW or _RESERVES.search(said.lower):
        return False
    if found := _CONSENT.match(said.lower):
        return _WITH_IT.issuperset(_WORD.findall(said.lower, found.end()))
    return not said.text.isascii() and _CONSENT_SIGNS.match(said.text) is not None


def declines(said: ParsedSentence) -> bool:
    """Does a person say what they do without, or that one thing is enough? That is a choice, too."""
    if said.asks:
        return False
    if not said.orders and _DECLINES.search(said.lower):
        return True
    return not said.bag.isdisjoint(_NAYS) and _WANTS_NONE.search(said.lower) is not None
