"""What is told of something known, together with something new: `Marta quit. Jonas does the accounts.`

Such words often tell that the one took the other's place, in ways that no list of forms has. Whether they
do is for the reader: nothing ends by them. But they are kept whole, so that nobody is told of Marta alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from everthread.domain.conversation.messages import Message
from everthread.domain.text.acts.lasting_statements import all_passing
from everthread.domain.text.acts.word_lists import BASE, COMMON
from everthread.domain.text.fences import flatten
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches
from everthread.domain.text.words import STOP

from .digest import CHOSEN
from .point_factory import point_of
from .points import Points
from .utterances import Excerpt, Utterance

LONGEST = 240
"""Characters: a longer message tells of many things."""

_NAME = lazy_pattern(r"\b[A-ZÄÖÜ][\w.&-]*\w(?=['’]s\b|\b)")
_NO_NAME = lazy_pattern(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|june?|july?|aug\w*|"
    r"sept?\w*|oct\w*|nov\w*|dec\w*"
)
_NO_NAMES = STOP | COMMON | BASE


def keep_news_of_known(points: Points, message: Message, said: Utterance) -> None:
    """Keep what a person tells of a known name and, after it, of a new one. She asks and orders nothing."""
    if len(said.own) > LONGEST or any(each.asks or each.orders for each in said.sentences):
        return
    if all_passing(said.sentences):
        return  # cheer is full of capitals
    named = [names for part in _parts(said.own) if (names := names_in(part))]
    if len(named) <= 1 or not _tells_new_after_known(named, _known(points, message)):
        return
    text = flatten(said.own)
    for kind in ("decision", "fact"):
        mine = [e for e in points.of(kind) if message.key in e.point.sources]
        mine = [e for e in mine if e.point.text in text]
        for entry in mine[1:]:
            points.lose(entry)
        if mine:
            weight = max(mine[0].point.weight, CHOSEN)
            mine[0].point = mine[0].point._replace(text=text, weight=weight)
            return
    points.add(point_of(message, Excerpt("fact", text, CHOSEN), "user"))


def _parts(text: str) -> Iterator[str]:
    """Its sentences, and what stands between their commas."""
    for place in stretches(text):
        yield from text[place.start : place.end].split(", ")


def _known(points: Points, message: Message) -> frozenset[str]:
    """What a person named before."""
    told = (p.text for p in points if p.by == "user" and message.key not in p.sources)
    return frozenset[str]().union(*map(names_in, told))


def _tells_new_after_known(named: Sequence[frozenset[str]], known: frozenset[str]) -> bool:
    heard = False
    for names in named:
        if heard and names - known:
            return True
        heard = heard or not names.isdisjoint(known)
    return False


@lru_cache(maxsize=2_048)
def names_in(text: str) -> frozenset[str]:
    """Its words with a capital letter that are no common ones."""
    found = (name.lower() for name in _NAME.findall(text))
    return frozenset(n for n in found if n not in _NO_NAMES and not _NO_NAME.fullmatch(n))
