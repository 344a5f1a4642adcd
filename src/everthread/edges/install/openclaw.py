"""OpenClaw: a plugin in a folder of ours, named in its configuration; for old hosts, internal hooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from everthread import __version__
from everthread.domain.errors import InstallRefused

from .assets import asset
from .changes import Made, content
from .install_log import log_path
from .javascript import plugin_text
from .parts import MARK, Entries, FoundHarness, Machine, OwnFile, Part, find_harness
from .sections import section
from .settings_file import Entry, drop_entries, edit_text, prune, put_entries
from .textedit import Text

NAME, LEGACY = "openclaw", "openclaw-legacy"

EVENTS = (
    "session_start",
    "before_prompt_build",
    "agent_end",
    "before_compaction",
    "after_compaction",
    "before_reset",
    "session_end",
)
LEGACY_EVENTS = (
    "agent:bootstrap",
    "message:received",
    "session:compact:before",
    "session:compact:after",
    "command:new",
    "command:reset",
)


ALLOWED = ("plugins", "allow")


class OpenClaw:
    """Its state is in OPENCLAW_STATE_DIR, else ~/.openclaw."""

    name = NAME
    title = "OpenClaw"

    def find(self, around: Machine) -> FoundHarness | None:
        return find_harness(around, _state(around), "openclaw")

    def parts(self, around: Machine) -> list[Part]:
        folder = around.home / "plugins" / NAME
        entries = _entries(around, plugin_entries(folder, around), LEGACY)
        return [*_plugin(folder, around), entries, _section(around)]

    def advice(self, around: Machine) -> list[str]:
        return [
            "It may read the conversation (hooks.allowConversationAccess): without that there is nothing "
            "to keep. Start the gateway anew: openclaw gateway restart"
        ]

    def sessions(self, around: Machine) -> Iterable[Path]:
        return _databases(around)


class OpenClawLegacy:
    """The same for hosts from before plugins had typed hooks. Never both at once."""

    name = LEGACY
    title = "OpenClaw (legacy hooks)"

    def find(self, around: Machine) -> FoundHarness | None:
        """Only whoever names it has it: the plugin is better."""
        return None

    def parts(self, around: Machine) -> list[Part]:
        folder = _state(around) / "hooks" / MARK
        handler = plugin_text(around, NAME, LEGACY_EVENTS, "openclaw_legacy.js")
        about = asset("HOOK.md", events=json.dumps(LEGACY_EVENTS)).encode()
        hooks = ("hooks", "internal")
        entries = [
            Entry((*hooks, "enabled"), value=True, shared=True),
            Entry((*hooks, "entries", MARK), {"enabled": True}),
        ]
        return [
            OwnFile(folder / "HOOK.md", about, "the hook for this machine"),
            OwnFile(folder / "handler.js", handler, "the hook for this machine"),
            _entries(around, entries, NAME),
            _section(around),
        ]

    def advice(self, around: Machine) -> list[str]:
        return [
            "Start the gateway anew. Only the gateway runs these hooks, not `openclaw agent --local`."
        ]

    def sessions(self, around: Machine) -> Iterable[Path]:
        return _databases(around)


def _state(around: Machine) -> Path:
    return around.place("OPENCLAW_STATE_DIR", ".openclaw")


def _section(around: Machine) -> Entries:
    """The instruction file of the workspace that its configuration names."""
    try:
        held = Text((content(_config(around)) or b"").decode(), loose=True)
        named = held.get(("agents", "defaults", "workspace"))
    except ValueError:
        named = None  # whoever changes that file says what is wrong with it
    usual = _state(around) / "workspace"
    folder = Path(named).expanduser() if isinstance(named, str) and named else usual
    return section(folder / "AGENTS.md", wanted=around.instructions)


def _databases(around: Machine) -> Iterable[Path]:
    return _state(around).glob("agents/*/agent/openclaw-agent.sqlite*")


def _config(around: Machine) -> Path:
    named = around.environ.get("OPENCLAW_CONFIG_PATH")
    return Path(named).expanduser() if named else _state(around) / "openclaw.json"


def _plugin(folder: Path, around: Machine) -> list[Part]:
    about = "Keeps what was said, and gives it back after compaction, a reset or a new session."
    package = {
        "name": MARK,
        "version": __version__,
        "private": True,
        "type": "module",
        "openclaw": {"extensions": ["./index.js"]},
    }
    manifest = {
        "id": MARK,
        "name": "Everthread",
        "description": about,
        "activation": {"onStartup": True},
        "configSchema": {"type": "object"},
    }
    why = "the plugin for this machine"
    return [
        OwnFile(folder / "package.json", _json(package), why),
        OwnFile(folder / "openclaw.plugin.json", _json(manifest), why),
        OwnFile(folder / "index.js", plugin_text(around, NAME, EVENTS, "openclaw.js"), why),
    ]


def plugin_entries(folder: Path, around: Machine) -> list[Entry]:
    """What loads the plugin, lets it see the conversation, and starts the MCP server."""
    allowed = {"allowConversationAccess": True, "allowPromptInjection": True}
    command, *args = around.mcp
    return [
        Entry(("plugins", "load", "paths"), str(folder), in_array=True),
        Entry(("plugins", "entries", MARK), {"enabled": True, "hooks": allowed}),
        Entry(("mcp", "servers", MARK), {"command": command, "args": args}),
    ]


def _entries(around: Machine, entries: Sequence[Entry], other: str) -> Entries:
    path = _config(around)

    def add(text: str) -> tuple[str, Made]:
        if log_path(around.home, other).exists():
            raise InstallRefused(
                f"the form {other} is installed, and both would tell everything twice; "
                f"run `everthread uninstall {other}` first"
            )
        made: list[tuple[str, ...]] = []

        def work(settings: Text) -> None:
            made.extend(put_entries(settings, entries))
            # A list of those that may run is a decision of the user's: where there is one, we join it.
            if settings.has(ALLOWED):
                made.extend(put_entries(settings, [Entry(ALLOWED, MARK, in_array=True)]))

        return edit_text(str(path), text, work, loose=True), tuple(made)

    def remove(text: str, made: Made) -> str:
        def work(settings: Text) -> None:
            drop_entries(settings, [*entries, Entry(ALLOWED, MARK, in_array=True)])
            prune(settings, made)

        return edit_text(str(path), text, work, loose=True)

    return Entries(path, "loads it", add, remove)


def _json(document: object) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()
