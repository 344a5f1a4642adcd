"""A sentence taken apart, so that another can be held against it.

Nothing here understands language. What counts is which telling words a sentence has, which of them it
denies, which of its clauses are hedged, which numbers and names it gives and in which order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import NEGATORS
from everthread.domain.text.words import STOP

MOST_SENTENCES = 4_000
"""Of one text; more are in no message that somebody wrote."""

_TOKEN = lazy_pattern(
    r"[^\W\d_]+(?:['’][^\W\d_]+)+|[\w#@$]+(?:[-./:\\@+,][\w]+)*[+#%]*|[,;:()–—]|[.!?。！？，；]"  # noqa: RUF001 - other scripts
)
_CJK = lazy_pattern("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CJK_NO = lazy_pattern("[不没沒無无非別别勿]|ない|ません|なく|않|안|못|없")
_CJK_MAYBE = lazy_pattern("也许|也許|可能|或许|大概|かもしれ|たぶん|おそらく|아마|것 같")
_END = lazy_pattern(
    "(?<![.…])[.!?][\"')\\]”’*_`]*(?= +\\S)|[.…](?= +[^\\W_a-z])|[\u3002\uff01\uff1f][\u300d\u300f”’]*"
)
_ABBREVIATED = lazy_pattern(
    r"(?:\b(?:e\.g|i\.e|vs|cf|ca|etc|no|dr|mr|mrs|ms|st|prof|approx|incl|resp|fig|ch|sec|evtl|ggf|bzw|al)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_NUMBER = lazy_pattern(r"\d[\d,_]*(?:\.\d+)*")
GAPS = frozenset(",;:()–—，；")  # noqa: RUF001 - as they are written elsewhere
_STOPS = frozenset(".!?。！？")  # noqa: RUF001 - other scripts
JOINTS = frozenset(
    ("and", "but", "because", "so", "which", "although", "though", "while", "whereas", "then")
)

_PARTING = frozenset((";", "(", ")", "but", "–", "—"))

_HEDGES = {
    "maybe": "might may maybe perhaps possibly could probably likely presumably seem seems seemed "
    "appear appears appeared apparently supposedly unsure guess suspect assume think believe suppose "
    "vielleicht wahrscheinlich peut-être quizás",
    "should": "should ought supposed",
    "would": "would",
    "only": "only except",
    "if": "if unless until",
    "about": "about around roughly approximately almost nearly circa",
}
_GUESSES = ("think", "believe", "guess", "suppose", "assume", "suspect", "reckon")
_GUESSING = frozenset(form for verb in _GUESSES for form in (verb, f"{verb}s"))
_GUESSERS = (frozenset(("i", "we")), frozenset(("user", "human", "person", "customer")))
"""Whose guess it is, with the verb as the speaker says it, and as a summary tells it."""
_HEDGE_OF = {
    **{word: kind for kind, words in _HEDGES.items() for word in words.split()},
    **dict.fromkeys(_GUESSING, "maybe"),
}
_WANTED = "want wants wanted need needs needed must require requires asked requested"
_DUTIES = frozenset(_WANTED.split())
"""In a summary these say as well that something is to be, not that it is."""
_POLITE = frozenset(("like", "prefer", "love", "rather", "you"))

_TOLD = """
    user users user's agent assistant model tool human person said say says asked ask asks told tell tells
    wants want wanted requested request requests reported reports report noted notes note mentioned
    mentions mention stated states according explained explains i'm i've i'll i'd we're we've we'll it's
    that's there's you're you've don't doesn't didn't isn't aren't wasn't weren't can't couldn't wouldn't
    shouldn't won't hasn't haven't hadn't whether instead rather
"""
TOLD = frozenset(_TOLD.split())
"""Words by which a summary says who spoke: they need not be in what was spoken."""

_CONTRARIES = """
    avoid stop stopped refuse refused reject rejected forbid forbidden ban banned disable disabled without
"""
_CONTRARY = frozenset(_CONTRARIES.split())
"""They turn round what follows them, as a negator does."""


_RATHER = {
    ("rather", "than"),
    ("instead", "of"),
    *((word, "against") for word in ("decided", "decide", "voted")),
}
_CHOOSES = """
    prefer prefers preferred choose chooses chose chosen pick picks picked favour favor favours favors opted
