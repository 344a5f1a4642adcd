"""The events that we ask each harness for, by its own names; `harnesses.event_names` lists those that it has.

A name that a harness does not know made it refuse to start once (LB-5); the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Mapping

# Seconds that a harness waits before it goes on without us. The client gives up earlier by itself.
# Tools are not asked for: a process for each would cost too much, and the transcript tells of them.
CLAUDE_CODE: Mapping[str, int] = {
    "SessionStart": 5,
    "UserPromptSubmit": 2,
    "PreCompact": 5,
    "PostCompact": 5,
    "Stop": 5,
    "SubagentStop": 5,
    "SessionEnd": 5,
}

GATES: Mapping[str, str] = {
    "claude-code": "PreToolUse",
    "codex": "PreToolUse",
    "gemini": "BeforeTool",
    "opencode": "tool.execute.before",
    "openclaw": "before_tool_call",
}
"""By which event each harness asks whether a tool may run. Asked for only while a task is open (R-32)."""

GATE_SECONDS = 5

CODEX: Mapping[str, int] = {
    "SessionStart": 5,
    "UserPromptSubmit": 2,
    "PreCompact": 5,
    "PostCompact": 5,
    "Stop": 5,
    "SubagentStop": 5,
    "SessionEnd": 3,
}
"""Codex cuts what SessionEnd asks for to three seconds, and complains about more."""

GEMINI: Mapping[str, int] = {
    "SessionStart": 5,
    "BeforeAgent": 2,
    "AfterAgent": 5,
    "PreCompress": 2,
    "SessionEnd": 5,
}
"""It is told milliseconds."""
