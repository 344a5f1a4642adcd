"""What was recalled, what was injected and what the model is given, as JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everthread.domain.recall.hits import WORDS_ALONE
from everthread.domain.recall.shown_text import shown_text
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import ms_of, text_of

if TYPE_CHECKING:
    from everthread.domain.recall.hits import Hit
    from everthread.services.archive.context import Context
    from everthread.services.giving.turn_knowledge import Injected, Piece, TurnKnowledge


def recall_note(hits: Sequence[Hit]) -> str | None:
    """What whoever reads the hits should know of all of them."""
    return f"found {WORDS_ALONE}" if any(hit.by_words for hit in hits) else None


def hit_document(hit: Hit) -> dict[str, Any]:
    """A hit for programs; what leaves is redacted."""
    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": shown_text(hit, strip_secrets),
        "cut": hit.cut,
        "score": round(hit.score, 4),
        "at": text_of(ms_of(hit.at)),
        "fresh": hit.fresh,
        "superseded": hit.superseded,
        "why": hit.why,
        "parts": {name: round(value, 4) for name, value in hit.parts.items() if round(value, 4)},
        "context": [
            {"id": m.id, "role": m.role, "name": m.name, "text": strip_secrets(m.text)}
            for m in hit.context
        ],
        "messages": [
            {
                "id": m.id,
                "external_id": m.external_id,
                "role": m.role,
                "origin": m.origin,
                "name": m.name,
            }
            for m in hit.messages
        ],
    }


def injected_document(each: Injected) -> dict[str, Any]:
    """An injection as JSON."""
    injection = each.injection
    return {
        "id": injection.id,
        "at": text_of(injection.at_ms),
        "turn": each.turn,
        "session": each.session.alias,
        "purpose": injection.purpose,
        "reason": injection.reason,
        "bytes": injection.size,
        "tokens": injection.tokens,
        "hash": injection.hash,
        "items": [_piece(piece) for piece in each.pieces],
    }


def knew_document(known: TurnKnowledge) -> dict[str, Any]:
    """What was known at a turn as JSON."""
    return {
        "turn": known.turn.number,
        "opened_at": text_of(known.turn.opened_ms),
        "view": {"messages": known.view_messages, "tokens": known.view_tokens},
        "text": known.text,
        "items": [_piece(piece) for piece in known.pieces],
        "injections": [injected_document(each) for each in known.injections],
    }


def _piece(piece: Piece) -> dict[str, Any]:
    given = piece.given
    return {
        "rank": given.rank,
        "kind": given.kind,
        "id": given.id,
        "score": round(given.score, 6),
        "why": given.why,
        "heading": piece.heading,
        "text": piece.text,
    }


def context_document(context: Context) -> dict[str, Any]:
    """A request as JSON, with its secrets."""
    return {
        "turn": context.turn,
        "call": context.call,
        "calls": context.calls,
        "tokens": context.tokens,
        "window": context.window,
        "system": context.system,
        "tools": context.tools,
        "messages": context.messages,
    }
