"""What was recalled and what was injected, as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.recall.shown import shown_text
from everthread.domain.redaction.secrets import redacted
from everthread.domain.times import text_of

if TYPE_CHECKING:
    from everthread.domain.recall.hits import Hit
    from everthread.services.giving.knew import Injected, Knew, Piece


def hit_document(hit: Hit) -> dict[str, Any]:
    """A hit for programs; what leaves is redacted."""
    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": shown_text(hit, redacted),
        "score": round(hit.score, 4),
        "at": hit.at.isoformat(),
        "fresh": hit.fresh,
        "superseded": hit.superseded,
        "why": hit.why,
        "parts": {name: round(value, 4) for name, value in hit.parts.items() if round(value, 4)},
        "context": [
            {"id": m.id, "role": m.role, "name": m.name, "text": redacted(m.text)}
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


def knew_document(known: Knew) -> dict[str, Any]:
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
