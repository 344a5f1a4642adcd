"""What the agent put up for choice: lines with labels, a plain list, or two ways on both sides of an `or`.

A list of steps, of findings or of what was done is kept, too, for a person speaks of its items by their
numbers. But only of what was offered may a word as short as `2` or `the latter` choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.offers import Item, Offer
from everthread.domain.gleaning.utterances import LONGEST as SAID
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts.asked_choices import offers_choice
from everthread.domain.text.acts.option_taking import NAMES
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.fences import flatten
from everthread.domain.text.patterns import lazy_pattern

from .answer_pairs import CHOSE, WITHIN, split_choice

FEWEST, MOST = 2, 40
"""Items of a list: fewer offer nothing, of more the first are kept."""

LONGEST, ROOM = 240, 3_000
"""Characters of an item, and of all items of a list."""

LOOK = 40
"""Lines above an item in which it was introduced."""

ASKED = 3
"""Sentences at the end of a message among which it asks."""

BARE = 3
"""Words of a question that does not say between what to choose."""

_COLONS = (":", "\uff1a", ":**", ":__")
_ASKS = ("?", "\uff1f")
ITEMS = "point|item|number|bullet|finding|question|punkt|nummer|punto"
STEPS = "step|phase|part|task|schritt|teil|étape|paso|plan"
WORDS = rf"{NAMES}|{ITEMS}|{STEPS}"
_LINE = lazy_pattern(
    rf"^(?P<deep>[^\S\n]*)(?:\#{{1,6}}[^\S\n]+)?(?P<item>(?:[-*+•][^\S\n]+)?(?:\*\*|__)?"
    rf"(?:(?P<name>(?i:{WORDS})|[A-Z]{{2,6}})[^\S\n]+\#?(?P<label>\d{{1,2}}|[A-Za-z])\b"
    r"|\(?(?P<bare>\d{1,2}|[A-Za-z])[.)](?=[^\S\n]))"
    r"[^\n]*)$",
    re.MULTILINE,
)
_INLINE = lazy_pattern(
    r"(?<![\w(])(?P<item>\(?(?P<bare>[A-Ha-h]|[1-8])\)[^\S\n]+[^\n]{2,160}?)"
    r"(?=[,;.]?(?:[^\S\n]+(?:or|and|oder|ou|o|und|et|y))?[^\S\n]+\(?(?:[A-Ha-h]|[1-8])\)[^\S\n]|"
    r"[.?!;](?:\s|$)|[^\S\n]*(?:\n|$))"
)
_BULLET = lazy_pattern(
    r"^(?P<deep>[^\S\n]*)[-*+•][^\S\n]+(?P<item>[^\n]*[^\W_][^\n]*)$", re.MULTILINE
)
_CHOOSING = lazy_pattern(rf"(?:{NAMES})", re.IGNORECASE)
_COUNTS = lazy_pattern(
    r"\bhow (?:many|much|old|long|often|far|big|large|high|tall|wide|few)\b|"
    r"\bwhat (?:age|size|number|amount)\b|"
    r"\bwhich number\b|\bwie\s?(?:viele?|alt|lange|oft|hoch|groß)\b|\bcombien\b|\bquel âge\b|\bcuánt\w+|"
    r"\bquanti?\b|几|幾|多少|いくつ|何[人個歳枚]|몇|얼마",
    re.IGNORECASE,
)
_TIMES = lazy_pattern(
    r"\bwhen\b(?! (?:i|you|we|it|the)\b)|\bwhen (?:is|are|was|will|do|does|did|shall|should|can|would)\b|"
    r"\b(?:what|which) (?:time|date|day|hour|month|year|week)\b|\bwann\b|\bum wie viel uhr\b|\bquand\b|"
    r"\bquelle heure\b|\bcuándo\b|\bqué hora\b|何時|いつ|什么时候|几点|언제",
    re.IGNORECASE,
)
_DONE = lazy_pattern(
    r"\b(?:done|did|changed|changes|fixed|completed|finished|implemented|added|so far|updated|created|"
    r"removed|made|resolved|summary|erledigt|gemacht|geändert|fait|terminé|hecho|cambios)\b",
    re.IGNORECASE,
)
_OFFERING = lazy_pattern(
    r"\b(?:options?|ways?|choices?|choose|pick|alternatives?|approach(?:es)?|either|could|can|would|ideas?|"
    r"candidates?|suggestions?|suggest|proposals?|recommend\w*|next|möglichkeiten|vorschläge|entweder|choix|"
    r"idées|opciones|ideas)\b|[?\uff1f:\uff1a]\W*$",
    re.IGNORECASE,
)
_COULD = lazy_pattern(
    r"\b(?:could|can|would|might|options?|ways?|choices?|alternatives?|candidates?|ideas?|either|shall|should|"
    r"könnten?|können|möglichkeiten|optionen|entweder|pou(?:rr|v)\w+|soit|opciones|pod(?:r[ií]a|emos)\w*)\b"
)
_OR = lazy_pattern(
    r"(?:,|;)?\s+(?:or|oder|ou|o)(?:\s+(?:else|rather|aber|bien|sinon))?\s+", re.IGNORECASE
)
_ORS = (" or ", " oder ", " ou ", " o ")
_COMMA = lazy_pattern(r",\s+")
_FRAME = lazy_pattern(
    r"\b(?:should|shall|do|does|would|could|can|may|might|will|is|are|want|prefer|soll(?:en|te)?|möchtest|willst|"
    r"wollen|kann|könnten?|nehmen|veux|voulez|préf\w+|dois|peut|puis|quieres?|prefieres?|podr\w+|debo)\b",
    re.IGNORECASE,
)
_NOTHING = lazy_pattern(
    r"\W*(?:not|no|none|neither|never|else|what|so|more|less|two|both|similar|later|"
    r"(?:some|any)(?:thing|one|where) else|whatever\b.*|"
    r"not yet|leave it\b.*|nicht|nein|was|anders|mehr|non|pas|plus|rien|autre chose|más|menos|otra cosa)\W*",
    re.IGNORECASE,
)
"""What stands behind an `or` and is no way of its own: `or not`."""

_SENTENCE = lazy_pattern(r"(?<=[.!?])[*_]*\s+(?=\W*[^\W_a-z])")
_NUMBER = lazy_pattern(r"\A(?:[-*+•]\s+)?(?:\*\*|__)?\(?(?:\d{1,2}|[A-Za-z])[.)]\s+")
"""The label of an item; its point would end a sentence."""
_LABELLED = lazy_pattern(
    rf"(?:[-*+•]\s+)?(?:\*\*|__)?\(?(?P<label>(?i:{NAMES})\s+\#?(?:\d{{1,2}}|[A-Za-z]))[*_]*"
    r"(?:[.)]\s+|\s*[:–—]\s*|\s+-\s+)(?=\S)"
)

Labelled = Mapping[tuple[str, str], re.Match[str]]
"""Lines by name and label; without a name by the label alone."""


class HeardList:
    """A list that was heard; read closely only when somebody speaks of it, or it is carried on."""

    def __init__(self, offer: Offer | None = None) -> None:
        self._offer = offer
        self._heard: tuple[Message, Utterance, Labelled] | None = None

    @classmethod
    def of(cls, message: Message, said: Utterance) -> HeardList | None:
        """What stands in a message; None if it lists nothing and offers nothing."""
        items = items_of(said.text)
        if len(items) < FEWEST:
            return cls(offer) if (offer := _unlabelled_offer(message, said)) is not None else None
        one = cls()
        one._heard = message, said, items
        return one

    @property
    def source(self) -> bytes:
        return self._heard[0].key if self._heard is not None else self.offer.source

    @property
    def labelled(self) -> bool:
        return self._offer is None or self._offer.labelled

    @property
    def offer(self) -> Offer:
        if self._offer is None:
            assert self._heard is not None, "a list is heard, or it was carried"
            self._offer = _labelled_offer(*self._heard)
        return self._offer


def _labelled_offer(message: Message, said: Utterance, items: Labelled) -> Offer:
    leads = [*_lead_sentences(said.text, [*items.values()])]
    told = [
        Item(name, label, _item_text(match["item"], lead))
        for ((name, label), match), lead in zip(items.items(), leads, strict=True)
    ]
    matches = [*items.values()]
    start, end = min(m.start() for m in matches), max(m.end() for m in matches)
    ways = [n for n, (name, _) in enumerate(items) if _CHOOSING.fullmatch(name)]
    lead, choices = leads[ways[0] if ways else 0], bool(ways)
    figures, others = (
        _chosen_by_label(said.text, start, end, choices, digit=d) for d in (True, False)
    )
    return Offer(message.key, message.at_ms, True, figures, others, lead, _items_in_room(told))  # noqa: FBT003 - the fields of a record


def _items_in_room(items: Sequence[Item]) -> tuple[Item, ...]:
    kept: list[Item] = []
    room = ROOM
    for item in items[:MOST]:
        room -= len(item.text)
        if room < 0:
            break
        kept.append(item)
    return tuple(kept)


def items_of(text: str) -> Labelled:
    """The labelled lines of a text; of what is listed twice the later, of nested lists the outer."""
    found = [*_LINE.finditer(text)]
    if not found and ") " in text:
        return _inline_items(text)
    bare = [match for match in found if match["bare"]]
    outer = min((_depth(match) for match in bare), default=0)
    items: dict[tuple[str, str], re.Match[str]] = {}
    for match in found:
        if match["bare"] and _depth(match) > outer:
            continue
        key = ((match["name"] or "").lower(), (match["label"] or match["bare"]).lower())
        items[key] = match
    return items


def _depth(match: re.Match[str]) -> int:
    return len(match["deep"].expandtabs(4))


def _inline_items(text: str) -> Labelled:
    """What is offered within a sentence: `A) admins only, B) everybody`. Labels in a row show that it is."""
    found = [*_INLINE.finditer(text)]
    labels = [match["bare"].lower() for match in found]
    row = "abcdefgh" if labels and labels[0] == "a" else "12345678"
    if len(labels) < FEWEST or "".join(labels) != row[: len(labels)]:
        return {}
    return {("", label): match for label, match in zip(labels, found, strict=True)}


def _lead_sentences(text: str, matches: Sequence[re.Match[str]]) -> Iterator[str]:
    """What introduces each of the items: the last sentence above it that announces or asks."""
    own = {match.start() for match in matches}
    for match in matches:
        at, lead = match.start(), ""
        for line in reversed(text[:at].splitlines(keepends=True)[-LOOK:]):
            at -= len(line)
            bare = line.strip("#*_ \t\n")
            if at not in own and bare.endswith((*_COLONS, *_ASKS)):
                lead = _SENTENCE.split(flatten(bare.rstrip(":\uff1a*_")))[-1]
                break
        yield lead if not reads_as_order(lead) and len(lead) <= LONGEST else ""


def _item_text(item: str, lead: str) -> str:
    """The item; after what introduces it where it would read as an order."""
    told = _short(flatten(item).rstrip(":\uff1a"))
    if not lead or not reads_as_order(told):
        return told
    return f"{_statement(lead)}{WITHIN}{strip_label(told)}"


def _statement(asked: str) -> str:
    """A question without its mark, for that would end the sentence."""
    return asked.rstrip("?\uff1f* ")


def strip_label(item: str) -> str:
    return _NUMBER.sub("", item)


def split_label(item: str) -> tuple[str, str]:
    """`Option B: by train`: the label, and what stands under it; ("", …) where it is called no option."""
    found = _LABELLED.match(item)
    return (found["label"], item[found.end() :].strip("* ")) if found else ("", item)


def join_items(items: Sequence[str], after: str = "") -> str:
    """Several items as one text, after what leads to them; what would read as an order as part of that."""
    told = [*([after] if after else ()), *dict.fromkeys(items)]
    if not any(map(reads_as_order, items)):
        return CHOSE.join(told)
    return WITHIN.join((_statement(told[0]), *map(strip_label, told[1:])))


def offer_text(offer: Offer) -> str:
    """All that is on offer as one text, so that its labels mean something; "" if that is long."""
    told = [_labelled_line(item) for item in offer.items]
    lead = (offer.lead,) if offer.lead else ()
    between = WITHIN if any(map(reads_as_order, map(strip_label, told))) else CHOSE
    text = between.join((*lead, *told))
    return text if len(told) >= FEWEST and len(text) <= SAID and not reads_as_order(text) else ""


def is_choice(offer: Offer) -> bool:
    """Does it list ways, by letters or as options? What has numbers may be steps, or findings."""
    ways = (_CHOOSING.fullmatch(i.name) or (not i.name and i.label.isalpha()) for i in offer.items)
    return offer.labelled and offer.others and all(ways)


def _labelled_line(item: Item) -> str:
    """An item as it stands in its list, without what it was told with."""
    own = split_choice(item.text)[1]
    return f"{item.label}) {own}" if own and not item.name else own or item.text


def _short(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 1].rpartition(' ')[0]}…"


def _chosen_by_label(text: str, start: int, end: int, choices: bool, *, digit: bool) -> bool:  # noqa: FBT001 - found out by the caller
    """May a label alone choose from the list? Not from what was done, nor where a figure was asked for."""
    lead, after = text[:start].strip().rpartition("\n\n")[2][-LONGEST:], text[end:].strip()
    if any(sign in after for sign in _ASKS):
        asked = after[-2 * LONGEST :]
        if digit and asks_figure(asked):
            return False
        if offers_choice(asked) or _OFFERING.search(asked.rstrip("?\uff1f ")):
            return True
        return choices or bool(_OFFERING.search(lead) and not _DONE.search(lead))
    if digit and "?" in lead and _COUNTS.search(lead):
        return False
    return choices or "?" in lead or not _DONE.search(lead)


def asks_figure(asked: str) -> bool:
    """Does a question ask for a figure, or a time?"""
    return bool(_COUNTS.search(asked) or _TIMES.search(asked))


# Without labels


def _unlabelled_offer(message: Message, said: Utterance) -> Offer | None:
    """What can be named by its place alone: the items of the only list, or what an `or` stands between."""
    if not said.sentences:
        return None
    last = said.sentences[-ASKED:]
    asked = next((each for each in reversed(last) if each.text.rstrip("*_ ").endswith(_ASKS)), None)
    found = _or_ways(message, asked, said.sentences[-1]) or _plain_list(message, said.text, asked)
    return found or _two_ways_before(message, said, asked)


def _two_ways_before(
    message: Message, said: Utterance, asked: ParsedSentence | None
) -> Offer | None:
    """The two ways of the sentence before a bare `Which?`"""
    if asked is None or len(asked.words) > BARE or asked not in said.sentences[1:]:
        return None
    return _or_ways(message, None, said.sentences[said.sentences.index(asked) - 1])


def _plain_list(message: Message, text: str, asked: ParsedSentence | None) -> Offer | None:
    """A list of nothing but signs, where a choice is asked for or its introduction offers one."""
    found = [*_BULLET.finditer(text)] if "\n" in text else []
    outer = min(map(_depth, found), default=0)
    items = [match for match in found if _depth(match) == outer]
    if len(items) < FEWEST or _is_torn(text, items):
        return None
    start, end = items[0].start(), items[-1].end()
    lead = text[:start].strip().rpartition("\n\n")[2][-LONGEST:]
    asks = asked.text if asked is not None else ""
    after = bool(asks) and any(sign in text[end:] for sign in _ASKS)
    choice = after and (offers_choice(asks) or bool(_OFFERING.search(asks.rstrip("?\uff1f* "))))
    if _DONE.search(lead) or not (choice or _COULD.search(lead.lower()) or lead.endswith(_ASKS)):
        return None
    leads = [*_lead_sentences(text, items)]
    told = [
        Item("", str(n), _item_text(match["item"], lead))
        for n, (match, lead) in enumerate(zip(items, leads, strict=True), start=1)
    ]
    figures = not (asks and asks_figure(asks))
    return Offer(message.key, message.at_ms, False, figures, True, leads[0], _items_in_room(told))  # noqa: FBT003 - the fields of a record


def _is_torn(text: str, items: Sequence[re.Match[str]]) -> bool:
    """Does something stand between the items that belongs to none of them? Then there are two lists."""
    deep = _depth(items[0])
    for one, other in pairwise(items):
        for line in text[one.end() : other.start()].splitlines():
            if line.strip() and len(line) - len(line.lstrip()) <= deep:
                return True
    return False


def _or_ways(message: Message, asked: ParsedSentence | None, last: ParsedSentence) -> Offer | None:
    """Two ways or more within one sentence: `Should I take the bus, or the train?`"""
    each = asked or last
    if len(each.text) > LONGEST or not any(sign in each.lower for sign in _ORS):
        return None
    if asked is None and not _COULD.search(each.lower):
        return None
    ways = _ways(each.text.strip("*_ ").rstrip(".?!\uff1f"))
    if len(ways) < FEWEST or any(_NOTHING.fullmatch(way) for way in ways):
        return None
    told = (Item("", str(n), f"{each.text}{CHOSE}{way}") for n, way in enumerate(ways, start=1))
    return Offer(message.key, message.at_ms, False, False, True, "", _items_in_room([*told]))  # noqa: FBT003 - the fields of a record


def _ways(text: str) -> list[str]:
    """What stands on the sides of an `or`, and between the commas of a row that ends in one."""
    *before, right = _OR.split(text)
    row = _COMMA.split(before[0]) if len(before) == 1 else []
    if len(row) > 1 and not any(map(_FRAME.search, row[1:])) and _FRAME.search(row[0]):
        before = row
    elif len(row) > 1:
        before = [row[-1]]
    ways = [*before, right]
    ways = [way.strip() for way in ways]
    return (
        [_without_shared_lead(ways[0], right.split()[0]), *ways[1:]]
        if before and right.strip()
        else []
    )


def _without_shared_lead(first: str, word: str) -> str:
    """The first way without what leads to it, where both ways begin with the same word."""
    found = [*re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", first, re.IGNORECASE)]
    return first[found[-1].start() :] if found else first
