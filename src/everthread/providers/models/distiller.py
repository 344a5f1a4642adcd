"""A model as a distiller: chunk by chunk, within the cap, again where that may help, else not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from everthread.domain.distilling.draft_reading import (
    Draft,
    finish_draft,
    join_broken_draft,
    merge_draft,
    read_draft,
    split_by_room,
)
from everthread.domain.distilling.drafts import (
    NOTHING,
    Allowed,
    DraftResult,
    Ending,
    KnownMemory,
    Material,
    ModelFailed,
    OutlineResult,
    Passage,
    Spend,
)
from everthread.domain.distilling.prompts import (
    CHUNK_TOKENS,
    Prompt,
    ShownPassage,
    chunks,
    memory_line,
    point_line,
    prompt,
)
from everthread.domain.ending.session_prompt import OUTPUT_TOKENS, read_lines, summary_prompt
from everthread.domain.gleaning.digest import Point

from .calls import CallFailed, Model, Reply

WAITS = (1.0, 2.0, 4.0)
LONGEST_WAIT = 30.0
"""A server that asks for more patience is left alone; the plain distiller does not wait."""

NAP = 0.1
EARLIER_SHARE, HINTS_SHARE = 4, 8
"""Earlier statements may take a quarter of a chunk's size, hints an eighth."""

MOST_KNOWN, KNOWN_TOKENS, KNOWN_SHARE = 40, 1_500, 16
"""Memories may be so many, and take so many tokens or, if that is less, this share of a chunk's size."""

LEAST_ANSWER, MOST_ANSWER = 1_500, 16_000
"""JSON takes about as much again as the words in it, and some models think aloud first."""


@dataclass(slots=True)
class _Account:
    """What has been spent in one distillation."""

    spent: Spend = NOTHING
    dropped: int = 0
    chunks: int = 0
    endings: dict[bytes, Ending] = field(default_factory=dict[bytes, Ending])
    doubted: str = ""

    def add(self, draft: Draft) -> None:
        self.chunks += 1
        self.dropped += draft.dropped
        self.doubted = self.doubted or draft.endings.doubted
        for ending in draft.endings.believed:
            self.endings.setdefault(ending.memory, ending)

    def believed(self) -> tuple[Ending, ...]:
        """Who is not believed in one answer is so in none."""
        return () if self.doubted else tuple(self.endings.values())


