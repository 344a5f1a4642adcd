"""Does a sentence of a summary say what its sources say? Decided by rule, and told in plain words.

A sentence stands on at most a few sentences of its sources. Those must hold most of its telling words,
all its numbers, names and quotations; what they deny it must deny, what they hedge it must hedge, and
who is said to have spoken must have spoken. What is put too freely is struck: the messages remain, and
a true sentence too few does less harm than an untrue one too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message, Origin
from everthread.domain.memory.opposites import OPPOSITES
from everthread.domain.recall.search_text import search_text
from everthread.domain.redaction.secrets import MARKER
from everthread.domain.text.fences import neutralize
from everthread.domain.text.patterns import lazy_pattern

from .deed_checks import why_other_deed
from .denial_checks import why_turned
from .figure_checks import why_other_figures
from .kindred_words import family
from .orders import reads_as_order
from .relation_checks import why_other_relations
from .sentence_parts import Page, SentenceParts, page, sentence_parts, stem
from .standing_checks import why_hearsay, why_other_standing

SHARE = 0.7
"""Of the telling words of a sentence, so many must be in its sources."""

PARTS = 3
"""A sentence may draw on so many sentences of its sources."""

CLOSEST = 12
"""Sentences of the sources that are looked at closely: those that share most words."""

ADDS = 2
"""A further sentence must bring so many words that the others have not."""


CUT = 12
"""Words of a quotation that may end in the midst of a sentence, where it is marked as cut."""


class Verdict(NamedTuple):
    supported: bool
    why: str
    """Why it is struck, in plain words; empty for one that is not."""


FINE = Verdict(supported=True, why="")


def _reject(why: str) -> Verdict:
    return Verdict(supported=False, why=why)


_ELLIPSIS = lazy_pattern(rf"\s*(?:…|\[…\]|\.\.\.)\s*|{MARKER.pattern}")
_WAY = lazy_pattern(r"(?<![\w(])\(?(?:[A-Ha-h]|[1-8])\)\s")
_QUOTED = lazy_pattern(r'"([^"\n]{2,})"|“([^”\n]{2,})”|`([^`\n]+)`|«([^»\n]{2,})»')
_LABEL = lazy_pattern(
    r"\A(?:decision|decided|reasons?|entscheidung|grund|begründung|décision|raison|decisión|razón|motivo)\s?:\s*"
    r"(?=\w)",
    re.IGNORECASE,
)
"""The form of a decision, which its sources need not have."""
_SPEAKER = lazy_pattern(
    r"\b(?:the |our )?(user|human|person|customer|agent|assistant)(?:['’]s)?\b(?= \w)",
    re.IGNORECASE,
)
_TURNS = """
    raise/reduce raise/lower increase/decrease grant/refuse accept/reject win/lose won/lost buy/sell
    bought/sold lend/borrow lent/borrowed arrive/leave gain/lose approve/reject hire/fire born/died
    starts/ends began/ended started/ended opens/closes rise/fall rose/fell improve/worsen add/remove
