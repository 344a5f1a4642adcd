"""A choice by number or letter: what the agent had listed under it.

`2`, `option B` or `let's do step 3` says nothing without the list. It is looked for in what the agent
said last with such an item, and carried with the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.support.orders import orders as reads_as_order
from everthread.domain.text.fences import flat
from everthread.domain.text.patterns import late
from everthread.domain.text.speech import offers_choice
from everthread.domain.text.speech_taking import (
    NAMES,
    PLACES,
    Taken,
    chooses_anew,
    speaks,
    taken,
    takes_back,
)

from .roots import roots
from .said import Said

KEPT = 3
"""So many of the agent's messages with labelled items are looked through, the newest first."""

FEWEST = 2
"""A list of fewer items offers nothing."""

LONGEST = 240
"""Characters of an item."""

MOST = 5
"""Items that one answer may choose; of more none is carried, for part of a choice is another choice."""

HEARD = 40
"""Sentences of a message in which a choice is looked for: who chooses says so at once."""

LOOK = 40
"""Lines above an item in which it was introduced."""

_COLONS = (":", "\uff1a", ":**", ":__")
_ITEMS = "point|item|number|bullet|finding|question|punkt|nummer|punto"
_STEPS = "step|phase|part|task|schritt|teil|étape|paso|plan"
_NAMES = rf"{NAMES}|{_ITEMS}|{_STEPS}"
_LINE = late(
    rf"^(?P<deep>[^\S\n]*)(?:\#{{1,6}}[^\S\n]+)?(?P<item>(?:[-*+•][^\S\n]+)?(?:\*\*|__)?"
    rf"(?:(?P<name>(?i:{_NAMES})|[A-Z]{{2,6}})[^\S\n]+\#?(?P<label>\d{{1,2}}|[A-Za-z])\b"
    r"|\(?(?P<bare>\d{1,2}|[A-Za-z])[.)](?=[^\S\n]))"
    r"[^\n]*)$",
    re.MULTILINE,
)
_INLINE = late(
    r"(?<![\w(])(?P<item>\(?(?P<bare>[A-Ha-h]|[1-8])\)[^\S\n]+[^\n]{2,160}?)"
    r"(?=[,;.]?(?:[^\S\n]+(?:or|and|oder|ou|o|und|et|y))?[^\S\n]+\(?(?:[A-Ha-h]|[1-8])\)[^\S\n]|"
    r"[.?!;](?:\s|$)|[^\S\n]*(?:\n|$))"
)
_JOINED = r"(?:\s*(?:,|and|&|\+|und|et|y)\s*(?:\#?(?:\d{1,2}|[a-h])\b))*"
_NAMED = late(
    rf"\b(?P<name>(?i:{_NAMES})|[A-Z]{{2,6}})\s*\#?(?P<label>\d{{1,2}}|[A-Za-z])\b(?P<more>{_JOINED})(?!['’.]\w)"
)
_HASH = late(
    r"(?i:(?<!image )(?<!pr )(?<!issue )(?<!ticket )(?<!request ))(?<![\w#])"
    r"#(?P<label>\d{1,2})\b(?P<more>(?:\s*(?:,|and|&)\s*#\d{1,2}\b)*)"
)
_ORDINALS: Mapping[str, int] = {
    word: n for n, words in enumerate(PLACES, start=1) for word in words.split()
}
_PLAIN = late(rf"{NAMES}|{_ITEMS}")
_CHOOSING = late(rf"(?:{NAMES})", re.IGNORECASE)
_OWN_LIST = late(r"\n[^\S\n]*(?:\d{1,2}|[A-Za-z])[.)][^\S\n]|\S\s+\d{1,2}[.)]\s+\S")
_MARKED = late(
    r"\W*(?P<label>\d{1,2}|[a-h])[.)](?=\s)(?!\s*(?:\S*n't|is|are|was|has|not|nor|or)\b)"
)
_JUDGED = late(r"\W*(?:(?:way |far |much )?too|is|are|was|not)\b")
_COUNTS = late(
    r"\bhow (?:many|much|old|long|often|far|big|large|high|tall|wide|few)\b|"
    r"\bwhat (?:age|size|number|amount)\b|"
    r"\bwhich number\b|\bwie\s?(?:viele?|alt|lange|oft|hoch|groß)\b|\bcombien\b|\bquel âge\b|\bcuánt\w+|"
    r"\bquanti?\b|几|幾|多少|いくつ|何[人個歳枚]|몇|얼마",
    re.IGNORECASE,
)
_TIMES = late(
    r"\bwhen\b(?! (?:i|you|we|it|the)\b)|\bwhen (?:is|are|was|will|do|does|did|shall|should|can|would)\b|"
    r"\b(?:what|which) (?:time|date|day|hour|month|year|week)\b|\bwann\b|\bum wie viel uhr\b|\bquand\b|"
    r"\bquelle heure\b|\bcuándo\b|\bqué hora\b|何時|いつ|什么时候|几点|언제",
    re.IGNORECASE,
)
_DONE = late(
    r"\b(?:done|did|changed|changes|fixed|completed|finished|implemented|added|so far|updated|created|"
    r"removed|made|resolved|summary|erledigt|gemacht|geändert|fait|terminé|hecho|cambios)\b",
    re.IGNORECASE,
)
_OFFERING = late(
    r"\b(?:options?|ways?|choices?|choose|pick|alternatives?|approach(?:es)?|either|could|can|would|ideas?|"
    r"candidates?|suggestions?|suggest|proposals?|recommend\w*|next|möglichkeiten|vorschläge|entweder|choix|"
    r"idées|opciones|ideas)\b|[?\uff1f:\uff1a]\W*$",
    re.IGNORECASE,
)
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
        self._chosen_from: bytes = b""

    def heard(self, said: Said, message: Message) -> None:
        """The agent has spoken."""
        self._last = message.key
        if "?" in said.text:
            self._chosen_from = b""
        items = items_of(said.text)
        if len(items) >= FEWEST:
            self._lists = [_List(message, said.text, items), *self._lists][:KEPT]

    def picked(self, said: Said) -> Picked | None:
        """What the person names by a label; None where nothing is listed under it."""
        if not self._lists or not said.sentences:
            return None
        if (chosen := self._marked(said) or self._chosen(said)) is not None:
            self._chosen_from = chosen.source.key
            return chosen
        for each in said.sentences:
            for name, labels in _named(each.text):
                for one in self._lists:
                    if found := _found([(name, label) for label in labels], one):
                        own = tuple(label.lower() for label in labels)
                        return Picked(found, one.source, each.text, chooses=False, labels=own)
        return None

    def other(self, said: Said, than: Picked) -> Picked | None:
        """The other item of the same list that a person names by its words, in place of the chosen one."""
        one = next((each for each in self._lists if each.source.key == than.source.key), None)
        if one is None:
            return None
        for each in said.sentences:
            if each.asks or not chooses_anew(each.lower):
                continue
            about = roots(each.text)
            own = [(label, _worded(one.text, item)) for (_, label), item in one.items.items()]
            fits = [(label, item) for label, item in own if not about.isdisjoint(roots(item))]
            if len(fits) == 1 and fits[0][0] not in than.labels:
                label, item = fits[0]
                return Picked(item, one.source, each.text, chooses=True, labels=(label,))
        return None

    def _marked(self, said: Said) -> Picked | None:
        """`2. And add a test`: a number with a point is a mark of its own, and not part of its sentence."""
        newest, match = self._lists[0], _MARKED.match(said.text.strip().lower())
        if match is None or newest.source.key != self._last or _OWN_LIST.search(said.text):
            return None
        first = said.sentences[0]
        alone = taken(first.lower)
        if _JUDGED.match(said.text.strip().lower(), match.end()) or not _open_to(match[1], newest):
            return None
        if len(alone) > 1 or (first.asks and alone):
            return None
        item = _found([("", match["label"])], newest)
        words = first.text if alone else ""
        return (
            Picked(item, newest.source, words, chooses=True, labels=(match["label"],))
            if item
            else None
        )

    def _chosen(self, said: Said) -> Picked | None:
        """What is taken, sentence by sentence, of the newest list that has all of it."""
        own = _OWN_LIST.search(said.text) is not None
        told = " ".join(flat(item["item"]) for one in self._lists for item in one.items.values())
        labels: list[Taken] = []
        words, at_label = "", True
        for each in said.sentences[:HEARD]:
            back = takes_back(each.lower)
            # A number alone speaks of the list just shown; one that takes back, of what was chosen from.
            spoken_of = (self._last, self._chosen_from) if back else (self._last,)
            direct = not own and self._lists[0].source.key in spoken_of
            bare = direct and (at_label or back)
            found = [] if each.asks else taken(each.lower, bare=bare, told=told)
            at_label = bare and speaks(each.lower)
            if labels and not found and not labels[-1].named and _JUDGED.match(each.lower):
                labels = []
            if found and (back or not labels):
                labels, words = found, each.text
            elif found:
                labels = [*labels, *found]
        for one in self._lists[: None if all(label.named for label in labels) else 1]:
            wanted = [_resolved(label, one) for label in labels]
            if not all(
                label.named or _open_to(w[1], one) for label, w in zip(labels, wanted, strict=True)
            ):
                continue
            if item := _found(wanted, one):
                return Picked(
                    item, one.source, words, chooses=True, labels=tuple(w[1] for w in wanted)
                )
        return None


