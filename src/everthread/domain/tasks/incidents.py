"""Incidents: what a person should look at, and how bad it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import strip_secrets

from .tasks import Incident

Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high", "critical")
LONGEST_SUMMARY = 1_000


def incident(
    key_id: bytes,
    kind: str,
    summary: str,
    *,
    severity: Severity = "medium",
    about: tuple[int | None, int | None] = (None, None),
    details: Mapping[str, Any] | None = None,
    at: int,
) -> Incident:
    """One that no store has seen yet; without secrets. `about`: its task and its session."""
    told = Redactor().value(dict(details or {}))
    return Incident(
        ref=0,
        agent_ref=0,
        key_id=key_id,
        task_ref=about[0],
        session_ref=about[1],
        kind=kind,
        severity=severity,
        summary=strip_secrets(summary)[:LONGEST_SUMMARY],
        details_json=json.dumps(told, ensure_ascii=False),
        created_ms=at,
        resolved_ms=None,
        resolution=None,
        entry=0,
    )
