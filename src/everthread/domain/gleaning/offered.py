"""A choice by number or letter: what the agent had listed under it.

`2`, `option B` or `let's do step 3` says nothing without the list. It is looked for in what the agent
said last with such an item, and carried with the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.support.orders import orders as reads_as_order
from everthread.domain.text.fences import flat
from everthread.domain.text.patterns import late

from .said import Said

KEPT = 3
"""So many of the agent's messages with labelled items are looked through, the newest first."""

FEWEST = 2
"""A list of fewer items offers nothing."""

LONGEST = 240
"""Characters of an item."""

MOST = 3
"""Items that one answer may choose."""

LOOK = 40
"""Lines above an item in which it was introduced."""

_COLONS = (":", "\uff1a", ":**", ":__")
_CHOICES = "option|approach|alternative|choice|variant|variante|opción|opcion|möglichkeit|solution"
_ITEMS = "point|item|number|bullet|finding|question|punkt|nummer|punto"
_STEPS = "step|phase|part|task|schritt|teil|étape|paso|plan"
_NAMES = rf"{_CHOICES}|{_ITEMS}|{_STEPS}"
_LINE = late(
    rf"^(?P<deep>[^\S\n]*)(?:\#{{1,6}}[^\S\n]+)?(?P<item>(?:[-*+•][^\S\n]+)?(?:\*\*|__)?"
    rf"(?:(?P<name>(?i:{_NAMES})|[A-Z]{{2,6}})[^\S\n]+\#?(?P<label>\d{{1,2}}|[A-Za-z])\b"
    r"|\(?(?P<bare>\d{1,2}|[A-Za-z])[.)](?=[^\S\n]))"
    r"[^\n]*)$",
    re.MULTILINE,
)
_LABEL = r"\d{1,2}|[a-h]"
_JOINED = r"(?:\s*(?:,|and|&|\+|und|et|y)\s*(?:\#?(?:\d{1,2}|[a-h])\b))*"
_NAMED = late(
    rf"\b(?P<name>(?i:{_NAMES})|[A-Z]{{2,6}})\s*\#?(?P<label>\d{{1,2}}|[A-Za-z])\b(?P<more>{_JOINED})(?!['’.]\w)"
)
_HASH = late(
    r"(?i:(?<!image )(?<!pr )(?<!issue )(?<!ticket )(?<!request ))(?<![\w#])"
    r"#(?P<label>\d{1,2})\b(?P<more>(?:\s*(?:,|and|&)\s*#\d{1,2}\b)*)"
)
_LED = (
    r"^\W*(?:(?:ok|okay|yes|yeah|let's|lets|do|go with|going with|choose|pick|take|use|please|and|then|well|"
    r"i'd|i'll|i|we|would|will|go|say|prefer|like|want|think|number|no\.|nr\.|ich nehme|nimm|je prends|"
    r"elijo|the)\s+)*"
)
_BARE = late(
    rf"{_LED}\(?\#?(?P<label>{_LABEL})(?P<more>{_JOINED})\)?"
    r"(?=\s*(?:$|\n)|\s*[,.;:!)–—-](?!\d)|"
    r"\s+(?:please|but|it is|is|sounds|seems|looks|then|for|bitte|por favor)\b)"
)
_ORDINALS: Mapping[str, int] = {
    word: n
    for n, words in enumerate(
        (
            "first former erste ersten première premier primera primero",
            "second zweite zweiten deuxième seconde segunda segundo",
            "third dritte dritten troisième tercera tercero",
            "fourth vierte vierten quatrième cuarta",
        ),
        start=1,
    )
    for word in words.split()
}
_ORDINAL = late(
    rf"{_LED}(?:the |der |die |das |den |la |le |el )?"
    rf"(?P<word>{'|'.join(_ORDINALS)}|last|latter|letzte|dernière|última)"
    rf"(?:\s+(?:one|{_CHOICES}))?(?=\s*$|\s*[,.;:!–—-]|\s+(?:please|but|sounds|seems|looks|bitte)\b)"
)
_PLAIN = late(rf"{_CHOICES}|{_ITEMS}")
_CHOOSING = late(rf"(?:{_CHOICES})", re.IGNORECASE)
_OWN_LIST = late(r"\n[^\S\n]*(?:\d{1,2}|[A-Za-z])[.)][^\S\n]")
_SIGN = late(r"\d{1,2}|[a-hA-H](?![a-z])")


class Picked(NamedTuple):
    """What a person named by its label."""

    item: str
    """As the agent had put it; of several one after the other."""
    source: Message
    words: str
    """What she said: the sentence with the label."""
    chooses: bool
    """Was it offered for choice? Else she speaks of a step, a finding, an item."""
    labels: tuple[str, ...]
    """In small letters."""


Items = Mapping[tuple[str, str], re.Match[str]]
"""Lines by name and label; without a name by the label alone."""


class _List(NamedTuple):
    source: Message
    text: str
    items: Items


