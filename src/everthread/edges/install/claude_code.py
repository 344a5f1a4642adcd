"""Claude Code: a plugin made for this machine, switched on in its settings; or plain hooks there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from everthread import __version__

from .assets import asset
from .changes import Made, content
from .events import CLAUDE_CODE
from .parts import MARK, Entries, FoundHarness, Machine, OwnFile, Part, find_harness
from .settings_file import Entry, drop_entries, drop_hooks, edit_text, prune, put_entries, put_hooks
from .textedit import Text

NAME = "claude-code"
PLUGIN = f"{MARK}@{MARK}"
COMMANDS = ("recall", "remember", "checkpoint", "resume", "status")


class ClaudeCode:
    """Its settings are in CLAUDE_CONFIG_DIR, else ~/.claude."""

    name = NAME
    title = "Claude Code"

    def find(self, around: Machine) -> FoundHarness | None:
        return find_harness(around, _folder(around), "claude")

    def parts(self, around: Machine) -> list[Part]:
        settings = _folder(around) / "settings.json"
        if around.plain:
            parts = [_hook_entries(settings, around), _servers(around, wanted=True)]
        else:
            switch = _plugin_entries(settings, around)
            parts = [*_plugin(around), switch, _servers(around, wanted=False)]
        return [*parts, *_traces(around)]

    def advice(self, around: Machine) -> list[str]:
        told = ["Sessions that are open use it after they are started anew."]
        if not around.plain:
            names = ", ".join(f"/{MARK}:{name}" for name in COMMANDS)
            told.append(f"New commands in them: {names}")
        return told + ignored_settings(around)

    def sessions(self, around: Machine) -> Iterable[Path]:
        return (_folder(around) / "projects").glob("*/*.jsonl")


def _folder(around: Machine) -> Path:
    return around.place("CLAUDE_CONFIG_DIR", ".claude")


def ignored_settings(around: Machine) -> list[str]:
    """Claude Code takes no comments: it passes over such a file, and with it over our entries."""
    path = _folder(around) / "settings.json"
    data = content(path)
    try:
        json.loads(data or b"{}")
    except ValueError:
        return [
            f"{path} has comments or commas too many: Claude Code ignores all of it until they go"
        ]
    return []


def market(around: Machine) -> Path:
    """The folder of the plugin, as Claude Code takes it: a marketplace with one plugin in it."""
    return around.home / "plugins" / NAME


def definition(around: Machine, event: str) -> dict[str, Any]:
    """A hook in exec form: no shell, the interpreter by its full path."""
    command, *args = around.hook(NAME, event)
    seconds = around.patience(event, around.events(NAME, CLAUDE_CODE)[event])
    return {"type": "command", "command": command, "args": args, "timeout": seconds}


def groups(around: Machine) -> dict[str, Mapping[str, Any]]:
    """All hooks. Without a matcher SessionStart comes for every source, PreCompact for both triggers."""
    events = around.events(NAME, CLAUDE_CODE)
    return {event: {"hooks": [definition(around, event)]} for event in events}


def server(around: Machine) -> dict[str, Any]:
    command, *args = around.mcp
    return {"type": "stdio", "command": command, "args": args, "env": {}}


# ---- the plugin


def _plugin(around: Machine) -> list[Part]:
    folder = market(around)
    plugin = folder / "plugins" / MARK
    about = "Keeps what was said, and gives it back after compaction, a crash or a new session."
    owner = {"name": "Everthread"}
    documents: dict[Path, object] = {
        folder / ".claude-plugin" / "marketplace.json": {
            "name": MARK,
            "owner": owner,
            "description": about,
            "plugins": [{"name": MARK, "source": f"./plugins/{MARK}", "description": about}],
        },
        plugin / ".claude-plugin" / "plugin.json": {
            "name": MARK,
            "version": __version__,
            "description": about,
            "author": owner,
        },
        plugin / "hooks" / "hooks.json": {
            "hooks": {event: [group] for event, group in groups(around).items()}
        },
        plugin / ".mcp.json": {"mcpServers": {MARK: server(around)}},
    }
    texts = {plugin / "commands" / f"{name}.md": asset(f"commands/{name}.md") for name in COMMANDS}
    texts[plugin / "skills" / MARK / "SKILL.md"] = asset("SKILL.md")
    why = "the plugin for this machine"
    return [
        *(OwnFile(path, _json(document), why) for path, document in documents.items()),
        *(OwnFile(path, text.encode(), why) for path, text in texts.items()),
    ]


def _json(document: object) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


# ---- its settings


def entries(around: Machine) -> list[Entry]:
    """What `claude plugin marketplace add` and `claude plugin install` write."""
    source = {"source": {"source": "directory", "path": str(market(around))}}
    return [
        Entry(("extraKnownMarketplaces", MARK), source),
        Entry(("enabledPlugins", PLUGIN), value=True),
    ]


def _plugin_entries(path: Path, around: Machine) -> Entries:
    def add(text: str) -> tuple[str, Made]:
        made: list[tuple[str, ...]] = []

        def work(settings: Text) -> None:
            # Hooks of the plain form beside the plugin would tell everything twice.
            drop_hooks(settings, around.ours)
            made.extend(put_entries(settings, entries(around)))

        return edit_text(str(path), text, work), tuple(made)

    return Entries(path, "switches the plugin on", add, _remover(path, around))


def _hook_entries(path: Path, around: Machine) -> Entries:
    def add(text: str) -> tuple[str, Made]:
        made: list[tuple[str, ...]] = []

        def work(settings: Text) -> None:
            drop_entries(settings, entries(around))
            made.extend(put_hooks(settings, groups(around), around.ours))

        return edit_text(str(path), text, work), tuple(made)

    return Entries(path, "the hooks", add, _remover(path, around))


def _remover(path: Path, around: Machine) -> Callable[[str, Made], str]:
    """Takes out both forms: which one was installed does not matter."""

    def remove(text: str, made: Made) -> str:
        def work(settings: Text) -> None:
            drop_hooks(settings, around.ours)
            drop_entries(settings, entries(around))
            prune(settings, made)

        return edit_text(str(path), text, work)

    return remove


# ---- what it writes itself


def _traces(around: Machine) -> list[Part]:
    """Claude Code's own lists of plugins: it fills them by itself, and we leave no entry behind."""
    folder = _folder(around) / "plugins"
    lists = {
        "known_marketplaces.json": Entry((MARK,), None),
        "installed_plugins.json": Entry(("plugins", PLUGIN), None),
    }
    return [_trace(folder / name, entry) for name, entry in lists.items()]


def _trace(path: Path, entry: Entry) -> Entries:
    def remove(text: str, _made: Made) -> str:
        return edit_text(str(path), text, lambda held: drop_entries(held, [entry]))

    def add(text: str) -> tuple[str, Made]:
        return text, ()

    return Entries(path, "Claude Code's own list", add, remove)


def _servers(around: Machine, *, wanted: bool) -> Entries:
    """The MCP server of the plain form, where `claude mcp add --scope user` puts it."""
    own = around.environ.get("CLAUDE_CONFIG_DIR")
    path = (Path(own).expanduser() if own else around.user) / ".claude.json"
    entry = Entry(("mcpServers", MARK), server(around))

    def add(text: str) -> tuple[str, Made]:
        if not wanted:
            return (remove(text, ()) if MARK in text else text), ()
        made: list[tuple[str, ...]] = []
        new = edit_text(str(path), text, lambda held: made.extend(put_entries(held, [entry])))
        return new, tuple(made)

    def remove(text: str, made: Made) -> str:
        def work(settings: Text) -> None:
            if around.ours_server(settings.get(entry.path)):
                drop_entries(settings, [entry])
            prune(settings, made)

        return edit_text(str(path), text, work)

    return Entries(path, "the MCP server", add, remove)
