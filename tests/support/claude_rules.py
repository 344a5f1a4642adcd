"""What Anthropic's Messages API accepts as a conversation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from .shapes import ASSISTANT, USER, Found, Json, Shape, fields, shape, typed

MOST_CACHE_MARKS = 4
CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
CLAUDE_TOOL = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})

_SERVER_RESULT = shape(ASSISTANT, "cache_control caller", tool_use_id=str, content=object)

BLOCKS: dict[str, Shape] = {
    "text": shape(USER | ASSISTANT, "cache_control citations", text=str),
    "image": shape(USER, "cache_control transformations", source=dict),
    "document": shape(USER, "cache_control citations context title", source=dict),
    "search_result": shape(USER, "cache_control citations", source=str, title=str, content=list),
    "tool_result": shape(USER, "cache_control content is_error toolset_name", tool_use_id=str),
    "tool_use": shape(ASSISTANT, "cache_control caller toolset_name", id=str, name=str, input=dict),
    "thinking": shape(ASSISTANT, thinking=str, signature=str),
    "redacted_thinking": shape(ASSISTANT, data=str),
    "server_tool_use": shape(ASSISTANT, "cache_control caller", id=str, name=str, input=dict),
    "web_search_tool_result": _SERVER_RESULT,
    "web_fetch_tool_result": _SERVER_RESULT,
    "code_execution_tool_result": _SERVER_RESULT,
    "bash_code_execution_tool_result": _SERVER_RESULT,
    "text_editor_code_execution_tool_result": _SERVER_RESULT,
    "tool_search_tool_result": _SERVER_RESULT,
}
RESULT_PARTS = frozenset({"text", "image", "document", "search_result"})
IMAGE_SOURCES: dict[str, Shape] = {
    "base64": shape(USER, media_type=str, data=str),
    "url": shape(USER, url=str),
    "file": shape(USER, file_id=str),
}
CLAUDE_REQUEST = shape(
    USER,
    "max_tokens cache_control container context_management diagnostics inference_geo mcp_servers"
    " metadata output_config output_format service_tier speed stop_sequences stream system"
    " temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id",
    model=str,
    messages=list,
)
CLAUDE_MESSAGE = shape(USER, role=str, content=object)
CUSTOM_TOOL = shape(
    USER,
    "type description cache_control strict defer_loading allowed_callers eager_input_streaming"
    " input_examples",
    name=str,
    input_schema=dict,
)


def anthropic_problems(body: Json, *, counting: bool = False) -> list[str]:
    """Why the Messages API would refuse this request; empty if it is legal.

    A request that is only to be counted needs no max_tokens.
    """
    problems = [*fields(body, CLAUDE_REQUEST, "")]
    if not counting and not _is_positive(body.get("max_tokens")):
        problems.append("max_tokens: Field required, a whole number of at least 1")
    problems += [*_system(body.get("system")), *_claude_tools(body)]
    messages = body.get("messages")
    if not isinstance(messages, list):
        return problems
    malformed = [
        problem
        for n, message in enumerate(messages)
        for problem in _claude_message(message, f"messages.{n}")
    ]
    if malformed:
        # The rules about order read fields that only well-formed messages have.
        return problems + malformed
    return problems + [problem for rule in CLAUDE_ORDER for problem in rule(body)]


def _is_positive(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


# One message by itself


def _claude_message(message: object, place: str) -> Found:
    wrong = [*fields(message, CLAUDE_MESSAGE, place)]
    if wrong or not isinstance(message, dict):
        yield from wrong
        return
    role, content = message["role"], message["content"]
    if role not in USER | ASSISTANT:
        yield f"{place}.role: Input should be 'user' or 'assistant'"
    elif isinstance(content, str):
        if not content.strip():
            yield f"{place}: all messages must have non-empty content"
    elif not isinstance(content, list) or not content:
        yield f"{place}: all messages must have non-empty content, a string or a list of blocks"
    else:
        allowed = [kind for kind, shape in BLOCKS.items() if role in shape.roles]
        for n, block in enumerate(content):
            yield from _block(block, f"{place}.content.{n}", allowed)


def _block(block: Any, place: str, allowed: Sequence[str]) -> Found:
    wrong = [*typed(block, BLOCKS, place, allowed)]
    yield from wrong
    if not wrong:
        yield from _mark(block, place)
        yield from BLOCK_RULES.get(block["type"], _no_more_rules)(block, place)


def _mark(value: Json, place: str) -> Found:
    mark = value.get("cache_control")
    if mark is not None and not (isinstance(mark, dict) and mark.get("type") == "ephemeral"):
        yield f"{place}.cache_control: Input should be of type 'ephemeral'"


def _no_more_rules(block: Json, place: str) -> Found:
    yield from ()


def _text(block: Json, place: str) -> Found:
    if not block["text"].strip():
        yield f"{place}: text content blocks must be non-empty and contain non-whitespace text"


def _image(block: Json, place: str) -> Found:
    source = block["source"]
    wrong = [*typed(source, IMAGE_SOURCES, f"{place}.source", [*IMAGE_SOURCES])]
    yield from wrong
    if wrong:
        return
    if source["type"] == "url" and not source["url"].startswith(("https://", "http://")):
        yield f"{place}.source.url: Only HTTP and HTTPS URLs are supported"
    if source["type"] != "base64":
        return
    if source["media_type"] not in PICTURES:
        yield f"{place}.source.media_type: Input should be one of {', '.join(sorted(PICTURES))}"
    if not source["data"]:
        yield f"{place}.source.data: image cannot be empty"


def _tool_use(block: Json, place: str) -> Found:
    if not CALL_ID.fullmatch(block["id"]):
        yield f"{place}.id: String should match pattern '^{CALL_ID.pattern}$'"
    if not CLAUDE_TOOL.fullmatch(block["name"]):
        yield f"{place}.name: String should match pattern '^{CLAUDE_TOOL.pattern}$'"


def _tool_result(block: Json, place: str) -> Found:
    content = block.get("content", "")
    if isinstance(content, list):
        for n, part in enumerate(content):
            yield from _block(part, f"{place}.content.{n}", sorted(RESULT_PARTS))
    elif not isinstance(content, str):
        yield f"{place}.content: Input should be a string or a list of blocks"
    if not isinstance(block.get("is_error", False), bool):
        yield f"{place}.is_error: Input should be a valid boolean"


def _thinking(block: Json, place: str) -> Found:
    if not block["signature"]:
        yield f"{place}: Invalid `signature` in `thinking` block"


BLOCK_RULES: dict[str, Callable[[Json, str], Found]] = {
    "text": _text,
    "image": _image,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "thinking": _thinking,
}


def _system(system: object) -> Found:
    if isinstance(system, list):
        for n, block in enumerate(system):
            yield from _block(block, f"system.{n}", ["text"])
    elif system is not None and not isinstance(system, str):
        yield "system: Input should be a string or a list of text blocks"


def _claude_tools(body: Json) -> Found:
    tools = body.get("tools", [])
    if not isinstance(tools, list):
        yield "tools: Input should be a valid list"
        return
    if body.get("tool_choice") is not None and not tools:
        yield "tool_choice: may only be specified while providing tools"
    for n, tool in enumerate(tools):
        yield from _claude_tool(tool, f"tools.{n}")
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)]
    if any(names.count(name) > 1 for name in names):
        yield "tools: Tool names must be unique"


def _claude_tool(tool: object, place: str) -> Found:
    kind = tool.get("type") if isinstance(tool, dict) else None
    if isinstance(kind, str) and kind != "custom":
        return  # The provider's own tools come in ever new shapes.
    wrong = [*fields(tool, CUSTOM_TOOL, place)]
    if kind not in (None, "custom"):
        wrong.append(f"{place}.type: Input should be a valid string")
    yield from wrong
    if wrong or not isinstance(tool, dict):
        return
    yield from _mark(tool, place)
    if not CLAUDE_TOOL.fullmatch(tool["name"]):
        yield f"{place}.name: String should match pattern '^{CLAUDE_TOOL.pattern}$'"
    if tool["input_schema"].get("type") != "object":
        yield f"{place}.input_schema.type: Input should be 'object'"


# The messages together, each known to be well-formed


def blocks(message: Json) -> list[Json]:
    """The message's blocks; a plain string is one block of text."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _of_kind(message: Json, kind: str) -> list[Json]:
    return [block for block in blocks(message) if block["type"] == kind]


