"""What may still be done in a sandbox: reading, and nothing else.

A session that drifted goes on in one. Every tool that is not known to read only is denied, whatever
it is called; so is every call to our own doors that would change something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .sandbox_places import FOLDERS
from .sandbox_shell import why_denied

SANDBOXED = "this session is in a sandbox: only reading is allowed"

_CALM_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

OUR_READING = frozenset(
    {
        "memory_search",
        "thread_context",
        "checkpoint_list",
        "agent_peers",
        "agent_answer",
        "task_status",
    }
)
"""Our own tools that change nothing, as their hints say too."""

OUR_ENDING = frozenset({"task_checkpoint", "task_end", "task_stop", "session_digest"})
"""Those by which a session says where it stands, and ends. Nothing else of ours may write."""

_OURS: dict[str, re.Pattern[str]] = {
    "claude-code": re.compile(r"mcp__(?:plugin_everthread_)?everthread__(\w+)"),
    "codex": re.compile(r"mcp__everthread__(\w+)"),
    "gemini": re.compile(r"mcp_everthread_(\w+)"),
    "opencode": re.compile(r"everthread_(\w+)"),
    "openclaw": re.compile(r"everthread__(\w+)"),
}
"""How each harness names them."""


class Harness(NamedTuple):
    """The tools of a harness."""

    reading: frozenset[str]
    shells: frozenset[str]
    """Those that run a command, which is looked at."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


HARNESSES: dict[str, Harness] = {
    # Fetching a page is no reading: an address can carry away what was read.
    "claude-code": Harness(
        _names("Read Grep Glob LS NotebookRead TodoRead BashOutput AskUserQuestion"), _names("Bash")
    ),
    "codex": Harness(_names("read_file list_dir grep_files view_image"), _names("Bash")),
    "gemini": Harness(
        _names("read_file read_many_files list_directory glob search_file_content grep_search"),
        _names("run_shell_command"),
    ),
    "opencode": Harness(_names("read grep glob list todoread"), _names("bash")),
    "openclaw": Harness(_names("read grep find ls"), _names("exec")),
}

_CALM_FIELDS = _names("command cmd description timeout timeout_ms yieldMs") | FOLDERS
"""What a shell may be told beside its command; anything else (variables, another user, leaving it
running) could make it something else."""


class Decision(NamedTuple):
    allow: bool
    reason: str
    """For the agent and the log; says what is allowed where something was denied."""


def _nowhere(_folder: str) -> bool:
    return False


def only_reads(harness: str, tool: str) -> bool:
    """Is it a tool that only reads, whatever it is given?"""
    known = HARNESSES.get(harness)
    return known is not None and tool in known.reading


def is_shell(harness: str, tool: str) -> bool:
    """Is it a shell?"""
    known = HARNESSES.get(harness)
    return known is not None and tool in known.shells


def tool_allowed(
    harness: str,
    tool: str,
    given: Mapping[str, Any] | None,
    *,
    inside: Callable[[str], bool] = _nowhere,
) -> Decision:
    """May this tool run in a sandbox? `inside`: does a folder lie in the project that is in one?"""
    known = HARNESSES.get(harness)
    if known is None:
        return _deny(f"the harness `{harness[:40]}` is not known")
    if tool in known.reading:
        return Decision(allow=True, reason=f"{tool} reads only")
    if tool in known.shells:
        return _shell_allowed(tool, given, inside)
    ours = _OURS[harness].fullmatch(tool)
    if ours and ours[1] in OUR_READING | OUR_ENDING:
        return Decision(allow=True, reason=f"{ours[1]} reads, or ends the session")
    return _deny(f"the tool `{tool[:60]}` is not known to read only")


def door_allowed(method: str, scope: str) -> Decision:
    """May this call of the API be answered? `scope` is what its token must be able to do."""
    if method.upper() in _CALM_METHODS or scope == "read":
        return Decision(allow=True, reason="it reads only")
    return _deny(f"{method.upper()[:10]} would change something")


def own_tool_allowed(tool: str, *, reads: bool) -> Decision:
    """May this tool of ours be called over MCP? `reads` is what its hints say."""
    if reads:
        return Decision(allow=True, reason=f"{tool} reads only")
    if tool in OUR_ENDING:
        return Decision(allow=True, reason=f"{tool} says where it stands")
    return _deny(f"`{tool[:60]}` would change something")


def deny_write(tool: str) -> Decision:
    """A tool that may write, and names a place in a project that is in a sandbox."""
    return _deny(f"`{tool[:60]}` names a place in a project that is in a sandbox")


def _shell_allowed(
    tool: str, given: Mapping[str, Any] | None, inside: Callable[[str], bool]
) -> Decision:
    fields = given or {}
    odd = sorted(name for name, value in fields.items() if value and name not in _CALM_FIELDS)
    if odd:
        return _deny(f"{tool} was given `{odd[0][:40]}`")
    where = [fields[name] for name in sorted(FOLDERS) if fields.get(name)]
    if not all(isinstance(folder, str) and inside(folder) for folder in where):
        return _deny(f"{tool} may not run in another folder than the project's")
    commands = [fields[name] for name in ("command", "cmd") if fields.get(name)]
    if len(commands) != 1 or not isinstance(commands[0], str):
        return _deny(f"{tool} has no command that can be read")
    why = why_denied(commands[0].strip())
    return _deny(why) if why else Decision(allow=True, reason="the command reads only")


def _deny(why: str) -> Decision:
    return Decision(allow=False, reason=f"{SANDBOXED} ({why})")