def _resolved(label: Taken, one: _List) -> tuple[str, str]:
    """The name and the label under which it is listed: of `the second` the second."""
    name, labels = ("option" if label.named else ""), [own for _, own in one.items]
    if len(label.label) < 3 or label.label.isdigit():  # noqa: PLR2004 - a place is a word
        return name, label.label
    place = _ORDINALS.get(label.label, len(labels))
    return name, labels[place - 1] if place <= len(labels) else ""


def _open_to(label: str, one: _List) -> bool:
    """May a label alone choose from the list? Not from what was done, nor where a figure was asked for."""
    matches = [*one.items.values()]
    lead = one.text[: min(match.start() for match in matches)].strip()
    after = one.text[max(match.end() for match in matches) :].strip()
    lead = lead.rpartition("\n\n")[2][-LONGEST:]
    if "?" in after or "\uff1f" in after:
        asked = after[-2 * LONGEST :]
        if label.isdigit() and (_COUNTS.search(asked) or _TIMES.search(asked)):
            return False
        if offers_choice(asked) or _OFFERING.search(asked.rstrip("?\uff1f ")):
            return True
        return bool(_named_choices(one) or (_OFFERING.search(lead) and not _DONE.search(lead)))
    if label.isdigit() and "?" in lead and _COUNTS.search(lead):
        return False
    return bool(_named_choices(one) or "?" in lead or not _DONE.search(lead))


