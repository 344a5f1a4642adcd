"""A log of SpecStory: headings tell who speaks, and a tool's call shows a part of what it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .dialect import Record, entry, line_id
from .prompt_words import BARE_COMMANDS, typed_words

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
_TYPED_IN = re.compile(r"```(?:ba|z)?sh\b|```(?:shell|console|powershell)\b")
_PICTURE = re.compile(r"\A(?:User provided an? [a-z]+ \([\w.+-]+/[\w.+-]+\)\.\n+)+(?=\S)")
"""What the log says of a picture, above the words that came with it."""

_TASKS = "**Agent task list:**"
_TASK = re.compile(r"- \[(.)\] (?:(\W{1,3}) )?(.+)")
_STATES = {" ": "pending", "X": "completed", "x": "completed"}
_PRIORITIES = {"\U0001f525": "high", "\U0001f321": "medium", "\u2744": "low"}
"""What the signs before a task say: fire, a thermometer, a flake of snow."""

PIECE = ":s"
"""After the name of a body comes this and the number of one of its pieces."""


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
    after: str
    """The command that a person typed right before it; "" if she did not."""


class _TurnEntries(NamedTuple):
    """What one turn gave."""

    entries: list[Record]
    counted: int
    """How many entries the first reading of such logs made of it. They are numbered by that, so that
    what was imported then is known again."""
    command: str = ""
    """What a person typed as a command, with when she did."""


def story(lines: Iterable[str], stem: str) -> Story:
    """What a log tells; `stem` names a session that has no name of its own."""
    original, started = "", ""
    turn: _Turn | None = None
    body: list[str] = []
    entries: list[Record] = []
    number = 0
    for line in lines:
        if turn is None and (named := _SESSION.match(line)):
            original, started = named[1], _moment(named[2])
        heading = _TURN.fullmatch(line.strip())
        told = _moment(heading[2]) if heading else ""
        if heading is None or _is_quoted(turn, told):
            body.append(line)
            continue
        said = _turn_entries(turn, body, original or stem, number)
        entries += said.entries
        number += said.counted
        at = told or (turn.at if turn else started)
        role = "user" if heading[1] == "User" else "assistant"
        turn, body = _Turn(role, told, at, "sidechain" in heading[2], said.command), []
    entries += _turn_entries(turn, body, original or stem, number).entries
    return Story(original, started, entries)


def _is_quoted(turn: _Turn | None, told: str) -> bool:
    """Does the heading stand in a log that this one quotes? Time goes forward in a log."""
    return turn is not None and bool(told) and told < turn.told


def _moment(text: str) -> str:
    """The time in a heading or a name, as ISO-8601; "" if there is none."""
    found = _TIME.search(text)
    if found is None:
        return ""
    day, hour, minute, second, zone = found.groups()
    return f"{day}T{hour}:{minute}{f':{second}' if second else ''}{zone or ''}"


def _turn_entries(turn: _Turn | None, body: list[str], session: str, number: int) -> _TurnEntries:
    """The messages of one turn: words, and each tool with what it gave."""
    if turn is None or turn.child:
        return _TurnEntries([], 0)
    text = "".join(body).strip().removesuffix("---").strip()
    name = line_id("specstory", session, number, turn.told, text)
    if turn.role == "user":
        return _from_person(turn, text, name)
    text = _THOUGHT.sub("", text).strip()
    if text.startswith(_TASKS):
        # It keeps the name that it had as a text, so a log that is read again brings it once.
        use: Record = {"type": "tool_use", "id": name, "name": "TodoWrite", "input": _tasks(text)}
        return _TurnEntries([entry("assistant", [use], name, turn.at)], 1)
    old = _OLD_TOOL.fullmatch(text)
    sections = list(_sections(text)) if "Tool use: **" in text else []
    if len(sections) > 1:
        tagged = len(_TOOL.findall(text))
        return _TurnEntries(list(_in_turn(sections, name, turn.at)), 2 if old else 1 + 2 * tagged)
    if old:
        return _TurnEntries(list(_tool_entries(f"{name}:0", old[1], old[2], turn.at)), 2)
    return _new_turn(text, name, turn.at)


def _new_turn(text: str, name: str, at: str) -> _TurnEntries:
    """A body of the newer form: its words, then what its tools did; in their order where words follow one."""
    made: list[Record] = []
    for n, found in enumerate(_TOOL.finditer(text)):
        made += _tool_entries(f"{name}:{n}", found[1], found[2], at)
    words = _TOOL.sub("", text).strip()
    made = [*([entry("assistant", words, name, at)] if words else []), *made]
    mixed = [*_mixed_parts(text)]
    if _words_in(mixed[1:]):
        return _TurnEntries([*_in_order(mixed, name, at)], len(made))
    return _TurnEntries(made, len(made))


def _mixed_parts(text: str) -> Iterator[tuple[str, str]]:
    """What a body holds, in its order: each tool with its body, and the words between, without a name."""
    at = 0
    for found in _TOOL.finditer(text):
        yield "", text[at : found.start()]
        yield found[1], found[2]
        at = found.end()
    yield "", text[at:]


def _words_in(parts: Iterable[tuple[str, str]]) -> list[str]:
    """The words, without the rules that part them from tools."""
    return [words for tool, body in parts if not tool and (words := body.strip(" \n-"))]


def _in_order(parts: Iterable[tuple[str, str]], name: str, at: str) -> Iterator[Record]:
    """The words and tools of a body as they came."""
    for n, (tool, body) in enumerate(parts):
        key = f"{name}{PIECE}{n}"
        if tool:
            yield from _tool_entries(key, tool, body, at)
        elif _words_in([("", body)]):
            yield entry(
                "assistant", body.strip().removeprefix("---").removesuffix("---").strip(), key, at
            )


def _from_person(turn: _Turn, text: str, name: str) -> _TurnEntries:
    """What a person typed. A command of her own is followed by the prompt that it stands for, at the
    same moment: that text was written once, by whoever made the command, and is not said here."""
    words = typed_words(_PICTURE.sub("", text))
    if not words:
        return _TurnEntries([], 0, turn.after)  # what a command printed may stand between
    if turn.after and _stands_for(turn.after, text, turn.told):
        return _TurnEntries([], 1)
    command = words if "<command-name>" in text and words.startswith("/") else ""
    return _TurnEntries(
        [entry("user", words, name, turn.at)], 1, command and f"{turn.told} {command}"
    )


def _stands_for(after: str, text: str, told: str) -> bool:
    """Is it the prompt of that command? Nobody types two messages in one second; where no time is
    told, the words that the command was given must end it, as they do in a prompt without a place
    for them."""
    when, _, command = after.partition(" ")
    name, _, given = command[1:].partition(" ")
    if name in BARE_COMMANDS:
        return False
    if told.count(":") > 1:
        return when == told
    return not when and bool(given) and text.endswith(f"ARGUMENTS: {given}")


def _tasks(text: str) -> Record:
    """The list of an agent's tasks, as its harness names what is in it."""
    found = (_TASK.fullmatch(line.strip()) for line in text.splitlines())
    return {
        "todos": [
            {
                "content": task[3],
                "status": _STATES.get(task[1], "in_progress"),
                "priority": _PRIORITIES.get((task[2] or " ")[0], "medium"),
            }
            for task in found
            if task
        ]
    }


