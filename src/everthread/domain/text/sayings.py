"""What a short statement says, taken apart so that two can be compared.

Nothing here understands language. Two statements are one where all that tells stands in both, in the same
order (`telling_rows`). Beside that, a statement is the row of its words without their endings, its numbers,
its names, its denials and its hedges: by these others look whether one speaks against the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from .patterns import lazy_pattern
from .quotations import stands_in
from .telling_rows import TellingRow, row_begins, rows_agree, telling_row, without_s

Likeness = Literal["same", "fuller", "narrower"]

SHARE = 0.75
"""Of the longer statement's words, so many must be in the shorter."""

FEWEST = 3
"""Below so many words, one word more makes another statement."""

LONGEST = 2_000
"""Characters that are compared; what is longer is like another only if it is the same text."""

_TOKEN = lazy_pattern(
    r"""[^\W\d_]+(?:['’][^\W\d_]+)+          # don't, user's
      | (?:(?<![\w)%°])[-+−](?=\d))?[\w#@$]+(?:[-./:\\@+][\w]+|(?<=\d),\d+)*[+#]*  # src/a.py, -3.12, 3,9, C++
      | [%€$£]""",
    re.VERBOSE,
)
_CJK = lazy_pattern("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CJK_NO = lazy_pattern("[不没沒無无非別别勿]|ない|ません|なく|않|안|못|없")
_OPENING = lazy_pattern(
    r"^\s*(?:(?:actually|correction|update|remember|note|fyi|no|yes|ok(?:ay)?|so|well|sorry|wait)"
    r"\s*[,:!–-]\s*|(?:remember|note) that\s+|actually\s+"
    r"|(?:from now on|from today on|as of (?:now|today))\s*,?\s+)+",
    re.IGNORECASE,
)
_ONE_WORD = (
    (lazy_pattern(r"\b(?:no|not any) longer\b|\bnot any ?more\b", re.IGNORECASE), "not"),
    (lazy_pattern(r"\b(?:instead of|rather than|in preference to)\b", re.IGNORECASE), "over"),
)
"""What has several words for one."""
_AUXILIARIES = "do|does|did|is|are|was|were|would|should|must|has|have|had"
_DENIED = (
    (lazy_pattern(rf"\b(?:can|could|wo|{_AUXILIARIES})n[’']?t\b", re.IGNORECASE), "not"),
    (lazy_pattern(r"\bcan(?:not|[’']t)\b", re.IGNORECASE), "not"),
)
_DENIED_IN_ROW = (
    (lazy_pattern(rf"\b(ca|could|wo|{_AUXILIARIES})n[’']t\b", re.IGNORECASE), r"\1 not"),
    (lazy_pattern(rf"\b(could|{_AUXILIARIES})nt\b", re.IGNORECASE), r"\1 not"),
    (lazy_pattern(r"\bcan ?not\b", re.IGNORECASE), "ca not"),
    (lazy_pattern(r"\bwill not\b", re.IGNORECASE), "wo not"),
)
"""Here the verb stays: who cannot swim is not who does not."""

_FILLERS = """
    a an the user user's users' i i'm my me am is are be been being that please kindly also really very just
    now currently do does will
"""
_FILLER = frozenset(_FILLERS.split())
"""Words that may differ although the same is said. In a memory `I` and `the user` are one."""

_NEGATORS = """
    no not none nothing nobody never neither nor without
    nicht kein keine keinen keiner nie niemals ohne nein pas jamais sans aucun aucune nunca sin tampoco
    ningún ninguna non mai senza niet geen nooit inte ingen aldrig ikke não sem не нет никогда без bez
"""
NEGATORS = frozenset(_NEGATORS.split())
"""Of several languages: they are counted, not understood, so one too many does no harm."""

_CONTRARIES = """
    avoid avoids stop stops stopped refuse refuses reject rejects hate hates dislike dislikes against
    forbid forbids forbidden ban bans banned fail fails failed remove removes removed disable disables
    disabled deprecated false off
"""
CONTRARIES = frozenset(_CONTRARIES.split())
"""Words that turn a statement round without denying it."""

_HEDGES = """
    only except unless if until maybe might may perhaps probably possibly sometimes usually often
    rarely almost but however when while before after since during always every each all any some most
    mostly should could would was were had used
"""
HEDGES = frozenset(_HEDGES.split())
"""Words that bound a statement. `We deploy` and `we might deploy` are not one."""


MONTH = "May"

LITTLE = frozenset(("in", "on", "at", "to", "of", "for", "with", "by", "as", "from", "and", "it"))
"""Words that stand in nearly every statement and tell nothing alone."""


_GOING_ON = """
    because so which who whose where via using per under about into onto near behind through than
    daily hourly today tonight tomorrow there here too together
"""
_ADDING = LITTLE | frozenset(_GOING_ON.split())
"""With these a statement goes on that could have ended."""


class ParsedStatement(NamedTuple):
    """A statement, taken apart."""

    words: tuple[str, ...]
    """In their order, without filler and negators."""
    line: tuple[str, ...]
    """The same with the negators where they stand."""
    denials: tuple[str, ...]
    """Negators and contraries, sorted."""
    hedges: tuple[str, ...]
    numbers: frozenset[str]
    names: frozenset[str]

    @property
    def negations(self) -> int:
        return len(self.denials) - sum(word in CONTRARIES for word in self.denials)


@lru_cache(maxsize=8_192)
def parse_statement(text: str) -> ParsedStatement:
    """Take a statement apart."""
    even = without_openings(text[:LONGEST])
    tokens = [token for raw in _TOKEN.findall(even) for token in _cut(raw)]
    lower = [token.lower().replace("’", "'") for token in tokens]
    telling = [word for n, word in enumerate(lower) if word not in _FILLER or _is_half(lower, n)]
    turning = [word for word in lower if word in NEGATORS or word in CONTRARIES]
    return ParsedStatement(
        words=tuple(stem(word) for word in telling if word not in NEGATORS),
        line=tuple(stem(word) for word in telling),
        denials=tuple(sorted([*turning, *_CJK_NO.findall(even)])),
        hedges=tuple(sorted(_hedges(tokens, lower))),
        numbers=frozenset(word for word in telling if any(c.isdigit() for c in word)),
        names=frozenset(stem(t.lower()) for i, t in enumerate(tokens) if _is_name(t, first=i == 0)),
    )


def _is_half(words: Sequence[str], at: int) -> bool:
    """Of a day: `5 am`."""
    return words[at] == "am" and at > 0 and words[at - 1][-1].isdigit()


def _hedges(tokens: Sequence[str], lower: Sequence[str]) -> list[str]:
    """`May` in the midst of a sentence is the month."""
    return [
        word for n, word in enumerate(lower) if word in HEDGES and not (n and tokens[n] == MONTH)
    ]


def likeness_of(new: str, old: str, *, cased: bool = True) -> Likeness | None:
    """Do both say the same? `fuller`: the new one says it with more words, `narrower`: with fewer.

    All that tells must stand on both sides in the same order, so `tabs over spaces` is not `spaces over
    tabs`, and `load > 5` not `load < 5`; what one says beyond the other must follow it, without another
    number, name, denial or hedge. What is put in other words is not recognised: two memories too many do
    less harm than one too few. Without `cased` it is the same in whatever case: who wants something
    forgotten means that.
    """
    one, other = parse_statement(new), parse_statement(old)
    if not one.words or max(len(new), len(old)) > LONGEST:
        texts = {
            trim_blanks(text) if cased else trim_blanks(text).casefold() for text in (new, old)
        }
        return "same" if len(texts) == 1 else None
    # Nearly all pairs end here or below: rows are made of those alone that may agree.
    if one.words == other.words and rows_agree(_row(new), _row(old), cased=cased):
        return "same"
    if one[2:5] != other[2:5]:
        return None
    if _adds_to(other, one) and _goes_on(_row(old), _row(new)):
        return "fuller"
    return "narrower" if _adds_to(one, other) and _goes_on(_row(new), _row(old)) else None


def shares_word(new: str, texts: Sequence[str]) -> list[bool]:
    """Which of the texts share a telling word with the new one: a quick look before a long one."""
    words = set(parse_statement(new).words) - LITTLE
    if not words:
        return [True] * len(texts)
    # The y of a stem may be the ies of a plural.
    found = lazy_pattern(
        "|".join(re.escape(word.removesuffix("y")) for word in words), re.IGNORECASE
    )
    return [found.search(text) is not None for text in texts]


def is_echoed(text: str, message: str) -> bool:
    """Does the message plainly say what the text says: word for word, or as a statement of its own?"""
    if len(parse_statement(text).words) >= FEWEST:
        wanted = trim_blanks(text)
        # A piece that was cut short may have lost the end of a word.
        if stands_in(wanted.rstrip(".!"), trim_blanks(message), cut=wanted.endswith("...")):
            return True
    return any(
        likeness_of(part, text, cased=False) == "same"
        for part in re.split(r"(?<=[.!?])\s+|\n", message[:LONGEST])
    )


def _adds_to(short: ParsedStatement, long: ParsedStatement) -> bool:
    """Is the shorter most of the longer, and all names in both?"""
    if len(short.words) < FEWEST or len(short.words) < SHARE * len(long.words):
        return False
    return not (short.names | long.names) - set(short.words)


def _goes_on(short: TellingRow, long: TellingRow) -> bool:
    """Does the longer say all of the shorter and then more: where, when, with what, why?

    A word before that makes it another subject (`Anna's sister`), one that only follows another thing
    (`peanut butter`).
    """
    rest = long.pieces[len(short.pieces) : len(short.pieces) + 1]
    adds = any(piece.low in _ADDING or piece.low.endswith("ly") for piece in rest)
    return adds and row_begins(long, short)


@lru_cache(maxsize=8_192)
def _row(text: str) -> TellingRow:
    even = _OPENING.sub("", text)
    for pattern, instead in (*_ONE_WORD, *_DENIED_IN_ROW):
        even = pattern.sub(instead, even)
    return telling_row(even)


def trim_blanks(text: str) -> str:
    """The one way in which content is made even: no blanks at the ends, one between two words."""
    lines = (" ".join(line.split()) for line in text.strip().splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def without_openings(text: str) -> str:
    """Without openings such as `Remember:`, and with one word for what has several."""
    text = _OPENING.sub("", text)
    for pattern, instead in (*_ONE_WORD, *_DENIED):
        text = pattern.sub(instead, text)
    return text


def _cut(token: str) -> list[str]:
    """A script without blanks is compared sign by sign."""
    if token.isascii() or not _CJK.search(token):
        return [token]
    return [piece for piece in re.split(f"({_CJK.pattern})", token) if piece]


@lru_cache(maxsize=8_192)  # the same words come again and again
def stem(word: str) -> str:
    """Without the s of plural and third person, and without that of an owner."""
    return without_s(word).removesuffix("'s")


def _is_name(token: str, *, first: bool) -> bool:
    """A name, or what a program knows by name: its spelling says so."""
    if not token[0].isalpha() or any(not c.isalpha() for c in token.replace("'", "")):
        return any(c.isalpha() for c in token)
    return token[1:] != token[1:].lower() or (token[0].isupper() and not first)
