"""What only measures one of the things to choose from: its price, its size, how long it takes.

Asked which hall it shall be, who says `The Corn Exchange costs 550` has told what one of them costs, and
chosen none. The sentence begins with what is up for choice and gives a measure of it that nobody had asked
for. Whatever else is said of it may choose: `The Corn Exchange is booked`.
"""

from __future__ import annotations

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .missed_questions import answers_another, misses_question

FEW = 6
"""Words of what would be told with the question before it."""

_NUMBER = (
    r"(?>(?:(?:only|just|about|around|roughly|nearly|almost|over|under|up to|at least|at most|more than|"
    r"less than|between|a good) )*)[£$€]?(?:\d[\d.,]*+(?!\w*(?:st|nd|rd|th)\b|\s?%|\s?percent|/|\s?out of)|"
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|an? (?:hundred|thousand|dozen)|half an?)\b)"
)
_UNIT = (
    r"(?>(?: (?:hundred|thousand))?)(?=\W*$|[£$€]| (?:an?|each|per|seconds?|minutes?|mins?|hours?"
    r"|days?|weeks?|"
    r"months?|years?|miles?|kms?|kilomet\w+|met(?:re|er)s?|feet|foot|inch\w*|squares?|kilos?|kg|grams?|pounds?|"
    r"tons?|euros?|eur|dollars?|quid|francs?|degrees|people|seats)\b)"
)
_NO_DATE = (
    r"(?! (?:of (?:\d|the|them|us)|january|february|march|april|may|june|july|august|september|october|"
    r"november|december)\b)"
)
_MEASURES = lazy_pattern(
    r"^\W*+(?>(?:(?:well|hm+|but|and|so|ah|oh|i think)\b[\s,]*+)*)"
    r"(?P<thing>(?:(?:the|a|an|our|my|this|that) )?(?!(?:i|we|you|it|that|this|he|she|they|let's|there)\b)"
    r"[\w&'-]+(?: (?!(?:is|are|was|were|has|have|needs?|costs?)\b)[\w&'-]+){0,3}?) "
    rf"(?P<verb>costs?(?= (?!me\b|us\b))|(?:is|are|was)(?= {_NUMBER}{_UNIT})|"
    rf"(?:has|have|needs?|takes?|lasts?|weighs?|holds?|seats?|fits?|sleeps?|measures?)"
    rf"(?= {_NUMBER}{_NO_DATE})) "
    r"(?P<what>\S.*)$"
)
_CHOOSES = lazy_pattern(
    r"\b(?:then|for (?:me|us|now)|i|we|enough|good|great|nicer?|right|ok|okay|less|more|"
    r"(?!(?:her|over|never|other|number|after|under|water|paper|per|december|october|november|september)\b)"
    r"[a-z]{3,}er|[a-z]{3,}est|out|off|in)\W*(?:$|,)|"
    r"\b(?:please|instead|i'd|i'll|let's|we'll|we'd|best|better|fine|perfect|wins?|works|suits|sounds|"
    r"makes sense|my (?:choice|pick|favou?rite)|the (?:one|winner)|will|would|should|want|prefer|votes?|"
    r"voted|deal|agreed|settled|decided|decision|done|booked?|booking|confirmed|chosen|approved|favou?r|points|"
    r"thumbs?|plus(?:es)?|support\w*|voices|hands|fans|hearts|stars|yes(?:es)?|no|go (?:for|with)|"
    r"takes? (?:it|that)|take)\b"
)
_PARTS = lazy_pattern(r"[,;:–—](?=\s)|\s-\s|\b(?:so|which|hence|but)\b|\band\b(?! (?:an?|the|no) )")
_COUNTED = lazy_pattern(rf"\b(?:costs?|{_NUMBER})")


def described_options(
    said: Utterance, heard: tuple[Utterance, Message] | None, earlier: str
) -> tuple[frozenset[int], Utterance]:
    """Which sentences of it describe one of the things that were on offer, or speak of something else; and
    what of it may be an answer: nothing where all of them do.

    `heard`: what the agent had said to her; `earlier`: what she had said before that.
    """
    if heard is None or not any(each.asks for each in heard[0].sentences):
        return frozenset(), said
    if answers_another(said, heard[0].sentences):
        return frozenset(range(len(said.sentences))), Utterance("", (), ())
    offered = f"{heard[0].text}\n{earlier}"
    told = frozenset(n for n, each in enumerate(said.sentences) if describes(each, offered))
    if misses_question(said, heard[0].sentences):
        few = (n for n, each in enumerate(said.sentences) if len(each.words) <= FEW)
        return told.union(few), Utterance("", (), ())
    return told, said if len(told) < len(said.sentences) else Utterance("", (), ())


def describes(said: ParsedSentence, offered: str) -> bool:
    """Does it give a measure, that nobody had asked for, of something that is up for choice?"""
    if said.asks or said.orders or _CHOOSES.search(said.lower):
        return False
    found = _MEASURES.match(said.lower)
    if found is None:
        return False
    # `… costs 550, my vote has it`: what follows the measure may choose.
    if not all(_COUNTED.search(part) for part in _PARTS.split(found["what"])[1:]):
        return False
    known = roots(offered)
    thing, told = roots(found["thing"]), roots(f"{found['verb']} {found['what']}")
    return bool(thing) and thing <= known and bool(told) and told.isdisjoint(known)
