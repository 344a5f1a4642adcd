"""Captured and hand-written payloads and transcripts of the harnesses."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

HARNESSES = Path(__file__).parent.parent / "fixtures" / "harnesses"

CLAUDE = HARNESSES / "claude-code" / "2.1.325"
CODEX = HARNESSES / "codex" / "0.166.0"
GEMINI = HARNESSES / "gemini" / "0.61.0"
OPENCODE = HARNESSES / "opencode" / "1.18.18"
OPENCLAW = HARNESSES / "openclaw" / "2026.9.6"

OPENCODE_SESSION = "ses_e20ab0c32ffe625H3STLqNT7h2"


def payload(folder: Path, name: str) -> dict[str, Any]:
    return json.loads((folder / f"{name}.json").read_text())


def captured(folder: Path) -> list[dict[str, Any]]:
    """What a real client told its hooks, in order."""
    lines = (folder / "captured" / "payloads.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def opencode_database(folder: Path) -> Path:
    """The database that a real client left, built anew."""
    place = folder / "opencode.db"
    db = sqlite3.connect(place)
    db.executescript((OPENCODE / "captured" / "opencode.sql").read_text())
    db.commit()
    db.close()
    return place
