"""Coding sessions as an agent's thread would hold them: words, tool calls and what came of them.

The loaders of the recall bench read tool calls as plain text. Here a call is a call, since what a
distillation is to keep are its command and its file. A transcript that its own agent compacted also
holds the request to do so, a draft, and the summary: all three are taken out of what is distilled
(anchors: left in, every method was handed the reference), and the summary is kept apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import coding

CARRIED = "This session is being continued from a previous conversation"
DRAFTED = re.compile(r"Your task is to create a detailed summary of the conversation", re.I)
LEAKED = 0.25
"""A step with this share of the summary's longer lines is the summary itself, or its draft."""

_HEADING = re.compile(
    r"^_\*\*(User|Agent)( - sidechain)? \((?:\S+ )?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)\)\*\*_$", re.M
)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_NOISE = re.compile(r"\[Request interrupted|<(?:command|local-command|system-reminder)")
_TOOL = re.compile(
    r"<tool-use[^>]*data-tool-name=\"(\w+)\"[^>]*><details>\n<summary>[^\n]*</summary>\n"
    r"(.*?)(?:</details>)?</tool-use>",
    re.DOTALL,
)
_OUTPUT = re.compile(r"^```\w*\n(.*?)\n?^```\s*$", re.DOTALL | re.M)
_TICKED = re.compile(r"`([^`]+)`")
_WRITTEN = re.compile(
    r"The file (\S+) has been (?:updated|created)|File created successfully at: (\S+)"
)
_OPEN_FILE = re.compile(r"^\(Open file: (\S+)\)$", re.M)


@dataclass(frozen=True)
class Step:
    """One thing that happened: somebody's words, or a tool's call with its output."""

    id: str
    role: str
    """user, assistant or tool."""
    text: str
    """The words; of a tool its output."""
    at: datetime
    tool: str = ""
    call: Mapping[str, Any] = field(default_factory=dict)
    """What the tool was given; empty where the transcript shows only what it printed."""
    expanded: bool = False
    """Not typed by the person: what a slash command stands for."""

    @property
    def shown(self) -> str:
        """The step as a reader sees it, and as the baselines keep it: the call's own line first."""
        told = self.call.get("command") or self.call.get("file_path") or ""
        head = f"[{self.tool}] {told}\n" if told else ""
        return head + self.text


@dataclass
class Thread:
    """One conversation, distilled as one thread."""

    name: str
    steps: list[Step]


@dataclass
class Compacted:
    """A stretch of a session that its own agent summarized, and the summary."""

    name: str
    steps: list[Step]
    summary: str


def threads(data: Path) -> list[Thread]:
    """Every conversation; the sittings of aider follow each other in one thread."""
    place = data / "transcripts"
    found = [Thread("aider", list(_aider(data)))]
    for path in sorted((place / "specstory").glob("*.md")):
        steps = [step for part, _ in _claude_parts(path) for step in part]
        found.append(Thread(f"claude-{path.stem[:10]}", steps))
    for path in sorted((place / "swe-agent").glob("*.json")):
        found.append(Thread(path.name.split(".")[0], list(_swe(path))))
    return [thread for thread in found if thread.steps]


def compacted(data: Path) -> list[Compacted]:
    """The stretches with an LLM's own summary; none of their steps may hold it."""
    found = list[Compacted]()
    for path in sorted((data / "transcripts" / "specstory").glob("*.md")):
        for n, (part, summary) in enumerate(_claude_parts(path)):
            if summary and part:
                found.append(Compacted(f"claude-{path.stem[:10]}/{n}", part, summary))
    for one in found:
        unleaked(one.steps, one.summary)
    return found


def unleaked(steps: Iterable[Step], summary: str) -> None:
    """Fails if the compaction request, its draft or the summary is among the steps."""
    lines = {line.strip() for line in summary.splitlines() if len(line.strip()) >= 40}
    for step in steps:
        if DRAFTED.search(step.text):
            raise AssertionError(f"{step.id} holds the request to compact")
        own = {line.strip() for line in step.text.splitlines()}
        if lines and len(lines & own) / len(lines) > LEAKED:
            raise AssertionError(f"{step.id} holds the summary")


