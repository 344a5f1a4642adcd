"""Is something else taken for the same purpose, whichever verb tells of it?

`We decided to use SQLite for the store`, `we're going with SQLite for the store` and `use SQLite for the
store` all tell one thing: who takes what, and for what. So what is taken later for just that ends them, where
it names what it gives up (`use PostgreSQL for the store, not SQLite`), or says that it is so instead, or now,
and both are known to do the same job.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import parse_statement

from .known_names import are_of_one_sort, are_of_two_sorts, job_of
from .value_claims import even_out, is_bounded, is_fresh, without_since

LONGEST = 120
"""Characters of such a statement; a longer one tells more than that."""

_MIND = lazy_pattern(
    r"^(?:(?:sorry|ok|okay|actually|hm+)\W+)*(?:i|we)(?:'ve| have)? changed (?:my|our) minds?\s*[,:;–—-]+\s*"
)
_TAKES = lazy_pattern(
    r"^(?:(?:so|then|and|but|please|actually|ok|okay)\b,? ?)*(?P<who>(?:we|i|let's|the team)\b)?"
    r"(?:'ll|'re|'ve|'m| are| am| have)? ?(?:(?:now|just|also|all|finally|then) )*"
    r"(?:(?:decided|agreed|chose|going|switched|moved) (?:(?:now|instead) )?"
    r"(?:(?<=switched )to |(?<=moved )to |to (?:use |go with |take |switch to |move to )|on |for |with )"
    r"|settled (?:on|for) |(?:go|stick) (?:with|for) |(?:switch|move|migrate) to "
    r"|us(?:e|es|ing) |picked |chose )"
)
_GONE = lazy_pattern(
    r",?\s+(?:and )?(?:not(?: any ?more)?|over)\s+(?:with |on |for )?(?:the |our )?"
    r"(?P<gone>[^\s,]+(?: [^\s,]+)??)(?: any ?more)?(?=$|,| for | as )"
)
"""`instead of` and `rather than` stand as `over` in what is made even."""
_OVER = lazy_pattern(r"\sover\s")
_CHOOSES = lazy_pattern(r"\b(?:chose|picked|settled on|decided (?:on|for)|go(?:ing)? with)\b")
"""Only behind these `over` gives something up: DNS goes over HTTPS."""
_THING = lazy_pattern(
    r"^(?:the |our |an? )?(?P<thing>[^\s,;:]+(?: [^\s,;:]+){0,2}?)(?:,? (?:for|as) (?P<what>\S[^,;:.]*))?$"
)
_LATELY = lazy_pattern(r"\b(?:today|yesterday|tonight|(?:this|last|next) \w+)\b")
"""That was, or is, so for some time only."""
_INSTEAD = lazy_pattern(r"\binstead\b(?! of\b)")
_NO_NAMES = """
    it this that them these those one not only just yet both all something anything nothing what which when
    in on at by to of and or from with for as me us you him her
"""
_NO_NAME = frozenset(_NO_NAMES.split())
_ARTICLES = frozenset({"the", "our", "a", "an"})
_BESIDE = frozenset({"cluster", "framework", "build", "payment", "browser"})
"""Of these people use several side by side, so `now` alone replaces none."""
_BESIDE_STORES = frozenset(
    ["redis", "elasticsearch", "opensearch", "clickhouse", "duckdb", "neo4j"]
)


class _Means(NamedTuple):
    who: str
    """`i`, or `we`, of whom an order is as well: what I use is not what all use."""
    thing: str
    """In small letters."""
    purpose: tuple[str, ...]
    gone: str
    now: bool
    """Is it said to be so now?"""
    instead: bool
    """Is it said to have changed?"""


def is_chosen_anew(new: str, old: str) -> bool:
    """Does the later statement take something else for just that for which the earlier took its thing?"""
    one = _means(new)
    if one is None or not (one.gone or one.now or one.instead):
        return False
    was = _means(old)
    if was is None or (one.who, one.purpose) != (was.who, was.purpose):
        return False
    if {*one.thing.split()} & {*was.thing.split()} or are_of_two_sorts(one.thing, was.thing):
        return False
    if one.gone:
        return one.gone == was.thing
    if not one.purpose or not are_of_one_sort(one.thing, was.thing):
        return False
    return one.instead or not (_stands_beside(one.thing) or _stands_beside(was.thing))


def _stands_beside(thing: str) -> bool:
    return job_of(thing) in _BESIDE or thing.split(maxsplit=1)[0] in _BESIDE_STORES


def _means(text: str) -> _Means | None:
    return _read(text) if len(text) <= LONGEST else None


@lru_cache(maxsize=4_096)
def _read(text: str) -> _Means | None:
    """None where it asks, is bounded or supposed, or takes nothing by a name."""
    even = even_out(text).lower()
    if is_bounded(text) or _LATELY.search(even):
        return None
    if _OVER.search(text.lower()) and not _CHOOSES.search(even):
        return None
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
    purpose = _purpose(thing["what"] or "")
    if purpose is None:
        return None
    changed = mind is not None or _INSTEAD.search(even) is not None
    who = "i" if verb and verb["who"] == "i" else "we"
    return _Means(who, thing["thing"], purpose, gone, is_fresh(text), changed)


def _purpose(what: str) -> tuple[str, ...] | None:
    """For what, in its order; None where that is denied, or only pointed at."""
    told = parse_statement(what)
    words = tuple(word for word in told.words if word not in _ARTICLES)
    return None if told.denials or (what and not words) else words


def _is_name(words: str) -> bool:
    """One word, one with its version, or a name of two words that is known as such."""
    first, *rest = words.split()
    if not _NO_NAME.isdisjoint((first, *rest)):
        return False
    return not rest or (len(rest) == 1 and rest[0][:1].isdigit()) or job_of(words) != job_of(first)
