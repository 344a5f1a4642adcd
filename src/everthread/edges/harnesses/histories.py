"""What harnesses have kept of earlier sessions: found where they leave it, or recognised in a path."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import filter as fitting
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from everthread.domain.errors import BadInput
from everthread.domain.harness.happenings import Reading
from everthread.domain.times import ms_of

from . import openclaw_db, opencode_db
from .claude_code_transcript import read_transcript
from .codex import Codex
from .dialect import Record, inner, records, word
from .gemini_chat import read_chat
from .markdown import kind_of_log
from .opencode import database
from .privacy import Read

HEAD_LINES = 60
HEAD_BYTES = 2_000_000
"""So much of a file is looked at to see whose it is."""

AIDER_LOG = ".aider.chat.history.md"

Unread = Callable[[OSError], None]
"""Hears of a place that may not be read."""


class History(NamedTuple):
    """One session as a harness kept it."""

    harness: str
    place: str
    """What its reader reads: a file, or a session in a database."""
    session: str
    folder: str
    """Where it worked; "" if that is not known."""
    started: int
    """Milliseconds; 0 if that is not known."""
    size: int
    """Bytes; 0 in a database."""
    version: str
    """Changes whenever something is added."""
    child: str | None = None
    """The subagent whose session it is; then `session` is its parent's."""


READERS: Mapping[str, Read] = {
    "claude-code": read_transcript,
    "codex": Codex().read,
    "gemini": read_chat,
    "opencode": opencode_db.read_session,
    "openclaw": openclaw_db.read_past,
}


def read_history(history: History, cursor: str) -> Reading:
    return READERS[history.harness](history.place, cursor)


def find_histories(
    environ: Mapping[str, str], home: Path, here: Path, unread: Unread
) -> Iterator[History]:
    """All histories on this machine, and the logs of the projects that they speak of.

    `unread` hears of each place that may not be read.
    """
    folders: dict[str, None] = {str(here): None}
    for history in _of_harnesses(environ, home, unread):
        if history.folder:
            folders[history.folder] = None
        yield history
    for folder in folders:
        yield from _logs(Path(folder))


def _of_harnesses(environ: Mapping[str, str], home: Path, unread: Unread) -> Iterator[History]:
    claude = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    gemini = Path(environ.get("GEMINI_CLI_HOME") or home) / ".gemini"
    openclaw = Path(environ.get("OPENCLAW_STATE_DIR") or home / ".openclaw")
    yield from _files(_files_under(claude / "projects", unread, "*.jsonl"))
    yield from _files(_files_under(codex / "sessions", unread, "rollout-*.jsonl"))
    yield from _files(_files_under(codex / "archived_sessions", unread, "rollout-*.jsonl"))
    yield from _files(_files_under(gemini / "tmp", unread, "session-*.json*"))
    yield from _of_opencode(database({**environ, "HOME": str(home)}))
    yield from _files(_files_under(openclaw / "agents", unread, "*.sqlite", "*.jsonl"))


def histories_in(path: Path, unread: Unread = lambda _error: None) -> list[History]:
    """The histories in a file, or in all of a folder; `unread` hears of what in it may not be read."""

    def told(error: OSError) -> None:
        if error.filename == str(path):
            raise error
        unread(error)

    names = ("*.jsonl", "*.json", "*.md", "*.sqlite", "*.db")
    return list(_files(_files_under(path, told, *names) if path.is_dir() else [path]))


def _files_under(folder: Path, unread: Unread, *patterns: str) -> Iterator[Path]:
    """The files of a folder and of those in it, pattern by pattern. A folder that is not there has none."""

    def told(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            unread(error)

    seen = [(place, names) for place, _, names in os.walk(folder, onerror=told)]
    for pattern in patterns:
        found = [Path(place, name) for place, names in seen for name in fitting(names, pattern)]
        yield from (path for path in sorted(found) if _is_readable(path, told))


def _is_readable(path: Path, told: Unread) -> bool:
    try:
        if not path.is_file():
            return False
    except OSError as error:
        told(error)
        return False
    if os.access(path, os.R_OK):
        return True
    told(PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path)))
    return False


def _files(paths: Iterable[Path]) -> Iterator[History]:
    for path in dict.fromkeys(paths):
        look = _LOOKS.get(path.suffix)
        if look is not None:
            with suppress(OSError):  # it went away while we looked
                yield from look(path)


def _logs(folder: Path) -> Iterator[History]:
    """Logs that lie in a project."""
    try:
        stories = sorted((folder / ".specstory" / "history").glob("*.md"))
    except OSError:
        stories = []
    yield from _files([*stories, folder / AIDER_LOG])


# Whose is a file?


def _of_lines(path: Path) -> Iterator[History]:
    head = _head(path)
    for recognise in (_claude, _codex, _gemini, _claw):
        history = recognise(path, head)
        if history is not None:
            yield history
            return


