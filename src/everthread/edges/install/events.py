"""The events of each harness by its own names, and those that we ask for. The one place that lists them.

A name that a harness does not know made it refuse to start once (LB-5); the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Mapping

# What each harness knows: as read out of the program at the version in the tests.
KNOWN: Mapping[str, frozenset[str]] = {
    "claude-code": frozenset(
        [
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "PermissionRequest",
            "PermissionDenied",
            "Notification",
            "Stop",
            "StopFailure",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "PreModelSwitch",
            "PostModelSwitch",
            "Setup",
            "TeammateIdle",
            "TaskCreated",
            "TaskCompleted",
            "Elicitation",
            "ElicitationResult",
            "ConfigChange",
            "WorktreeCreate",
            "WorktreeRemove",
            "InstructionsLoaded",
            "CwdChanged",
            "FileChanged",
            "DirectoryAdded",
            "MessageDisplay",
        ]
    ),
    "codex": frozenset(
        [
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PermissionRequest",
            "PreCompact",
            "PostCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "Interrupt",
        ]
    ),
    "gemini": frozenset(
        [
            "SessionStart",
            "SessionEnd",
            "BeforeAgent",
            "AfterAgent",
            "BeforeModel",
            "AfterModel",
            "BeforeToolSelection",
            "BeforeTool",
            "AfterTool",
            "PreCompress",
            "Notification",
        ]
    ),
    "opencode": frozenset(
        [
            "event",
            "chat.message",
            "chat.params",
            "chat.headers",
            "tool.execute.before",
            "tool.execute.after",
            "command.execute.before",
            "shell.env",
            "permission.ask",
            "experimental.chat.messages.transform",
            "experimental.chat.system.transform",
            "experimental.session.compacting",
            "experimental.compaction.autocontinue",
            "experimental.text.complete",
            "tool.definition",
            "config",
            "auth",
            "provider",
            "tool",
            "dispose",
        ]
    ),
    "openclaw": frozenset(
        [
            "session_start",
            "session_end",
            "before_model_resolve",
            "before_prompt_build",
            "agent_turn_prepare",
            "before_agent_reply",
            "before_agent_run",
            "before_agent_finalize",
            "before_compaction",
            "after_compaction",
            "before_reset",
            "agent_end",
            "before_tool_call",
            "after_tool_call",
            "llm_input",
            "llm_output",
            "model_call_started",
            "model_call_ended",
            "subagent_spawned",
            "subagent_ended",
            "gateway_start",
            "gateway_stop",
            "message_received",
            "message_sent",
            "before_message_write",
            "tool_result_persist",
        ]
    ),
    "openclaw-legacy": frozenset(
        [
            "command:new",
            "command:reset",
            "command:stop",
            "session:auto-reset",
            "session:compact:before",
            "session:compact:after",
            "session:patch",
            "agent:bootstrap",
            "gateway:startup",
            "gateway:shutdown",
            "gateway:pre-restart",
            "message:received",
            "message:transcribed",
            "message:preprocessed",
            "message:sent",
        ]
    ),
}

# Seconds that a harness waits before it goes on without us. The client gives up earlier by itself.
# Tools are not asked for: a process for each would be dear, and the transcript tells of them.
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