def _named_choices(one: _List) -> bool:
    return any(_CHOOSING.fullmatch(name) for name, _ in one.items)


def named_in(said: Said, question: str) -> str:
    """The sentence that chooses an option of which the question speaks: `A`, to `option A or B?`."""
    counts = _COUNTS.search(question) or _TIMES.search(question)
    for n, each in enumerate(said.sentences):
        found = [] if each.asks else taken(each.lower, bare=n == 0)
        labels = [one.label for one in found if one.named or not (counts and one.label.isdigit())]
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
    if not found and ") " in text:
        return _inline(text)
    bare = [match for match in found if match["bare"]]
    outer = min((len(match["deep"].expandtabs(4)) for match in bare), default=0)
    items: dict[tuple[str, str], re.Match[str]] = {}
    for match in found:
        if match["bare"] and len(match["deep"].expandtabs(4)) > outer:
            continue
        key = ((match["name"] or "").lower(), (match["label"] or match["bare"]).lower())
        items[key] = match
    return items


def _inline(text: str) -> Items:
    """What is offered within a sentence: `A) admins only, B) everybody`. Labels in a row show that it is."""
    found = [*_INLINE.finditer(text)]
    labels = [match["bare"].lower() for match in found]
    row = "abcdefgh" if labels and labels[0] == "a" else "12345678"
    if len(labels) < FEWEST or "".join(labels) != row[: len(labels)]:
        return {}
    return {("", label): match for label, match in zip(labels, found, strict=True)}


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


def _named(text: str) -> Iterator[tuple[str, list[str]]]:
    for match in _NAMED.finditer(text):
        yield match["name"].lower(), [match["label"], *_SIGN.findall(match["more"].lower())]
    for match in _HASH.finditer(text):
        yield "", [match["label"], *_SIGN.findall(match["more"])]


def _found(wanted: list[tuple[str, str]], offered: _List) -> str:
    """The items under these labels. A plain number may be meant by `option 2`, not by `step 2`."""
    told: list[str] = []
    for name, label in wanted:
        plain = not name or _PLAIN.fullmatch(name) is not None
        same = [(was, item) for (was, own), item in offered.items.items() if own == label.lower()]
        fits = [item for was, item in same if was == name]
        fits += [item for was, item in same if _alike(was, name) or not name or (plain and not was)]
        if not fits:
            return ""
        told.append(_worded(offered.text, fits[0]))
    return " … ".join(dict.fromkeys(told)) if len(told) <= MOST else ""


def _alike(one: str, other: str) -> bool:
    """Two words for what is offered: `approach 2` for `Option 2`."""
    return all(_CHOOSING.fullmatch(each) is not None for each in (one, other))
