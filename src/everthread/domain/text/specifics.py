"""Specifics: what a summary in prose loses first, and what is asked for later.

Paths, commands with their outcome, numbers, errors, identifiers, links, people: read off a message by
its blocks where tools were called, and by its spelling elsewhere. Nothing is guessed from meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.messages import WORDS, Block, Message

from . import specifics_shapes as shapes
from .pasted_text import blank_out
from .patterns import lazy_pattern
from .printouts import printouts
from .refused_calls import refusal_note
from .specifics_reader import Reader, Specific
from .specifics_shapes import LONGEST

__all__ = ["Specific", "Specifics", "specifics"]

NOTE = 160
"""Characters of an outcome."""

OPEN_CALLS = 256
"""Calls whose result is still awaited; beyond them the oldest is given up."""

SHOWN = 100_000
"""A longer message of a person is not searched for what a program printed."""

_COMMANDS = ("command", "cmd", "script", "bash", "shell")
_PATHS = ("file_path", "path", "filename", "file", "notebook_path", "target_file", "relative_path")
_EDITS = frozenset(
    ("old_string", "new_string", "old_str", "new_str", "edits", "diff", "insert_line")
)
_WHOLE = frozenset(("content", "contents", "file_text"))
_SEARCHES = frozenset(("pattern", "query", "regex", "glob"))
_DEEDS = {"Update": "edited", "Add": "created", "Delete": "deleted"}
_WRONG = lazy_pattern(
    r"^(?:error|fatal)(?:\[\w+\])?:\s|^Traceback \(most recent|"
    r"(?<![\w.,-])[1-9]\d* (?:tests? |specs? |suites? )?(?:failed|failing)\b|\bunreachable=[1-9]|"
    r"\b(?:NXDOMAIN|SERVFAIL)\b|\b(?:host|network|destination|port|server)(?: is)? unreachable\b|"
    r"\bconnection (?:refused|timed out)\b|\bcould not resolve\b|^[\w./-]+ is unreachable\b",
    re.MULTILINE | re.IGNORECASE,
)
"""So prints a command that did not do what it was to do."""

_COUNTED = lazy_pattern(
    r"(?<![\w.,-])[1-9]\d* (?:tests? )?fail(?:ed|ing)\b[^\n]{0,60}?\b\d+ (?:tests? )?pass(?:ed|ing)\b|"
    r"\b\d+ (?:tests? )?pass(?:ed|ing)\b[^\n]{0,60}\n?[^\n]{0,40}?(?<![\w.,-])[1-9]\d* (?:tests? )?"
    r"fail(?:ed|ing)\b",
    re.IGNORECASE,
)
"""So counts a run of tests of which some failed. Its exit code may be that of the last in a pipe."""

_READERS = "cat grep rg sed head tail less find ls tree awk wc diff jq bat fd zcat dmesg journalctl"
_READING = frozenset(_READERS.split())
_SHOWING = frozenset(
    ("git log", "git show", "git diff", "git grep", "git blame", "docker logs", "kubectl logs")
)
_LED = lazy_pattern(r"\s*(?:cd\s+\S+\s*(?:&&|;)\s*)?(?:sudo\s+)?")


class Call(NamedTuple):
    """A tool call that waits for its result."""

    command: str = ""
    path: str = ""
    deed: str = ""


class Specifics:
    """Reads the messages of a thread in order and knows to which call a result belongs.

    A command comes when it is called, without a note, and again with its outcome when that is there:
    the one with a note takes the place of the other.
    """

    def __init__(self, *, pause: Callable[[], None] = lambda: None) -> None:
        self._pause = pause
        self._calls: dict[str, Call] = {}
        self._typed: list[str] = []

    def read(self, message: Message) -> list[Specific]:
        """What the message holds, each once, in order."""
        reader = Reader(output=message.origin == "tool", pause=self._pause)
        if not message.form:  # plain text, as most messages are
            self._text(reader, message, message.content)
        else:
            for block in message.blocks:
                self._block(reader, message, block)
        found = reader.found()
        if message.origin == "agent":
            # What was called by name gets its result by its id, not by what is printed next.
            typed = (each.text for each in found if each.kind == "command")
            self._typed = [] if message.form else list(typed)
        return _with_command(found) if message.origin == "tool" else found

    def _block(self, reader: Reader, message: Message, block: Block) -> None:
        kind = block.get("type")
        if kind in WORDS:
            self._text(reader, message, str(block.get("text", "")))
        elif kind == "tool_use":
            call = _read_call(reader, str(block.get("name", "")), mapping(block.get("input")) or {})
            self._calls[str(block.get("id", ""))] = call
            while len(self._calls) > OPEN_CALLS:
                del self._calls[next(iter(self._calls))]
        elif kind == "tool_result":
            call = self._calls.pop(str(block.get("tool_use_id", "")), None)
            if call is None:
                self._text(reader, message, _output(block.get("content")))
            else:
                _read_result(call, block, reader)

    def _text(self, reader: Reader, message: Message, text: str) -> None:
        """A text; one that a tool printed tells how the command before it ended."""
        if message.origin == "user":
            _read_person(reader, text)
            return
        reader.read(text)
        if message.origin != "tool":
            return
        typed = [each for each in reader.found() if each.kind == "command"]
        if typed:
            reader.command(typed[-1].text, typed[-1].line, outcome(typed[-1].text, text))
        elif self._typed:
            last = self._typed[-1]
            reader.command(last, last, outcome(last, text))
        self._typed = []


def _with_command(found: list[Specific]) -> list[Specific]:
    """Errors with the command that printed them, where one alone was run."""
    ran = [each.text for each in found if each.kind == "command" and each.note]
    if len(ran) != 1:
        return found
    return [
        each._replace(of=ran[0]) if each.kind == "error" and not each.of else each for each in found
    ]


def _read_person(reader: Reader, text: str) -> None:
    """What a person says; what she shows of a program's printing is read as such."""
    shown = list(printouts(text)) if "\n" in text and len(text) <= SHOWN else []
    reader.read(blank_out(text, shown))
    if shown:
        printed = Reader(output=True)
        printed.read("".join(text[start:end] for start, end in shown))
        for each in printed.found():
            reader.add(*each)


