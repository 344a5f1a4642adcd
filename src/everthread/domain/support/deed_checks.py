"""Does a sentence tell the deed that its sources tell? Its verbs, and what it says that something is.

One word that they do not have may turn all round: `it deletes old backups` for `it lists old backups`.
Nothing here parses language. What counts is whether a word stands where a verb or a predicate stands, and
whether the sources have it in any form, or a word that may stand for it. Words that say hardly anything by
themselves, and those by which somebody reports, bear no deed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from everthread.domain.text.acts.word_lists import BASE

from .kindred_words import family, is_in_group, is_neutral
from .sentence_parts import GAPS, JOINTS, SentenceParts, lower_tokens, telling_stem


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEING = _words("""
    is are was were be been being am isn't aren't wasn't weren't it's that's there's i'm we're you're they're
    he's she's seem seems seemed become becomes became remain remains remained stay stays stayed feel feels
    felt look looks looked got gets
""")
"""What stands behind one of these is said of something."""
_MODALS = _words("""
    will would shall should can could may might must do does did don't doesn't didn't won't can't cannot
    couldn't shouldn't wouldn't not never to help helps helped i we you they let lets let's
""")
"""Behind these stands a verb as the dictionary has it."""
_FINITE = _BEING | _words("has have had hasn't haven't hadn't") | _MODALS - {"to", "not", "never"}
_WHO = _words("i we you he she it they who which")
_OBJECTS = _words("me us you him her it them everything everyone himself herself itself themselves")
_OWNERS = _words("""
    a an the this that these those my your his her its our their some any each every all no both another such
    many several few
""")
_PREPOSITIONS = _words("""
    of in on at by for with from into onto about after before over under between during without through as
    than per via against to up down off out around near like
""")
_NOUN_FOLLOWS = _OWNERS | _PREPOSITIONS
_DEGREES = _words("""
    very so too more most less least quite rather only also just now still already then not never always
    really currently again finally often even actually as completely fully
""")
_LINKS = frozenset(("and", "or", ",", "but"))
_MAKING = _words("""
    make makes made making keep keeps kept find finds found finding leave leaves left help helps helped
    let lets
""")
_ENGLISH = _words("""
    a an the of with for his her their from user by at is was are were has had and it they i to in on we
    my our
""")
_FOREIGN = _words("""
    der das und ist nicht mit les des une est dans pour avec los una que el la le il un del per di da em os
    het een van voor och att
""")
"""Small words of languages that share some with English."""
_ENDS_SO = _words("""
    need feed seed speed breed weed deed indeed exceed succeed proceed hundred sacred naked embed shed sled
    bleed greed reed steed creed
""")
"""They end like a past, and are none."""
PASTS = _words("""
    ate beat bitten bit bought broke broken brought built burnt caught chose chosen drank drove driven fed
    fought found gave given gone went hid hidden hit held kept knew known left lent lost met paid ran rang
    rose sang sat saw seen sent shut slept sold spent stole stolen swam taught threw thrown told torn wore
    woke won wrote written began begun grew grown fell fallen flew drew drawn forgot forgotten froze frozen
    sank sunk rode ridden spoke spoken bent blew blown dug fled hung laid leapt shone shot shrank slid spread
    sprang stung swept wept
    forbade forbidden quit meant shook shown stood stuck struck swore understood withdrew rewrote overrode
    rebuilt
