"""What is not decided: denied, still to come, or only supposed. `Decided` alone tells nothing of that.

`We haven't decided where` leaves it open, and so does `it will be decided on Monday`. Who says `once we have
decided` supposes it. `We decided not to wait` has decided: there the denial comes after the word.
"""

from __future__ import annotations

from functools import lru_cache

from everthread.domain.text.patterns import lazy_pattern

_CHOSEN = (
    r"(?:decided|settled|agreed|chosen|picked(?! up\b| off\b)|made up (?:my|our|his|her|their) minds?|"
    r"come to a decision|made a decision|a decision|entschieden|décidé|choisi|decidido|elegido)"
)
_BESIDE = (
    r"(?:yet|been|really|quite|fully|finally|actually|ever|even|exactly|formally|properly|officially|all|"
    r"completely|anything|is|are|was|has|have|had|got|made|reached|taken)"
)
_UNDECIDED = lazy_pattern(
    rf"\b(?:not|never|\w+n't|cannot)(?: {_BESIDE})* (?:{_CHOSEN}|decide|make up (?:my|our) minds?)\b|"
    rf"\b(?:nobody|no one|nothing|none of (?:us|them|it|that|this))(?:'s)?(?: {_BESIDE})* {_CHOSEN}\b|"
    rf"\b(?:yet|still|has|have|needs?|remains?) to (?:be )?(?:{_CHOSEN}|decide)\b|"
    rf"\b(?:'ll|will|shall|to) (?:only |all |then )?be {_CHOSEN}\b|"
    r"\b(?:undecided|still deciding|tbd|to be determined|up in the air|up for debate)\b|"
    r"\bno decision (?:yet|so far|has been|was)\b|"
    r"\b(?:noch )?nicht (?:\w+ )?entschieden\b|\bpas (?:encore )?(?:\w+ )?(?:décidé|choisi)\b|"
    r"\b(?:aún|todavía) no (?:\w+ )?(?:decidido|decidimos|elegido)\b"
)
_UNKNOWN = (
    r"\b(?:wonder\w*|no idea|(?:don't|do not|didn't) know|not sure|unsure|curious)(?: \w+)? "
    r"(?:why|what|how|when|where|who|which|whom)(?: \w+){1,3}"
)
"""What is only asked: `I wonder why they decided that`."""
_SUPPOSED = lazy_pattern(
    rf"{_UNKNOWN} {_CHOSEN}\b|"
    r"\b(?:if|whether|until|unless|once|before|after|as soon as|in case|had)(?: \w+| we've| they've){1,2}"
    rf"(?: {_BESIDE})* {_CHOSEN}\b"
)
_ON = r"(?:(?! (?:but|so|then|and|aber|also|und|that's why)\b)[^.;:!?,–—])*"
_WEIGHED = lazy_pattern(
    r"\b(?:i|we)(?:'m|'re| am| are)(?: still| also| now| just)* (?:thinking (?:about|of|whether)|considering|"
    r"contemplating|weighing|debating|wondering|toying|torn|not sure|unsure)\b"
    rf"{_ON}|"
    rf"\b(?:i|we) (?:might|may|could)(?! as well)\b{_ON}|^\W*(?:maybe|perhaps|possibly|vielleicht)\b{_ON}|"
    rf"\b(?:ich überlege|wir überlegen|(?:ich|wir) könnten?)\b{_ON}|"
    rf"\b(?:(?:estoy|estamos) pensando|(?:podría|podríamos|quizás?|tal vez))\b{_ON}"
)
"""What is only weighed, whatever it is weighed against: `I'm considering Redis instead of Memcached`."""
_CHOOSING = "decid|cho|pick|settl|opt|switch|mov|agre|chang|us|replac|migrat|tak|select|swap|adopt|book|order"
_TOLD = lazy_pattern(
    rf"\b(?:i|we|he|she|they) (?!(?:{_CHOOSING})\w*\b)"
    r"(?:\w+ed|went|drove|ate|came|got|did|sat|slept|ran|left) "
    r"(?:\w+ ){0,3}(?:instead of|rather than) \w+ing\b"
)
"""How it went: `we walked instead of waiting`."""


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def leaves_undecided(lower: str) -> bool:
    """Does it say that something is not decided yet? `lower`: in small letters, with plain quotes."""
    return _UNDECIDED.search(lower) is not None


def without_indecision(lower: str) -> str:
    """The sentence but for what it says was not decided, or would be: the rest may decide something."""
    bare = _SUPPOSED.sub(" ", _UNDECIDED.sub(" ", lower))
    return _TOLD.sub(" ", _WEIGHED.sub(" ", bare))