def _roles_take_turns(body: Json) -> Found:
    roles = [message["role"] for message in body["messages"]]
    if not roles:
        yield "messages: at least one message is required"
        return
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    for n in range(1, len(roles)):
        if roles[n] == roles[n - 1]:
            yield f'messages.{n}: roles must alternate, found multiple "{roles[n]}" roles in a row'
    if roles[-1] != "user":
        yield "messages: no assistant prefill, the conversation must end with a user message"


def _call_ids_are_unique(body: Json) -> Found:
    seen: set[str] = set()
    for n, message in enumerate(body["messages"]):
        for call in _of_kind(message, "tool_use"):
            if call["id"] in seen:
                yield f"messages.{n}: `tool_use` ids must be unique, found {call['id']} again"
            seen.add(call["id"])


def _calls_have_results(body: Json) -> Found:
    messages = body["messages"]
    for n, message in enumerate(messages):
        following = _of_kind(messages[n + 1], "tool_result") if n + 1 < len(messages) else []
        answered = {result["tool_use_id"] for result in following}
        open_calls = [
            call["id"] for call in _of_kind(message, "tool_use") if call["id"] not in answered
        ]
        if open_calls:
            yield (
                f"messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately"
                f" after: {', '.join(open_calls)}. Each `tool_use` block must have a corresponding"
                " `tool_result` block in the next message."
            )


