"""A choice by number, letter or place: what the agent had listed under it.

`2`, `option B`, `the latter` or `let's do step 3` says nothing without the list. It is looked for in what
the agent said last with such an item, and carried with the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.offers import ChoiceState, EarlyOffers, Item, LastChoice, Offer
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.option_sorting import TAKEN, LabelVerdict, all_label_verdicts
from everthread.domain.text.acts.option_taking import (
    NAMES,
    PLACES,
    TakenLabel,
    chooses_anew,
    names_label,
    taken_labels,
    takes_back,
)
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.fences import flatten
from everthread.domain.text.patterns import lazy_pattern

from .alternatives import ITEMS, WORDS, HeardList, asks_figure, items_of, join_items
from .answer_pairs import split_choice

__all__ = ["Pick", "RecentLists", "SortedItem", "choosing_sentence", "items_of", "labels_in"]

KEPT = 3
"""So many of the agent's messages with labelled items are looked through, the newest first."""

MOST = 5
"""Items that one answer may choose; of more none is carried, for part of a choice is another choice."""

HEARD = 40
"""Sentences of a message in which a choice is looked for: who chooses says so at once."""

_JOINED = r"(?:\s*(?:,|and|&|\+|und|et|y)\s*(?:\#?(?:\d{1,2}|[a-h])\b))*"
_NAMED = lazy_pattern(
    rf"\b(?P<name>(?i:{WORDS})|[A-Z]{{2,6}})\s*\#?(?P<label>\d{{1,2}}|[A-Za-z])\b(?P<more>{_JOINED})(?!['’.]\w)"
)
_HASH = lazy_pattern(
    r"(?i:(?<!image )(?<!pr )(?<!issue )(?<!ticket )(?<!request ))(?<![\w#])"
    r"#(?P<label>\d{1,2})\b(?P<more>(?:\s*(?:,|and|&)\s*#\d{1,2}\b)*)"
)
_ORDINALS: Mapping[str, int] = {
    word: n for n, words in enumerate(PLACES, start=1) for word in words.split()
}
_PLAIN = lazy_pattern(rf"{NAMES}|{ITEMS}")
_CHOOSING = lazy_pattern(rf"(?:{NAMES})", re.IGNORECASE)
_OWN_LIST = lazy_pattern(r"\n[^\S\n]*(?:\d{1,2}|[A-Za-z])[.)][^\S\n]|\S\s+\d{1,2}[.)]\s+\S")
_MARKED = lazy_pattern(
    r"\W*(?P<label>\d{1,2}|[a-h])[.)](?=\s)(?!\s*(?:\S*n't|is|are|was|has|not|nor|or)\b)"
)
_JUDGED = lazy_pattern(r"\W*(?:(?:way |far |much )?too|is|are|was|not)\b")
_LETTERS = frozenset("abcdefgh")
_CALLS = lazy_pattern(
    r"\b(?:then|it is|after all|instead|let'?s|take|go(?:ing)? (?:with|for)|dann|nehm\w*|nimm|doch|alors|"
    r"prends|prenons|entonces|tomo|tomamos|elijo)\b"
)
"""What takes something, and is not only a letter."""
_SIGN = lazy_pattern(r"\d{1,2}|[a-hA-H](?![a-z])")


class Pick(NamedTuple):
    """What a person named by its label."""

    item: str
    """As the agent had put it; of several one after the other."""
    offer: Offer
    words: str
    """What she said: the sentence with the label."""
    chooses: bool
    """Was it offered for choice? Else she speaks of a step, a finding, an item."""
    labels: tuple[str, ...]
    """In small letters."""


class SortedItem(NamedTuple):
    """What a person sorted: an item, what becomes of it, and the sentence that says so."""

    item: str
    label: str
    how: str
    """One of `TAKEN`, `OUT`, `LATER`."""
    words: str


