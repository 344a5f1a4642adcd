"""From stored messages to a request that the provider accepts at any moment.

Byte stability: take a request rendered when every call so far had its result and the newest block
was the user's or a result. Every later rendering that only adds messages begins with it, message by
message; only its last message may have grown, by blocks at its end (neighbours of one role merge).
For OpenAI a lone text is written as a string, so there the growing message turns into a list whose
first part is that text. No rule looks ahead, except that a result is fetched to its call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from .attachments import is_usable_source
from .contents import compact, listing, mapping, text_block
from .flow import (
    Dialect,
    FlowBlock,
    begin_with_user,
    flow_of,
    group_by_speaker,
    mappings_in,
    open_calls,
    private_fields,
    seen_by,
    text_and_rest,
)
from .messages import PRIVATE, Block, Message, calls_in, results_in

__all__ = [
    "anthropic_messages",
    "anthropic_tools",
    "open_calls",
    "openai_messages",
    "openai_tools",
]

FROM_TOOL = "(Shown by the tool)"
GONE = "No longer available; do not call it."
UNSHOWN = "(An attachment that cannot be shown here.)"
Json = dict[str, Any]

# The key of our own, a mark of which only four are allowed, and what an SDK adds by itself.
_NEVER_SENT = frozenset({PRIVATE, "cache_control", "parsed_output"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_ATTACHED = frozenset({"input_audio", "file"})
"""What a person gave, and only OpenAI takes."""

_PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


# Anthropic


def anthropic_messages(messages: Sequence[Message]) -> list[Json]:
    """The history for the Messages API. Whether it may end with the assistant is the caller's."""
    groups = group_by_speaker(_pair_server_calls(flow_of(messages, _CLAUDE)))
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
    words = (n for n, s in enumerate(flow) if s.role == "user" and not any(results_in([s.block])))
    newest = max(words, default=-1)
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


def _claude_block(block: Block) -> Block | None:
    mend = _CLAUDE_BLOCKS.get(str(block.get("type")))
    if block.get("type") in _ATTACHED:
        return text_block(UNSHOWN)
    if mend is None:
        foreign = private_fields(block).get("provider") not in (None, "anthropic")
        return None if foreign else {k: v for k, v in block.items() if k not in _NEVER_SENT}
    # SDKs fill what was not said with null, which the API does not take back everywhere.
    return mend({k: v for k, v in block.items() if v is not None and k not in _NEVER_SENT})


def _claude_text(block: Block) -> Block | None:
    if not str(block.get("text", "")).strip():
        return None
    if "citations" in block:
        return {**block, "citations": [_without_null_file(cited) for cited in block["citations"]]}
    return block


def _without_null_file(citation: Block) -> Block:
    return {k: v for k, v in citation.items() if k != "file_id" or v is not None}


def _claude_call(block: Block) -> Block:
    return block if isinstance(block.get("input"), dict) else {**block, "input": {}}


def _claude_result(block: Block) -> Block:
    content = block.get("content", "")
    parts = listing(content)
    if parts is not None:
        return {**block, "content": [*seen_by(_CLAUDE, mappings_in(parts))]}
    return block if isinstance(content, str) else {**block, "content": compact(content)}


def _claude_image(block: Block) -> Block:
    source = mapping(block.get("source")) or {}
    shown = is_usable_source(source) and (
        source.get("type") != "base64" or source.get("media_type") in _PICTURES
    )
    return block if shown else text_block(UNSHOWN)


def _claude_document(block: Block) -> Block:
    return block if is_usable_source(mapping(block.get("source")) or {}) else text_block(UNSHOWN)


def _claude_thinking(block: Block) -> Block | None:
    # Without its signature the thought is another model's, and the API refuses it.
    return block if block.get("signature") else None


def _keep_block(block: Block) -> Block:
    return block


_CLAUDE_BLOCKS: dict[str, Callable[[Block], Block | None]] = {
    "text": _claude_text,
    "image": _claude_image,
    "document": _claude_document,
    "search_result": _keep_block,
    "thinking": _claude_thinking,
    "redacted_thinking": _keep_block,
    "tool_use": _claude_call,
    "tool_result": _claude_result,
    "server_tool_use": _claude_call,
    "web_search_tool_result": _keep_block,
    "web_fetch_tool_result": _keep_block,
}
_CLAUDE = Dialect(_claude_block, longest_id=64, longest_tool=128, knows_names=False)


# OpenAI


def openai_messages(
    system: str | Sequence[Mapping[str, Any]], messages: Sequence[Message]
) -> list[Json]:
    """The history for Chat Completions, the system prompt first if there is one."""
    words = system if isinstance(system, str) else "\n".join(str(b.get("text", "")) for b in system)
    rendered: list[Json] = [{"role": "system", "content": words}] if words else []
    for group in group_by_speaker(begin_with_user(flow_of(messages, _OPENAI))):
        blocks = [said.block for said in group]
        if group[0].role == "assistant":
            rendered.append(_openai_reply(blocks))
        else:
            rendered += _openai_request(blocks, group[0].name)
    return rendered


