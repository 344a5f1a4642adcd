"""Does a sentence deny what its sources deny, and hedge what they hedge?

What one thing is taken for is denied as well as what has a `not` before it: `Redis rather than Memcached`.
The denied word may stand there in another form, or as one that may stand for it: no migration, not moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from .kindred_words import family
from .sentence_parts import Clause, Denial, SentenceParts, duties

USED = 0.5
"""A clause is meant where so much of it is taken over."""

_WEIGHS = """
    from to than over against before between versus vs instead rather replace replaced replaces switch
    switched reject rejected drop dropped both compare compared consider considered alternative alternatives
"""
_WEIGHING = frozenset(_WEIGHS.split())
"""Beside these, what was passed over may be named without being taken."""


def why_turned(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Is something denied, or left undenied, hedged or conditional against the sources?"""
    denied = [denial for each in ground for denial in (*each.denials, *each.passed_over)]
    if any(not any(map(partial(_matches, denial), denied)) for denial in sentence.denials):
        return "it denies what its sources do not deny"
    mine = [*sentence.denials, *sentence.passed_over]
    for each in ground:
        for denial in each.denials:
            if _applies(denial, each, sentence) and not _take_out(denial, mine):
                return "it leaves out that its sources deny it"
    if why := _why_passed_over(sentence, ground):
        return why
    signs = Counter[str]()
    for each in ground:
        signs += each.signs
    if sum(signs.values()) != sum(sentence.signs.values()):
        return "it does not deny what its sources deny, or the other way round"
    return _why_unhedged(sentence, ground)


def _take_out(denial: Denial, mine: list[Denial]) -> bool:
    """Is the same denied here? Each denial stands for one."""
    same = next((n for n, each in enumerate(mine) if _are_akin(each.word, denial.word)), None)
    if same is not None:
        del mine[same]
    return same is not None


def _why_passed_over(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Does it take what its sources pass over, `Memcached` for `Redis rather than Memcached`, or pass over
    what they take?"""
    denied = [denial for each in ground for denial in (*each.denials, *each.passed_over)]
    if all(_WEIGHING.isdisjoint(each.tokens - {"to"}) for each in ground) or denied:
        for mine in sentence.passed_over:
            if not any(_matches(mine, each) for each in denied):
                return f"it decides against {mine.word}, and its sources do not"
    named = {denial.word for denial in (*sentence.denials, *sentence.passed_over)}
    for each in ground:
        for word in {denial.word for denial in each.passed_over} & {*sentence.words} - named:
            if each.words.count(word) == 1 and _WEIGHING.isdisjoint(sentence.tokens):
                return f"it leaves out that its sources decide against {word}"
    return ""


def _are_akin(one: str, other: str) -> bool:
    return one == other or not family(one).isdisjoint(family(other))


def _matches(mine: Denial, theirs: Denial) -> bool:
    """Is it the same that is denied? Words between the negator and it may have been left out."""
    return any(_are_akin(mine.word, word) for word in theirs if word) or mine.after == theirs.word


def _applies(denial: Denial, source: SentenceParts, sentence: SentenceParts) -> bool:
    """Is it this that the sentence speaks of? A word that is also affirmed needs the next one too."""
    if not any(_are_akin(denial.word, word) for word in sentence.words):
        return denial.word not in source.words and denial.word not in sentence.tokens
    alone = source.words.count(denial.word) == 1 or denial.after is None
    return alone or denial.after in sentence.words


def _why_unhedged(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    words = set(sentence.words)
    needed = Counter[str]()
    for each in ground:
        meant = [clause for clause in each.clauses if _is_meant(clause, words)]
        parts = {clause.part for clause in meant}
        ifs = [c for c in each.clauses if c.part in parts and c not in meant and "if" in c.hedges]
        needed += Counter(hedge for clause in meant for hedge in clause.hedges)
        needed["if"] += len(ifs)
    has = sentence.hedges
    has["should"] += max(0, duties(sentence) - sum(map(duties, ground)))
    has["would"] += has["should"] + has["maybe"]
    for kind, count in needed.items():
        if has[kind] < count:
            return f"it leaves out a hedge of its sources ({kind})"
    return ""


def _is_meant(clause: Clause, words: set[str]) -> bool:
    common = len(clause.words & words)
    return not clause.words or (
        common > 0 and (common >= USED * len(clause.words) or words <= clause.words)
    )
