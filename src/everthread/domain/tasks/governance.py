"""What a project says about how tasks are worked at: `.agentic-governance/config.json`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, cast

from .commands import Command

LONGEST_SECONDS = 86_400


class Governance(NamedTuple):
    service: str = ""
    """In front of log lines; empty: not said."""
    smoke: Command | None = None
    smoke_seconds: float | None = None
    auto_commit: bool | None = None
    problem: str | None = None
    """What is wrong with the file; then nothing of it counts."""


def read_governance(text: str | None) -> Governance:
    """What the file says; a file that is broken says nothing but that it is."""
    if text is None:
        return Governance()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        return Governance(problem=f"it is no JSON: {wrong}")
    if not isinstance(document, dict):
        return Governance(problem="it is no JSON object")
    fields = cast("dict[str, Any]", document)
    identity, session = _part(fields, "identity"), _part(fields, "session")
    name = identity.get("logPrefix") or identity.get("serviceName") or ""
    commit = session.get("autoCommit")
    return Governance(
        service=_plain(name),
        smoke=_command(session.get("smokeCommand")),
        smoke_seconds=_seconds(session.get("smokeTimeoutSeconds")),
        auto_commit=commit if isinstance(commit, bool) else None,
    )


def _part(fields: dict[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _plain(name: object) -> str:
    """A name for one line of a log."""
    if not isinstance(name, str):
        return ""
    return "".join(c for c in name if c.isprintable() and c not in "[]")[:64].strip()


def _command(value: object) -> Command | None:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, list) and value:
        words = cast("list[object]", value)
        if all(isinstance(word, str) for word in words):
            return tuple(str(word) for word in words)
    return None


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value <= LONGEST_SECONDS else None