"""
_CHOOSING = frozenset(_CHOOSES.split())


class Denial(NamedTuple):
    """What is denied: the telling word after the negator, and the next one."""

    word: str
    after: str | None


class Clause(NamedTuple):
    words: frozenset[str]
    hedges: tuple[str, ...]
    """Kinds of hedges, as often as they stand there."""
    part: int = 0
    """Which part of the sentence: a condition holds as far as the next `but`, semicolon or bracket."""


class SentenceParts(NamedTuple):
    """A sentence, taken apart."""

    text: str
    words: tuple[str, ...]
    """The stems of its telling words, in their order."""
    tokens: frozenset[str]
    """All its words, in small letters, and their stems."""
    denials: tuple[Denial, ...]
    passed_over: tuple[Denial, ...]
    """What something else is taken for: `Redis rather than Memcached`."""
    signs: Counter[str]
    """Negations of scripts whose words are not apart."""
    clauses: tuple[Clause, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    """What is spelled as a name or as a program's word, as it stands there."""

    @property
    def hedges(self) -> Counter[str]:
        return Counter(hedge for clause in self.clauses for hedge in clause.hedges)


class Page(NamedTuple):
    """A text as a row of sentences, one blank between two words."""

    flat: str
    sentences: tuple[str, ...]
    starts: tuple[int, ...]

    def at(self, start: int, end: int) -> tuple[int, int]:
        """The sentences, first and last, in which this stretch stands."""
        return bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1


@lru_cache(maxsize=128)
def page(text: str) -> Page:
    """Cut a text into sentences; each line is at least one."""
    lines = [flat for line in text.splitlines() if (flat := " ".join(line.split()))]
    starts, at = list[int](), 0
    for line in lines:
        starts.extend(at + begin for begin in _beginnings(line))
        at += len(line) + 1
    flat = " ".join(lines)
    del starts[MOST_SENTENCES:]
    spans = pairwise([*starts, len(flat)])
    sentences = (flat[start:end].strip() for start, end in spans)
    return Page(flat, tuple(sentences), tuple(starts))


def _beginnings(line: str) -> Iterator[int]:
    yield 0
    for end in _END.finditer(line):
        at = end.end() + (line[end.end() : end.end() + 1] == " ")
        if at < len(line) and not _ABBREVIATED.search(
            line, max(0, end.start() - 8), end.start() + 1
        ):
            yield at


@lru_cache(maxsize=4096)
def sentence_parts(sentence: str) -> SentenceParts:
    """Take a sentence apart."""
    tokens = _TOKEN.findall(sentence)
    lower = [token.lower().replace("’", "'") for token in tokens]
    words = [telling_stem(word) for word in lower]
    return SentenceParts(
        text=sentence,
        words=tuple(w for w, token in zip(words, lower, strict=True) for w in _cut(w, token)),
        tokens=frozenset((*lower, *map(stem, lower))),
        denials=tuple(_denials(lower, words)),
        passed_over=tuple(_passed_over(tokens, lower, words)),
        signs=Counter(() if sentence.isascii() else _CJK_NO.findall(sentence)),
        clauses=tuple(_clauses(sentence, lower, words)),
        numbers=tuple(n.replace(",", "").replace("_", "") for n in _NUMBER.findall(sentence)),
        names=tuple(
            t for i, t in enumerate(tokens) if _is_name(t, first=_opens_sentence(tokens, i))
        ),
    )


def lower_tokens(text: str, *, small: bool = True) -> list[str]:
    """Its words and signs in their order, in small letters unless told otherwise."""
    found = (token.replace("’", "'") for token in _TOKEN.findall(text))
    return [token.lower() for token in found] if small else [*found]


def telling_stem(word: str) -> str | None:
    """The stem of a word that says something; None for the others."""
    if (
        word in STOP
        or word in TOLD
        or word in NEGATORS
        or word in _HEDGE_OF
        or not word[0].isalnum()
    ):
        return None if word[:1] not in "#@$" or len(word) == 1 else word
    return stem(word)


