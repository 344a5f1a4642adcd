"""Plan a distillation: which messages go, which stay, whose tool output can be shortened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Form, Message
from everthread.domain.conversation.tokens import content_tokens, scale_budget
from everthread.domain.conversation.views import Piece, Span
from everthread.domain.distilling.shortening import SHORT, shorten_message
from everthread.domain.distilling.triggers import KEPT, keep_background, range_to_replace
from everthread.ports import House, Records
from everthread.services.archive.sources import LOOKED_BACK, forgotten_keys, last_words
from everthread.services.archive.view import View, piece_of

from .notice import ThreadState
from .stages import Pause

EXTRACT_TOKENS = 80_000
"""So many tokens are read at once, or one message that is larger."""

PAGE = 100
"""So many messages are read at once: a long thread is never in memory as a whole."""

USES_KEPT = 8
"""The output of the newest tool uses stays whole: the agent is still at work with it."""


class Plan(NamedTuple):
    """What a distillation replaces and shortens."""

    gone: Sequence[Span]
    """Runs of messages that the view shows now and will not show."""
    places: Sequence[int]
    """The `seq` of each of them."""
    tokens: int
    """What they weigh."""
    short: Mapping[int, int]
    """Messages with long tool output that may be cut, by seq, and the tokens that it saves."""
    rest: Plan | None = None
    """At the guard: all that was said, the tail too, where nothing less makes room."""

    @property
    def saved(self) -> int:
        return sum(self.short.values())


def tellable_messages(
    house: House, scope: Scope, thread: int, spans: Sequence[Span], pause: Pause
) -> Iterator[Message]:
    """What was said in these runs and may be told, page by page: nothing that was forgotten since."""
    withheld = house.store.read(lambda r: r.memories.withheld(scope))
    for message in _said_messages(house, scope, thread, spans, pause):
        if withheld.get(message.key) != "forgotten":
            yield message


def heard_before(
    records: Records, scope: Scope, thread: int, spans: Sequence[Span]
) -> Message | None:
    """What the agent said last before these runs: their first words may answer it."""
    last = min((span.first for span in spans), default=1) - 1
    if last < 1:
        return None
    lately = records.messages.between(scope, thread, max(last - LOOKED_BACK, 1), last)
    return last_words(lately, forgotten_keys(records, scope))


def _said_messages(
    house: House, scope: Scope, thread: int, spans: Sequence[Span], pause: Pause
) -> Iterator[Message]:
    """What was said in these runs, page by page."""
    for first, last in spans:
        start = first
        while start <= last:
            end, page = house.store.read(lambda r, a=start, b=last: _page(r, scope, thread, a, b))
            for message in page:
                if message.kind == "said":
                    yield message
                    pause()
            start = end + 1


def _page(
    records: Records, scope: Scope, thread: int, start: int, last: int
) -> tuple[int, Sequence[Message]]:
    """The messages from there on that are read at once, and where they end."""
    end = min(start + PAGE - 1, last)
    while end > start and records.messages.weights(scope, thread, start, end) > EXTRACT_TOKENS:
        end = (start + end) // 2
    return end, records.messages.between(scope, thread, start, end)


class _Line(NamedTuple):
    """What planning must know of a message."""

    seq: int
    piece: Piece
    saves: int


def make_plan(
    house: House,
    agent: AgentRow,
    seen: ThreadState,
    *,
    over: int,
    pause: Pause,
    tight: bool = False,
) -> Plan:
    """What would go now. Messages from `over` on belong to an open turn, and stay.

    `tight`: at the guard everything may be cut that need not be whole.
    """
    scope, thread = Scope(agent.ref), seen.thread
    lines = [
        _line(house, message, seen.view)
        for message in _said_messages(house, scope, thread.ref, seen.view.spans, pause)
    ]
    pieces = [line.piece for line in lines]
    ended = sum(line.seq < over for line in lines)
    found = _places_to_replace(house, agent, seen, pieces, ended=ended, tight=tight)
    short = _shortenable_places(lines[:ended], 0 if tight else USES_KEPT)
    plan = _plan(lines, {n for n in found if lines[n].seq < over}, seen, short)
    return plan._replace(rest=_plan(lines, {*range(ended)}, seen, short)) if tight else plan


def _plan(
    lines: Sequence[_Line], chosen: set[int], seen: ThreadState, short: Mapping[int, int]
) -> Plan:
    gone = [lines[n].seq for n in sorted(chosen)]
    spans = _spans([line.seq for line in lines], set(gone), seen.view.spans)
    return Plan(spans, gone, sum(lines[n].piece.tokens for n in chosen), short)


def _line(house: House, message: Message, view: View) -> _Line:
    saved = view.short.get(message.seq, 0)
    piece = piece_of(message)
    # Half of a pair cannot be told from its id alone where ids are used again: by the newest call.
    saves = 0 if saved or not piece.results else _saves(house, message)
    return _Line(message.seq, piece._replace(tokens=message.tokens - saved), saves)


def _saves(house: House, message: Message) -> int:
    """The tokens that shortening its tool output would save."""
    if message.form == Form.TEXT or len(message.content) <= SHORT:
        return 0
    short = shorten_message(message, limit=SHORT)
    if short is message:
        return 0
    return message.tokens - content_tokens(house.tokenizer.count, short.form, short.content)


def _places_to_replace(
    house: House,
    agent: AgentRow,
    seen: ThreadState,
    pieces: Sequence[Piece],
    *,
    ended: int,
    tight: bool,
) -> Sequence[int]:
    background = seen.thread.kind == "background"
    if background and not tight:
        return range(len(pieces) - keep_background(pieces, over=ended))
    found = range_to_replace(
        pieces,
        messages=KEPT if background else house.policy.tail_messages,
        tokens=scale_budget(house.policy.tail_tokens, agent.window),
        over=ended,
    )
    return () if found is None else found.places


def _spans(shown: Sequence[int], gone: set[int], spans: Sequence[Span]) -> list[Span]:
    """The runs of what goes, each inside one run of what is shown: what others hid is theirs."""
    runs: list[Span] = []
    for first, last in spans:
        run: list[int] = []
        for seq in (s for s in shown if first <= s <= last):
            if seq in gone:
                run.append(seq)
            elif run:
                runs.append(Span(run[0], run[-1]))
                run = []
        if run:
            runs.append(Span(run[0], run[-1]))
    return runs


def _shortenable_places(lines: Sequence[_Line], whole: int) -> dict[int, int]:
    uses = [line for line in lines if line.piece.results]
    old = uses[:-whole] if whole else uses
    return {line.seq: line.saves for line in old if line.saves > 0}
