"""Is something else taken for the same purpose, whichever verb tells of it?

`We decided to use SQLite for the store`, `we're going with SQLite for the store` and `use SQLite for the
store` all tell one thing: what is taken, and for what. So what is taken later for just that ends them, where
it names what it gives up (`use PostgreSQL for the store, not SQLite`), or says that it is so now, and both
are known to do the same job.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .known_names import are_of_one_sort, are_of_two_sorts
from .value_claims import even_out, is_bounded, is_fresh, without_since

LONGEST = 120
"""Characters of such a statement; a longer one tells more than that."""

_MIND = lazy_pattern(
    r"^(?:(?:sorry|ok|okay|actually|hm+)\W+)*(?:i|we)(?:'ve| have)? changed (?:my|our) minds?\s*[,:;–—-]+\s*",
)
_TAKES = lazy_pattern(
    r"^(?:(?:so|then|and|but|please|actually|ok|okay)\b,? ?)*(?:(?:we|i|let's|the team)\b)?"
    r"(?:'ll|'re|'ve|'m| are| am| have)? ?(?:(?:now|just|also|all|finally|then) )*"
    r"(?:(?:decided|agreed|chose|going|switched|moved|have decided) (?:(?:now|instead) )?"
    r"(?:to (?:use |go with |take |switch to |move to )?|on |for |with )"
    r"|settled (?:on|for) |(?:go|stick) (?:with|for) |(?:switch|move|migrate) to "
    r"|us(?:e|es|ing) |picked |chose )"
)
_GONE = lazy_pattern(
    r",?\s+(?:and )?(?:not(?: any ?more)?|over|instead of|rather than)\s+(?:with |on |for )?(?:the |our )?"
    r"(?P<gone>\S+(?: \S+)?)(?=$|,)"
)
_THING = lazy_pattern(
    r"^(?:the |our |an? )?(?P<thing>[^\s,;:]+(?: [^\s,;:]+){0,2}?)(?:,? (?:for|as) (?P<what>\S[^,;:.]*))?$"
)
_NO_NAMES = """
    it this that them these those one not only just yet both all something anything nothing what which when
    in on at by to of and or from with for as me us you him her
"""
_NO_NAME = frozenset(_NO_NAMES.split())
_ARTICLES = frozenset({"the", "our", "my", "a", "an", "this"})


class _Means(NamedTuple):
    thing: str
    """In small letters."""
    purpose: frozenset[str]
    gone: str
    fresh: bool
    """Is it said to be so now, or to have changed?"""


def is_chosen_anew(new: str, old: str) -> bool:
    """Does the later statement take something else for just that for which the earlier took its thing?"""
    one = _means(new)
    if one is None or not (one.gone or one.fresh):
        return False
    was = _means(old)
    if was is None or was.thing == one.thing or one.purpose != was.purpose:
        return False
    if {*one.thing.split()} & {*was.thing.split()} or are_of_two_sorts(one.thing, was.thing):
        return False
    if one.gone:
        return one.gone == was.thing
    return bool(one.purpose) and are_of_one_sort(one.thing, was.thing)


@lru_cache(maxsize=4_096)
def _means(text: str) -> _Means | None:
    """None where it asks, is bounded or supposed, or takes nothing by a name."""
    if len(text) > LONGEST or is_bounded(text):
        return None
    even = even_out(text).lower()
    mind = _MIND.match(even)
    rest = even[mind.end() :] if mind else even
    verb = _TAKES.match(rest)
    if verb is None and mind is None:
        return None
    rest = rest[verb.end() :] if verb else rest
    found = _GONE.search(rest)
    gone = found["gone"] if found else ""
    rest = without_since(f"{rest[: found.start()]}{rest[found.end() :]}" if found else rest)
    thing = _THING.match(rest)
    if thing is None or not _is_name(thing["thing"]) or (gone and not _is_name(gone)):
        return None
    purpose = frozenset(parse_statement(thing["what"] or "").words) - _ARTICLES
    return _Means(thing["thing"], purpose, gone, is_fresh(text) or mind is not None)


def _is_name(words: str) -> bool:
    return _NO_NAME.isdisjoint(words.split())
