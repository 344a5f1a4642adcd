"""Does a word tell as done what a verb asks for: `renewed` of renew, `sent` of send, `reran` of rerun?

By spelling, and by `related_words` where the vowel changes. Of what is asked in one word and told in another
(ring and call, book and reserve), only close neighbours count.
"""

from __future__ import annotations

from functools import lru_cache

from .acts.word_lists import BASE
from .gerunds import gerund
from .related_words import kin_of

_PREFIXES = ("re", "over", "un", "pre")
_IRREGULAR = """
    bring brought; take took taken; make made; get got gotten; give gave given; do did done; go went gone
    come came; lay laid; say said; tell told
"""
_CHANGED = {
    words[0]: frozenset(words[1:])
    for words in (family.split() for family in _IRREGULAR.replace("\n", ";").split(";"))
    if words
}
_SAME = frozenset(("set", "put", "cut", "shut", "read", "split", "reset", "hit", "spread"))
"""Their past is written as they are."""
_NEAR = """
    call ring phone speak talk; book reserve; buy order get; collect fetch; fix repair mend solve resolve
    send mail email post; delete remove; finish complete; migrate move port; trim cut; file submit
    tidy clean; write draft; change swap replace; cancel drop; renew extend
"""
_NEIGHBOURS = [
    frozenset(family.split()) for family in _NEAR.replace("\n", ";").split(";") if family.split()
]
_LEADS_TO = {
    "look": ("fix", "solve", "resolve"),
    "investigate": ("fix", "solve", "resolve"),
    "debug": ("fix", "solve", "resolve"),
    "book": ("confirm",),
    "reserve": ("confirm",),
}
"""What was to be looked into is over when it is mended; what was to be mended is not by a look.
What was to be reserved is over when that is confirmed."""


def tells_deed(word: str, verb: str) -> bool:
    """Is it the past of the verb, or of one that stands for the same?"""
    return word in _told_forms(verb)


@lru_cache(maxsize=512)
def _told_forms(verb: str) -> frozenset[str]:
    near = (word for family in _NEIGHBOURS if verb in family for word in family)
    every = {verb, *near, *_LEADS_TO.get(verb, ())}
    return frozenset(form for each in every for form in past_forms(each))


@lru_cache(maxsize=512)
def past_forms(verb: str) -> frozenset[str]:
    """The past of a verb, in all its forms; some that do not exist harm nobody."""
    if verb in _SAME:
        return frozenset({verb})
    if verb in _CHANGED:
        return _CHANGED[verb]
    bare = [verb.removeprefix(prefix) for prefix in _PREFIXES if verb.startswith(prefix)]
    changed = (f"{verb.removesuffix(base)}{form}" for base in bare for form in _irregular(base))
    return _regular(verb) | _irregular(verb) | frozenset(changed)


def _regular(verb: str) -> frozenset[str]:
    if verb.endswith("e"):
        return frozenset({f"{verb}d"})
    if verb.endswith("y") and verb[-2:-1] not in "aeou":
        return frozenset({f"{verb[:-1]}ied"})
    told = f"{gerund(verb).removesuffix('ing')}ed"
    return frozenset({told, f"{verb}led"} if verb.endswith("el") else {told})


def _irregular(verb: str) -> frozenset[str]:
    """Of `write`: wrote and written; nouns of the family are told by their endings."""
    known = _CHANGED.get(verb, frozenset(kin_of(verb)))
    nouns = ("ion", "al", "ing", "s", "ance", "ence", "ment", "ure", "th", "y", "ise", "ize")
    return frozenset(w for w in known if w not in BASE and not w.endswith(nouns))
