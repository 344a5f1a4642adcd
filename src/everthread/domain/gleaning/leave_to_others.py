"""Leave that is given to somebody else than the agent: `payments can deploy again whenever they like`.

It lifts what forbade them just that. Who is let do it for once, or under a condition, has no leave.
"""

from __future__ import annotations

from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .roots import root, roots

_LETS = lazy_pattern(
    r"^\W*(?>(?:(?:ok|okay|so|and|now|good|great|update|done|from now on)\b[\s,.!:–—-]*)*)"
    r"(?:the |our |my )?(?P<who>[\w'-]+(?: [\w'-]+){0,2}?) "
    r"(?:can|may|(?:is|are) (?:allowed|free) to) (?:now )?"
    r"(?P<deed>[\w-]+)(?P<what>(?: [\w'-]+){0,5}?) again"
    r"(?: (?:now|whenever|any time|anytime|as (?:they|he|she|you|we|much|often)|"
    r"when(?:ever)? (?:they|he|she)|without)\b.*|\W*)$"
)
_BOUND = lazy_pattern(
    r"\b(?:if|unless|until|only|once|except|but|today|tonight|this (?:time|once)|for now)\b"
)
_FORBIDS = lazy_pattern(r"\b(?:no|not|never|nobody|none|without|forbidden|stop|only)\b|n't\b")


def lets_others(said: ParsedSentence, rule: str) -> bool:
    """Is what the rule forbids allowed again to those of whom it speaks?"""
    found = None if said.asks or _BOUND.search(said.lower) else _LETS.match(said.lower)
    if found is None or _FORBIDS.search(rule.lower()) is None:
        return False
    ruled, who = roots(rule), roots(found["who"])
    if root(found["deed"]) not in ruled or not roots(found["what"]) <= ruled:
        return False
    return bool(who) and who <= ruled


def may_let_others(said: ParsedSentence) -> bool:
    """A quick look: has it the form?"""
    return not said.asks and _LETS.match(said.lower) is not None
