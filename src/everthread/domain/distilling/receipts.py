"""Receipts: what a distillation did, computed from what was seen; what stands in a summary, and why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from everthread.domain.conversation.messages import TEXT, Draft, Message, as_message
from everthread.domain.ids import id_text
from everthread.domain.times import moment_of

if TYPE_CHECKING:
    from .continuity import Score

Outcome = Literal["open", "ok", "degraded", "refused", "failed", "undone"]
Mode = Literal["full", "light", "shorten"]
IntentState = Literal["open", "done", "void"]

STANDING: tuple[Outcome, ...] = ("ok", "degraded")
"""The outcomes of receipts whose distillation is in force."""


NOT_ASKED = "nothing to score: what was replaced holds nothing that could be asked for"
"""The note on a receipt that will never have a score."""

LOST_RULE = "lost rule:"
"""How the note on a receipt begins whose summary lacks a rule of the user."""


class Receipt(NamedTuple):
    """One distillation as it is stored: opened before work starts, closed from observed state."""

    ref: int
    agent_ref: int
    key_id: bytes
    thread_ref: int
    number: int | None
    outcome: Outcome
    mode: Mode
    distiller: str
    owner: str
    lease_until: int
    turn_count: int
    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    facts_extracted: int
    decisions_extracted: int
    open_items_extracted: int
    flush_succeeded: bool | int | None
    struck: int
    fired_json: str
    detail_json: str
    score_json: str | None
    errors_json: str
    opened_ms: int
    closed_ms: int | None
    undone_ms: int | None
    undone_seq: int | None
    entry: int

    @property
    def id(self) -> str:
        return id_text(self.key_id)

    @property
    def fired(self) -> list[dict[str, Any]]:
        """The signals that fired: name, value, limit."""
        return json.loads(self.fired_json)

    @property
    def errors(self) -> list[str]:
        """What went wrong, warnings of the check afterwards included."""
        return json.loads(self.errors_json)

    @property
    def detail(self) -> Mapping[str, Any]:
        """Timings, what models cost, what was done to memories."""
        return json.loads(self.detail_json)

    @property
    def score(self) -> Score | None:
        """What is kept, recoverable and lost; None until it was scored."""
        if self.score_json is None:
            return None
        from .continuity import read_score  # noqa: PLC0415 - slow to load; most programs never need it

        return read_score(self.score_json)

    @property
    def unscored(self) -> bool:
        """Is its score still to come? Who distilled may have ended before."""
        due = self.standing and self.mode == "full" and self.score_json is None
        return due and NOT_ASKED not in self.errors

    @property
    def lacks_rule(self) -> bool:
        """Is a rule of the user lost by it? Then it is never plainly ok, however much else was kept."""
        return any(error.startswith(LOST_RULE) for error in self.errors)

    @property
    def standing(self) -> bool:
        """Is what it did in force?"""
        return self.outcome in STANDING

    @property
    def opened_at(self) -> datetime:
        return moment_of(self.opened_ms)

    @property
    def closed_at(self) -> datetime | None:
        return None if self.closed_ms is None else moment_of(self.closed_ms)

    @property
    def undone_at(self) -> datetime | None:
        return None if self.undone_ms is None else moment_of(self.undone_ms)


class SummaryRow(NamedTuple):
    """A summary as it stands in the view from one version until another."""

    ref: int
    key_id: bytes
    thread_ref: int
    receipt_ref: int
    since_version: int
    until_version: int | None
    text_hash: bytes | None
    """None where what it held was erased or forgotten."""
    digest_hash: bytes | None
    tokens: int
    created_ms: int
    entry: int


class Sentence(NamedTuple):
    """One sentence of a summary, shown or struck, with the messages it rests on."""

    n: int
    section: str
    text: str
    sources_json: str
    verdict: str
    shown: bool | int

    @property
    def sources(self) -> tuple[bytes, ...]:
        return tuple(bytes.fromhex(key) for key in json.loads(self.sources_json))


class Intent(NamedTuple):
    """What is to be written to files, put down before they are touched."""

    ref: int
    agent_ref: int
    key_id: bytes
    receipt_ref: int
    what: str
    state: IntentState
    payload: str
    attempts: int
    error: str | None
    created_ms: int
    settled_ms: int | None


class Spending(NamedTuple):
    """What a distiller cost on a day."""

    day: str
    distiller: str
    calls: int
    input_tokens: int
    output_tokens: int
    micros: int


def summary_message(text: str, tokens: int) -> Message:
    """A summary as the renderer sees it: the view's first message, and nobody's words."""
    return as_message(Draft("user", "system", TEXT, text, kind="summary", tokens=tokens))


def sentence(
    n: int, section: str, text: str, sources: tuple[bytes, ...], verdict: str, *, shown: bool
) -> Sentence:
    named = json.dumps([key.hex() for key in sources])
    return Sentence(n, section, text, named, verdict, int(shown))
