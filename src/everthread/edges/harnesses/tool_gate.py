"""The tool gate: a harness asks whether a tool may run, and is told so in its own words (R-32)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everthread.domain.redaction.secrets import strip_secrets
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


def is_asked(harness: str, event: str) -> bool:
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


def _hook_denial(decision: Decision) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": strip_secrets(decision.reason),
        }
    }


def _plain_denial(decision: Decision) -> dict[str, Any]:
    return {"decision": "deny", "reason": strip_secrets(decision.reason)}


def _plugin_denial(decision: Decision) -> dict[str, Any]:
    return {"allow": False, "reason": strip_secrets(decision.reason)}


_DENIED = {
    "claude-code": _hook_denial,
    "codex": _hook_denial,
    "gemini": _plain_denial,
    "opencode": _plugin_denial,
    "openclaw": _plugin_denial,
}
