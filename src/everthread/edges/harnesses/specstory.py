"""A log of SpecStory: headings tell who speaks, and a tool's call shows a part of what it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .dialect import Record, entry, line_id
from .sayings import typed

_SESSION = re.compile(r"<!-- .{0,60}Session ([0-9A-Za-z_-]{8,80}) \(([^)]*)\) -->")
_TURN = re.compile(r"_\*\*(User|Agent|Assistant)((?: - sidechain)?(?: \([^)]*\)){0,3})\*\*_")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ _T](\d\d)[:-](\d\d)(?:[:-](\d\d))?(Z|[+-]\d\d:?\d\d)?")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_TOOL = re.compile(r'<tool-use[^>]*data-tool-name="([^"]*)"[^>]*>(.*?)</tool-use>', re.DOTALL)
_OLD_TOOL = re.compile(r"Tool use: \*\*([^*\n]+)\*\*(.*)", re.DOTALL)
_MARKS = re.compile(r"</?(?:details|summary)>|Tool use: \*\*[^*\n]+\*\*|^Result:$", re.MULTILINE)
_FAILED = re.compile(r"^Error:$", re.MULTILINE)
_BLOCK = re.compile(r"^```\w*\n(.*?)\n?^```[^\S\n]*$", re.DOTALL | re.MULTILINE)
_TICKED = re.compile(r"`([^`]+)`")
_NAMED = re.compile(r"(path|pattern|query|url|glob) `([^`]+)`")
_WRITTEN = re.compile(
    r"The file (\S+) has been (?:updated|created)|File created successfully at: (\S+)"
    r"|Applied \d+ edits? to (\S+?):?$",
    re.MULTILINE,
)
_SHELLS = frozenset(("bash", "shell", "run_terminal_cmd", "run_shell_command", "exec"))


class Story(NamedTuple):
    """One session, as far as a log tells it."""

    original: str
    """The harness's own id of it; "" where it is not told."""
    started: str
    entries: list[Record]


class _Turn(NamedTuple):
    role: str
    told: str
    """The time in its heading."""
    at: str
    """When it was: older logs tell only when the session began."""
    child: bool


def story(lines: Iterable[str], stem: str) -> Story:
    """What a log tells; `stem` names a session that has no name of its own."""
    original, started = "", ""
    turn: _Turn | None = None
    body: list[str] = []
    entries: list[Record] = []
    for line in lines:
        if turn is None and (named := _SESSION.match(line)):
            original, started = named[1], _moment(named[2])
        heading = _TURN.fullmatch(line.strip())
        told = _moment(heading[2]) if heading else ""
        if heading is None or _quoted(turn, told):
            body.append(line)
            continue
        entries += _said(turn, body, original or stem, len(entries))
        at = told or (turn.at if turn else started)
        role = "user" if heading[1] == "User" else "assistant"
        turn, body = _Turn(role, told, at, "sidechain" in heading[2]), []
    entries += _said(turn, body, original or stem, len(entries))
    return Story(original, started, entries)


def _quoted(turn: _Turn | None, told: str) -> bool:
    """Does the heading stand in a log that this one quotes? Time goes forward in a log."""
    return turn is not None and bool(told) and told < turn.told


def _moment(text: str) -> str:
    """The time in a heading or a name, as ISO-8601; "" if there is none."""
    found = _TIME.search(text)
    if found is None:
        return ""
    day, hour, minute, second, zone = found.groups()
    return f"{day}T{hour}:{minute}{f':{second}' if second else ''}{zone or ''}"


def _said(turn: _Turn | None, body: list[str], session: str, number: int) -> list[Record]:
    """The messages of one turn: words, and each tool with what it gave."""
    if turn is None or turn.child:
        return []
    text = "".join(body).strip().removesuffix("---").strip()
    name = line_id("specstory", session, number, turn.told, text)
    if turn.role == "user":
        words = typed(text)
        return [entry("user", words, name, turn.at)] if words else []
    text = _THOUGHT.sub("", text).strip()
    if old := _OLD_TOOL.fullmatch(text):
        return list(_called(f"{name}:0", old[1], old[2], turn.at))
    made: list[Record] = []
    for n, found in enumerate(_TOOL.finditer(text)):
        made += _called(f"{name}:{n}", found[1], found[2], turn.at)
    words = _TOOL.sub("", text).strip()
    return [*([entry("assistant", words, name, turn.at)] if words else []), *made]


def _called(key: str, tool: str, body: str, at: str) -> Iterator[Record]:
    """A tool's call and what came of it, each a message."""
    first = _BLOCK.search(body)
    head = _MARKS.sub("", body[: first.start()] if first else body).strip()
    failed = _FAILED.search(head)
    rest = _MARKS.sub("", body[first.start() :]).strip() if first else ""
    given, gave = _given(tool, _FAILED.sub("", head).strip(), rest)
    use: Record = {"type": "tool_use", "id": key, "name": tool, "input": given}
    result: Record = {"type": "tool_result", "tool_use_id": key, "content": gave}
    if failed:
        result["is_error"] = True
    yield entry("assistant", [use], key, at)
    yield entry("user", [result], f"{key}:r", at)


def _given(tool: str, head: str, rest: str) -> tuple[Record, str]:
    """What the tool was given, as far as the log shows it, by the names of its harness; what it gave."""
    ticked, blocks = _TICKED.findall(head), _blocks(rest)
    gave = blocks[0] if len(blocks) == 1 else rest
    if tool.lower() in _SHELLS and ticked:
        about = head.partition("`")[0].strip()
        return {"command": ticked[-1].strip(), **({"description": about} if about else {})}, gave
    if named := {key: value.strip() for key, value in _NAMED.findall(head)}:
        return named, gave
    if tool == "Read" and ticked:
        return {"file_path": ticked[0].strip()}, gave
    written = _WRITTEN.search(blocks[-1]) if blocks else None
    if written is None:
        return ({"description": head}, gave) if rest and head else ({}, gave or head)
    path = next(filter(None, written.groups()))
    if len(blocks) == 1:
        return {"file_path": path}, gave
    return {"file_path": path, "content": "\n".join(blocks[:-1])}, blocks[-1]


def _blocks(rest: str) -> list[str]:
    """The fenced blocks, if there is nothing else; those inside of one have their marks masked."""
    if _BLOCK.sub("", rest).strip():
        return []
    return [block.replace("\\```", "```") for block in _BLOCK.findall(rest)]