""")
"""Pasts and participles that are no `-ed`."""
_ADVERB = len("only") + 1
NEAR = 25
"""Words within which it is told what somebody finds."""


def why_other_deed(sentence: SentenceParts, ground: Sequence[SentenceParts]) -> str:
    """Why the sentence tells another deed than its sources; empty if it does not."""
    told = [word for word in deeds(sentence.text) if not is_neutral(word)]
    tokens = sentence.tokens
    if not told or _ENGLISH.isdisjoint(tokens) or not _FOREIGN.isdisjoint(tokens):
        return ""
    tokens = {token.partition("'")[0] for part in ground for token in part.tokens}
    if any(token.endswith("'ll") for part in ground for token in part.tokens):
        tokens.add("will")
    given = frozenset(each for token in tokens if token for each in family(token))
    other = next((word for word in told if given.isdisjoint(family(word))), "")
    return f"it says {other}, which its sources do not" if other else ""


def deeds(text: str) -> Iterator[str]:
    """The words of a sentence that stand where a verb or a predicate stands, in small letters."""
    shown = lower_tokens(text, small=False)
    lower = [token.lower() for token in shown]
    predicate = -1
    main = _verb_of_name(shown) or _main_verb(lower)
    for at, word in enumerate(lower):
        named = shown[at][:1].isupper() and at > 0
        if named or not _is_telling(word):
            continue
        before = _before(lower, at)
        joined = 0 <= predicate == before - 1 and lower[before] in _LINKS
        if joined or _is_predicate(lower, at, before):
            predicate = at
            yield word
        elif (at == main and not _finds_so(lower, at)) or _is_verb(lower, at, before):
            yield word


def _is_telling(word: str) -> bool:
    return word.isalpha() and word.isascii() and (telling_stem(word) is not None or word == "won")


def _before(lower: Sequence[str], at: int) -> int:
    """The place of the word before it, words of degree passed over; -1 where there is none."""
    at -= 1
    while at >= 0 and (
        lower[at] in _DEGREES or (lower[at].endswith("ly") and len(lower[at]) >= _ADVERB)
    ):
        at -= 1
    return at


def _at(lower: Sequence[str], at: int) -> str:
    return lower[at] if 0 <= at < len(lower) else ""


def _is_predicate(lower: Sequence[str], at: int, before: int) -> bool:
    """Is it what something is said to be: `is slow`, `made her glad`? Before a noun it is not."""
    head, after = _at(lower, before), _at(lower, at + 1)
    made = head in _OBJECTS and _at(lower, before - 1) in _MAKING
    noun = after.isalpha() and telling_stem(after) is not None
    return (made or head in _BEING) and (not noun or after.endswith(("ed", "ing", "ly")))


def _is_verb(lower: Sequence[str], at: int, before: int) -> bool:
    word, head, after = lower[at], _at(lower, before), _at(lower, at + 1)
    object_follows = after in _OWNERS | _OBJECTS
    if _finds_so(lower, at) or (word, after) == ("used", "to"):
        return False
    if head in _MODALS:
        return head != "to" or _is_known(word) or after in _OWNERS
    if head in _NOUN_FOLLOWS:
        return word.endswith("ing") and object_follows and head in _PREPOSITIONS
    if _is_past(word) or word.endswith("ing"):
        return _is_past(word) or object_follows
    if word.endswith("s") and head:
        goes_on = object_follows or (after in _PREPOSITIONS | _WHO and after != "of")
        return head in _WHO or (_is_known(word) and goes_on)
    return _is_known(word) and object_follows


def _finds_so(lower: Sequence[str], at: int) -> bool:
    """Does somebody hold an opinion, and find nothing: `finds it hard`, `found the talk to be long`?"""
    if lower[at] == "finds":
        return True
    if lower[at] not in ("find", "found", "finding"):
        return False
    after = lower[at + 1 : at + NEAR]
    return after[:1] in (["it"], ["them"]) or ("to", "be") in pairwise(after)


def _is_known(word: str) -> bool:
    """Is it known as a verb, in this form or without the `s` at its end?"""
    return is_in_group(word) or not BASE.isdisjoint((word, word[:-1], word[:-2]))


def _is_past(word: str) -> bool:
    return word in PASTS or (word.endswith("ed") and word not in _ENDS_SO)


def _verb_of_name(shown: Sequence[str]) -> int:
    """The place of what a name at the beginning does to something: `Petra archives the logs`; else 0."""
    named = _at(shown, 0)[:1].isupper() and _at(shown, 0).lower() not in _NOUN_FOLLOWS
    does = _at(shown, 1).endswith("s") and not _at(shown, 1).endswith(("ss", "'s"))
    return int(named and does and _at(shown, 2) in _OWNERS | _OBJECTS)


def _main_verb(lower: Sequence[str]) -> int:
    """The verb of the first clause, where only that can be it: `The contract lapses on Monday.`"""
    end = next((at for at, word in enumerate(lower) if word in GAPS or word in JOINTS), len(lower))
    if any(word in _FINITE or _is_past(word) for word in lower[:end]):
        return -1
    for at in range(1, end):
        word, head = lower[at], lower[_before(lower, at)]
        if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
            continue
        if head not in _NOUN_FOLLOWS and head.isalpha() and _at(lower, at + 1) != "of":
            return at
    return -1
