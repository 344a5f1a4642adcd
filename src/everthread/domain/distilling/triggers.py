"""When a thread is distilled, and what of it: which signals fire and why, and where the cut lies.

No single signal can be trusted. What a provider reports is stale or leaves out its cache; a count of
messages cannot tell fifty tool results from fifty short replies; our own count costs work; and
staleness catches the threads that dodge all others. So any one of them is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from everthread.domain.conversation.threads import ThreadKind
from everthread.domain.conversation.tokens import scale_budget
from everthread.domain.conversation.views import Piece, tail_length
from everthread.domain.policy import Policy
from everthread.domain.text.fences import one_line
from everthread.domain.times import HOUR

SIGNALS = ("tokens", "messages", "context", "staleness", "history", "guard")
"""The signals, in the order in which they are told."""

HAND = "hand"
"""Not a signal: someone asked for it."""

LEAST = 10
LEAST_STALE = 20
LEAST_BY_HAND = 4
"""So many messages a primary thread must have for it: by a signal, by staleness alone, by hand."""

KEPT = 20
"""So many messages a background thread keeps."""

EXEMPT = 20
"""What an undo brought back is left alone until so many further messages, but for the guard."""

HISTORY_PERCENT = 80
LONGEST_REST = 8
LONGEST_PART = 60

_BY_TOKENS = frozenset({"tokens", "context", "history", "guard"})


class Triggers(NamedTuple):
    """The limits of one kind of thread. Tokens are for a window of 200,000 and shrink with it."""

    tokens: int
    """Input tokens that the provider reported."""
    messages: int
    """Messages in the view."""
    context: int
    """Tokens that we computed."""
    stale_hours: float
    guard_percent: int = 90
    """The share of the window that a request may fill."""


PRIMARY = Triggers(tokens=120_000, messages=150, context=100_000, stale_hours=168)
BACKGROUND = Triggers(tokens=10_000, messages=50, context=8_000, stale_hours=24)

DEFAULTS: Mapping[ThreadKind, Triggers] = {"primary": PRIMARY, "background": BACKGROUND}
"""Ephemeral threads have none: they are never distilled."""


def triggers_of(kind: ThreadKind, policy: Policy) -> Triggers:
    """The limits of that kind of thread, as they are set."""
    if kind == "background":
        return Triggers(
            tokens=policy.background_tokens,
            messages=policy.background_messages,
            context=policy.background_context,
            stale_hours=policy.background_stale_hours,
            guard_percent=policy.guard_percent,
        )
    return Triggers(
        tokens=policy.distill_tokens,
        messages=policy.distill_messages,
        context=policy.distill_context,
        stale_hours=policy.distill_stale_hours,
        guard_percent=policy.guard_percent,
    )


class ThreadSigns(NamedTuple):
    """What is known of a thread before or after a turn."""

    kind: ThreadKind
    window: int
    turn: int
    """The number of the newest turn."""
    now_ms: int
    since_ms: int
    """When it was last distilled, or that was refused; else when the thread began."""
    messages_in_view: int = 0
    """How many said messages the view shows, the tail of the last distillation among them."""
    new_messages: int = 0
    """How many of them came after the last distillation."""
    reported_tokens: int = 0
    """What the provider reported for the present view; 0 if its last report is about an older one."""
    computed_tokens: int = 0
    """The calibrated size of the request; before a turn with its message."""
    history_tokens: int = 0
    """That of the messages in it alone."""
    history_budget: int | None = None
    """How much history may be sent; none, or 0, where only the window bounds it."""
    shortenable: int = 0
    """The tokens that shortening old tool output would save."""
    last_seq: int = 0
    exempt_until_seq: int = 0
    """After an undo: the `seq` from which on signals count again."""
    failures: int = 0
    """How many distillations have failed one after the other."""
    failed_turn: int = 0
    """The newest turn when the last of them failed."""
    refused: bool = False
    """Was one refused as too small since the last distillation?"""


class FiredSignal(NamedTuple):
    """A signal that fired: what was measured, and the limit that it reached."""

    name: str
    value: float
    limit: float

    def __str__(self) -> str:
        unit = " h" if self.name == "staleness" else ""
        return f"{self.name} {self.value:,.6g}{unit} (limit {self.limit:,.6g}{unit})"


Action = Literal["none", "rest", "refuse", "shorten", "distill"]


class Due(NamedTuple):
    """What is to be done about a thread, because of what."""

    action: Action
    fired: Sequence[FiredSignal] = ()
    reason: str = ""
    """Why not, where signals fired and nothing is distilled."""


def what_is_due(signs: ThreadSigns, policy: Triggers) -> Due:
    """What to do now. One refusal is said once: a thread that is still too small is left in peace."""
    found = fired_signals(signs, policy)
    if not found:
        return Due("none")
    if found[-1].name == "guard":
        return Due("distill", found)
    if is_resting(signs):
        return Due("rest", found, f"rests after {signs.failures} failures")
    few = _too_few(signs, found)
    if shortening_suffices(found, signs.shortenable) or (few and not too_small(signs, found)):
        return Due("shorten", found, few or "")
    if few:
        return Due("rest" if signs.refused else "refuse", found, few)
    return Due("distill", found)


def fired_signals(signs: ThreadSigns, policy: Triggers) -> list[FiredSignal]:
    """The signals that fire, with their values. Ephemeral threads are never distilled."""
    if signs.kind == "ephemeral":
        return []
    # What was undone on purpose must not be done again at once; only the guard may.
    exempt = signs.last_seq < signs.exempt_until_seq
    found = [] if exempt else [f for f in _measure(signs, policy) if f.value >= f.limit]
    limit = guard_signal(signs, policy)
    return found if limit is None else [*found, limit]


def _measure(signs: ThreadSigns, policy: Triggers) -> Iterator[FiredSignal]:
    window = signs.window
    yield FiredSignal("tokens", signs.reported_tokens, _limit(policy.tokens, window))
    yield FiredSignal("messages", signs.messages_in_view, policy.messages)
    yield FiredSignal("context", signs.computed_tokens, _limit(policy.context, window))
    if signs.new_messages:
        yield FiredSignal("staleness", (signs.now_ms - signs.since_ms) / HOUR, policy.stale_hours)
    if signs.history_budget:
        most = due_history(signs.history_budget)
        yield FiredSignal("history", signs.history_tokens, _limit(most, window))


def due_history(budget: int) -> int:
    """The tokens of history by which a thread with such a budget is distilled."""
    return budget * HISTORY_PERCENT // 100


def _limit(tokens: int, window: int) -> int:
    # Nothing is ever a limit of zero, which an empty thread would reach.
    return max(1, scale_budget(tokens, window))


def guard_signal(signs: ThreadSigns, policy: Triggers = PRIMARY) -> FiredSignal | None:
    """Would the request fill so much of the window that it must not be sent? Of every kind of thread."""
    limit = max(1, signs.window * policy.guard_percent // 100)
    return (
        FiredSignal("guard", signs.computed_tokens, limit)
        if signs.computed_tokens >= limit
        else None
    )


def hand_signal(signs: ThreadSigns) -> FiredSignal:
    """Someone's wish, as a receipt names it among the signals."""
    return FiredSignal(HAND, signs.messages_in_view, LEAST_BY_HAND)