def _openai_reply(blocks: Sequence[Block]) -> Json:
    texts = [b for b in blocks if b.get("type") == "text"]
    text = "\n".join(b["text"] for b in texts if not private_fields(b).get("refusal"))
    refusal = "\n".join(b["text"] for b in texts if private_fields(b).get("refusal"))
    fields: Json = {"refusal": refusal} if refusal else {}
    for block in blocks:
        if block.get("type") == "provider_fields":
            fields |= private_fields(block).get("fields", {})
    if audio := mapping(fields.get("audio")):
        # The API gives the whole sound and takes back only its id.
        fields["audio"] = {"id": audio.get("id")}
    calls = [_openai_call(call) for call in calls_in(blocks)]
    nothing_said = None if calls or fields.get("refusal") else ""
    message: Json = {"role": "assistant", "content": text or nothing_said, **fields}
    return message | ({"tool_calls": calls} if calls else {})


def _openai_call(block: Block) -> Json:
    kept = private_fields(block)
    extra: Json = kept.get("extra", {})
    if "custom" in kept:
        return {"id": block["id"], "type": "custom", "custom": kept["custom"], **extra}
    arguments: str = kept.get("arguments") or compact(block.get("input") or {})
    function = {"name": block["name"], "arguments": arguments}
    return {"id": block["id"], "type": "function", "function": function, **extra}


def _openai_request(blocks: Sequence[Block], name: str | None) -> list[Json]:
    rendered: list[Json] = []
    parts: list[Json] = []
    for result in results_in(blocks):
        text, rest = text_and_rest(result)
        rendered.append({"role": "tool", "tool_call_id": result["tool_use_id"], "content": text})
        # A tool message takes words only; its pictures follow as the user's.
        shown = [*seen_by(_OPENAI, rest)]
        parts += [
            _openai_part(block) for block in ([text_block(FROM_TOOL), *shown] if shown else ())
        ]
    parts += [_openai_part(block) for block in blocks if block.get("type") != "tool_result"]
    if parts:
        lone = len(parts) == 1 and parts[0]["type"] == "text"
        content = parts[0]["text"] if lone else parts
        rendered.append({"role": "user", "content": content} | ({"name": name} if name else {}))
    return rendered


def _openai_block(block: Block) -> Block | None:
    kind = block.get("type")
    if kind == "text":
        return block if str(block.get("text", "")).strip() else None
    known = kind in _OPENAI_PARTS or kind in ("tool_use", "tool_result")
    return block if known or _is_openai_part(block) else None


def _is_openai_part(block: Block) -> bool:
    return private_fields(block).get("provider") == "openai" and block.get("type") != "thinking"


def _openai_part(block: Block) -> Json:
    make = _OPENAI_PARTS.get(str(block.get("type")))
    return make(block) if make else {k: v for k, v in block.items() if k != PRIVATE}


def _text_part(block: Block) -> Json:
    return text_block(str(block["text"]))


def _image_part(block: Block) -> Json:
    source: Json = mapping(block.get("source")) or {}
    if not is_usable_source(source):
        return text_block(UNSHOWN)
    if source.get("type") == "base64":
        address = f"data:{source.get('media_type')};base64,{source.get('data')}"
    elif source.get("type") == "url":
        address = str(source.get("url"))
    else:
        return text_block(UNSHOWN)
    return {
        "type": "image_url",
        "image_url": {"url": address, **private_fields(block).get("extra", {})},
    }


def _document_part(block: Block) -> Json:
    source: Json = mapping(block.get("source")) or {}
    if source.get("type") == "text":
        return text_block(str(source.get("data") or UNSHOWN))
    if source.get("type") != "base64" or not is_usable_source(source):
        return text_block(UNSHOWN)
    data = f"data:{source.get('media_type')};base64,{source.get('data')}"
    name = str(block.get("title") or "document.pdf")
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def _search_part(block: Block) -> Json:
    """What was found for the person, as words: there is no block of that kind."""
    named = " · ".join(str(block[name]) for name in ("title", "source") if block.get(name))
    words = [str(part.get("text", "")) for part in mappings_in(listing(block.get("content")) or ())]
    return text_block("\n".join([named, *words]).strip() or UNSHOWN)


_OPENAI_PARTS: dict[str, Callable[[Block], Json]] = {
    "text": _text_part,
    "search_result": _search_part,
    "image": _image_part,
    "document": _document_part,
}
_OPENAI = Dialect(_openai_block, longest_id=40, longest_tool=64, knows_names=True)


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
