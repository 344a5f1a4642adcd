"""Exchanges: what agents ask, send and hand to each other, and the limits of it.

We record and route; no model is run here. Each exchange is two rows, one for each agent, so that
either sees its own and neither sees the other's.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from everthread.domain.checks import mend_text
from everthread.domain.errors import ExchangeRefused
from everthread.domain.ids import id_text
from everthread.domain.times import SECOND, moment_of

if TYPE_CHECKING:
    from everthread.domain.timeline import Facts

ExchangeKind = Literal["ask", "send", "spawn"]
Side = Literal["caller", "target"]
Status = Literal["pending", "responded", "delivered", "timeout", "error"]

LONGEST_AUDIT = 2_000
"""Characters of what was said that the audit keeps. All of it is on the thread."""

LONGEST_SAID = 100_000
ASK_SECONDS = 120.0
SPAWN_SECONDS = 600.0
MOST_SECONDS = 86_400.0
SPAWN_TURNS = 5
MOST_PENDING = 5
"""Messages of one caller that may wait for one target; questions without a turn, too."""

MOST_SPAWNED = 3
"""Errands of one caller that may be open at once."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Exchange(NamedTuple):
    """One agent's side of an exchange, as it is stored."""

    ref: int
    agent_ref: int
    key_id: bytes
    pair: bytes
    """What both sides know it by."""
    side: Side
    kind: ExchangeKind
    status: Status
    caller: str
    target: str
    depth: int
    thread_ref: int | None
    """Of the target: where it was put down. Of the caller: where it was said."""
    turn_ref: int | None
    """The target's turn that answers it; None where the target does so when it likes."""
    given_turn: int | None
    """The turn of the target that was told of it."""
    content: str
    answer: str | None
    error: str | None
    tokens: int
    turns: int
    created_ms: int
    expires_ms: int | None
    surfaced_ms: int | None
    """When the target was told of it."""
    closed_ms: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.pair)

    @property
    def created_at(self) -> datetime:
        return moment_of(self.created_ms)


def exchange_facts(exchange: Exchange) -> Facts:
    """What the timeline seals; where it stands in a store is no part of it."""
    return (
        exchange.pair.hex(),
        exchange.side,
        exchange.kind,
        exchange.status,
        exchange.caller,
        exchange.target,
        exchange.depth,
        exchange.content,
        exchange.answer,
        exchange.error,
        exchange.tokens,
        exchange.turns,
        exchange.created_ms,
        exchange.expires_ms,
        exchange.surfaced_ms,
        exchange.closed_ms,
    )


def audit_text(text: str) -> str:
    """As the audit keeps it: without secrets, then cut. Half of a secret is not known as one."""
    from everthread.domain.recall.excerpts import CUT  # noqa: PLC0415 - few who start ever exchange
    from everthread.domain.redaction.secrets import strip_secrets  # noqa: PLC0415 - as above

    clean = strip_secrets(mend_text(text))
    if len(clean) <= LONGEST_AUDIT:
        return clean
    return f"{clean[: LONGEST_AUDIT - len(CUT) - 1]} {CUT}"


def thread_key(kind: ExchangeKind, caller: str, *, now: int) -> str:
    """The key of the target's thread: one for all that a caller asks, one for each errand."""
    return f"{kind}:{caller}:{base36(now)}" if kind == "spawn" else f"{kind}:{caller}"


def base36(number: int) -> str:
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text or "0"


def is_overdue(exchange: Exchange, *, now: int) -> bool:
    """Has nobody answered in time?"""
    late = exchange.expires_ms is not None and now >= exchange.expires_ms
    return exchange.status == "pending" and late


def must_be_another(kind: ExchangeKind, caller: str, target: str) -> None:
    """An errand may be the agent's own; asking or telling oneself is a loop."""
    if kind != "spawn" and caller == target:
        raise ExchangeRefused(f"{caller!r} cannot {kind} itself; name another agent, or spawn")


def awaits_answer(exchange: Exchange, *, now: int) -> bool:
    """Is it left without a turn, was its target told of it, and does it wait for an answer?"""
    asked = exchange.side == "target" and exchange.kind != "send" and exchange.turn_ref is None
    late = exchange.expires_ms is not None and exchange.expires_ms <= now
    told = exchange.surfaced_ms is not None
    return asked and told and exchange.status == "pending" and not late


def must_not_be_deeper(depth: int, *, most: int) -> None:
    if depth > most:
        raise ExchangeRefused(
            f"this would be {depth} agents deep, and the limit is {most} (setting exchange_depth); "
            "answer with what is known"
        )


def must_have_room(kind: ExchangeKind, pending: int, target: str) -> None:
    """Is one more allowed beside those that wait?"""
    if kind == "send" and pending >= MOST_PENDING:
        raise ExchangeRefused(
            f"{pending} messages wait for {target!r} already; it sees them in its next turn"
        )
    if kind == "ask" and pending >= MOST_PENDING:
        raise ExchangeRefused(
            f"{pending} questions wait for {target!r} already; ask when one is answered or too late"
        )
    if kind == "spawn" and pending >= MOST_SPAWNED:
        raise ExchangeRefused(
            f"{pending} errands are open already; end one first (its turn with done() or failed(), one "
            "without a turn by its reply or when its time is over)"
        )


def deadline(seconds: float, *, now: int) -> int:
    return now + int(seconds * SECOND)
