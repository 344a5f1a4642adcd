"""One block as Anthropic's Messages API takes it.

Of the kinds that people and tools hand over, only the fields go that the API has: one more, and it
refuses the whole request. What the model itself said (its calls, its thinking) goes back untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .attachments import UNSHOWN, is_usable_source
from .block_kinds import FOREIGN
from .contents import compact, listing, mapping, text_block
from .flow import Dialect, mappings_in, private_fields, seen_by
from .messages import PRIVATE, Block

# The key of our own, a mark of which only four are allowed, and what an SDK adds by itself.
_NEVER_SENT = frozenset({PRIVATE, "cache_control", "parsed_output"})
_ATTACHED = frozenset({
    *("input_audio", "file", "image_url", "image_file", "audio", "video"),
    *("input_image", "input_file", "output_audio"),
})  # fmt: skip
"""What a person gave, and only others take."""

_FIELDS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "citations"}),
    "image": frozenset({"type", "source", "transformations"}),
    "document": frozenset({"type", "source", "title", "context", "citations"}),
    "search_result": frozenset({"type", "source", "title", "content", "citations"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "toolset_name"}),
}
_SOURCE_FIELDS: Mapping[str, frozenset[str]] = {
    "base64": frozenset({"type", "media_type", "data"}),
    "text": frozenset({"type", "media_type", "data"}),
    "url": frozenset({"type", "url"}),
    "file": frozenset({"type", "file_id"}),
    "content": frozenset({"type", "content"}),
}
_PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def _block(block: Block) -> Block | None:
    kind = str(block.get("type"))
    if kind in FOREIGN:
        return text_block(UNSHOWN) if kind in _ATTACHED else None
    mend = _MENDED.get(kind)
    if mend is None:
        foreign = private_fields(block).get("provider") not in (None, "anthropic")
        return None if foreign else {k: v for k, v in block.items() if k not in _NEVER_SENT}
    fields = _FIELDS.get(kind, block.keys() - _NEVER_SENT)
    # SDKs fill what was not said with null, which the API does not take back everywhere.
    return mend({k: v for k, v in block.items() if v is not None and k in fields})


def _text(block: Block) -> Block | None:
    if not str(block.get("text", "")).strip():
        return None
    if "citations" not in block:
        return block
    cited = listing(block["citations"])
    if cited is None:
        return text_block(block["text"])
    return {**block, "citations": [_without_null_file(each) for each in mappings_in(cited)]}


def _without_null_file(citation: Block) -> Block:
    return {k: v for k, v in citation.items() if k != "file_id" or v is not None}


def _call(block: Block) -> Block:
    return block if isinstance(block.get("input"), dict) else {**block, "input": {}}


def _result(block: Block) -> Block:
    content = block.get("content", "")
    parts = listing(content)
    if parts is not None:
        return {**block, "content": [*seen_by(CLAUDE, mappings_in(parts))]}
    return block if isinstance(content, str) else {**block, "content": compact(content)}


def _image(block: Block) -> Block:
    source = mapping(block.get("source")) or {}
    shown = is_usable_source(source) and (
        source.get("type") != "base64" or source.get("media_type") in _PICTURES
    )
    return {**block, "source": _source(source)} if shown else text_block(UNSHOWN)


def _document(block: Block) -> Block:
    source = mapping(block.get("source")) or {}
    return {**block, "source": _source(source)} if is_usable_source(source) else text_block(UNSHOWN)


def _source(source: Block) -> Block:
    fields = _SOURCE_FIELDS.get(str(source.get("type")))
    sent = source if fields is None else {k: v for k, v in source.items() if k in fields}
    parts = listing(sent.get("content"))
    return sent if parts is None else {**sent, "content": [*seen_by(CLAUDE, mappings_in(parts))]}


def _found(block: Block) -> Block:
    parts = listing(block.get("content"))
    return block if parts is None else {**block, "content": [*seen_by(CLAUDE, mappings_in(parts))]}


def _thinking(block: Block) -> Block | None:
    # Without its signature the thought is another model's, and the API refuses it.
    return block if block.get("signature") else None


def _keep(block: Block) -> Block:
    return block


_MENDED: dict[str, Callable[[Block], Block | None]] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "search_result": _found,
    "thinking": _thinking,
    "redacted_thinking": _keep,
    "tool_use": _call,
    "tool_result": _result,
    "server_tool_use": _call,
    "web_search_tool_result": _keep,
    "web_fetch_tool_result": _keep,
}
CLAUDE = Dialect(_block, longest_id=64, longest_tool=128, knows_names=False)