def _cut(word: str | None, token: str) -> list[str]:
    """A script without blanks is compared by pairs of signs."""
    if word is None:
        return []
    if token.isascii() or not _CJK.search(token):
        return [word]
    return [token[at : at + 2] for at in range(len(token) - 1)] or [token]


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word without the ending that tells number, person or tense; crude, and the same on both sides."""
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) < 4 or not word.isalpha() or not word.isascii():  # noqa: PLR2004 - nothing to take off
        return word
    for ending, least in (
        ("ing", 6),
        ("ied", 5),
        ("ies", 5),
        ("ed", 5),
        ("es", 5),
        ("ly", 6),
        ("s", 4),
    ):
        if word.endswith(ending) and len(word) >= least and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsze":  # noqa: PLR2004 - stopp(ed)
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word  # noqa: PLR2004 - `the` is whole


def _denials(lower: list[str], words: list[str | None]) -> Iterator[Denial]:
    for at, word in enumerate(lower):
        if not _denies(lower, at):
            continue
        following = list(_words_ahead(lower, words, at))
        before = [w for w in words[:at] if w]
        head = following[0] if following else (before[-1] if before else None)
        if head is not None:
            yield Denial(head, following[1] if len(following) > 1 else None)
        elif word in NEGATORS:
            yield Denial(word, None)


def _passed_over(tokens: list[str], lower: list[str], words: list[str | None]) -> Iterator[Denial]:
    for at, word in enumerate(lower[:-1]):
        if _passes_over(tokens, lower, at):
            following = list(_words_ahead(lower, words, at + (word != "over")))
            if following:
                yield Denial(following[0], following[1] if len(following) > 1 else None)


def _passes_over(tokens: list[str], lower: list[str], at: int) -> bool:
    """Of `over` it must be seen that one is taken before another: not `over the weekend`."""
    if (lower[at], lower[at + 1]) in _RATHER:
        return True
    if lower[at] != "over" or not at or lower[at + 1][:1].isdigit():
        return False
    names = tokens[at - 1][:1].isupper() and tokens[at + 1][:1].isupper()
    return names or not _CHOOSING.isdisjoint(lower[:at])


def _denies(lower: list[str], at: int) -> bool:
    word = lower[at]
    after = lower[at + 1] if at + 1 < len(lower) else ""
    if word in _CONTRARY or word.endswith("n't") or word == "cannot":
        return True
    if word not in NEGATORS or after == "only":
        return False
    if word == "no":  # as an answer: `No, use tabs`
        return after not in ("", ",", ".", "!")
    return not (word == "not" and lower[max(0, at - 1) : at] == ["or"])


def _words_ahead(lower: list[str], words: list[str | None], at: int) -> Iterator[str]:
    for token, word in zip(lower[at + 1 :], words[at + 1 :], strict=True):
        if token in GAPS or token in _STOPS or token == "but":
            return
        if word is not None:
            yield word


def _clauses(sentence: str, lower: list[str], words: list[str | None]) -> list[Clause]:
    """The clauses with what hedges each. One that only hedges belongs to the next, or to the last."""
    found: list[Clause] = []
    held: list[str] = []
    gathered: list[str] = []
    part = 0
    for at, token in enumerate([*lower, ";"]):
        if token in GAPS or token in _STOPS or token in JOINTS:
            if gathered:
                found.append(Clause(frozenset(gathered), tuple(held), part))
                held, gathered = [], []
            part += token in _PARTING or token in _STOPS
            continue
        if kind := _hedge(lower, at):
            held.append(kind)
        elif (word := words[at]) is not None:
            gathered.extend(_cut(word, token))
    if not sentence.isascii():
        held.extend("maybe" for _ in _CJK_MAYBE.findall(sentence))
    if held:
        last = found.pop() if found else Clause(frozenset(), ())
        found.append(Clause(last.words, (*last.hedges, *held), last.part))
    return found


def _hedge(lower: list[str], at: int) -> str | None:
    """The kind of hedge that the word is here; polite forms of asking are none."""
    kind = _HEDGE_OF.get(lower[at])
    if kind is None:
        return None
    after = lower[at + 1] if at + 1 < len(lower) else ""
    if kind == "about":
        near = lower[at + 1 : at + 3]
        return kind if any(token[:1].isdigit() for token in near) else None
    if after in _POLITE and lower[at] in ("would", "could"):
        return None
    if lower[at] in _GUESSING:
        before = lower[at - 1] if at else ""
        return kind if before in _GUESSERS[lower[at].endswith("s")] else None
    return kind


def duties(sentence: SentenceParts) -> int:
    """How often it says that something is to be."""
    return sum(word in _DUTIES for word in sentence.tokens)


def _opens_sentence(tokens: list[str], at: int) -> bool:
    return at == 0 or tokens[at - 1] in _STOPS or (at == 1 and tokens[0] in "(")


def _is_name(token: str, *, first: bool) -> bool:
    """A name, or what a program knows by name: its spelling says so."""
    letters = token.replace("'", "").replace("’", "")
    if not letters.isalpha():
        return any(c.isalpha() for c in token)
    return token[1:] != token[1:].lower() or (token[0].isupper() and not first and len(token) > 1)
