"""What ends without its name: `tom paid it!`, of the only thing that was to be paid; or by its number alone:
`closing OPS-2211`.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.past_forms import tells_deed
from everthread.domain.text.patterns import lazy_pattern

from .wanted_deeds import WantedDeed

_LED = (
    r"^\W*+(?>(?:(?:ok|okay|oh|hey|so|and|btw|good news|yes|yep|update|finally|also|well|done|great)\b"
    r"[\s,:.!–—-]*)*)"
)
_DID_IT = lazy_pattern(
    rf"{_LED}(?:(?:i|we|he|she|they|(?:my |our )?[\w-]+)(?:'ve| have| has|'s)?"
    r"(?: just| already| finally| now)? )?(?P<deed>[a-z]{3,}) (?:it|that|them|those)"
    r"(?>(?: (?:yesterday|today|this (?:morning|afternoon)|last night|now|already|finally|just now|"
    r"for (?:us|me|you)|by (?:card|mail|phone)|online|too))*)\W*(?:$|[,;.!])"
)
_NUMBERED = r"(?P<number>#\d+|[a-z]{2,10}-\d+)"
_CLOSES = lazy_pattern(
    rf"{_LED}(?:(?:i'm|i am|we're) )?(?:just |now )?(?:closing|closed|resolving|resolved|fixed|finished) "
    rf"(?:ticket |issue |pr )?{_NUMBERED}\b|"
    rf"{_LED}(?:ticket |issue |pr )?{_NUMBERED.replace('number', 'also')}(?: is| was|'s|:)? (?:now )?"
    r"(?:closed|resolved|done|fixed|merged|finished)\b"
)
_UNSURE = lazy_pattern(
    r"\b(?:if|when|once|until|not|never|nobody|almost|partly|half|maybe|should|will|would|tomorrow|again|"
    r"another|reopen\w*|before|instead)\b|n't\b|'ll\b"
)


def pointed_ends(said: ParsedSentence, wanted: Sequence[tuple[str, WantedDeed]]) -> list[str]:
    """Which item the sentence ends though it does not name it; none where two could be meant."""
    if said.asks or _UNSURE.search(said.lower):
        return []
    if closed := _CLOSES.match(said.lower):
        number = (closed["number"] or closed["also"]).split("-")[-1]
        return [item for item, deed in wanted if any(w.endswith(number) for w in deed.words)]
    found = _DID_IT.match(said.lower)
    if found is None:
        return []
    fits = [item for item, deed in wanted if _is_past_of(found["deed"], deed.verb)]
    return fits if len(fits) == 1 else []


def _is_past_of(deed: str, verb: str) -> bool:
    return deed != verb and tells_deed(deed, verb)
