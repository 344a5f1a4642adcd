"""What a model, a user or a tool handed over, read into blocks.

Both SDKs' objects, their dicts and plain values are taken. What only OpenAI understands is kept
under `PRIVATE`, so that it can be given back to OpenAI exactly and to no one else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from everthread.domain.errors import BadInput, BlockInvalid

from .block_kinds import THOUGHTS, check_kinds
from .contents import (
    CONTENT_HELP,
    blocks_from,
    compact,
    content_blocks,
    kind_of,
    listing,
    mapping,
    plain,
    refusal_block,
    text_block,
    tool_output,
)
from .messages import PRIVATE, Block, Role, says_something

__all__ = [
    "Reply",
    "Usage",
    "check_opening",
    "read_content",
    "read_message",
    "read_reply",
    "read_usage",
    "tool_output",
]

Json = Mapping[str, Any]

PAUSED = "pause_turn"
"""Why Anthropic stops a reply in the middle of its own tools; asked again as it is, the model goes on."""

# No model reads or writes this much in one call; a larger figure is a mistake, not a measurement.
MOST_TOKENS = 1_000_000_000

REPLY_HELP = (
    "a reply is a text, a list of content blocks, a message or completion as a dict,"
    " or a response object of the anthropic SDK (Messages) or the openai SDK (Chat Completions)"
)


class Usage(NamedTuple):
    """The tokens of one call, counted once each."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def context(self) -> int:
        """All that the model read."""
        return self.input + self.cache_read + self.cache_write


class Reply(NamedTuple):
    """What a model answered, and what its provider said about the call."""

    blocks: list[Block]
    usage: Usage | None = None
    model: str | None = None
    stop_reason: str | None = None
    response_id: str | None = None


# Usage


def read_usage(value: object) -> Usage | None:
    """The usage as either provider reports it; None if there is none."""
    reported = value._asdict() if isinstance(value, Usage) else plain(value)
    if reported is None or reported == {}:
        return None
    counts = mapping(reported) or {}
    for mark, read in _USAGES.items():
        if mark in counts:
            return read(counts)
    raise BadInput(
        f"usage cannot be {value!r}; give the `usage` of a response of either SDK,"
        " a dict of the same fields, or everthread's Usage"
    )


def _count(reported: Json, name: str) -> int:
    value = reported.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TOKENS:
        raise BadInput(
            f"usage: {name} cannot be {value!r}; it is a count of tokens, from 0 to {MOST_TOKENS:,}"
        )
    return value


def _usage_of_claude(reported: Json) -> Usage:
    if isinstance(reported.get("input_tokens_details"), Mapping):
        return _with_cache_inside(reported, "input_tokens", "output_tokens")
    return Usage(
        _count(reported, "input_tokens"),
        _count(reported, "output_tokens"),
        _count(reported, "cache_read_input_tokens"),
        _count(reported, "cache_creation_input_tokens"),
    )


def _usage_of_openai(reported: Json) -> Usage:
    return _with_cache_inside(reported, "prompt_tokens", "completion_tokens")


def _with_cache_inside(reported: Json, read: str, written: str) -> Usage:
    total, output = _count(reported, read), _count(reported, written)
    details: Json = reported.get(f"{read}_details") or {}
    cached = _count(details, "cached_tokens")
    if cached > total:
        raise BadInput(f"usage: cached_tokens cannot be {cached}; all of {read} is {total}")
    stored = min(_count(details, "cache_write_tokens"), total - cached)
    return Usage(total - cached - stored, output, cached, stored)


def _usage_of_ours(reported: Json) -> Usage:
    return Usage(*(_count(reported, name) for name in Usage._fields))


_USAGES: dict[str, Callable[[Json], Usage]] = {
    "prompt_tokens": _usage_of_openai,
    "input_tokens": _usage_of_claude,
    "input": _usage_of_ours,
}


def _usage_if_sane(value: object) -> Usage | None:
    # The provider's figure is a courtesy; a nonsensical one must not cost the reply.
    try:
        return read_usage(value)
    except BadInput:
        return None


# Replies


def read_reply(value: object) -> Reply:
    """The reply's blocks, kept as they came, and what is known about the call."""
    if isinstance(value, Reply):
        return value
    if isinstance(value, str):
        return Reply([text_block(value)])
    given = plain(value)
    if (blocks := listing(given)) is not None:
        return Reply(blocks_from(blocks, REPLY_HELP))
    message = mapping(given) or {}
    for mark, read in _REPLIES.items():
        if mark in message:
            return read(message)
    raise BadInput(f"a reply cannot be {kind_of(value)}; {REPLY_HELP}")


def _completion(given: Json) -> Reply:
    choice = mapping(next(iter(listing(given["choices"]) or ()), None)) or {}
    message = mapping(choice.get("message"))
    if message is None:
        raise BadInput(f"the completion has no choice with a message; {REPLY_HELP}")
    return Reply(
        _reply_blocks(message, fields=message),
        _usage_if_sane(given.get("usage")),
        _word(given, "model"),
        _word(choice, "finish_reason"),
        _word(given, "id"),
    )


def _message(given: Json) -> Reply:
    if given.get("role", "assistant") != "assistant":
        raise BadInput(f"a reply has the role assistant, not {given['role']!r}")
    return Reply(
        _reply_blocks(given, fields=_OPENAI_FIELDS),
        _usage_if_sane(given.get("usage")),
        _word(given, "model"),
        _word(given, "stop_reason"),
        _word(given, "id"),
    )


