"""OpenCode: a plugin of one file, and the MCP server in its configuration."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .changes import Made
from .javascript import plugin_text
from .parts import MARK, Entries, FoundHarness, Machine, OwnFile, Part, find_harness
from .sections import section
from .settings_file import Entry, drop_entries, edit_text, prune, put_entries
from .textedit import Text

NAME = "opencode"

EVENTS = (
    "session.created",
    "session.resumed",
    "chat.message",
    "session.idle",
    "experimental.session.compacting",
    "session.compacted",
    "dispose",
)
"""What the plugin tells the daemon; some of it by names of ours."""

HOOKS = (
    "event",
    "chat.message",
    "experimental.chat.system.transform",
    "experimental.session.compacting",
    "dispose",
)
"""What it hears, by OpenCode's names."""


class OpenCode:
    """Its configuration is in XDG_CONFIG_HOME/opencode, else ~/.config/opencode."""

    name = NAME
    title = "OpenCode"

    def find(self, around: Machine) -> FoundHarness | None:
        return find_harness(around, _folder(around), "opencode")

    def parts(self, around: Machine) -> list[Part]:
        folder = _folder(around)
        plugin = plugin_text(around, NAME, EVENTS, "opencode.js")
        return [
            OwnFile(folder / "plugin" / f"{MARK}.js", plugin, "the plugin for this machine"),
            _server(_config(folder), around),
            section(folder / "AGENTS.md", wanted=around.instructions),
        ]

    def advice(self, around: Machine) -> list[str]:
        return ["Sessions that are open use it after they are started anew."]

    def sessions(self, around: Machine) -> Iterable[Path]:
        return (around.place("XDG_DATA_HOME", ".local", "share") / "opencode").glob("opencode.db*")


def _folder(around: Machine) -> Path:
    return around.place("XDG_CONFIG_HOME", ".config") / "opencode"


def _config(folder: Path) -> Path:
    """The configuration that is there; both spellings are read by OpenCode."""
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


def _server(path: Path, around: Machine) -> Entries:
    value = {"type": "local", "command": list(around.mcp), "enabled": True}
    server = Entry(("mcp", MARK), value)

    def add(text: str) -> tuple[str, Made]:
        made: list[tuple[str, ...]] = []
        new = edit_text(str(path), text, lambda held: made.extend(put_entries(held, [server])))
        return new, tuple(made)

    def remove(text: str, made: Made) -> str:
        def work(settings: Text) -> None:
            drop_entries(settings, [server])
            prune(settings, made)

        return edit_text(str(path), text, work)

    return Entries(path, "the MCP server", add, remove)
