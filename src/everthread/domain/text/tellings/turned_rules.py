"""Is a ban turned round, or leave given for what was to be asked about, in other words than the rule's?

`Never Mr Okafor` ends with `I'd rather you said Mr Okafor from now on`, and `Ask me before you delete
anything` with `Deleting without asking is all right from here on`. The later must want or allow just that
thing, with nothing added, and for good.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern

from .readings import LONGEST, root_of
from .small_words import ENGLISH, GRAMMARS, NEW, word_set
from .told_values import words_of

_FOR_GOOD = lazy_pattern(
    r"\b(?:from (?:now|here|today) on|any ?more|no longer|going forward|in future|"
    r"starting (?:now|today)|again|now(?! and then\b))\b"
)
_GLAD = lazy_pattern(
    r"\b(?:fine|okay|ok|all right|alright|allowed|welcome|(?:would|'d) be (?:nice|good|great)|rather|"
    r"(?:you|we) (?:can|may)|want|i'd like|please (?:say|use|write|add|put))\b"
)
_IS_WELL = lazy_pattern(
    r"(?:^|[,;:–—] |\b(?:so|and|but|because) )(?P<what>[^,;:–—]+?)(?: (?P<is>is)| are|'s)\b[^,;:–—]*"
    r"\b(?:fine|okay|ok|all right|alright)\b"
)
_CERTAIN = ("the ", "my ", "our ", "your ")
_NO = word_set("no not never don't without isn't aren't can't won't hardly needn't")
_BOUNDED = lazy_pattern(
    r"[?\"“”„«»]|\b(?:if|unless|when|whenever|except|only|maybe|perhaps|might|used to|was|were|did|today|"
    r"tonight|tomorrow|yesterday|once|this (?:time|week|one|\w+day)|for (?:once|now|the moment)|his|her|"
    r"their|he|she|they|until|almost|wonder|think)\b"
)
_BAN = lazy_pattern(
    r"(?:^|, |; )\W{0,2}(?:please )?(?:never|no|not|do(?:n't| not)(?: ever)?)(?: any)? "
    r"(?P<what>[^,;:?!]{2,80})"
)
_ASKED_FIRST = lazy_pattern(
    r"^\W{0,2}(?:please |always )*(?:ask|check with|consult|tell|warn)(?: me| us)?(?: first)? before "
    r"(?:you |we )?(?P<what>[^,;:?!.]{2,80})"
)
_UNASKED = lazy_pattern(
    r"\bwithout (?:asking|checking|telling|warning)(?: (?:with )?(?:me|us))?(?: first)?|"
    r"\b(?:needn't|need not|(?:don't|do not) (?:need|have) to|no need to) "
    r"(?:ask|check with|consult|tell|warn)(?: me| us)?(?: first)?"
)
_CLAUSE = lazy_pattern(r"[,;:–—]\s")
_EMPTY = word_set("""
    anything something things thing anybody any few some lot bit about more before now on from here
    right all when adding using business how addressed called ask asking check me you can may do does
    would be said saying say writing putting put use add write schedule suggest show it's i'd okay ok
    alright allowed great please always again
""")
"""What the thing itself is not told by."""


@lru_cache(maxsize=1_024)
def may_turn_round(new: str) -> bool:
    """Does it want or allow something, for good?"""
    said = _lowered(new)
    if len(new) > LONGEST or _FOR_GOOD.search(said) is None or _BOUNDED.search(said):
        return False
    return _GLAD.search(said) is not None or _UNASKED.search(said) is not None


def is_turned_round(new: str, old: str) -> bool:
    """Does the later statement want or allow for good just what the earlier one forbids, or bound?"""
    rule = _rule(old)
    if rule is None or not may_turn_round(new):
        return False
    said = _lowered(new)
    if rule.asked:
        return _UNASKED.search(said) is not None and _is_meant(_UNASKED.sub(" ", said), rule.what)
    if _GLAD.search(said) is None or not _NO.isdisjoint(said.split()):
        return False
    return _is_meant(said, rule.what) and not _is_well(said, rule.what)


class _Rule(NamedTuple):
    what: str
    asked: bool
    """Is it to be asked about first, or banned?"""


@lru_cache(maxsize=4_096)
def _rule(old: str) -> _Rule | None:
    """What it forbids or bounds; it is read once, and compared with many."""
    lower = _lowered(old)
    if len(old) > LONGEST or _BOUNDED.search(lower):
        return None
    if first := _ASKED_FIRST.match(lower):
        return _Rule(first["what"], asked=True)
    ban = _BAN.search(lower)
    return None if ban is None else _Rule(ban["what"], asked=False)


def _lowered(text: str) -> str:
    return text.lower().replace("’", "'")


def _is_well(said: str, what: str) -> bool:
    """Does it tell how that is by now, and gives no leave? `Don't ask Tom`, `Tom is okay again`."""
    found = _IS_WELL.search(said)
    if found is None:
        return False
    if found["what"].startswith(_CERTAIN):
        return True
    deed = found["what"].split()[0].endswith("ing")
    return not deed and found["is"] is not None and what.split(maxsplit=1)[0] in _EMPTY


def _is_meant(said: str, what: str) -> bool:
    """Does one of its clauses speak of just that, with nothing added?"""
    named = _things(what)
    if any(f"{link} {what.strip(' .')}" in said for link in ("to", "with", "for", "about", "of")):
        return False  # he is written to, and not called so
    return bool(named) and any(_things(part) == named for part in _CLAUSE.split(said))


def _things(text: str) -> frozenset[str]:
    grammar = GRAMMARS[ENGLISH]
    small = grammar.plain | grammar.now | _EMPTY | NEW
    words = (word.lower for word in words_of(text))
    return frozenset(root_of(word) for word in words if word not in small and word[:1].isalnum())
