"""Codex: hooks.json in its home, the MCP server in config.toml. The user has to trust the hooks once."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from everthread.domain.errors import InstallRefused

from .changes import Made
from .events import CODEX
from .parts import MARK, Entries, FoundHarness, Machine, Part, find_harness
from .sections import section
from .settings_file import drop_hooks, edit_text, prune, put_hooks
from .textedit import Text

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

NAME = "codex"
SERVERS = "mcp_servers"


class Codex:
    """Its settings are in CODEX_HOME, else ~/.codex."""

    name = NAME
    title = "Codex"

    def find(self, around: Machine) -> FoundHarness | None:
        return find_harness(around, _folder(around), "codex")

    def parts(self, around: Machine) -> list[Part]:
        folder = _folder(around)
        return [
            hooks_part(folder / "hooks.json", groups(around), around),
            _server(folder / "config.toml", around),
            section(folder / "AGENTS.md", wanted=around.instructions),
        ]

    def advice(self, around: Machine) -> list[str]:
        return [
            "Codex runs no hook that you have not reviewed: start `codex` in a terminal, look at the hooks "
            f"it shows (they run {around.hooks}/client.py) and trust them. Until then nothing is "
            "captured, and Codex does not say so; `everthread doctor` does. When an upgrade changes "
            "them, it wants to be asked again."
        ]

    def sessions(self, around: Machine) -> Iterable[Path]:
        return (_folder(around) / "sessions").glob("*/*/*/rollout-*.jsonl")


def _folder(around: Machine) -> Path:
    return around.place("CODEX_HOME", ".codex")


def groups(around: Machine) -> dict[str, Mapping[str, Any]]:
    """All hooks; its commands go through a shell."""
    return {
        event: {
            "hooks": [
                {
                    "type": "command",
                    "command": shlex.join(around.hook(NAME, event)),
                    "timeout": _patience(around, event, seconds),
                }
            ]
        }
        for event, seconds in around.events(NAME, CODEX).items()
    }


def _patience(around: Machine, event: str, seconds: int) -> int:
    return seconds if event == "SessionEnd" else around.patience(event, seconds)


def hooks_part(path: Path, wanted: Mapping[str, Mapping[str, Any]], around: Machine) -> Entries:
    """Hooks in a JSON file of the common shape."""

    def add(text: str) -> tuple[str, Made]:
        made: list[tuple[str, ...]] = []
        new = edit_text(
            str(path), text, lambda held: made.extend(put_hooks(held, wanted, around.ours))
        )
        return new, tuple(made)

    def remove(text: str, made: Made) -> str:
        def work(settings: Text) -> None:
            drop_hooks(settings, around.ours)
            prune(settings, made)

        return edit_text(str(path), text, work)

    return Entries(path, "the hooks", add, remove)


# ---- config.toml


def _server(path: Path, around: Machine) -> Entries:
    command, *args = around.mcp
    wanted: dict[str, object] = {"command": command, "args": args}

    def add(text: str) -> tuple[str, Made]:
        servers = _tables(path, text).get(SERVERS)
        if isinstance(servers, dict) and cast("dict[str, object]", servers).get(MARK) == wanted:
            return text, ()
        return _with_server(path, text, wanted), () if servers is not None else ((SERVERS,),)

    def remove(text: str, made: Made) -> str:
        return _without_server(path, text, prune=(SERVERS,) in made)

    return Entries(path, "the MCP server", add, remove)


def _tables(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise InstallRefused(f"{path}: {wrong}; mend it first, it was left alone") from wrong


def _with_server(path: Path, text: str, wanted: Mapping[str, object]) -> str:
    from tomlkit import inline_table, table  # noqa: PLC0415 - slow to load, and seldom needed
    from tomlkit.items import InlineTable  # noqa: PLC0415 - as above

    tables = _tables(path, text)
    expected = {**tables, SERVERS: {**tables.get(SERVERS, {}), MARK: dict(wanted)}}
    document = _document(text)
    if SERVERS not in document:
        document[SERVERS] = table(is_super_table=True)
    entry = inline_table() if isinstance(document[SERVERS], InlineTable) else table()
    for name, value in wanted.items():
        entry[name] = value
    cast("dict[str, object]", document[SERVERS])[MARK] = entry
    return _verified_text(path, document, expected)


def _without_server(path: Path, text: str, *, prune: bool) -> str:
    tables = _tables(path, text)
    servers = tables.get(SERVERS)
    if not isinstance(servers, dict) or MARK not in servers:
        return text
    left = {
        name: server for name, server in cast("dict[str, object]", servers).items() if name != MARK
    }
    gone = prune and not left
    expected = {name: value for name, value in tables.items() if name != SERVERS}
    document = _document(text)
    del cast("dict[str, object]", document[SERVERS])[MARK]
    if gone or (not left and SERVERS not in tomllib.loads(document.as_string())):
        _drop(document)
    else:
        expected = {name: left if name == SERVERS else value for name, value in tables.items()}
    return _verified_text(path, document, expected)


def _document(text: str) -> TOMLDocument:
    from tomlkit import parse  # noqa: PLC0415 - as above

    return parse(text)


def _verified_text(path: Path, document: TOMLDocument, expected: Mapping[str, object]) -> str:
    """The text of it, if it says what it should; else it is left to the person."""
    text = document.as_string()
    if tomllib.loads(text) != expected:
        raise InstallRefused(f"{path} cannot be changed safely; add [{SERVERS}.{MARK}] by hand")
    return text


def _drop(document: TOMLDocument) -> None:
    if SERVERS in document:
        del document[SERVERS]
