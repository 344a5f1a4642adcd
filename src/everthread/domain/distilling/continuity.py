"""How much of a conversation is still there after it was distilled, and how that is asked.

Before a summary exists, items are drawn from the messages it will stand for: decisions, files,
commands, numbers, errors, open requests, rules, names. Afterwards each is looked for in the new
context; what is not there is asked for by the sentence it stood in, with the item itself masked.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from heapq import heapify, heappush, heapreplace
from typing import Any, NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.echoes import Echoes
from everthread.domain.gleaning.message_text import typed_request
from everthread.domain.recall.search_text import search_text
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import flatten
from everthread.domain.text.sentences import bound_text, stretches
from everthread.domain.text.specifics import Specific, Specifics

from . import alike_lines
from . import continuity_rules as rules
from .alike_lines import AlikeLines
from .continuity_items import KINDS, SENTENCES, Item, Lines, holds, items_kept, telling_stems
from .continuity_refs import ItemRef, read_refs
from .continuity_rules import Pending
from .revocations import HeldPoint, Saying, held_point

__all__ = [
    "KINDS",
    "Draw",
    "Item",
    "KindScore",
    "Lines",
    "Score",
    "holds",
    "items_kept",
    "probe",
    "read_score",
    "score_of",
    "score_text",
    "second_probe",
    "telling_stems",
]

MOST = 50
"""Items of one kind that are drawn."""

MOST_RULES = 250
"""Rules that are looked for, though only fifty count for the score: none may be lost unnoticed. These are
more than a summary can hold, so that of still more some are found to be lost."""

TELLING = 2
"""A probe needs so many telling words, or nothing can be found by it."""

NEAR = 3
"""So many messages before its own are looked through for a line before an item."""

LONGEST_PROBE = 300
LONGEST_ITEM = 200

_KIND_OF = {
    "file": "files",
    "command": "commands",
    "number": "numbers",
    "error": "errors",
    "identifier": "names",
    "person": "names",
}
_WORD_FOR = {
    "decisions": "decision",
    "files": "file",
    "commands": "command",
    "numbers": "number",
    "errors": "error",
    "questions": "question",
    "rules": "rule",
    "names": "name",
}


class Draw:
    """Draws items while messages go by: at most so many of each kind, each thing once.

    Which ones is decided by a hash of seed and text, so every different item has the same chance, what
    is said often has no more than what is said once, and memory stays bounded.
    """

    def __init__(
        self,
        seed: int,
        most: int = MOST,
        *,
        most_rules: int | None = None,
        whole_runs: bool = False,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """`pause` is called for each thing and sentence: a long message takes some milliseconds.

        `whole_runs`: also what stands in a run of lines that are alike, and that its last stands for.
        """
        self._pause = pause
        self._runs = None if whole_runs else AlikeLines()
        self._seed = seed.to_bytes(8, "big", signed=True)
        self._most = {**dict.fromkeys(KINDS, most), "rules": most_rules or most}
        self._heaps: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS}
        self._items: dict[tuple[str, int], Item] = {}
        self._held: dict[tuple[str, int], HeldPoint] = {}
        self._specifics = Specifics(pause=pause)
        self._pending = Pending()
        self._echoes = Echoes()
        self._request = ""
        self._texts: deque[str] = deque(maxlen=NEAR)
        """What was said just before, for what stands first in its message."""

    def read(self, message: Message, found: Sequence[Specific] | None = None) -> None:
        """Take in the next message; `found` are its specifics where somebody has read them already."""
        if message.kind != "said":
            return
        found = self._specifics.read(message) if found is None else found
        text = bound_text(search_text(message))
        for specific in found:
            self._pause()
            self._specific(message, text, specific)
        if message.origin in ("user", "agent"):
            self._sentences(message)
        if message.origin == "user":
            self._request = flatten(message.text)[:LONGEST_PROBE] or self._request
        self._texts.append(text)

    def items(self) -> list[Item]:
        """What was drawn, kind by kind, with the questions that nobody has answered."""
        drawn = dict(self._items)
        for item in self._pending.open():
            drawn.setdefault((item.kind, self._hash(item.kind, item.text)), item)
        ordered = sorted(drawn.items(), key=lambda each: (KINDS.index(each[0][0]), each[0][1]))
        counts = dict.fromkeys(KINDS, 0)
        kept: list[Item] = []
        for (kind, _), item in ordered:
            if counts[kind] < self._most[kind]:
                counts[kind] += 1
                kept.append(item)
        return kept

    def _specific(self, message: Message, text: str, specific: Specific) -> None:
        kind = _KIND_OF.get(specific.kind)
        lines = specific.text.strip().splitlines()
        if kind is None or not lines:
            return
        # A command of several lines is known by its first.
        thing = flatten(lines[0])[:LONGEST_ITEM]
        rank = self._hash(kind, thing)
        if message.origin == "tool" and kind in alike_lines.KINDS:
            self._join_run(kind, specific.line, rank)
        if (
            not thing
            or not self._wanted(kind, rank)
            or strip_secrets(specific.line) != specific.line
        ):
            return
        self._put(
            rank,
            Item(
                kind=kind,
                text=thing,
                sentence=flatten(specific.line),
                key=message.key,
                request=self._request,
                before=self._before(text, specific.line),
                specific=specific.kind,
                note=specific.note,
                by=message.origin,
                at_ms=message.at_ms,
            ),
        )

    def _sentences(self, message: Message) -> None:
        own = message.origin == "user"
        text = bound_text(typed_request(message.text) if own else message.text)
        speaker = message.origin, message.name
        if text.strip():
            self._pending.turn(speaker)
        shown = self._echoes.read(text, own=own)
        for stretch in stretches(text, own=own, shown=shown, pause=self._pause):
            self._pause()
            sentence = flatten(text[stretch.start : stretch.end])
            ended = own and self._revoke(sentence, message)
            sentence = sentence[: rules.LONGEST] if own else sentence  # a long request by its start
            kind = rules.kind_of(sentence, message.origin)
            if kind is None or strip_secrets(sentence) != sentence:
                continue
            if ended and rules.only_ends(sentence):
                continue
            before = _last_line(text[: stretch.start]) or self._before("", "")
            item = Item(kind, sentence, sentence, message.key, self._request, before)
            item = item._replace(by=message.origin, at_ms=message.at_ms)
            if kind == "questions" and rules.waits_for_answer(sentence, message.origin):
                self._pending.ask(speaker, item)
            else:
                self._put(self._hash(kind, sentence), item)

    def _revoke(self, sentence: str, message: Message) -> bool:
        """A rule or a choice that was taken back or changed since need not be kept. Was one?"""
        if not self._held or len(sentence) > rules.LONGEST:
            return False
        said, before = Saying(sentence, message, self._held.values()), len(self._held)
        for key, old in [*self._held.items()]:
            self._pause()
            if old.point.text != sentence and said.ends(old):
                self._drop(key)
        return len(self._held) < before

    def _join_run(self, kind: str, line: str, rank: int) -> None:
        """What was drawn off lines like this one gives way to what this one says."""
        for old in () if self._runs is None else self._runs.replaced(kind, line, rank):
            item = self._items.get((kind, old))
            if item is not None and item.by == "tool":
                self._drop((kind, old))

    def _drop(self, key: tuple[str, int]) -> None:
        del self._items[key]
        self._held.pop(key, None)
        heap = [each for each in self._heaps[key[0]] if each[1] != key[1]]
        heapify(heap)
        self._heaps[key[0]] = heap

    def _before(self, text: str, line: str) -> str:
        """The line before this one, or else the last one that was said before the message."""
        at = text.find(line)
        found = _last_line(_without_label(text[:at])) if at > 0 else ""
        earlier = (_last_line(each) for each in reversed(self._texts))
        return found or next(filter(None, earlier), "")

    def _hash(self, kind: str, text: str) -> int:
        data = f"{kind}\0{text}".encode(errors="replace")
        return int.from_bytes(blake2b(data, key=self._seed, digest_size=8).digest(), "big")

    def _wanted(self, kind: str, rank: int) -> bool:
        heap = self._heaps[kind]
        return (kind, rank) not in self._items and (
            len(heap) < self._most[kind] or -heap[0][0] > rank
        )

    def _put(self, rank: int, item: Item) -> None:
        if not self._wanted(item.kind, rank):
            return
        heap = self._heaps[item.kind]
        if len(heap) < self._most[item.kind]:
            heappush(heap, (-rank, rank))
        else:
            _, gone = heapreplace(heap, (-rank, rank))
            del self._items[item.kind, gone]
            self._held.pop((item.kind, gone), None)
        self._items[item.kind, rank] = item
        if item.kind in ("rules", "decisions"):
            self._held[item.kind, rank] = held_point(item)


# How it is asked for


def probe(item: Item) -> str | None:
    """The item's sentence without the item; for one alone on its line the line before and the kind.

    None where neither says anything: then it cannot be asked for, and is lost unless it was kept.
    """
    if item.kind not in SENTENCES:
        rest = mask_thing(item.sentence, item.text)
        if len(telling_stems(rest)) >= TELLING:
            return rest[:LONGEST_PROBE]
    rest = mask_thing(item.before, item.text)
    if not telling_stems(rest):
        return None
    return f"{rest[:LONGEST_PROBE]} {_WORD_FOR[item.kind]}"


def second_probe(item: Item) -> str | None:
    """Only what the user had asked for, without the item; None where that says nothing."""
    rest = mask_thing(item.request, item.text)
    return rest[:LONGEST_PROBE] if len(telling_stems(rest)) >= TELLING else None


def mask_thing(sentence: str, thing: str) -> str:
    """The sentence with the thing taken out, wherever it stands in it."""
    return flatten(sentence.replace(thing, " ").replace("``", " "))


# What comes of it


class KindScore(NamedTuple):
    """Of one kind: how many were drawn, and what became of them. What nobody asked for is unknown."""

    total: int = 0
    kept: int = 0
    recoverable: int = 0
    lost: int = 0

    @property
    def unknown(self) -> int:
        return self.total - self.kept - self.recoverable - self.lost


class Score(NamedTuple):
    """What is left of a conversation, as shares of the items drawn."""

    kept: float
    """Still in the context."""
    recoverable: float
    """Found by a recall that is not told what to find."""
    lost: float
    by_kind: Mapping[str, KindScore]
    probes: int = 0
    """Recalls that were made."""
    unprobed: int = 0
    """Items of which it is not known: counted neither as found nor as lost. Time ran out for most."""
    second: float | None = None
    """Kept, or found by the user's request alone; None where that was not asked."""
    lost_items: tuple[ItemRef, ...] = ()
    """What is lost, one by one; `agent.receipt(id).lost` has the words."""
    recoverable_items: tuple[ItemRef, ...] = ()
    by_words: int = 0
    """So many of those unprobed were asked for by words alone: their messages had no vectors yet. They
    are asked for again once these are there."""

    @property
    def items(self) -> int:
        return sum(kind.total for kind in self.by_kind.values())

    @property
    def unknown(self) -> float:
        return self.unprobed / self.items if self.items else 0.0

    @property
    def held(self) -> float:
        """Not lost, of what was asked for; what nobody asked for in time is left out.

        What words alone did not find may be found by its meaning: that is no loss yet.
        """
        asked = self.items - self.unprobed + self.by_words
        return 1.0 if asked <= 0 else 1.0 - self.lost * self.items / asked

    @property
    def missed(self) -> float:
        """Lost, of what was asked for: this is what the threshold is about."""
        return 1.0 - self.held


