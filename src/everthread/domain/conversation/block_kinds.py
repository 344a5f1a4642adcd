"""Which kinds of content blocks there are, and what a block of a known kind must hold.

Providers add kinds faster than anyone can list them, so an unknown kind is kept untouched. Refused is
what no provider can have meant: a name that is a slip of a known one, and a block that holds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from everthread.domain.errors import BlockInvalid

from .contents import kind_of, listing, mapping
from .messages import Block

NEEDS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "thinking": {"thinking": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "server_tool_use": {"id": str, "name": str, "input": dict},
    "mcp_tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
    "image": {"source": dict},
    "document": {"source": dict},
    "search_result": {"content": list},
    "container_upload": {"file_id": str},
    "input_audio": {"input_audio": dict},
    "file": {"file": dict},
    "input_text": {"text": str},
    "output_text": {"text": str},
}
"""The kinds that are known well, each with what it must hold."""

FOREIGN = frozenset({
    *("image_url", "refusal", "image_file", "audio", "video", "input_audio", "file"),
    *("input_text", "output_text", "summary_text", "reasoning_text", "reasoning"),
    *("input_image", "input_file", "output_audio", "provider_fields"),
})  # fmt: skip
"""The kinds that are known to be of other APIs than Anthropic's, which would refuse them."""

KINDS = frozenset({*NEEDS, *FOREIGN, "compaction", "tool_reference"})
"""All that a provider is known to use, so that none is taken for a slip of another."""

THOUGHTS = frozenset({
    *("thinking", "redacted_thinking", "reasoning", "reasoning_text", "summary_text"),
})  # fmt: skip
"""What a model thought to itself, by whichever name."""

SUFFIXES = ("_tool_use", "_tool_result")
"""How the kinds end that belong to a provider's own tools; there are new ones all the time."""

MISNAMED = frozenset(("tool", "tool_call", "function", "function_call"))
"""What people call a tool's call, and no provider does."""

_OTHER_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("str", "string", "plain", "plain_text", "plaintext", "markdown"), "text"),
    **dict.fromkeys(("img", "picture", "photo"), "image"),
    **dict.fromkeys(("doc", "pdf"), "document"),
    **dict.fromkeys(("tool_response", "tool_output", "function_result"), "tool_result"),
}
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
LONGEST_SHOWN_KIND = 40
_NOTHING: Mapping[str, type] = {}
_SORTS: Mapping[type, str] = {str: "text", dict: "dict", list: "list"}


def check_kinds(blocks: Iterable[Block]) -> None:
    """Refuse a block that no provider would take, and say what to hand over in its place."""
    for block in blocks:
        check_kind(block)


def check_kind(block: Block) -> None:
    kind = str(block["type"])
    if kind in MISNAMED:
        raise BlockInvalid(
            f"no model sends a block of the type {kind!r}; a call of a tool is"
            ' {"type": "tool_use", "id": …, "name": …, "input": {…}}'
        )
    for name, sort in NEEDS.get(kind, _NOTHING).items():
        value = block.get(name)
        if not isinstance(value, sort):
            raise BlockInvalid(
                f"a block of the type {kind!r} needs {name!r}, as a {_SORTS[sort]};"
                f" it has {kind_of(value)}"
            )
    if kind == "tool_result":
        shown = map(mapping, listing(block.get("content")) or ())
        check_kinds(part for part in shown if part and isinstance(part.get("type"), str))
    elif kind not in KINDS and not kind.endswith(SUFFIXES):
        _check_unknown(kind, block)


def _check_unknown(kind: str, block: Block) -> None:
    shown = repr(kind if len(kind) <= LONGEST_SHOWN_KIND else f"{kind[:LONGEST_SHOWN_KIND]}…")
    if meant := _meant_kind(kind):
        raise BlockInvalid(
            f"no provider has a block of the type {shown}; did you mean {meant!r}?"
            " A kind that a provider added lately is taken as it is"
        )
    if not any(value not in (None, "", [], {}) for name, value in block.items() if name != "type"):
        raise BlockInvalid(
            f"a block of the type {shown} holds nothing but its type; leave it out,"
            ' or give its content: words are {"type": "text", "text": …}'
        )


def _meant_kind(kind: str) -> str | None:
    """The known kind that this is a slip of; None if it is a kind of its own."""
    written = _INNER_CAPITAL.sub("_", kind.strip()).lower().replace("-", "_").replace(" ", "_")
    if meant := _OTHER_WORDS.get(written):
        return meant
    if written in MISNAMED:
        return "tool_use"
    bare = written.replace("_", "")
    for known in sorted(KINDS):
        if bare == known.replace("_", "") or _is_one_slip(written, known):
            return known
    return None


def _is_one_slip(word: str, known: str) -> bool:
    """Is it the known word but for one letter: wrong, missing, too many, or two changed places?"""
    if abs(len(word) - len(known)) > 1:
        return False
    start = _common_start(word, known)
    rest, other = word[start:], known[start:]
    swapped = rest[1::-1] + rest[2:] if len(rest) > 1 else rest
    return other in (swapped, rest[1:]) or other[1:] in (rest, rest[1:])


def _common_start(word: str, known: str) -> int:
    pairs = enumerate(zip(word, known, strict=False))
    shorter = min(len(word), len(known))
    return next((n for n, (one, two) in pairs if one != two), shorter)