class Offers:
    """The labelled items of what the agent said last."""

    def __init__(self) -> None:
        self._lists: list[_List] = []
        self._last: bytes = b""

    def heard(self, said: Said, message: Message) -> None:
        """The agent has spoken."""
        self._last = message.key
        items = items_of(said.text)
        if len(items) >= FEWEST:
            self._lists = [_List(message, said.text, items), *self._lists][:KEPT]

    def picked(self, said: Said) -> Picked | None:
        """What the person names by a label; None where nothing is listed under it."""
        if not self._lists or not said.sentences:
            return None
        first = said.sentences[0]
        newest = self._lists[0]
        if newest.source.key == self._last and not first.asks:
            labels = _bare(_beginning(said), newest)
            if found := _found([("", label) for label in labels], newest):
                # A number with a point is the mark of an item, and not part of its sentence.
                words = first.text if _bare(first.lower, newest) else ""
                return Picked(found, newest.source, words, chooses=True, labels=(*labels,))
        for each in said.sentences:
            for name, labels in _named(each.text):
                for one in self._lists:
                    if found := _found([(name, label) for label in labels], one):
                        chooses = _CHOOSING.fullmatch(name) is not None and not each.asks
                        return Picked(found, one.source, each.text, chooses, lowered(labels))
        return None


def _beginning(said: Said) -> str:
    """The first words of an answer; not of who makes a list of her own."""
    text = said.text.strip()[:80].lower().replace("’", "'")
    return "" if _OWN_LIST.search(said.text) else text


def lowered(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(label.lower() for label in labels)


def named_in(said: Said, question: str) -> str:
    """The sentence that names an option of which the question speaks: `A`, to `option A or B?`."""
    for n, each in enumerate(said.sentences):
        if each.asks:
            continue
        labels = [
            label for name, found in _named(each.text) if _CHOOSING.match(name) for label in found
        ]
        if not labels and n == 0 and (bare := _BARE.match(each.lower)):
            labels = [bare["label"]]
        if any(re.search(rf"\b{label.upper()}\b", question) for label in labels):
            return each.text
    return ""


def speaks_of(text: str) -> frozenset[str]:
    """The labels of the options that a text names."""
    named = (labels for name, labels in _named(text) if _CHOOSING.match(name))
    return frozenset(label.lower() for labels in named for label in labels)


def items_of(text: str) -> Items:
    """The labelled lines of a text; of what is listed twice the later, of nested lists the outer."""
    found = [*_LINE.finditer(text)]
    bare = [match for match in found if match["bare"]]
    outer = min((len(match["deep"].expandtabs(4)) for match in bare), default=0)
    items: dict[tuple[str, str], re.Match[str]] = {}
    for match in found:
        if match["bare"] and len(match["deep"].expandtabs(4)) > outer:
            continue
        key = ((match["name"] or "").lower(), (match["label"] or match["bare"]).lower())
        items[key] = match
    return items


def _worded(text: str, match: re.Match[str]) -> str:
    """The item; after what introduces it where it would read as an order."""
    item = _short(flat(match["item"]).rstrip(":\uff1a"))
    if not reads_as_order(item):
        return item
    above = (line.strip("#*_ \t") for line in reversed(text[: match.start()].splitlines()[-LOOK:]))
    lead = next((line for line in above if line.endswith(_COLONS)), "")
    lead = flat(lead.rstrip(":\uff1a*_"))
    return (
        f"{lead} … {item}" if lead and not reads_as_order(lead) and len(lead) <= LONGEST else item
    )


def _short(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 1].rpartition(' ')[0]}…"


def _bare(lower: str, offered: _List) -> list[str]:
    """The labels by which an answer begins: `2`, `b and c`, `the second one`."""
    if match := _BARE.match(lower):
        return [match["label"], *_SIGN.findall(match["more"])]
    if match := _ORDINAL.match(lower):
        number = _ORDINALS.get(match["word"])
        labels = [label for _, label in offered.items]
        if number is None:
            return labels[-1:]
        return labels[number - 1 : number]
    return []


def _named(text: str) -> Iterator[tuple[str, list[str]]]:
    for match in _NAMED.finditer(text):
        yield match["name"].lower(), [match["label"], *_SIGN.findall(match["more"].lower())]
    for match in _HASH.finditer(text):
        yield "", [match["label"], *_SIGN.findall(match["more"])]


def _found(wanted: list[tuple[str, str]], offered: _List) -> str:
    """The items under these labels. A plain number may be meant by `option 2`, not by `step 2`."""
    told: list[str] = []
    for name, label in wanted[:MOST]:
        plain = not name or _PLAIN.fullmatch(name) is not None
        same = [(was, item) for (was, own), item in offered.items.items() if own == label.lower()]
        fits = [item for was, item in same if was == name]
        fits += [item for was, item in same if _alike(was, name) or not name or (plain and not was)]
        told.extend(_worded(offered.text, item) for item in fits[:1])
    return " … ".join(dict.fromkeys(told))


def _alike(one: str, other: str) -> bool:
    """Two words for what is offered: `approach 2` for `Option 2`."""
    return all(_CHOOSING.fullmatch(each) is not None for each in (one, other))
