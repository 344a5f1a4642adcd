"""Whether a reply only says again, in other words, what it replies to.

Nobody understands other words here. A reply that comes right after a statement and has hardly a word that
is not from it tells nothing else: `Right, no names in the postmortem.` A statement that comes on its own
is not looked at, nor is a reply that goes on to other things: to another number, or to somebody else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import LITTLE, LONGEST, parse_statement

_SAID_IN_REPLY = """
    ok okay okey k right alright fine good great perfect nice thanks thank cheers sure certainly
    absolutely definitely exactly indeed yes yep yeah course noted note understood understand got gotcha
    copy roger agreed deal done clear so then well here too there this these those such its it's that's
    let let's know remember keep kept mind use stick go will i'll i've i'd we'll we've you you'll you're your
    we our us one ones anything anyone else more again only always ever out onward forward remembered
    saved stored future from for with without about up mentioned told said says say telling
    sorry hear heard glad happy sad congratulations congrats wonderful terrible awful lovely news hope wishes
    careful sharing confiding trusting trust have had been really very truly must tough hard difficult
"""
ACKNOWLEDGING = frozenset(_SAID_IN_REPLY.split()) | LITTLE
"""Words with which one says that one has understood, or feels with somebody."""

_SENTENCE = lazy_pattern(r"(?<=[.!?:;])\s+|\n")
_NUMBER = lazy_pattern(r"\d++(?>(?:[.,:'’]\d++)*)")
_COMPOUND = lazy_pattern(r"(?<![^\W\d_])[^\W\d_]++(?>(?:[-/'][^\W\d_]++)+)")
"""`double-check`, `and/or`: spelt like what a program knows by name, and no name in small letters."""

_OF_ANOTHER = lazy_pattern(
    r"(?P<who>[^\W\d_]++),?\s++(?:(?:do|does|did|is|are|has|have|gets?|will|can)\s++)?"
    r"(?:too|also|as\s++well|likewise|the\s++same)\b"
)
"""`Bob too.`: what was said holds of somebody else, named by the first word."""


class Acknowledged:
    """What is gone, so that many replies can be held against it."""

    def __init__(self, gone: Sequence[str]) -> None:
        statements = [parse_statement(text) for text in gone]
        self._gone = [({*each.words}, each.numbers | each.names) for each in statements]
        self._words = {word for words, _ in self._gone for word in words}
        self._numbers = {number for text in gone for number in _numbers(text)}

    def by(self, reply: str) -> Iterator[int]:
        """Those of whose words the reply is made, by their place. Beside a number or a name of it, most of
        them do, where no other one is told."""
        if len(reply) > LONGEST:
            return
        telling = _telling(reply)
        if telling.isdisjoint(self._words):
            return
        sentences = _SENTENCE.split(reply.replace("’", "'"))
        adds = any(map(_adds_another, sentences))
        others = adds or self._tells_others(reply, sentences)
        for n, (words, exact) in enumerate(self._gone):
            shared = telling & words
            other = len(telling) - len(shared)
            most = not others and other < len(shared) and not shared.isdisjoint(exact)
            if shared and ((other == 0 and not adds) or most):
                yield n

    def _tells_others(self, reply: str, sentences: Iterable[str]) -> bool:
        """Does it tell a number or a name that is in none of those that are gone?"""
        if any(number not in self._numbers for number in _numbers(reply)):
            return True
        return any(_names(sentence) - self._words for sentence in sentences)


def _telling(text: str) -> set[str]:
    return {word for word in parse_statement(text).words if word not in ACKNOWLEDGING}


def _names(sentence: str) -> set[str]:
    """What it names; not by its first word, which has a capital anyhow."""
    names = parse_statement(sentence).names & _telling(sentence)
    return {name for name in names if not (name in sentence and _COMPOUND.fullmatch(name))}


def _adds_another(sentence: str) -> bool:
    """Does it say the same of somebody by its first word, which has a capital anyhow?"""
    found = _OF_ANOTHER.match(sentence)
    return found is not None and found["who"][0].isupper() and bool(_telling(found["who"]))


def _numbers(text: str) -> Iterable[str]:
    """The numbers in a text, however their digits are grouped."""
    return ("".join(filter(str.isdigit, found)) for found in _NUMBER.findall(text))
