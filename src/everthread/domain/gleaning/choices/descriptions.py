"""What only describes one of the things to choose from: its price, its size, what it needs.

Asked which hall it shall be, who says `The Corn Exchange costs 550` has told what one of them costs, and
chosen none. The sentence begins with what is up for choice and tells of it what nobody had asked. Whoever
praises it, or finds it better, chooses.
"""

from __future__ import annotations

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.person_statements import Utterance
from everthread.domain.gleaning.roots import roots
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

_TELLS = lazy_pattern(
    r"^\W*+(?:(?:well|hm+|but|and|so|ah|oh|i think)\b[\s,]*+)*+"
    r"(?P<thing>(?:(?:the|a|an|our|my|this|that) )?(?!(?:i|we|you|it|that|this|he|she|they|let's|there)\b)"
    r"[\w&'-]+(?: (?!(?:is|are|was|were|has|have|needs?|costs?)\b)[\w&'-]+){0,3}?) "
    r"(?P<verb>is|are|was|has|have|needs?|costs?|takes?|lasts?|weighs?|holds?|seats?|[a-z]{2,}[^s\W]s) "
    r"(?P<what>\S.*)$"
)
_CHOOSES = lazy_pattern(
    r"\b(?:then|please|instead|it is|for (?:me|us|now)|i|i'd|i'll|we|we'd|we'll|let's|best|enough|better|"
    r"fine|ok|okay|good|great|perfect|nicer?|right|wins?|works?|suits?|fits?|sounds?|looks|seems|does it|"
    r"makes sense|more|less|(?!(?:her|over|never|other|number|after|under|water|paper|per|december|"
    r"october|november|september)\b)[a-z]{3,}er|cheapest|[a-z]{3,}est|out|off|gone|no longer|in)\W*(?:$|,)|"
    r"\b(?:please|instead|i'd|i'll|let's|we'll|we'd|best|better|fine|perfect|wins|works|suits|sounds|"
    r"makes sense|my (?:choice|pick|favou?rite)|the (?:one|winner)|will|would|should|want|prefer)\b"
)


def described_options(
    said: Utterance, heard: tuple[Utterance, Message] | None, earlier: str
) -> tuple[frozenset[int], Utterance]:
    """Which sentences of it describe one of the things that were on offer; and what of it may be an answer:
    nothing where all of them do.

    `heard`: what the agent had said to her; `earlier`: what she had said before that.
    """
    if heard is None or not any(each.asks for each in heard[0].sentences):
        return frozenset(), said
    offered = f"{heard[0].text}\n{earlier}"
    told = frozenset(n for n, each in enumerate(said.sentences) if describes(each, offered))
    return told, said if len(told) < len(said.sentences) else Utterance("", (), ())


def describes(said: ParsedSentence, offered: str) -> bool:
    """Does it tell of something that is up for choice what nobody had asked?"""
    if said.asks or said.orders or _CHOOSES.search(said.lower):
        return False
    found = _TELLS.match(said.lower)
    if found is None:
        return False
    known = roots(offered)
    thing, told = roots(found["thing"]), roots(f"{found['verb']} {found['what']}")
    return bool(thing) and thing <= known and bool(told) and told.isdisjoint(known)
