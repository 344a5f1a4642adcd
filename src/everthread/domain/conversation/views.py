"""The view: what the model is given of a thread. Computed from marks, never stored on messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

Action = Literal["hide", "shorten"]


class Mark(NamedTuple):
    """A range of seq that the view hides or shortens, from one view version until another."""

    ref: int
    key_id: bytes
    thread_ref: int
    receipt_ref: int | None
    action: Action
    from_seq: int
    to_seq: int
    since_version: int
    until_version: int | None
    saved: int | None
    """How many tokens a shortened message saves."""
    entry: int
    kept: int | None = None
    """Characters that stay of a new tool result that had no room; of an old one few do, ever as many."""

    @property
    def clears(self) -> bool:
        """Was it made inside a turn, of a tool result? What a distillation marks has a receipt."""
        return self.action == "shorten" and self.receipt_ref is None


class Span(NamedTuple):
    """A run of seq, both ends included."""

    first: int
    last: int


def join_spans(spans: Iterable[Sequence[int]]) -> list[Span]:
    """Overlapping and adjacent spans made one; the input is sorted."""
    out: list[Span] = []
    first = last = 0
    for start, end in spans:
        if not first:
            first, last = start, end
        elif start > last + 1:
            out.append(Span(first, last))
            first, last = start, end
        elif end > last:
            last = end
    if first:
        out.append(Span(first, last))
    return out


def visible_spans(hidden: Sequence[Span], last: int) -> list[Span]:
    """What hidden spans leave of 1 … last."""
    out: list[Span] = []
    start = 1
    for span in hidden:
        if span.first > start:
            out.append(Span(start, min(span.first - 1, last)))
        start = max(start, span.last + 1)
    if start <= last:
        out.append(Span(start, last))
    return [span for span in out if span.first <= span.last]


def remove_spans(shown: Sequence[Span], gone: Sequence[Span]) -> list[Span]:
    """What of these runs is left where those go; each of those lies inside one of them."""
    out: list[Span] = []
    for first, last in shown:
        inside = [span for span in gone if first <= span.first and span.last <= last]
        left = visible_spans(
            [Span(a - first + 1, b - first + 1) for a, b in inside], last - first + 1
        )
        out += [Span(a + first - 1, b + first - 1) for a, b in left]
    return out


class Piece(NamedTuple):
    """What the tail must know of a message."""

    tokens: int
    human: bool = False
    calls: Sequence[str] = ()
    results: Sequence[str] = ()


def tail_of(pieces: Sequence[Piece], *, messages: int, tokens: int) -> set[int]:
    """Which messages the tail holds: the newest up to either limit, and always the last human word.

    No tool pair is split: a result whose call lies before the tail stays out with it.
    """
    start = len(pieces) - tail_length(
        (piece.tokens for piece in reversed(pieces)), messages=messages, tokens=tokens
    )
    halves = {answer for answer, call in _pairs(pieces) if call < start <= answer}
    kept = {*range(start, len(pieces))} - halves
    human = max((n for n, piece in enumerate(pieces) if piece.human), default=None)
    if human is not None:
        return kept | {human}
    # Nothing but the answer to one call: then rather the whole pair.
    return kept or {n for pair in _pairs(pieces) if pair[0] in halves for n in pair} | halves


def _pairs(pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """(result, call) by their places; an id that is used again means its newest call."""
    called: dict[str, int] = {}
    for n, piece in enumerate(pieces):
        yield from ((n, called[name]) for name in piece.results if name in called)
        called.update(dict.fromkeys(piece.calls, n))


def tail_length(tokens_newest_first: Iterable[int], *, messages: int, tokens: int) -> int:
    """How many of the newest messages the tail holds: up to either limit, never fewer than one."""
    taken = total = 0
    for count in tokens_newest_first:
        if taken and (taken >= messages or total + count > tokens):
            break
        taken += 1
        total += count
    return taken
