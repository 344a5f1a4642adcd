"""From stored messages to a request that the provider accepts at any moment.

Byte stability: take a request rendered when every call so far had its result and the newest block
was the user's or a result. Every later rendering that only adds messages begins with it, message by
message; only its last message may have grown, by blocks at its end (neighbours of one role merge).
For OpenAI a lone text is written as a string, so there the growing message turns into a list whose
first part is that text. No rule looks ahead, except that a result is fetched to its call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from .attachments import UNSHOWN
from .claude_blocks import CLAUDE
from .contents import text_block
from .flow import (
    FlowBlock,
    begin_with_user,
    flow_of,
    group_by_speaker,
    newest_words,
    open_calls,
    seen_by,
    text_and_rest,
)
from .messages import Block, Message, calls_in, results_in
from .openai_parts import OPENAI, openai_part, openai_reply

__all__ = [
    "UNSHOWN",
    "anthropic_messages",
    "anthropic_tools",
    "open_calls",
    "openai_messages",
    "openai_tools",
]

FROM_TOOL = "(Shown by the tool)"
GONE = "No longer available; do not call it."
Json = dict[str, Any]
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


# Anthropic


def anthropic_messages(messages: Sequence[Message]) -> list[Json]:
    """The history for the Messages API. Whether it may end with the assistant is the caller's."""
    groups = group_by_speaker(_pair_server_calls(flow_of(messages, CLAUDE)))
    kept = chain.from_iterable(_thoughts_in_place(group) for group in groups)
    return _trim_last(
        [
            {"role": group[0].role, "content": [said.block for said in group]}
            for group in group_by_speaker(begin_with_user([*kept]))
        ]
    )


def _pair_server_calls(flow: list[FlowBlock]) -> list[FlowBlock]:
    """Without calls of the provider's own tools that lost their result, and the other way round.

    A call that the provider still works on stays: only the user's next words say that it was lost.
    """
    called = {s.block.get("id") for s in flow if _is_server_call(s.block)}
    answered = {s.block.get("tool_use_id") for s in flow if _is_server_result(s.block)}
    newest = newest_words(flow)
    return [
        said
        for n, said in enumerate(flow)
        if (not _is_server_call(said.block) or said.block.get("id") in answered or n > newest)
        and (not _is_server_result(said.block) or said.block.get("tool_use_id") in called)
    ]


def _is_server_call(block: Block) -> bool:
    return str(block.get("type")).endswith("_tool_use")


def _is_server_result(block: Block) -> bool:
    return str(block.get("type")).endswith("_tool_result")


def _thoughts_in_place(group: list[FlowBlock]) -> list[FlowBlock]:
    """Thinking stays where its reply had it, but may not follow the words of a merged neighbour."""
    kept: list[FlowBlock] = []
    for said in group:
        own = said.source == group[0].source
        if own or not _only_thoughts([said]) or _only_thoughts(kept):
            kept.append(said)
    while kept and _only_thoughts(kept[-1:]):
        # A reply that was cut off while thinking; the API takes no message that ends so.
        kept.pop()
    return kept


def _only_thoughts(said: Sequence[FlowBlock]) -> bool:
    return all(s.block.get("type") in _THOUGHTS for s in said)


def _trim_last(rendered: list[Json]) -> list[Json]:
    if rendered and rendered[-1]["role"] == "assistant":
        last: Block = rendered[-1]["content"][-1]
        if last.get("type") == "text":
            rendered[-1]["content"][-1] = {**last, "text": last["text"].rstrip()}
    return rendered


# OpenAI


def openai_messages(
    system: str | Sequence[Mapping[str, Any]], messages: Sequence[Message]
) -> list[Json]:
    """The history for Chat Completions, the system prompt first if there is one."""
    words = system if isinstance(system, str) else "\n".join(str(b.get("text", "")) for b in system)
    rendered: list[Json] = [{"role": "system", "content": words}] if words else []
    for group in group_by_speaker(begin_with_user(flow_of(messages, OPENAI))):
        blocks = [said.block for said in group]
        if group[0].role == "assistant":
            rendered.append(openai_reply(blocks))
        else:
            rendered += _openai_request(blocks, group[0].name)
    return rendered


def _openai_request(blocks: Sequence[Block], name: str | None) -> list[Json]:
    rendered: list[Json] = []
    parts: list[Json] = []
    for result in results_in(blocks):
        text, rest = text_and_rest(result)
        rendered.append({"role": "tool", "tool_call_id": result["tool_use_id"], "content": text})
        # A tool message takes words only; its pictures follow as the user's.
        shown = [*seen_by(OPENAI, rest)]
        parts += [
            openai_part(block) for block in ([text_block(FROM_TOOL), *shown] if shown else ())
        ]
    parts += [openai_part(block) for block in blocks if block.get("type") != "tool_result"]
    if parts:
        lone = len(parts) == 1 and parts[0]["type"] == "text"
        content = parts[0]["text"] if lone else parts
        rendered.append({"role": "user", "content": content} | ({"name": name} if name else {}))
    return rendered


# Tool definitions


def anthropic_tools(
    tools: Sequence[Mapping[str, Any]], history: Sequence[Message] = ()
) -> list[Json]:
    """The definitions as the Messages API takes them; its own stay untouched.

    The API takes no history of calls without any definition, so an agent that has no tools left
    sends those that were called, marked as gone.
    """
    made = [made for tool in tools if (made := _claude_tool(tool)) is not None]
    return made or [_gone_tool(name) for name in _called_tools(history)]


def _called_tools(history: Sequence[Message]) -> list[str]:
    rendered = anthropic_messages(history)
    calls = (call for message in rendered for call in calls_in(message["content"]))
    return [*dict.fromkeys(str(call["name"]) for call in calls)]


def _gone_tool(name: str) -> Json:
    return {"name": name, "description": GONE, "input_schema": {"type": "object"}}


def _claude_tool(tool: Mapping[str, Any]) -> Json | None:
    if tool.get("type") != "function":
        # A free-form tool of OpenAI's has no counterpart.
        return None if isinstance(tool.get("custom"), Mapping) else dict(tool)
    function: Mapping[str, Any] = tool.get("function") or tool
    schema: Json = function.get("parameters") or {"type": "object", "properties": {}}
    return (
        _present_fields(function, "name", "description")
        | {"input_schema": schema}
        | _strict(function)
    )


def openai_tools(tools: Sequence[Mapping[str, Any]]) -> list[Json]:
    """The definitions as Chat Completions takes them, without the tools that Anthropic runs."""
    return [made for tool in tools if (made := _openai_tool(tool)) is not None]


def _openai_tool(tool: Mapping[str, Any]) -> Json | None:
    if isinstance(tool.get("function"), Mapping) or isinstance(tool.get("custom"), Mapping):
        return dict(tool)
    if tool.get("type") not in (None, "custom", "function"):
        return None
    schema = tool.get("input_schema") or tool.get("parameters")
    function = _present_fields(tool, "name", "description") | (
        {"parameters": schema} if schema else {}
    )
    return {"type": "function", "function": function | _strict(tool)}


def _present_fields(source: Mapping[str, Any], *names: str) -> Json:
    return {name: source[name] for name in names if source.get(name) is not None}


def _strict(source: Mapping[str, Any]) -> Json:
    return {"strict": True} if source.get("strict") else {}