class ModelDistiller:
    """Fills the port `Distiller` with any `Model`."""

    def __init__(
        self,
        model: Model,
        *,
        count: Callable[[str], int],
        allowed: Allowed,
        chunk_tokens: int = CHUNK_TOKENS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._count = count
        self._allowed = allowed
        self._chunk = chunk_tokens
        self._sleep = sleep

    @property
    def name(self) -> str:
        return self._model.name

    def distill(self, material: Material, *, pause: Callable[[], None]) -> DraftResult:
        account = _Account()
        points: Sequence[Point] = material.previous.points
        seen: set[bytes] = set()
        why = ""
        try:
            passages = _with_pauses(material.passages, pause)
            for bundle in chunks(passages, count=self._count, limit=self._chunk):
                points = self._add(bundle, points, material, account, pause)
                seen.update(shown.passage.key for shown in bundle)
        except ModelFailed as failed:
            if not seen:
                # Whoever is told of the failure is told of all of its cost.
                raise ModelFailed(failed.cause, failed.detail, account.spent) from None
            # What was drafted so far is paid for and holds: the rest is put beside it as it is.
            points = join_broken_draft(points, material.digest, material.previous, seen)
            why = str(failed)
        return DraftResult(
            finish_draft(points, material.digest),
            account.spent,
            account.dropped,
            why,
            account.believed(),
            account.doubted,
        )

    def summarize(self, passages: Sequence[Passage], *, pause: Callable[[], None]) -> OutlineResult:
        account = _Account()
        try:
            reply = self._reply(
                summary_prompt(passages, count=self._count), OUTPUT_TOKENS, account, pause
            )
            lines = read_lines(reply.text)
            if lines is None:
                raise ModelFailed("nonsense", "no sentences can be read of the answer")
        except ModelFailed as failed:
            raise ModelFailed(failed.cause, failed.detail, account.spent) from None
        return OutlineResult(tuple(lines), account.spent)

    def _add(
        self,
        bundle: list[ShownPassage],
        points: Sequence[Point],
        material: Material,
        account: _Account,
        pause: Callable[[], None],
    ) -> list[Point]:
        # All chunks share one summary; how many there are nobody knows while they stream by.
        tokens = material.tokens // 2 if account.chunks else material.tokens
        shown, rest = split_by_room(points, room=self._chunk // EARLIER_SHARE, size=self._size)
        asked = prompt(
            bundle,
            earlier=shown,
            hints=self._hints(bundle, material.digest.points),
            tokens=tokens,
            count=self._count,
            known=self._known(bundle, material),
        )
        most = min(2 * tokens + LEAST_ANSWER, MOST_ANSWER)
        size = sum(each.tokens for each in bundle)
        draft = self._draft(asked, most, size, account, pause)
        account.add(draft)
        return merge_draft(shown, rest, draft)

    def _hints(self, bundle: list[ShownPassage], points: Iterable[Point]) -> list[Point]:
        keys = {shown.passage.key for shown in bundle}
        found = [point for point in points if keys.intersection(point.sources)]
        return split_by_room(found, room=self._chunk // HINTS_SHARE, size=self._size)[0]

    def _known(self, bundle: list[ShownPassage], material: Material) -> list[KnownMemory]:
        """What bears on these messages, as far as there is room; one that is too long leaves it to others."""
        room = min(KNOWN_TOKENS, self._chunk // KNOWN_SHARE)
        found: list[KnownMemory] = []
        for memory in material.known([shown.passage for shown in bundle])[:MOST_KNOWN]:
            size = self._count(memory_line(memory)) + 4
            if size <= room:
                room -= size
                found.append(memory)
        return found

    def _size(self, point: Point) -> int:
        return self._count(point_line(point)) + 4

    def _draft(
        self, asked: Prompt, most: int, size: int, account: _Account, pause: Callable[[], None]
    ) -> Draft:
        """What can be read of the answer. Nonsense is asked for once more: most of it is an accident."""
        try:
            return self._read(asked, most, size, account, pause)
        except ModelFailed as failed:
            if failed.cause != "nonsense":
                raise
        return self._read(asked, most, size, account, pause)

    def _read(
        self, asked: Prompt, most: int, size: int, account: _Account, pause: Callable[[], None]
    ) -> Draft:
        reply = self._reply(asked, most, account, pause)
        return read_draft(reply.text, asked.citable, tokens=size, known=asked.known)

    def _reply(
        self, asked: Prompt, most: int, account: _Account, pause: Callable[[], None]
    ) -> Reply:
        waits = iter(WAITS)
        while True:
            self._within_cap(asked, most, account)
            try:
                reply = self._model.ask(asked, most=most, pause=pause)
            except CallFailed as failed:
                account.spent = account.spent.plus(failed.spent)
                wait = next(waits, None)
                if wait is None or not failed.again or (failed.after or 0) > LONGEST_WAIT:
                    raise
                self._nap(max(wait, failed.after or 0), pause)
            else:
                account.spent = account.spent.plus(reply.spent)
                return reply

    def _within_cap(self, asked: Prompt, most: int, account: _Account) -> None:
        cost = self._model.price(asked.tokens, most)
        wanted = account.spent.plus(Spend(1, asked.tokens, most, cost))
        if not self._allowed(wanted):
            raise ModelFailed("budget", "the daily cap leaves no room for this call")

    def _nap(self, seconds: float, pause: Callable[[], None]) -> None:
        # In naps, so that a lease is kept and the end of the program is not held up.
        for _ in range(round(seconds / NAP)):
            pause()
            self._sleep(NAP)


def _with_pauses(passages: Iterable[Passage], pause: Callable[[], None]) -> Iterator[Passage]:
    for passage in passages:
        pause()
        yield passage