"""
_AGAINST = (OPPOSITES - {frozenset(("before", "after"))}) | {
    frozenset(map(stem, pair.split("/"))) for pair in _TURNS.split()
}
"""Words that say the opposite. Of before and after, `relation_checks` sees what stands behind them."""
_PEOPLE = frozenset(("user", "human", "person", "customer"))
_HEARD: dict[Origin, tuple[Origin, ...]] = {
    "user": ("user",),
    "agent": ("agent", "tool"),
    "tool": ("tool",),
    "system": ("system",),
}
"""Whose messages count for whose words: what a tool gave back the agent may tell."""


def verdict(text: str, sources: Sequence[Message], *, by: Origin, verbatim: bool) -> Verdict:
    """Hold a sentence against the messages it names as its sources.

    `by` says whose words it gives, `verbatim` that it claims to be theirs, word for word.
    """
    if not text.strip():
        return _reject("it says nothing")
    if not any(message.origin == by for message in sources):
        return _reject(f"it gives words of the {by}, who said none of its sources")
    pages = [_page(message) for message in sources if message.origin in _HEARD[by]]
    spoken = _is_quoted(text, pages)
    if verbatim and not spoken:
        # What is shown was made harmless first, and may differ from what was said by that alone.
        pages = [page(neutralize(each.flat)) for each in pages]
        spoken = _is_quoted(text, pages)
    if any(map(reads_as_order, page(text).sentences)) and not (
        spoken and verbatim and by == "user"
    ):
        return _reject("it reads as an order, and is not the user's own words")
    if spoken:
        return _verbatim_verdict(text, [*pages, *_without_names(sources, by)])
    if verbatim:
        return _reject("it is given as a quotation and is not in its sources")
    return _told_verdict(text, sources, pages, by)


# Quotations


def _page(message: Message) -> Page:
    text = search_text(message)
    return page(f"{message.name}: {text}" if message.name else text)


def _without_names(sources: Sequence[Message], by: Origin) -> list[Page]:
    """What named people said, without who they are: a name before it is no word that was left out."""
    named = (message for message in sources if message.name and message.origin in _HEARD[by])
    return [page(neutralize(search_text(message))) for message in named]


def _pieces(text: str) -> list[str]:
    """The text without what was cut out of it."""
    return [flat for piece in _ELLIPSIS.split(text) if (flat := " ".join(piece.split()))]


def _is_quoted(text: str, pages: Sequence[Page]) -> bool:
    return all(any(_places(piece, each.flat) for each in pages) for piece in _pieces(text))


def _places(piece: str, flat: str, most: int = 5) -> list[int]:
    """Where the piece stands in the text, between words."""
    found: list[int] = []
    at = flat.find(piece)
    while at >= 0 and len(found) < most:
        if _is_between_words(flat, at, at + len(piece)):
            found.append(at)
        at = flat.find(piece, at + 1)
    return found


def _is_between_words(flat: str, start: int, end: int) -> bool:
    before = start > 0 and flat[start - 1].isalnum() and flat[start].isalnum()
    after = end < len(flat) and flat[end - 1].isalnum() and flat[end].isalnum()
    ascii_only = flat[max(0, start - 1) : start + 1].isascii() and flat[end - 1 : end + 1].isascii()
    return not ((before or after) and ascii_only)


def _verbatim_verdict(text: str, pages: Sequence[Page]) -> Verdict:
    """Words taken over as they are must not leave behind what denies or hedges them."""
    pieces = _pieces(text)
    ended = text.rstrip().endswith("…") and len(pieces[-1].split()) >= CUT
    for n, piece in enumerate(pieces):
        cut = ended and n == len(pieces) - 1
        places = ((each, at) for each in pages for at in _places(piece, each.flat))
        verdicts = [_cut_out(piece, each, at, cut=cut) for each, at in places]
        if FINE not in verdicts:
            return verdicts[0]
    return FINE


def _cut_out(piece: str, each: Page, at: int, *, cut: bool) -> Verdict:
    """What was left out around the piece. Where it is cut, and says so, what follows does not count."""
    end = at + len(piece)
    first, last = each.at(at, end)
    for n in {first, last}:
        start, sentence = each.starts[n], each.sentences[n]
        taken = sentence[max(0, at - start) : end - start]
        whole = sentence[: end - start] if cut and n == last else _one_way(sentence, at - start)
        rest = whole.replace(taken, "", 1)
        if any(map(str.isalnum, rest)) and (found := _why_lacking(taken, whole)):
            return _reject(found)
    return FINE


def _why_lacking(taken: str, whole: str) -> str:
    """What was left behind that denies or hedges it, or says that another said it."""
    part, parts = sentence_parts(taken), [sentence_parts(whole)]
    return why_turned(part, parts) or why_hearsay(part, parts)


def _one_way(sentence: str, at: int) -> str:
    """The sentence without the ways beside the one that begins there: `A) only x, B) y`."""
    marks = [mark.start() for mark in _WAY.finditer(sentence)]
    if at not in marks:
        return sentence
    end = next((mark for mark in marks if mark > at), len(sentence))
    return sentence[: marks[0]] + sentence[at:end]


# Sentences in other words


def _told_verdict(text: str, sources: Sequence[Message], pages: list[Page], by: Origin) -> Verdict:
    for span in _quotations(text):
        if not any(_places(span, each.flat) for each in pages):
            return _reject(f"it quotes {span[:60]!r}, which is not in its sources")
    named = _speaker(text)
    if named is not None and named != by:
        return _reject(f"it says that the {named} spoke; its sources are the {by}'s")
    names = frozenset(
        word.lower() for m in sources if m.name for word in m.name.split() if m.origin in _HEARD[by]
    )
    for sentence in page(text).sentences:
        told = sentence_parts(_LABEL.sub("", sentence))
        if why := _why_struck(told, pages, names, own=by == "user"):
            return _reject(why)
    return FINE


def _quotations(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        yield from _pieces(next(group for group in match.groups() if group))


def _speaker(text: str) -> Origin | None:
    found = _SPEAKER.search(_QUOTED.sub("", text)[:80])
    if found is None or found.start() > len("In this session, the "):
        return None
    return "user" if found[1].lower() in _PEOPLE else "agent"


def _why_struck(
    sentence: SentenceParts, pages: Sequence[Page], names: frozenset[str], *, own: bool
) -> str:
    """Why one sentence is not supported; empty if it is."""
    wanted = [word for word in sentence.words if word not in names]
    if not wanted:
        return "it says nothing that could be checked"
    ground = _ground(wanted, pages)
    if not ground:
        return "its words are not in its sources"
    missing = _missing(wanted, ground)
    share = 1 - len(missing) / len(set(wanted))
    return (
        _why_invented(sentence, ground, names)
        or _why_opposite(ground, sentence)
        or why_turned(sentence, ground)
        or (f"only {share:.0%} of its words are in its sources" if share < SHARE else "")
        or why_other_figures(sentence, ground)
        or why_other_relations(sentence, ground, names)
        or why_other_standing(sentence, ground, names, own=own)
        or why_other_deed(sentence, ground)
    )


def _missing(wanted: Sequence[str], ground: Sequence[SentenceParts]) -> set[str]:
    """The words that the sources have neither so nor in another form, nor any that may stand for them."""
    given = {word for each in ground for word in (*each.words, *each.tokens)}
    akin = frozenset(each for word in given for each in family(word))
    return {word for word in {*wanted} - given if akin.isdisjoint(family(word))}


def _ground(wanted: Sequence[str], pages: Sequence[Page]) -> list[SentenceParts]:
    """The sentences of the sources on which this one stands, in their order."""
    need = set(wanted)
    scored: list[tuple[int, int, str]] = []
    for each in pages:
        for sentence in each.sentences:
            small = sentence.lower()
            if count := sum(word in small for word in need):
                scored.append((-count, len(scored), sentence))
    near = [(at, sentence_parts(text)) for _, at, text in sorted(scored)[:CLOSEST]]
    chosen: list[tuple[int, SentenceParts]] = []
    while near and len(chosen) < PARTS and need:
        at, best = max(
            near, key=lambda each: (len(need & _all_tokens(each[1])), -len(each[1].words))
        )
        gain = need & _all_tokens(best)
        if len(gain) < (ADDS if chosen else 1):
            break
        chosen.append((at, best))
        near.remove((at, best))
        need -= gain
    return [each for _, each in sorted(chosen, key=lambda each: each[0])]


def _all_tokens(sentence: SentenceParts) -> set[str]:
    return {*sentence.words, *sentence.tokens}


def _why_invented(
    sentence: SentenceParts, ground: Sequence[SentenceParts], names: frozenset[str]
) -> str:
    """A number or a name that the sources do not give, or numbers in another order."""
    given = iter([number for each in ground for number in each.numbers])
    if not all(number in given for number in sentence.numbers):
        return "it gives numbers that its sources do not give so"
    text = " ".join(each.text.lower() for each in ground)
    tokens = {token for each in ground for token in each.tokens} | names
    for name in sentence.names:
        small = name.lower().replace("’", "'")
        if not _is_known(small, tokens, text):
            return f"it names {name}, which its sources do not"
    first = sentence.text.split(" ", 1)[0].strip("\"'`*(,.")
    if first[:1].isupper() and first.isalpha() and not _may_open(first.lower(), tokens):
        return f"it begins with {first}, which its sources do not name"
    return ""


def _is_known(small: str, tokens: set[str], text: str) -> bool:
    if small in tokens or stem(small) in tokens:
        return True
    if not small.isalpha() and _places(small, text):
        return True
    parts = re.split(r"[-/’']", small)
    return len(parts) > 1 and all(part in tokens or stem(part) in tokens for part in parts)


def _may_open(word: str, tokens: set[str]) -> bool:
    """May a sentence begin so: with a word of the sources, a little word, or a verb that reports?"""
    plain = sentence_parts(word).words == () or word.endswith(("ed", "ing"))
    return plain or word in tokens or stem(word) in tokens


def _why_opposite(ground: Sequence[SentenceParts], sentence: SentenceParts) -> str:
    """Does it say the opposite of a word that the sources have and it has not?"""
    given = {token for each in ground for token in each.tokens}
    left = given - sentence.tokens
    for word in sentence.tokens - given:
        against = (frozenset((word, other)) for other in left)
        if any(pair in _AGAINST for pair in against):
            return f"it says {word}, and its sources say the opposite"
    return ""
