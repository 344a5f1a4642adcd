"""What OpenAI's Chat Completions API accepts as a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .shapes import ASSISTANT, USER, Found, Json, Shape, fields, shape, typed

OPENAI_TOOL = re.compile(r"[a-zA-Z0-9_-]{1,64}")

PARTS: dict[str, Shape] = {
    "text": Shape({"text": str}, frozenset({"prompt_cache_breakpoint"}), frozenset()),
    "image_url": shape(USER, "prompt_cache_breakpoint", image_url=dict),
    "input_audio": shape(USER, "prompt_cache_breakpoint", input_audio=dict),
    "file": shape(USER, "prompt_cache_breakpoint", file=dict),
    "refusal": shape(ASSISTANT, refusal=str),
}
OPENAI_MESSAGES: dict[str, Shape] = {
    "system": Shape({"content": object}, frozenset({"name"})),
    "developer": Shape({"content": object}, frozenset({"name"})),
    "user": Shape({"content": object}, frozenset({"name"})),
    "assistant": shape(
        ASSISTANT, "content name refusal audio annotations function_call tool_calls"
    ),
    "tool": Shape({"content": object, "tool_call_id": str}),
}
OPENAI_REQUEST = shape(
    USER,
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens"
    " max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty"
    " prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format"
    " safety_identifier seed service_tier stop store stream stream_options temperature tool_choice"
    " tools top_logprobs top_p user verbosity web_search_options",
    model=str,
    messages=list,
)
OPENAI_FUNCTION = shape(USER, "description parameters strict", name=str)


def openai_problems(body: Json) -> list[str]:
    """Why the Chat Completions API would refuse this request; empty if it is legal."""
    problems = [*fields(body, OPENAI_REQUEST, ""), *_openai_tools(body)]
    if body.get("stream_options") is not None and body.get("stream") is not True:
        problems.append("stream_options: only allowed when 'stream' is enabled")
    elif not isinstance(body.get("stream_options") or {}, dict):
        problems.append("stream_options: expected an object")
    messages = body.get("messages")
    if not isinstance(messages, list):
        return problems
    if not messages:
        problems.append("messages: [] is too short, at least one message is required")
    malformed = [
        problem
        for n, message in enumerate(messages)
        for problem in _openai_message(message, f"messages[{n}]")
    ]
    return problems + (malformed or [*_answered_calls(messages)])


def _openai_tools(body: Json) -> Found:
    tools = body.get("tools")
    if tools is None:
        for name in ("tool_choice", "parallel_tool_calls"):
            if body.get(name) is not None:
                yield f"{name}: only allowed when 'tools' are specified"
    elif not isinstance(tools, list) or not tools:
        yield "tools: [] is too short, an array with at least one tool is expected"
    else:
        for n, tool in enumerate(tools):
            yield from _openai_tool(tool, f"tools[{n}]")


def _openai_tool(tool: object, place: str) -> Found:
    kinds = {"function": shape(USER, function=dict), "custom": shape(USER, custom=dict)}
    wrong = [*typed(tool, kinds, place, [*kinds])]
    yield from wrong
    if wrong or not isinstance(tool, dict) or tool["type"] != "function":
        return
    function = tool["function"]
    yield from fields(function, OPENAI_FUNCTION, f"{place}.function")
    yield from _function_name(function, f"{place}.function")
    if not isinstance(function.get("parameters", {}), dict):
        yield f"{place}.function.parameters: expected an object"


def _function_name(function: Json, place: str) -> Found:
    name = function.get("name")
    if isinstance(name, str) and not OPENAI_TOOL.fullmatch(name):
        yield f"{place}.name: string does not match pattern '^{OPENAI_TOOL.pattern}$'"


def _openai_message(message: object, place: str) -> Found:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(role, str) or role not in OPENAI_MESSAGES:
        yield f"{place}.role: '{role}' is not one of {', '.join(OPENAI_MESSAGES)}"
        return
    wrong = [*fields(message, OPENAI_MESSAGES[role], place, tag="role")]
    yield from wrong
    if not wrong:
        yield from _openai_content(message, role, f"{place}.content")
        yield from _tool_calls(message, f"{place}.tool_calls")


def _openai_content(message: Json, role: str, place: str) -> Found:
    content = message.get("content")
    if content is None:
        if not (message.get("tool_calls") or message.get("refusal")):
            yield f"{place}: expected a string, got null"
    elif isinstance(content, list):
        allowed = [kind for kind, shape in PARTS.items() if not shape.roles or role in shape.roles]
        if not content:
            yield f"{place}: empty array, expected at least one part"
        for n, part in enumerate(content):
            yield from _part(part, f"{place}[{n}]", allowed)
    elif not isinstance(content, str):
        yield f"{place}: expected a string or an array of parts"


def _part(part: Any, place: str, allowed: Sequence[str]) -> Found:
    wrong = [*typed(part, PARTS, place, allowed)]
    yield from wrong
    if not wrong and part["type"] == "image_url":
        address = part["image_url"].get("url")
        if not isinstance(address, str) or not address.startswith(
            ("https://", "http://", "data:image/")
        ):
            yield f"{place}.image_url.url: expected a valid URL or a data URL of an image"


def _tool_calls(message: Json, place: str) -> Found:
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list) or not calls:
        yield f"{place}: empty array, expected at least one tool call"
        return
    for n, call in enumerate(calls):
        yield from _tool_call(call, f"{place}[{n}]")
    ids = [call.get("id") for call in calls if isinstance(call, dict)]
    if len(set(map(str, ids))) < len(ids):
        yield f"{place}: duplicate tool call ids"


def _tool_call(call: Any, place: str) -> Found:
    kinds = {
        "function": shape(USER, id=str, function=dict),
        "custom": shape(USER, id=str, custom=dict),
    }
    wrong = [*typed(call, kinds, place, [*kinds])]
    yield from wrong
    if not wrong and call["type"] == "function":
        yield from fields(
            call["function"], shape(USER, name=str, arguments=str), f"{place}.function"
        )
        yield from _function_name(call["function"], f"{place}.function")


def _answered_calls(messages: Sequence[Json]) -> Found:
    """Every tool call is answered by tool messages directly after it; nothing else is answered."""
    waiting: list[str] = []
    the_end: Json = {"role": "none"}
    for n, message in enumerate([*messages, the_end]):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                yield (
                    f"messages[{n}].role: messages with role 'tool' must be a response to a"
                    " preceding message with 'tool_calls', and nothing waits for"
                    f" {message['tool_call_id']}"
                )
            waiting = [name for name in waiting if name != message["tool_call_id"]]
            continue
        if waiting:
            yield (
                f"messages[{n}].role: an assistant message with 'tool_calls' must be followed by"
                " tool messages responding to each 'tool_call_id'. The following tool_call_ids did"
                f" not have response messages: {', '.join(waiting)}"
            )
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
