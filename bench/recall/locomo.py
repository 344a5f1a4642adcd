"""LoCoMo: two people, short turns, many sittings. Labels as corrected by its published audit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from talks import Question, Said, Talk, clock

Roles = Literal["people", "assistant"]
"""Both speakers as users with their names, or the second as a named assistant."""

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_TURN = re.compile(r"D(\d+):(\d+)")


def load(folder: Path, roles: Roles = "people") -> list[Talk]:
    """Every conversation of the folder, with the corrections that lie beside it."""
    return [_talk(path, roles) for path in sorted((folder / "locomo").glob("conv-*.json"))]


def _talk(path: Path, roles: Roles) -> Talk:
    record = json.loads(path.read_text("utf-8"))
    talk = Talk(path.stem, list(_said(record["conversation"], roles)))
    known = {said.id for said in talk.said}
    fixed = _corrections(path.parent / "corrections" / path.name)
    for n, asked in enumerate(record["qa"]):
        gold = turns_of(fixed.get(n, asked.get("evidence", []))) & known
        if gold:
            kind = KINDS[asked["category"]]
            talk.questions.append(Question(f"{path.stem}/{n}", kind, asked["question"], gold))
    return talk


def _said(talk: dict[str, Any], roles: Roles) -> Iterator[Said]:
    numbers = sorted(int(k[8:]) for k in talk if re.fullmatch(r"session_\d+", k))
    for number in numbers:
        start = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn, at in zip(talk[f"session_{number}"], clock(start), strict=False):
            second = roles == "assistant" and turn["speaker"] == talk["speaker_b"]
            yield Said(
                turn["dia_id"],
                "assistant" if second else "user",
                turn["speaker"],
                _text(turn),
                at,
            )


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares {caption}]" if caption else turn["text"]


def _corrections(path: Path) -> dict[int, list[str]]:
    if not path.exists():
        return {}
    entries = json.loads(path.read_text("utf-8"))
    return {entry["qa"]: entry["correct_evidence"] for entry in entries}


def turns_of(evidence: list[str]) -> frozenset[str]:
    """Ids of turns; the labels write them as `D1:3`, `D8:6; D9:17`, `D1:18 D2:3`, `D05:4`."""
    found = _TURN.findall(" ".join(evidence or ()))
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in found)
