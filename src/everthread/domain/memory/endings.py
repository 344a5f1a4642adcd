"""Which of the kept memories a new one ends: what it contradicts, the rule that it lifts or sets again.

Whether a rule is lifted hangs on which other rules stand: so they are looked at together.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.tellings.told_anew import no_longer_holds

from .contradictions import are_comparable, contradicts
from .lifts import lifted_rules, may_lift, set_again
from .memories import Memory
from .permissions import is_let_go
from .switches import turns_down

_RULES = frozenset({"rule", "preference"})
_OPEN = "open_item"


def may_end(new: Memory, old: Memory) -> bool:
    """Can the one take the other's place, by their kinds? Leave may be put down as whatever it is."""
    if are_comparable(new.kind, old.kind):
        return True
    if _OPEN in (new.kind, old.kind):
        return False
    if is_let_go(new.text, old.text) or turns_down(new.text, old.text):
        return True
    if no_longer_holds(new.text, old.text):
        return True  # what was put right once may be chosen anew; and what was told
    if old.kind in _RULES or new.kind in _RULES:
        return may_lift(new.text if old.kind in _RULES else old.text)
    return may_lift(new.text) and may_lift(old.text)


def ended_by(new: Memory, olds: Sequence[Memory], beside: Sequence[Memory] = ()) -> list[Memory]:
    """Those of the others that cannot stand beside it; `beside` them may be what it could mean as well."""
    lifted = lifted_by(new, [*olds, *(one for one in beside if one not in olds)])
    return [old for old in olds if old in lifted or contradicts(new.text, old.text)]


def lifted_by(new: Memory, olds: Sequence[Memory]) -> list[Memory]:
    """The rules among them that it lifts; and what lifted a rule that it sets again."""
    gone = {*lifted_rules(new.text, [old.text for old in olds if old.kind in _RULES])}
    gone |= {*set_again(new.text, [old.text for old in olds])}
    return [old for old in olds if old.text in gone]