def shortening_suffices(found: Sequence[FiredSignal], saved: int | None = None) -> bool:
    """Can shorter tool output alone answer them: are they all of tokens, and do so many fewer suffice?"""
    if not found or not all(f.name in _BY_TOKENS for f in found):
        return False
    return saved is None or (saved > 0 and all(f.value - saved < f.limit for f in found))


def too_small(signs: ThreadSigns, found: Sequence[FiredSignal]) -> str | None:
    """Why there is too little to distill; None if there is enough, or shortening is of use."""
    if signs.shortenable > 0 and shortening_suffices(found):
        return None
    return _too_few(signs, found)


def _too_few(signs: ThreadSigns, found: Sequence[FiredSignal]) -> str | None:
    names = {f.name for f in found}
    if HAND in names:
        few = _why_too_few(signs.messages_in_view, LEAST_BY_HAND, "in the view", "by hand")
        return few if few is None or signs.messages_in_view else f"{few}. {ARCHIVE}"
    if "guard" in names:
        return None
    if signs.kind == "background":
        return _why_too_few(
            signs.messages_in_view, KEPT + 1, "in the view", "of a background thread"
        )
    if names == {"staleness"}:
        return _why_too_few(signs.new_messages, LEAST_STALE, "new", "for staleness alone")
    return _why_too_few(signs.new_messages, LEAST, "new", "of a primary thread")


ARCHIVE = (
    "What was imported, or came from a harness, is archive: it is never in the view and needs no "
    "distillation; `everthread recall` searches all of it, `everthread sessions list` sums it up"
)
"""Told to who wants to distil where nothing is in the view, as after an import."""


def _why_too_few(count: int, least: int, which: str, what: str) -> str | None:
    if count >= least:
        return None
    plural = "" if count == 1 else "s"
    return f"{count} message{plural} {which}; a distillation {what} takes at least {least}"