def score_of(
    by_kind: Mapping[str, KindScore], *, probes: int = 0, second: float | None = None
) -> Score:
    """The score of what was counted. Of nothing, nothing is lost."""
    total = sum(kind.total for kind in by_kind.values())
    if not total:
        return Score(1.0, 0.0, 0.0, {}, 0, 0, second)
    return Score(
        kept=sum(kind.kept for kind in by_kind.values()) / total,
        recoverable=sum(kind.recoverable for kind in by_kind.values()) / total,
        lost=sum(kind.lost for kind in by_kind.values()) / total,
        by_kind=dict(by_kind),
        probes=probes,
        unprobed=sum(kind.unknown for kind in by_kind.values()),
        second=second,
    )


def score_text(score: Score) -> str:
    """The score as it is stored."""
    told = score._asdict() | {"by_kind": {name: list(kind) for name, kind in score.by_kind.items()}}
    return json.dumps(told, separators=(",", ":"))


def read_score(text: str) -> Score:
    """A stored score."""
    told: dict[str, Any] = json.loads(text)
    by_kind = {name: KindScore(*counts) for name, counts in told.pop("by_kind").items()}
    for name in ("lost_items", "recoverable_items"):
        told[name] = read_refs(told.get(name, ()))
    return Score(by_kind=by_kind, **told)


def _without_label(text: str) -> str:
    """What stands before a thing, without the name of its field on the same line: `Bash command:`."""
    above, _, label = text.rpartition("\n")
    return above if label.rstrip().endswith(":") else text


def _last_line(text: str) -> str:
    """The last line that says enough to ask by it."""
    for line in reversed(text[-2_000:].splitlines()):
        words = rules.SENTENCE_END.split(line)[-1]
        said = words if len(telling_stems(words)) >= TELLING else line
        if len(telling_stems(said)) >= TELLING:
            return flatten(said)[:LONGEST_PROBE]
    return ""