def specifics(message: Message) -> list[Specific]:
    """What one message holds, seen alone: each once, in order."""
    return Specifics().read(message)


def outcome(command: str, output: str, *, failed: bool | None = None) -> str:
    """How a command ended: `ok`, `exit 1`, `failed`, or the first error.

    None: nobody said whether it failed. Most tools leave that out where all went well.
    """
    ends = output if len(output) <= 2 * LONGEST else f"{output[:LONGEST]}\n{output[-LONGEST:]}"
    code = shapes.EXIT.search(ends)
    number = int(code[1]) if code else None
    if number == 0 or (failed is False and number is None):
        return "failed" if _COUNTED.search(ends) and not _only_shows(command) else "ok"
    wrong = _first_error(output)
    if failed or number:
        head = f"exit {number}" if number else "failed"
        return f"{head}: {wrong}"[:NOTE] if wrong else head
    if _only_shows(command):
        return "ok"
    return wrong[:NOTE] or ("failed" if _WRONG.search(ends) else "ok")


def _only_shows(command: str) -> bool:
    """Does it print a file or search in one? Then it prints errors of others."""
    run = _LED.sub("", command, count=1).split(None, 2)
    return bool(run) and (run[0].rpartition("/")[2] in _READING or " ".join(run[:2]) in _SHOWING)


def _first_error(output: str) -> str:
    if not shapes.HINT.search(output):
        return ""
    reader = Reader(output=True)
    reader.read(output)
    return next((each.text for each in reader.found() if each.kind == "error"), "")


def _read_call(reader: Reader, name: str, given: Mapping[str, Any]) -> Call:
    """What a tool was called with, by the names of its fields."""
    command, path = _command(given), _first(given, _PATHS)
    if path and len(command.split()) == 1:  # an editor whose command is a verb: view, create
        name, command = command, ""
    if command:
        reader.command(command, command)
    for word, patched in _patches(given):
        reader.add("file", patched, f"{name} {patched}", _DEEDS[word])
    if (url := given.get("url")) and isinstance(url, str):
        reader.add("url", url[:LONGEST], f"{name} {url}")
    if not path or not _SEARCHES.isdisjoint(given):
        return Call(command)
    deed = _file_deed(name.lower(), given)
    reader.add("file", path, f"{name} {path}", deed)
    return Call(command, path, deed)


def _file_deed(name: str, given: Mapping[str, Any]) -> str:
    if "delete" in name or "remove" in name:
        return "deleted"
    if not _EDITS.isdisjoint(given) or any(word in name for word in ("replace", "insert", "patch")):
        return "edited"
    if not _WHOLE.isdisjoint(given) or "create" in name or "write" in name:
        return "created"
    return "edited" if "edit" in name else "read"


def _command(given: Mapping[str, Any]) -> str:
    for field in _COMMANDS:
        value = given.get(field)
        parts = listing(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if parts:
            words = [str(part) for part in parts]
            # `bash -lc …` is how it was started, not what was run.
            return words[-1] if words[0].endswith("sh") and len(words) > 2 else " ".join(words)  # noqa: PLR2004 - `sh -c` and what it runs
    return ""


def _first(given: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    found = (given.get(field) for field in fields)
    return next((value[:LONGEST] for value in found if isinstance(value, str) and value), "")


def _patches(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for value in given.values():
        if isinstance(value, str) and "*** " in value:
            yield from shapes.PATCHED.findall(value[: 2 * 20_000])


def _read_result(call: Call, block: Block, reader: Reader) -> None:
    """What came of a call."""
    text, failed = _output(block.get("content")), block.get("is_error")
    known = failed if isinstance(failed, bool) else None
    if known is not False and (end := refusal_note(text)):
        # Nothing was done, and nothing went wrong.
        if call.path:
            reader.add("file", call.path, f"{call.deed} {call.path}", end)
        if call.command:
            reader.command(call.command, call.command, end)
        return
    if call.path:
        # The text of a file is in the file; that it could not be had is news.
        if known:
            reader.read(text)
            first = text.strip().splitlines()[:1]
            reader.add(
                "file", call.path, f"{call.deed} {call.path}", f"failed: {' '.join(first)}"[:NOTE]
            )
        return
    read = Reader(output=True)
    read.read(text)
    for each in read.found():
        reader.add(*each[:4], call.command if each.kind == "error" else "")
    if call.command:
        reader.command(call.command, call.command, outcome(call.command, text, failed=known))


def _output(content: object) -> str:
    parts = listing(content)
    if parts is None:
        return content if isinstance(content, str) else ""
    blocks = (mapping(part) or {} for part in parts)
    return "\n".join(str(b.get("text", "")) for b in blocks if b.get("type") in WORDS)