def _results_have_calls(body: Json) -> Found:
    messages = body["messages"]
    for n, message in enumerate(messages):
        calls = {call["id"] for call in _of_kind(messages[n - 1], "tool_use")} if n else set[str]()
        answered: set[str] = set()
        for result in _of_kind(message, "tool_result"):
            name = result["tool_use_id"]
            if name not in calls:
                yield (
                    f"messages.{n}: unexpected `tool_use_id` found in `tool_result` blocks: {name}."
                    " Each `tool_result` block must have a corresponding `tool_use` block in the"
                    " previous message."
                )
            elif name in answered:
                yield f"messages.{n}: each `tool_use` must have a single result, {name} has several"
            answered.add(name)


def _comes_first(body: Json, kinds: frozenset[str], rule: str) -> Found:
    for n, message in enumerate(body["messages"]):
        leading = [block["type"] in kinds for block in blocks(message)]
        if leading != sorted(leading, reverse=True):
            yield f"messages.{n}: {rule}"


def _results_come_first(body: Json) -> Found:
    rule = "`tool_result` blocks must come before any other block of their message"
    yield from _comes_first(body, frozenset({"tool_result"}), rule)


def _thinking_comes_first(body: Json) -> Found:
    rule = "`thinking` blocks must come before any text or `tool_use` of their message"
    thoughts = frozenset({"thinking", "redacted_thinking"})
    yield from _comes_first(body, thoughts, rule)
    for n, message in enumerate(body["messages"]):
        if blocks(message)[-1]["type"] in thoughts:
            yield f"messages.{n}: The final block in an assistant message cannot be `thinking`"


def _calls_need_tools(body: Json) -> Found:
    kinds = {block["type"] for message in body["messages"] for block in blocks(message)}
    if kinds & {"tool_use", "tool_result"} and not body.get("tools"):
        yield "tools: Requests which include `tool_use` or `tool_result` blocks must define tools"


def _few_cache_marks(body: Json) -> Found:
    marks = 0
    pending: list[Any] = [
        body.get("system"),
        body.get("tools"),
        [blocks(m) for m in body["messages"]],
    ]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            marks += item.get("cache_control") is not None
            pending.append(item.get("content"))
    if marks > MOST_CACHE_MARKS:
        yield f"cache_control: at most {MOST_CACHE_MARKS} blocks may carry it, found {marks}"


CLAUDE_ORDER: tuple[Callable[[Json], Found], ...] = (
    _roles_take_turns,
    _call_ids_are_unique,
    _calls_have_results,
    _results_have_calls,
    _results_come_first,
    _thinking_comes_first,
    _calls_need_tools,
    _few_cache_marks,
)