_REPLIES: dict[str, Callable[[Json], Reply]] = {
    "choices": _completion,
    "tool_calls": _message,
    "role": _message,
    "content": _message,
}
# A dict from elsewhere may carry anything; these are known to be the provider's.
_OPENAI_FIELDS = (
    *("refusal", "annotations", "audio", "function_call"),
    *("reasoning", "reasoning_content", "reasoning_details"),
)
BESIDE_TEXT = frozenset({"tool_calls", *_OPENAI_FIELDS})
"""What may stand beside a message's text. Where nothing does, the text is all there is to read."""
_READ_APART = frozenset({"role", "content", "tool_calls"})


def _word(given: Json, name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) else None


def _reply_blocks(message: Json, *, fields: Iterable[str]) -> list[Block]:
    content, refusal = message.get("content"), _word(message, "refusal") or ""
    # A stream brings an empty text beside a refusal.
    silent = content is None or (refusal and not content)
    blocks = [] if silent else content_blocks(content, REPLY_HELP)
    if refusal:
        blocks.append(refusal_block(refusal))
    apart = {*_READ_APART, "refusal"} if refusal else _READ_APART
    # Empty ones say nothing, and the API sends some with every reply.
    kept = {f: message[f] for f in fields if f not in apart and message.get(f)}
    if kept:
        blocks.append({"type": "provider_fields", PRIVATE: {"provider": "openai", "fields": kept}})
    calls = listing(message.get("tool_calls") or [])
    if calls is None:
        raise BadInput(f"tool_calls is a list, not {kind_of(message['tool_calls'])}")
    return blocks + [_call(call, n) for n, call in enumerate(calls)]


def _call(call: object, n: int) -> Block:
    given = mapping(call)
    if given is None:
        raise BadInput(f"a tool call is a dict, not {kind_of(call)}")
    custom = mapping(given.get("custom"))
    function = custom or mapping(given.get("function")) or {}
    kept: Block = {}
    if custom:
        kept["custom"] = custom
        asked = {"input": custom.get("input")}
    else:
        raw = function.get("arguments")
        asked = arguments_in(raw)
        if isinstance(raw, str) and raw != compact(asked):
            kept["arguments"] = raw
    if extra := {k: v for k, v in given.items() if k not in _CALL_PARTS and v is not None}:
        kept["extra"] = extra
    name, call_id = _word(function, "name") or "", _word(given, "id") or f"call_{n}"
    block: Block = {"type": "tool_use", "id": call_id, "name": name, "input": asked}
    return block | ({PRIVATE: kept} if kept else {})


_CALL_PARTS = frozenset({"id", "type", "index", "function", "custom"})


def arguments_in(raw: object) -> dict[str, Any]:
    """The arguments a model wrote; empty if it wrote something else than a JSON object.

    Neither is one that is nested deeper than anybody reads.
    """
    try:
        return mapping(plain(json.loads(raw)) if isinstance(raw, str) else raw) or {}
    except (ValueError, RecursionError):
        return {}


# What people say, and history from elsewhere


def read_content(value: object) -> str | list[Block]:
    """What a user said: a text, or blocks of either provider's form."""
    if isinstance(value, str):
        return value
    blocks = content_blocks(plain(value), CONTENT_HELP)
    check_kinds(blocks)
    return blocks


def check_opening(content: str | Sequence[Block]) -> None:
    """Refuse what no turn can begin with: nothing, or only what a model thought to itself."""
    if not says_something(content):
        raise BadInput("a turn begins with something said; the content is empty")
    said = (b for b in content if not isinstance(b, str) and b.get("type") not in THOUGHTS)
    if not isinstance(content, str) and not says_something([*said]):
        raise BlockInvalid(
            "a turn begins with something said, and a model's thinking is no part of that;"
            " give it with the reply it belongs to, to add() or done()"
        )


def read_message(value: Json) -> tuple[Role, str | list[Block]]:
    """Role and content of a history entry in either provider's form."""
    role, content = value.get("role"), value.get("content")
    if isinstance(content, str) and BESIDE_TEXT.isdisjoint(value) and isinstance(role, str):
        speaker = _SPEAKERS.get(role)
        if speaker is not None:
            return speaker, content
    read = _ROLES.get(role) if isinstance(role, str) else None
    if read is None:
        raise BadInput(f"a message's role is one of {', '.join(_ROLES)}, not {role!r}")
    if content is None and not value.get("tool_calls") and not value.get("refusal"):
        raise BadInput(
            "a message has `content`, or `tool_calls` if the assistant only called tools"
        )
    return read(value)


def _by_user(value: Json) -> tuple[Role, str | list[Block]]:
    return "user", read_content(value.get("content"))


def _by_system(value: Json) -> tuple[Role, str | list[Block]]:
    return "system", read_content(value.get("content"))


def _by_tool(value: Json) -> tuple[Role, str | list[Block]]:
    call_id = value.get("tool_call_id")
    if not isinstance(call_id, str) or not call_id:
        raise BadInput("a message of the role tool names its call in `tool_call_id`")
    output = tool_output(value.get("content"))
    return "user", [{"type": "tool_result", "tool_use_id": call_id, "content": output}]


def _by_assistant(value: Json) -> tuple[Role, str | list[Block]]:
    given = cast("Json", plain(value))
    blocks = _reply_blocks(given, fields=_OPENAI_FIELDS)
    if given.get("type") != "message":  # what a provider dumped whole is taken as it is
        check_kinds(blocks)
    content = given.get("content")
    only_text = isinstance(content, str) and blocks == [text_block(content)]
    return "assistant", cast("str", content) if only_text else blocks


_SPEAKERS: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_ROLES: dict[str, Callable[[Json], tuple[Role, str | list[Block]]]] = {
    "user": _by_user,
    "assistant": _by_assistant,
    "system": _by_system,
    "developer": _by_system,
    "tool": _by_tool,
}
