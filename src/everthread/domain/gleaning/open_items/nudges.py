"""Does a person ask after what was put off: `Monday! Insurance?`, `Did you find out about the terrace door?`

She asks for nothing new. What the agent replies is held against what she asked for first: it may still put
that off, or here it is at last.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .agent_replies import ordered_verb

LONGEST = 14
"""Words of such a question; a longer one asks for more."""

_ASKING_AFTER = roots(
    "look looked looking check checked checking find found out manage managed get got getting chance time "
    "hear heard hearing anything news update already yet now done finish finished ready progress far coming "
    "along going happen happened status still remember forget forgot go went any word about with "
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow week morning"
)
"""Words by which one asks how it goes, and not with what."""
_OTHER_QUESTION = lazy_pattern(
    r"\b(?:why|who|whose|where|how (?:much|many|long|often|do|does|did|can|could|would|should|to)|what if|"
    r"which|should|shall|would|is it|are there|is there|can i|may i)\b"
)
"""So one asks something about it."""


_FORM = lazy_pattern(
    r"\b(?:(?:any|no) (?:news|word|luck|updates?|progress|answer|reply)|did (?:you|we|they|he|she)|"
    r"(?:have|has|had) (?:you|we|they|he|she|anybody|anyone)|were you able|"
    r"how(?:'s| is| are| far| did| about)|"
    r"what(?:'s| is| are| about| happened| became)|status|updates?|where are we|"
    r"is there (?:any )?(?:news|word)|still)\b"
)
FRAGMENT = 3
"""Words that ask after a thing by its name alone: `Insurance?`"""
_NOT_YET = lazy_pattern(
    r"\b(?:no (?:news|word|answer|reply|update)|not yet|nothing (?:yet|so far|new)|"
    r"still (?:waiting|pending|open)|haven't (?:heard|found|had|got)|"
    r"noch nicht|todavía no|aún no|pas encore)\b"
)


def tells_not_yet(said: Utterance) -> bool:
    """Does the agent say that there is no answer so far?"""
    return _NOT_YET.search(said.own.lower().replace("’", "'")) is not None


def asks_after(each: ParsedSentence, item: str) -> bool:
    """Does this sentence ask how it goes with the item, and name nothing that the item does not?

    Of a deed the agent tells whether it was done, and to what: `asked_whether` weighs that.
    """
    if not each.asks or len(each.words) > LONGEST or _OTHER_QUESTION.search(each.lower):
        return False
    if len(each.words) > FRAGMENT and _FORM.search(each.lower) is None:
        return False
    if ordered_verb(each.text) or ordered_verb(item):
        return False
    about = roots(each.text) - _ASKING_AFTER
    return bool(about) and about <= roots(item)


def asked_after(said: Utterance, items: Iterable[str]) -> list[str]:
    """Which of these she asks after, and after nothing else: else the answer may be to that."""
    asking = [each for each in said.sentences if each.asks]
    found = [item for item in items if any(asks_after(each, item) for each in asking)]
    alone = all(any(asks_after(each, item) for item in found) for each in asking)
    return found if alone and not any(s.orders and not s.asks for s in said.sentences) else []