class RecentLists:
    """The lists of what the agent said last, as far as it said that before the person speaks."""

    def __init__(self, before: ChoiceState | None = None, turn: int | None = None) -> None:
        """`turn`: the number of the turn in which the person spoke last."""
        held = before or ChoiceState()
        self._lists = [HeardList(offer) for offer in held.offers]
        self._last, self._chosen_from = held.last, held.chosen_from
        self._turn = turn
        self._ahead = held.ahead and held.ahead._replace(offers=())
        self._ahead_lists = [HeardList(offer) for offer in held.ahead.offers] if held.ahead else []

    def carried(self, made: LastChoice | None) -> ChoiceState | None:
        """What the next range is to know."""
        ahead = self._ahead
        if ahead is not None:
            ahead = ahead._replace(offers=tuple(one.offer for one in self._ahead_lists))
        if not self._lists and not (ahead and ahead.offers):
            return None
        offers = tuple(one.offer for one in self._lists)
        return ChoiceState(offers, self._last, self._chosen_from, made, ahead)

    # Who speaks

    def heard(self, said: Utterance, message: Message) -> None:
        """The agent has spoken; in a turn of which the person is not read yet, that comes after her."""
        asks, one = "?" in said.text, HeardList.of(message, said)
        found = [] if one is None else [one]
        turn = message.turn_ref
        if turn is None or self._turn is None or turn == self._turn:
            self._take(message.key, asks, found)
            return
        if self._ahead is not None and self._ahead.turn != turn:
            self._fold()
        asked = self._ahead is not None and self._ahead.asks
        self._ahead = EarlyOffers(turn, message.key, asks or asked)
        self._ahead_lists = _newest_lists([*found, *self._ahead_lists])

    def turned_to(self, message: Message) -> None:
        """The person is about to speak: what was said in other turns lies before her."""
        if self._ahead is not None and self._ahead.turn != message.turn_ref:
            self._fold()

    def turned_from(self, message: Message) -> None:
        """She has spoken: what the agent said to it may be read already."""
        self._fold()
        self._turn = message.turn_ref

    def _fold(self) -> None:
        if self._ahead is not None:
            self._take(self._ahead.last, self._ahead.asks, self._ahead_lists)
        self._ahead, self._ahead_lists = None, []

    def _take(self, key: bytes, asks: bool, found: Sequence[HeardList]) -> None:  # noqa: FBT001 - what was heard
        self._last = key
        if asks:
            self._chosen_from = b""
        self._lists = _newest_lists([*found, *self._lists])

    # What she names

    def picked(self, said: Utterance) -> Pick | None:
        """What the person names by a label; None where nothing is listed under it."""
        if not self._lists or not said.sentences:
            return None
        if (chosen := self._marked(said) or self._chosen(said)) is not None:
            self._chosen_from = chosen.offer.source
            return chosen
        for each in said.sentences:
            for name, labels in _named_labels(each.text):
                for one in self._lists:
                    if not one.labelled:
                        continue
                    if found := _items_under([(name, label) for label in labels], one.offer):
                        own = tuple(label.lower() for label in labels)
                        return Pick(found, one.offer, each.text, chooses=False, labels=own)
        return None

    def ranked(self, said: Utterance) -> tuple[Offer, list[SortedItem]] | None:
        """What the person sorts of the list just shown; None where she does not, or says it of one alone."""
        if not self._lists or self._lists[0].source != self._last:
            return None
        told = _lines(said)
        found = all_label_verdicts(text.lower().replace("’", "'") for text in told)
        if not found or (len(found) == 1 and found[0].how == TAKEN):
            return None
        offer = self._lists[0].offer
        if not all(_may_choose(one.label, offer) for one in found) or len(found) > 2 * MOST:
            return None
        items = [_items_under([("", one.label)], offer) for one in found]
        if not all(items):
            return None
        pairs = zip(found, items, strict=True)
        return offer, [SortedItem(item, *one, _deciding_sentence(one, told)) for one, item in pairs]

    def chosen_from(self, offer: Offer) -> None:
        """She has chosen from this list, and may take that back."""
        self._chosen_from = offer.source

    def other(self, said: Utterance, than: LastChoice) -> Pick | None:
        """The other item of the same list that a person names by its words, in place of the chosen one."""
        offer = self.offer(than.source)
        if offer is None:
            return None
        for each in said.sentences:
            if each.asks or not chooses_anew(each.lower):
                continue
            about = roots(each.text)
            fits = [one for one in offer.items if not about.isdisjoint(roots(_own_text(one)))]
            if len(fits) == 1 and fits[0].label not in than.labels:
                label, item = fits[0].label, fits[0].text
                return Pick(item, offer, each.text, chooses=True, labels=(label,))
        return None

    def recalled(self, said: Utterance, made: LastChoice | None) -> Pick | None:
        """What she takes by its letter after the talk has gone on: `OK, c then`. Nothing else has letters.

        Who has chosen from the list already says that she takes it back.
        """
        one = next((each for each in self._lists if each.labelled), None)
        if one is None:
            return None
        again = made is not None and made.source == one.source
        for each in said.sentences[:HEARD]:
            if (
                _asks(each)
                or not _CALLS.search(each.lower)
                or (again and not takes_back(each.lower))
            ):
                continue
            labels = tuple(label.label for label in taken_labels(each.lower))
            letters = bool(labels) and one.offer.others and _LETTERS.issuperset(labels)
            if letters and (item := _items_under([("", label) for label in labels], one.offer)):
                self._chosen_from = one.source
                return Pick(item, one.offer, each.text, chooses=True, labels=labels)
        return None

    def offer(self, source: bytes) -> Offer | None:
        """The list of that message, if it is still known."""
        return next((each.offer for each in self._lists if each.source == source), None)

    def _marked(self, said: Utterance) -> Pick | None:
        """`2. And add a test`: a number with a point is a mark of its own, and not part of its sentence."""
        newest, match = self._lists[0], _MARKED.match(said.text.strip().lower())
        if match is None or newest.source != self._last or _OWN_LIST.search(said.text):
            return None
        first, offer = said.sentences[0], newest.offer
        alone = taken_labels(first.lower)
        judged = _JUDGED.match(said.text.strip().lower(), match.end())
        if judged or not _may_choose(match["label"], offer):
            return None
        if len(alone) > 1 or (first.asks and alone):
            return None
        item = _items_under([("", match["label"])], offer)
        words = first.text if alone else ""
        label = match["label"]
        return Pick(item, offer, words, chooses=True, labels=(label,)) if item else None

    def _chosen(self, said: Utterance) -> Pick | None:
        """What is taken, sentence by sentence, of the newest list that has all of it."""
        labels, words = self._taken(said)
        named = all(label.named for label in labels)
        for one in self._lists[: None if named else 1] if labels else ():
            if not one.labelled and one.source not in (self._last, self._chosen_from):
                continue
            offer = one.offer
            if not all(label.named or _may_choose(label.label, offer) for label in labels):
                continue
            wanted = [_resolve_label(label, offer) for label in labels]
            if one.source not in (self._last, self._chosen_from) and not _calls_so(wanted, offer):
                continue
            if item := _items_under(wanted, offer):
                own = tuple(label for _, label in wanted)
                return Pick(item, offer, words, chooses=True, labels=own)
        return None

    def _taken(self, said: Utterance) -> tuple[list[TakenLabel], str]:
        """All labels that a message takes, and the sentence that takes the first of them."""
        own = _OWN_LIST.search(said.text) is not None
        labels: list[TakenLabel] = []
        words, at_label = "", True
        for each in said.sentences[:HEARD]:
            back, told = takes_back(each.lower), ""
            # A number alone speaks of the list just shown; one that takes back, of what was chosen from.
            spoken_of = (self._last, self._chosen_from) if back else (self._last,)
            direct = not own and self._lists[0].source in spoken_of
            bare = direct and (at_label or back)
            says = names_label(each.lower)
            if says and not _asks(each):
                told = " ".join(item.text for one in self._lists for item in one.offer.items)
            found = (
                taken_labels(each.lower, bare=bare, told=told) if says and not _asks(each) else []
            )
            at_label = bare and says
            if labels and not found and not labels[-1].named and _JUDGED.match(each.lower):
                labels = []
            if found and (back or not labels):
                labels, words = found, each.text
            elif found:
                labels = [*labels, *found]
        return labels, words