def _sections(text: str) -> Iterator[str]:
    """The pieces of a body that holds words and several tools: between rules, outside of blocks. A
    body without a tool of that form is one piece."""
    pieces: list[list[str]] = [[]]
    fenced = tool = False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        begins = not fenced and _OLD_TOOL.match(line) is not None
        tool |= begins
        if begins or (not fenced and line.strip() == "---"):
            pieces.append([])
        if begins or fenced or line.strip() != "---":
            pieces[-1].append(line)
    found = ["".join(piece).strip() for piece in pieces]
    yield from (piece for piece in found if piece) if tool else (text,)


def _in_turn(sections: Iterable[str], name: str, at: str) -> Iterator[Record]:
    """The pieces of a body in their order."""
    for n, piece in enumerate(sections):
        key = f"{name}{PIECE}{n}"
        if old := _OLD_TOOL.fullmatch(piece):
            yield from _tool_entries(key, old[1], old[2], at)
        else:
            yield entry("assistant", piece, key, at)


def stored_whole(ident: str) -> tuple[str, ...]:
    """Of the name of a piece: under which names an earlier version stored the whole body."""
    name, piece, _ = ident.partition(PIECE)
    return (name, f"{name}:0") if piece else ()


def _tool_entries(key: str, tool: str, body: str, at: str) -> Iterator[Record]:
    """A tool's call and what came of it, each a message."""
    first = _BLOCK.search(body)
    head = _MARKS.sub("", body[: first.start()] if first else body).strip()
    failed = _FAILED.search(head)
    rest = _MARKS.sub("", body[first.start() :]).strip() if first else ""
    given, gave = _tool_input(tool, _FAILED.sub("", head).strip(), rest)
    use: Record = {"type": "tool_use", "id": key, "name": tool, "input": given}
    result: Record = {"type": "tool_result", "tool_use_id": key, "content": gave}
    if failed:
        result["is_error"] = True
    yield entry("assistant", [use], key, at)
    yield entry("user", [result], f"{key}:r", at)


def _tool_input(tool: str, head: str, rest: str) -> tuple[Record, str]:
    """What the tool was given, as far as the log shows it, by the names of its harness; what it gave."""
    ticked, blocks = _TICKED.findall(head), _blocks(rest)
    gave = blocks[0] if len(blocks) == 1 else rest
    if tool.lower() in _SHELLS and (ticked or (blocks and _TYPED_IN.match(rest))):
        about = head.partition("`")[0].strip()
        typed_in = ticked[-1] if ticked else blocks[0]
        gave = gave if ticked else "\n".join(blocks[1:])
        return {"command": typed_in.strip(), **({"description": about} if about else {})}, gave
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