def _numbered(name: str, steps: Iterable[Step]) -> list[Step]:
    return [replace(step, id=f"{name}/{n}") for n, step in enumerate(steps)]


def _aider(data: Path) -> Iterator[Step]:
    talks = [talk for talk in coding.load(data) if talk.name == "aider"]
    for said in (said for talk in talks for said in talk.said):
        tool = "console" if said.role == "tool" else ""
        yield Step(said.id, said.role, said.content, said.at, tool)


def _claude_parts(path: Path) -> list[tuple[list[Step], str]]:
    """The steps between two compactions, each with the summary that followed; the last has none."""
    pieces = _HEADING.split(path.read_text("utf-8"))[1:]
    parts: list[tuple[list[Step], str]] = []
    steps, commanded = list[Step](), ""
    for who, aside, when, text in zip(*(pieces[n::4] for n in range(4)), strict=True):
        words = _THOUGHT.sub("", text).strip().strip("-").strip()
        if aside or not words or _NOISE.match(words):
            commanded = when if words.startswith("<command") else commanded
            continue
        if who == "User" and words.startswith(CARRIED):
            parts.append((steps, _summary(words)))
            steps = []
            continue
        at = datetime.fromisoformat(when).astimezone(UTC)
        for step in _claude(words, "user" if who == "User" else "assistant", at):
            steps.append(replace(step, expanded=step.role == "user" and when == commanded))
    parts.append((steps, ""))
    return [(_numbered(f"{path.stem[:10]}.{n}", own), told) for n, (own, told) in enumerate(parts)]


def _summary(carried: str) -> str:
    """The summary itself, without the analysis that the agent wrote before it."""
    return carried[carried.find("\nSummary:") + 1 :].removeprefix("Summary:").strip()


def _claude(words: str, role: str, at: datetime) -> Iterator[Step]:
    """A piece of the transcript: prose, and tool calls in it."""
    end = 0
    for found in _TOOL.finditer(words) if role == "assistant" else ():
        if before := words[end : found.start()].strip():
            yield Step("", role, before, at)
        yield _call(found[1], found[2], at)
        end = found.end()
    if rest := words[end:].strip():
        yield Step("", role, rest, at)


def _call(tool: str, body: str, at: datetime) -> Step:
    output = _OUTPUT.search(body)
    head = (body[: output.start()] if output else body).strip()
    told = output[1] if output else ""
    return Step("", "tool", told, at, tool, _given(tool, head, told))


def _given(tool: str, head: str, output: str) -> dict[str, str]:
    """The input of the call, as far as the transcript shows it."""
    ticked = _TICKED.findall(head)
    if tool == "Bash" and ticked:
        return {"command": ticked[-1].strip(), "description": head.partition("`")[0].strip()}
    written = _WRITTEN.search(output)
    if tool in {"Edit", "Write"} and written:
        return {"file_path": next(filter(None, written.groups()))}
    if tool == "Read" and ticked:
        return {"file_path": ticked[0]}
    return {"input": head} if head else {}


def _swe(path: Path) -> Iterator[Step]:
    """Its `user` is the issue first, then the shell's answer to the action before."""
    history = json.loads(path.read_text("utf-8"))["history"]
    at, action, steps, opened = datetime(2024, 5, 1, 9, tzinfo=UTC), "", list[Step](), ""
    for message in history:
        if message["role"] == "system" or message.get("is_demo"):
            continue
        at += timedelta(minutes=1)
        if message["role"] == "assistant":
            action = str(message.get("action") or "").strip()
            steps.append(Step("", "assistant", str(message.get("thought") or "").strip(), at))
        elif not steps:
            steps.append(Step("", "user", message["content"], at))
        else:
            steps.append(_shell(action, message["content"], at, opened))
            opened = (_OPEN_FILE.findall(message["content"]) or [opened])[-1]
    yield from _numbered(path.name.split(".")[0], [step for step in steps if step.text])


def _shell(action: str, output: str, at: datetime, opened: str) -> Step:
    """An edit is a call of the editor on the file that was open; all else is a command."""
    if action.startswith("edit ") and opened:
        return Step("", "tool", output, at, "Edit", {"file_path": opened, "new_string": action})
    return Step("", "tool", output, at, "Bash", {"command": action})
