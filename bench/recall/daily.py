"""Days of talk with an assistant or among people, asked about weeks later and in other words.

The talks are those of bench/acts, six to an agent, one every third day: what was said last, about something
else, stands beside what is asked for. The questions in daily.jsonl were written by people who saw the talks
and nothing else.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from talks import Question, Said, Talk, clock

HERE = Path(__file__).parent
TALKS = {"dev": HERE.parent / "acts" / "talks", "held": HERE.parent / "acts" / "held"}
TOGETHER = 6
FIRST = datetime(2026, 3, 2, 9)
APART = timedelta(days=3)


def load() -> list[Talk]:
    """The talks by sixes: every sixth of the files in order, so that each agent has all sorts."""
    return [talk for part in TALKS for talk in _part(part)]


def _part(part: str) -> list[Talk]:
    files = sorted(TALKS[part].glob("*.jsonl"))
    step = len(files) // TOGETHER
    asked = _asked()
    talks: list[Talk] = []
    for n in range(step):
        own = files[n::step]
        talk = Talk(f"{part}-{n}")
        for days, file in enumerate(own):
            talk.said += _said(file, FIRST + days * APART)
            talk.questions += [_question(one, part) for one in asked.get(file.stem, ())]
        talks.append(talk)
    return talks


def _said(file: Path, start: datetime) -> list[Said]:
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [
        _message(f"{file.stem}:{n}", line, at)
        for n, (line, at) in enumerate(zip(lines, clock(start), strict=False))
    ]


def _message(name: str, line: dict[str, Any], at: datetime) -> Said:
    if line["speaker"] == "assistant":
        return Said(name, "assistant", None, line["text"], at)
    return Said(name, "user", line["speaker"], line["text"], at)


def _asked() -> dict[str, list[dict[str, Any]]]:
    asked: dict[str, list[dict[str, Any]]] = {}
    for n, line in enumerate((HERE / "daily.jsonl").read_text("utf-8").splitlines()):
        one = json.loads(line)
        asked.setdefault(one["talk"], []).append({**one, "id": f"{one['talk']}/{n}"})
    return asked


def _question(one: dict[str, Any], part: str) -> Question:
    return Question(
        one["id"],
        one["kind"],
        one["question"],
        _ids(one["talk"], one["gold"]),
        part,
        _ids(one["talk"], one["outdated"]),
    )


def _ids(talk: str, lines: list[int]) -> frozenset[str]:
    return frozenset(f"{talk}:{n}" for n in lines)
