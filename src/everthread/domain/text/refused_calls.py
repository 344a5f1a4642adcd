"""What a person would not have: a tool call that she refused, or stopped while it ran.

The harness then gives the agent a fixed text in place of what the tool would have printed. Such a
call did not fail, and whoever goes on must not take it for a fault to be mended.
"""

from __future__ import annotations

from .patterns import lazy_pattern

REFUSED = "refused by the user"
STOPPED = "stopped by the user"

_HEAD = 200
"""Characters in which a harness says so."""

_WRAPPED = r"\s*(?:<(?:tool_use_error|error)>\s*|Error:\s+|Wall time: [\d.]+ seconds\s+)?"
_REFUSED = lazy_pattern(
    _WRAPPED
    + r"(?:The user doesn['’]t want to (?:proceed with this tool use|take this action right now)\b"
    r"|\[Request interrupted by user for tool use\]"
    r"|User rejected tool use\b"
    r"|The user rejected permission (?:to use this specific tool call|with (?:the following )?feedback)\b"
    r"|\[Operation Cancelled\] Reason: User did not allow tool call\b"
    r"|(?:exec command|patch|apply_patch|command|MCP tool call) rejected by (?:the )?user\b"
    r"|rejected by (?:the )?user\b[:.]?|user rejected MCP tool call\b"
    r"|The user denied this operation\b)",
)
_STOPPED = lazy_pattern(
    _WRAPPED + r"(?:\[Request interrupted by user\]"
    r"|\[Operation Cancelled\] Reason: User cancelled\b"
    r"|(?:Command|Tool call|Tool execution|Operation) was cancelled by (?:the )?user\b"
    r"|(?:Command was|Tool execution) aborted\b(?! (?:due|because|after|on)\b)"
    r"|aborted by (?:the )?user\b"
    r"|user cancelled MCP tool call\b)",
)
_HINT = lazy_pattern(r"[Uu]ser\b|aborted")


def refusal_note(output: str) -> str:
    """How the person ended the call, for the ledger; empty if she did not.

    Only what begins like that counts: a program that prints such words further down has run.
    """
    head = output[:_HEAD]
    if _HINT.search(head) is None:
        return ""
    if _REFUSED.match(head):
        return REFUSED
    return STOPPED if _STOPPED.match(head) else ""
