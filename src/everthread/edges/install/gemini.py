"""Gemini CLI: hooks and the MCP server in one settings file. It counts in milliseconds."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .changes import Made
from .events import GEMINI
from .parts import MARK, Entries, FoundHarness, Machine, Part, find_harness
from .sections import section
from .settings_file import Entry, drop_entries, drop_hooks, edit_text, prune, put_entries, put_hooks
from .textedit import Text

NAME = "gemini"


class Gemini:
    """Its settings are in .gemini below GEMINI_CLI_HOME, else below the home folder."""

    name = NAME
    title = "Gemini CLI"

    def find(self, around: Machine) -> FoundHarness | None:
        return find_harness(around, _folder(around), "gemini")

    def parts(self, around: Machine) -> list[Part]:
        folder = _folder(around)
        return [
            _settings(folder / "settings.json", around),
            section(folder / "GEMINI.md", wanted=around.instructions),
        ]

    def advice(self, around: Machine) -> list[str]:
        return ["Sessions that are open use it after they are started anew."]

    def sessions(self, around: Machine) -> Iterable[Path]:
        return (_folder(around) / "tmp").glob("*/chats/session-*")


def _folder(around: Machine) -> Path:
    return around.place("GEMINI_CLI_HOME") / ".gemini"


def groups(around: Machine) -> dict[str, Mapping[str, Any]]:
    """All hooks; its commands go through a shell."""
    return {
        event: {
            "matcher": "*",
            "hooks": [
                {
                    "name": MARK,
                    "type": "command",
                    "command": shlex.join(around.hook(NAME, event)),
                    "timeout": 1_000 * around.patience(event, seconds),
                }
            ],
        }
        for event, seconds in around.events(NAME, GEMINI).items()
    }


def _settings(path: Path, around: Machine) -> Entries:
    command, *args = around.mcp
    server = Entry(("mcpServers", MARK), {"command": command, "args": args})

    def add(text: str) -> tuple[str, Made]:
        made: list[tuple[str, ...]] = []

        def work(settings: Text) -> None:
            made.extend(put_hooks(settings, groups(around), around.ours))
            made.extend(put_entries(settings, [server]))

        return edit_text(str(path), text, work), tuple(made)

    def remove(text: str, made: Made) -> str:
        def work(settings: Text) -> None:
            drop_hooks(settings, around.ours)
            drop_entries(settings, [server])
            prune(settings, made)

        return edit_text(str(path), text, work)

    return Entries(path, "the hooks and the MCP server", add, remove)