def _head(path: Path) -> list[Record]:
    """The first records of a file of JSON lines."""
    try:
        with path.open("rb") as file:
            return [r for line in _first(file) for r in _record(line)]
    except OSError:
        return []


def _first(file: BinaryIO) -> Iterator[bytes]:
    data = file.read(HEAD_BYTES)
    yield from islice(data.splitlines(), HEAD_LINES)


def _record(line: bytes) -> list[Record]:
    try:
        return records([json.loads(line)])
    except (ValueError, RecursionError):
        return []


def _history(
    harness: str, path: Path, session: str, folder: str, at: str, child: str | None = None
) -> History:
    try:
        started = ms_of(at) if at else 0
    except BadInput:
        started = 0
    stat = path.stat()
    version = f"{stat.st_size}:{stat.st_mtime_ns}"
    place = str(path.absolute())
    return History(harness, place, session, folder, started, stat.st_size, version, child)


def _claude(path: Path, head: list[Record]) -> History | None:
    spoken = [r for r in head if word(r, "type") in {"user", "assistant"} and word(r, "sessionId")]
    if not spoken:
        return None
    first = spoken[0]
    folder = next((word(r, "cwd") for r in spoken if word(r, "cwd")), "")
    child = None
    if first.get("isSidechain") is True and path.stem.startswith("agent-"):
        child = word(first, "agentId") or path.stem.removeprefix("agent-")
    # A copy of another session begins with records of that one.
    session = word(first, "sessionId") if child else path.stem
    return _history("claude-code", path, session, folder, word(first, "timestamp"), child)


def _codex(path: Path, head: list[Record]) -> History | None:
    metas = [inner(r, "payload") for r in head if word(r, "type") == "session_meta"]
    meta: Record = metas[0] if metas else {}
    own = word(meta, "id")
    if not own:
        return None
    root = word(meta, "session_id") or own
    child = own if root != own else None
    return _history("codex", path, root, word(meta, "cwd"), word(meta, "timestamp"), child)


def _gemini(path: Path, head: list[Record]) -> History | None:
    first = head[0] if head else {}
    if not word(first, "sessionId") or not word(first, "projectHash"):
        return None
    folder = _gemini_folder(path, word(first, "projectHash"))
    return _history("gemini", path, word(first, "sessionId"), folder, word(first, "startTime"))


def _gemini_folder(path: Path, digest: str) -> str:
    """It keeps a hash of the folder, and beside it the folder's name in one of two places."""
    project = path.parent.parent
    try:
        return (project / ".project_root").read_text("utf-8").strip()
    except (OSError, ValueError):
        pass
    try:
        known = _record((project.parent.parent / "projects.json").read_bytes())
    except OSError:
        known = []
    for folder, name in inner(known[0], "projects").items() if known else ():
        same = hashlib.sha256(folder.encode()).hexdigest() == digest
        if same or name == project.name:
            return str(folder)
    return ""


def _claw(path: Path, head: list[Record]) -> History | None:
    first = head[0] if head else {}
    if word(first, "type") != "session" or not word(first, "id") or "version" not in first:
        return None
    return _history("openclaw", path, path.stem, word(first, "cwd"), word(first, "timestamp"))


def _of_document(path: Path) -> Iterator[History]:
    """A chat of an older Gemini CLI: one JSON document."""
    try:
        document = _record(path.read_bytes()) if path.stat().st_size < HEAD_BYTES * 30 else []
    except OSError:
        document = []
    if document and "messages" in document[0] and (history := _gemini(path, document)):
        yield history


def _of_database(path: Path) -> Iterator[History]:
    yield from _of_opencode(path)
    for kept in openclaw_db.sessions_in(str(path)):
        place = opencode_db.session_place(str(path), kept.id)
        yield History("openclaw", place, kept.id, kept.folder, kept.started, 0, kept.version)


def _of_opencode(path: Path) -> Iterator[History]:
    sessions = {session.id: session for session in opencode_db.sessions_in(str(path))}
    for session in sessions.values():
        root = session
        while root.parent in sessions and root.parent != root.id:
            root = sessions[root.parent]
        child = None if root is session else session.id
        place = opencode_db.session_place(str(path), session.id)
        yield History(
            "opencode", place, root.id, root.folder, session.started, 0, session.version, child
        )


def _of_markdown(path: Path) -> Iterator[History]:
    kind = kind_of_log(path)
    if kind is None:
        return
    yield _history(kind, path, path.stem, _project_of(path.absolute()), "")


def _project_of(log: Path) -> str:
    """The project in which a log lies, if it lies where its writer puts it."""
    if log.name == AIDER_LOG:
        return str(log.parent)
    story = (log.parent.name, log.parent.parent.name) == ("history", ".specstory")
    return str(log.parent.parent.parent) if story else ""


_LOOKS: Mapping[str, Callable[[Path], Iterator[History]]] = {
    ".jsonl": _of_lines,
    ".json": _of_document,
    ".md": _of_markdown,
    ".db": _of_database,
    ".sqlite": _of_database,
}
