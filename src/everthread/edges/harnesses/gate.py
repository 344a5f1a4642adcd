"""The tool gate: a harness asks whether a tool may run, and is told so in its own words (R-32)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everthread.domain.redaction.secrets import redacted
from everthread.domain.safety.sandbox import Decision
from everthread.engine import Everthread
from everthread.wiring import project_folder

from .dialect import Payload, as_json, word

EVENTS: Mapping[str, str] = {
    "claude-code": "PreToolUse",
    "codex": "PreToolUse",
    "gemini": "BeforeTool",
    "opencode": "tool.execute.before",
    "openclaw": "before_tool_call",
}

FOLDERS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")


def asks(harness: str, event: str) -> bool:
    return EVENTS.get(harness) == event


def gate_answer(
    engine: Everthread, harness: str, payload: Payload, environ: Mapping[str, str]
) -> bytes:
    """What the harness is told. Never nothing: a client that hears nothing lets no tool run."""
    told = [environ.get(name, "") for name in FOLDERS]
    told.append(word(payload, "cwd", "directory", "workspaceDir"))
    folders = [folder for folder in told if folder] or [environ.get("PWD", "")]
    project = project_folder(folders[0]) or folders[0]
    tool = word(payload, "tool_name", "tool", "toolName")
    given = next((payload[n] for n in ("tool_input", "args", "params") if n in payload), None)
    # Whoever's task it is: the project is in a sandbox.
    for agent in engine.agents():
        decision = agent.may_run(harness, tool, given, project=project, folders=folders)
        if not decision.allow:
            return as_json(_DENIED[harness](decision))
    return as_json({"allow": True} if harness in ("opencode", "openclaw") else {})


def _specific(decision: Decision) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": redacted(decision.reason),
        }
    }


def _plainly(decision: Decision) -> dict[str, Any]:
    return {"decision": "deny", "reason": redacted(decision.reason)}


def _to_plugin(decision: Decision) -> dict[str, Any]:
    return {"allow": False, "reason": redacted(decision.reason)}


_DENIED = {
    "claude-code": _specific,
    "codex": _specific,
    "gemini": _plainly,
    "opencode": _to_plugin,
    "openclaw": _to_plugin,
}