def _newest_lists(lists: Sequence[HeardList]) -> list[HeardList]:
    """So many as are looked through; of those without labels only the very last."""
    kept = [one for n, one in enumerate(lists) if one.labelled or not n]
    labelled = [one for one in kept if one.labelled][:KEPT]
    return [*kept[:1], *labelled] if kept and not kept[0].labelled else labelled


def _resolve_label(label: TakenLabel, offer: Offer) -> tuple[str, str]:
    """The name and the label under which it is listed: of `the second` the second."""
    name, labels = ("option" if label.named else ""), [item.label for item in offer.items]
    if not _is_place(label.label):
        return name, label.label
    place = _ORDINALS.get(label.label, len(labels))
    return name, labels[place - 1] if place <= len(labels) else ""


def _calls_so(wanted: Sequence[tuple[str, str]], offer: Offer) -> bool:
    """Does a list of some time ago call them options, or have letters? Its numbers may be of steps."""
    labels = {label for _, label in wanted}
    return all(i.name or i.label.isalpha() for i in offer.items if i.label in labels)


def _is_place(label: str) -> bool:
    """`second`, and no number or letter."""
    return len(label) > 2 and not label.isdigit()  # noqa: PLR2004 - a place is a word


def _may_choose(label: str, offer: Offer) -> bool:
    return offer.figures if label.isdigit() else offer.others


