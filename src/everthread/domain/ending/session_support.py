"""Is a sentence of a session's summary borne out? Rules beyond those of every summary's sentences.

The verb by which somebody's words are reported is the summary's own, so it counts neither for nor
against; but who is said to have decided must have decided, and numbers in words are numbers. What
stands in a fence, in a block or between quotation marks is shown by somebody, and not said by him.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from everthread.domain.conversation.messages import TEXT, Message, Origin
from everthread.domain.support.support import verdict
from everthread.domain.text.acts.speech import decides, parse_sentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

from .session_talk import asks_text, sentences_of

_REPORTED = lazy_pattern(
    r"\A(?P<who>The (?:user|agent)|They|It) (?:also |then )?"
    r"(?P<verb>asked|decided|wanted|intended|needed|chose|agreed|planned)\b(?: for)?"
)
_CHOOSING = frozenset(("decided", "chose", "agreed"))
_NUMBERS = """
    two three four five six seven eight nine ten eleven twelve thirteen fifteen sixteen twenty thirty
    forty fifty sixty seventy eighty ninety hundred thousand million dozen twice thrice half quarter
    second third fourth fifth
"""
_NUMBER = frozenset(_NUMBERS.split())
_WORD = lazy_pattern(r"[^\W\d_]+")
_FENCED = lazy_pattern(
    r"^[^\S\n]*(?P<fence>```|~~~).*?(?:^[^\S\n]*(?P=fence)[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_SHOWN = lazy_pattern(r"[^\S\n]*>")
_INDENTED = lazy_pattern(r"(?: {4}|\t)[^\S\n]*\S")
_ITEM = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_SPOKEN = lazy_pattern(
    r"“[^”]{2,4000}”|«[^»]{2,4000}»|„[^“”]{2,4000}[“”]|(?<![\w\"])\"(?=\S)[^\"]{2,4000}(?<=\S)\"(?!\w)|"
    r"(?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w)){2,4000}(?<=\S)'(?!\w)"
)
_ENDS = lazy_pattern(r"[.!?…]\s+\S|\n")
"""An end of a sentence inside of a quotation: it holds more than the words of one."""


def borne_out(text: str, sources: Sequence[Message], *, by: Origin, verbatim: bool = False) -> bool:
    """Do these messages say so? `verbatim`: it claims to be their words."""
    found = None if verbatim else _REPORTED.match(text)
    told = text if found is None else f"{found['who']} said{text[found.end() :]}"
    if not verdict(told, sources, by=by, verbatim=verbatim).supported:
        return False
    mine = [message.text for message in sources if message.origin == by]
    if found is not None and found["verb"] in _CHOOSING and not any(map(_decides, mine)):
        return False
    return _numbers(text) <= {word for said in mine for word in _numbers(said)}


def own_prose(message: Message, *, verbatim: bool = False) -> Message:
    """The message with nothing but its speaker's own prose. `verbatim`: quotations in it stay."""
    if message.origin not in ("user", "agent"):
        return message
    text = "\n".join(_outside_blocks(_FENCED.sub("\n", message.text).splitlines()))
    if not verbatim:
        text = _SPOKEN.sub(lambda found: "" if _ENDS.search(found[0]) else found[0], text)
    if message.origin == "user":
        text = _drop_handed_over(text)
    return message._replace(content=text, form=TEXT)


def _outside_blocks(lines: Sequence[str]) -> Iterator[str]:
    """The lines outside of blocks; where every line is indented, none of them is a block."""
    whole = all(_INDENTED.match(line) for line in lines if line.strip())
    before, block = "", False
    for line in lines:
        begins = not before.strip() or before.rstrip().endswith(":")
        block = _INDENTED.match(line) is not None and (block or begins) and not _ITEM.match(line)
        if not _SHOWN.match(line) and (whole or not block):
            yield line
        before = line


def _drop_handed_over(text: str) -> str:
    """Without what a person hands over to be worked on: `Translate this: …` and all that follows."""
    for sentence in sentences_of(text):
        head, colon, _ = sentence.partition(":")
        if colon and asks_text(head):
            return text[: text.index(sentence) + len(sentence)]
    return text


def _decides(text: str) -> bool:
    return any(decides(parse_sentence(text[place.start : place.end])) for place in stretches(text))


def _numbers(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} & _NUMBER