def no_gain(before: int, after: int) -> str | None:
    """Why a distillation is not worth it: what would be shown after it is hardly less than before."""
    if 10 * after <= 9 * before:
        return None
    return f"{after:,} tokens would stand in place of {before:,}: next to nothing would be saved"


def is_resting(signs: ThreadSigns) -> bool:
    """Is it too early to try again after failures? The next try waits 1, 2, 4, then 8 turns."""
    return signs.failures > 0 and signs.turn < signs.failed_turn + rest_after(signs.failures)


def rest_after(failures: int) -> int:
    """How many turns pass between that many failures in a row and the next try."""
    return min(1 << min(failures - 1, LONGEST_REST), LONGEST_REST) if failures > 0 else 0


# Where the cut lies


class ReplacedRange(NamedTuple):
    """The oldest messages, so many, are replaced; all but the one at `spared`.

    That one is the last word of a person, where all that followed it is the agent's own work and
    too much to stay.
    """

    oldest: int
    spared: int | None = None

    @property
    def places(self) -> list[int]:
        """Which messages go, by their places."""
        return [n for n in range(self.oldest) if n != self.spared]


def range_to_replace(
    pieces: Sequence[Piece], *, messages: int, tokens: int, over: int = 0
) -> ReplacedRange | None:
    """What of the messages, given oldest first, a distillation replaces; None if nothing can go.

    The tail stays whole: the newest messages up to either limit, fewer rather than half a tool pair,
    more where there is no other way. A call that still waits for its result stays, with all after
    it. The first `over` messages are of turns that have ended: no result will come for a call there.
    """
    length = tail_length((p.tokens for p in reversed(pieces)), messages=messages, tokens=tokens)
    count = _cut(pieces, len(pieces) - length, over)
    human = max((n for n, piece in enumerate(pieces) if piece.human), default=count)
    if human >= count:
        return ReplacedRange(count) if count else None
    if pieces[human].results or pieces[human].calls:
        # A person's word that is also half of a tool pair cannot stand alone.
        whole = _cut_before(_splitting_places(pieces), human)
        return ReplacedRange(whole) if whole else None
    return ReplacedRange(count, human) if count > 1 else None


def keep_background(pieces: Sequence[Piece], *, most: int = KEPT, over: int = 0) -> int:
    """How many of the newest messages a background thread keeps: up to 20, no tool pair split."""
    return len(pieces) - _cut(pieces, max(0, len(pieces) - most), over)


def marker(key: str, before: int, after: int) -> str:
    """The note that a background distillation leaves."""
    first = one_line(key.partition(":")[0] or key, LONGEST_PART)
    return f"Distilled {first} session. {before} → {after} messages."


def _cut(pieces: Sequence[Piece], wanted: int, over: int) -> int:
    """The first place from `wanted` on where nothing is split; else the last one before it."""
    splits = _splitting_places(pieces)
    last = min(len(pieces) - 1, _first_open(pieces, over))
    later = (n for n in range(wanted, last + 1) if not splits[n])
    found = next(later, None)
    return _cut_before(splits, min(wanted, max(last, 0))) if found is None else found


def _cut_before(splits: Sequence[bool], wanted: int) -> int:
    return next(n for n in range(wanted, -1, -1) if not splits[n])


def _splitting_places(pieces: Sequence[Piece]) -> list[bool]:
    """For every place, whether a cut before it would part a call from its result."""
    steps = [0] * (len(pieces) + 2)
    for call, result in _answers(pieces):
        steps[call + 1] += 1
        steps[result + 1] -= 1
    return [depth > 0 for depth in accumulate(steps)][: len(pieces) + 1]


def _answers(pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Calls and results by their places; an id that is used again means its newest call."""
    called: dict[str, int] = {}
    for n, piece in enumerate(pieces):
        yield from ((called[name], n) for name in piece.results if name in called)
        called.update(dict.fromkeys(piece.calls, n))


def _first_open(pieces: Sequence[Piece], over: int) -> int:
    """Where the first call stands that may still be answered; after the end if there is none.

    Once a person spoke after it, nobody waits for its result any more.
    """
    waiting: dict[str, int] = {}
    for n, piece in enumerate(pieces):
        if piece.human:
            waiting.clear()
        _drop(waiting, piece.results)
        waiting.update(dict.fromkeys(piece.calls, n))
    return min((n for n in waiting.values() if n >= over), default=len(pieces))


def _drop(waiting: dict[str, int], answered: Iterable[str]) -> None:
    for name in answered:
        waiting.pop(name, None)