def _own_text(item: Item) -> str:
    """An item without what it stands beside."""
    return split_choice(item.text)[1] or item.text


def _asks(each: ParsedSentence) -> bool:
    """A question; `do the second one` begins like one, and orders."""
    return each.asks and (not each.orders or each.text.endswith(("?", "\uff1f")))


def _lines(said: Utterance) -> list[str]:
    """What may sort: the sentences; the lines where she makes a list of her own, with their numbers."""
    text = said.text.strip()
    if _MARKED.match(text.lower()) and _OWN_LIST.search(text):
        return [flatten(line) for line in text.splitlines() if line.strip()][:HEARD]
    return [each.text for each in said.sentences[:HEARD] if not _asks(each)]


def _deciding_sentence(one: LabelVerdict, told: Sequence[str]) -> str:
    """The sentence that says what becomes of a label."""
    lower = ((text, text.lower().replace("’", "'")) for text in told)
    return next((text for text, low in lower if one in all_label_verdicts((low,))), "")


def choosing_sentence(said: Utterance, question: str) -> str:
    """The sentence that chooses an option of which the question speaks: `A`, to `option A or B?`."""
    figures = not asks_figure(question)
    for n, each in enumerate(said.sentences):
        found = [] if each.asks else taken_labels(each.lower, bare=n == 0)
        labels = [one.label for one in found if one.named or figures or not one.label.isdigit()]
        if any(re.search(rf"\b{label.upper()}\b", question) for label in labels):
            return each.text
    return ""


def labels_in(text: str) -> frozenset[str]:
    """The labels of the options that a text names."""
    named = (labels for name, labels in _named_labels(text) if _CHOOSING.match(name))
    return frozenset(label.lower() for labels in named for label in labels)


def _named_labels(text: str) -> Iterator[tuple[str, list[str]]]:
    for match in _NAMED.finditer(text):
        yield match["name"].lower(), [match["label"], *_SIGN.findall(match["more"].lower())]
    for match in _HASH.finditer(text):
        yield "", [match["label"], *_SIGN.findall(match["more"])]


def _items_under(wanted: list[tuple[str, str]], offer: Offer) -> str:
    """The items under these labels. A plain number may be meant by `option 2`, not by `step 2`."""
    told: list[str] = []
    for name, label in wanted:
        plain = not name or _PLAIN.fullmatch(name) is not None
        same = [item for item in offer.items if item.label == label.lower()]
        fits = [item for item in same if item.name == name]
        fits += [i for i in same if _same_label(i.name, name) or not name or (plain and not i.name)]
        if not fits:
            return ""
        told.append(fits[0].text)
    return join_items(told) if len(told) <= MOST else ""


def _same_label(one: str, other: str) -> bool:
    """Two words for what is offered: `approach 2` for `Option 2`."""
    return all(_CHOOSING.fullmatch(each) is not None for each in (one, other))
