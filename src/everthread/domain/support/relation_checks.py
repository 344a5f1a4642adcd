"""Does a sentence say who did what, and what came before what, as its sources do?

The same words in another order may say the opposite. Nothing here parses language: what counts is which
word stands behind `before`, `than` or `because`, and which words stand on either side of a verb.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.text.acts.word_lists import BASE

from .sentence_parts import GAPS, JOINTS, SentenceParts, lower_tokens, stem, telling_stem

AHEAD = 4
"""Words behind a marker among which the word stands that it belongs to."""

REACH = 40
"""Words on either side of a verb that are looked at: more are in no clause that somebody wrote."""

_CUTS = GAPS | JOINTS
_OPPOSITE = {"before": "after", "after": "before", "first": "then", "then": "first"}
_SAME = {
    **dict.fromkeys(("before", "vor", "bevor", "avant"), "before"),
    **dict.fromkeys(("after", "nach", "nachdem", "après"), "after"),
    **dict.fromkeys(("first", "zuerst", "erst"), "first"),
    **dict.fromkeys(("then", "afterwards", "danach", "dann"), "then"),
    **dict.fromkeys(("than", "als"), "than"),
    **dict.fromkeys(("because", "weil"), "because"),
    **{word: word for word in ("over", "from", "instead")},
}
_PAST = """
    ate beat bitten bit bought broke brought built caught chose drank drove ate fed fought found gave got hit
    kept left lent led lost made met paid read sent sold stole taught threw told took won wrote
"""
_IRREGULAR = frozenset(_PAST.split())
_RELATING = """
    owe own like love hate know teach help pay lend borrow manage lead support visit follow trust employ hire
    replace depend marry beat feed drive read
"""
_VERBS = frozenset(map(stem, (*BASE, *_RELATING.split()))) | _IRREGULAR
_USER = "the user"
_SPEAKER = frozenset(("i", "me", "we", "us", "user", "ich", "mir", "mich", "wir", "uns"))
_BE = frozenset(("is", "are", "was", "were", "been", "being", "be", "got", "gets"))
_AUXILIARIES = _BE | {
    *("has", "have", "had", "will", "may", "can", "could", "must", "should", "also", "just", "now")
}
_RELATIVE = frozenset(("that", "which", "who", "whom", "whose"))
"""Behind these what is done stands before the verb."""


class Deed(NamedTuple):
    """A verb with the words on both sides of it, as far as its clause goes."""

    verb: str
    left: frozenset[str]
    right: frozenset[str]
    subject: str
    """The name right before it, in small letters; empty where there is none."""
    passive: bool
    by: bool
    """Is it said by whom it was done?"""


def why_other_relations(
    sentence: SentenceParts, ground: Sequence[SentenceParts], names: Collection[str]
) -> str:
    """Why the sentence puts its words in another relation than its sources; empty if it does not.

    `names`: of those who speak in the sources, and do not name themselves there.
    """
    return _why_other_order(sentence, ground) or _why_other_doer(sentence, ground, names)


def _why_other_order(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    theirs = {pair for each in ground for pair in _marked_words(each.text)}
    if not theirs:
        return ""
    words = {word for each in ground for word in each.words}
    for marker, word in _marked_words(sentence.text):
        if (marker, word) in theirs:
            continue
        if (_OPPOSITE.get(marker), word) in theirs:
            return f"it says {marker}, and its sources say the opposite"
        others = {other for same, other in theirs if same == marker}
        if word in words and not others.isdisjoint(sentence.words):
            return f"it turns round what its sources say ({marker})"
    return ""


def _marked_words(text: str) -> Iterator[tuple[str, str]]:
    """Each marker with the telling word behind it."""
    tokens = lower_tokens(text)
    prefers = any(token.startswith("prefer") for token in tokens)
    for at, token in enumerate(tokens):
        marker = "over" if prefers and token == "to" else _SAME.get(token)
        if marker is None:
            continue
        for ahead in tokens[at + 1 : at + 1 + AHEAD]:
            if ahead in GAPS or ahead in JOINTS or ahead[:1].isdigit():
                break
            if (word := telling_stem(ahead)) is not None:
                yield marker, word
                break


def _why_other_doer(
    sentence: SentenceParts, ground: Sequence[SentenceParts], names: Collection[str]
) -> str:
    theirs = [deed for each in ground for deed in _deeds(each.text)]
    for deed in _deeds(sentence.text):
        mine = deed._replace(subject="") if deed.subject in names else deed
        same = [deed for deed in theirs if deed.verb == mine.verb]
        if same and all(_is_turned(mine, deed) for deed in same):
            return f"its sources say otherwise who did it, or to whom ({mine.verb})"
    return ""


def _is_turned(mine: Deed, theirs: Deed) -> bool:
    if mine.subject and not mine.passive and theirs.passive and not theirs.by:
        return True  # somebody did it, and nobody said who
    if mine.passive == theirs.passive:
        crossed = mine.left & theirs.right and mine.right & theirs.left
        other = mine.subject and theirs.subject and mine.subject != theirs.subject
        same = not mine.right or mine.right & theirs.right
        return bool((crossed and not mine.left & theirs.left) or (other and same))
    if not (mine.by or theirs.by):
        return False
    return bool(mine.left & theirs.left and mine.right & theirs.right)


def _deeds(text: str) -> Iterator[Deed]:
    tokens, shown = lower_tokens(text), lower_tokens(text, small=False)
    ends = [-1, *(n for n, token in enumerate(tokens) if token in _CUTS), len(tokens)]
    for start, end in pairwise(ends):
        for at in range(start + 2, end):
            first = max(start + 1, at - REACH)
            if _is_verb(tokens[at]) and _RELATIVE.isdisjoint(tokens[first:at]):
                yield _deed(tokens, shown, (first, at, min(end, at + REACH)))


def _deed(tokens: Sequence[str], shown: Sequence[str], place: tuple[int, int, int]) -> Deed:
    start, at, end = place
    before = at - 1
    while before >= start and tokens[before] in _AUXILIARIES:
        before -= 1
    name = shown[before] if before >= start and telling_stem(tokens[before]) else ""
    return Deed(
        stem(tokens[at]),
        _telling(tokens[start:at]),
        _telling(tokens[at + 1 : end]),
        stem(name.lower()) if name[:1].isupper() and name.isalpha() else "",
        passive=_is_past(tokens[at]) and any(token in _BE for token in tokens[before + 1 : at]),
        by="by" in tokens[at + 1 : end],
    )


def _is_verb(token: str) -> bool:
    return _is_past(token) or stem(token) in _VERBS


def _is_past(token: str) -> bool:
    return token.endswith("ed") or token in _IRREGULAR


def _telling(tokens: Sequence[str]) -> frozenset[str]:
    """Its telling words; whoever speaks, and is told of as the user, is one of them."""
    found = {word for token in tokens if (word := telling_stem(token)) is not None}
    return frozenset(found if _SPEAKER.isdisjoint(tokens) else {*found, _USER})
