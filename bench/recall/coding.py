"""Coding transcripts as conversations: an aider log, Claude Code sessions, a SWE-agent run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from talks import Said, Talk

SECOND = timedelta(seconds=1)

_SITTING = re.compile(r"^# aider chat started at (.+)$", re.MULTILINE)
_HEADING = re.compile(
    r"^_\*\*(User|Agent) \((?:\S+ )?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)\)\*\*_$", re.M
)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_NOISE = re.compile(r"\[Request interrupted|<(?:command|local-command|system-reminder)")
_CARRIED = "This session is being continued from a previous conversation"


def load(folder: Path) -> list[Talk]:
    """Three conversations; the sittings of one tool follow each other in one thread."""
    place = folder / "transcripts"
    talks = (
        Talk("aider", list(_aider(place / "aider-chat-history.md"))),
        Talk(
            "claude-code",
            [s for p in sorted((place / "specstory").glob("*.md")) for s in _claude(p)],
        ),
        Talk(
            "swe-agent", [s for p in sorted((place / "swe-agent").glob("*.json")) for s in _swe(p)]
        ),
    )
    return [talk for talk in talks if talk.said]


def session_of(said: Said) -> str:
    """The sitting that a message belongs to: its id is sitting/number."""
    return said.id.rpartition("/")[0]


def _numbered(sitting: str, said: Iterator[Said]) -> Iterator[Said]:
    for number, one in enumerate(said):
        yield replace(one, id=f"{sitting}/{number}")


def _aider(path: Path) -> Iterator[Said]:
    if not path.exists():
        return
    pieces = _SITTING.split(path.read_text("utf-8"))[1:]
    at = datetime.min.replace(tzinfo=UTC)
    for n, (start, text) in enumerate(zip(pieces[::2], pieces[1::2], strict=True)):
        at = max(at, datetime.fromisoformat(start.strip()).replace(tzinfo=UTC))
        sitting = list[Said]()
        for role, words in aider_turns(text):
            at += SECOND  # sittings follow each other within seconds, and must not overlap
            sitting.append(Said("", role, None, words, at))
        yield from _numbered(f"aider-{n}", iter(sitting))


def aider_turns(text: str) -> Iterator[tuple[str, str]]:
    """`#### ` is the user, `> ` what aider printed, the rest the assistant."""
    role, lines = "", list[str]()
    for line in text.splitlines():
        speaker = role if role and not line.strip() else _speaker(line)
        if speaker != role:
            yield from _turn(role, lines)
            role, lines = speaker, []
        lines.append({"user": line[4:], "tool": line[1:]}.get(speaker, line).strip(" \r"))
    yield from _turn(role, lines)


def _speaker(line: str) -> str:
    if line.startswith("####"):
        return "user"
    return "tool" if line.startswith("> ") else "assistant"


def _turn(role: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    text = "\n".join(lines).strip()
    if text:
        yield role, text


def _claude(path: Path) -> Iterator[Said]:
    pieces = _HEADING.split(path.read_text("utf-8"))[1:]
    parts = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    yield from _numbered(path.stem[:10], _claude_turns(parts))


def _claude_turns(parts: Iterator[tuple[str, str, str]]) -> Iterator[Said]:
    for who, when, text in parts:
        words = _THOUGHT.sub("", text).strip().strip("-").strip()
        if not words or _NOISE.match(words):
            continue
        at = datetime.fromisoformat(when).astimezone(UTC)
        tool = "<tool-use" in words[:200]
        yield Said(
            "", "user" if who == "User" else "tool" if tool else "assistant", None, words, at
        )


def _swe(path: Path) -> Iterator[Said]:
    yield from _numbered(path.stem.split(".")[0], _swe_turns(json.loads(path.read_text("utf-8"))))


def _swe_turns(run: dict) -> Iterator[Said]:
    """What it calls user is the shell, except for the issue itself."""
    at, asked = datetime(2024, 5, 1, 9, tzinfo=UTC), False
    for message in run["history"]:
        if message["role"] == "system" or message.get("is_demo"):
            continue
        role = {"assistant": "assistant", "user": "tool" if asked else "user"}[message["role"]]
        asked = True
        yield Said("", role, None, message["content"], at)
        at += timedelta(minutes=1)


def request_of(said: Said) -> str:
    """The words by which a person asks for work; empty for commands to the tool, pastes, summaries."""
    text = said.content.removeprefix("/ask ").strip()
    _, issue, rest = text.partition("ISSUE:\n")
    text = rest if issue else text
    if said.role != "user" or text.startswith(("/", "!", "<", _CARRIED, "E  ", ">")):
        return ""
    return text
