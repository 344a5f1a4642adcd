"""One block, and one reply, as OpenAI's Chat Completions API takes them.

A reply of this protocol brings more than a request may hold: what an SDK parsed, what a server thought
or looked up, and fields that are newer than this code. All of it is kept, and only what the API takes of
an assistant's message is sent. Some servers demand more with every call of the history, for as long as
it is sent: a signature, the thoughts that led to it. Those go back with their calls in each request, so
what was sent in one turn begins what is sent in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .attachments import UNSHOWN, is_usable_source
from .contents import compact, listing, mapping, text_block
from .flow import Dialect, mappings_in, private_fields
from .messages import Block, calls_in

Json = dict[str, Any]

_ONLY_HERE = frozenset({"input_audio", "file"})
_WITH_CALLS = ("reasoning", "reasoning_content", "reasoning_details")
"""What a server thought before it called, by whichever name. Without a call none of them takes it back."""


# Replies


def openai_reply(blocks: Sequence[Block]) -> Json:
    """An assistant's message."""
    texts = [b for b in blocks if b.get("type") == "text"]
    text = "\n".join(b["text"] for b in texts if not private_fields(b).get("refusal"))
    refusal = "\n".join(b["text"] for b in texts if private_fields(b).get("refusal"))
    kept: Json = {"refusal": refusal} if refusal else {}
    for block in blocks:
        if block.get("type") == "provider_fields":
            kept |= mapping(private_fields(block).get("fields")) or {}
    calls = [_call(call) for call in calls_in(blocks)]
    fields = _sent_fields(kept)
    if calls:
        fields |= {name: kept[name] for name in _WITH_CALLS if name in kept}
    nothing_said = None if calls or fields.get("refusal") else ""
    message: Json = {"role": "assistant", "content": text or nothing_said, **fields}
    return message | ({"tool_calls": calls} if calls else {})


def _sent_fields(kept: Mapping[str, Any]) -> Json:
    """Of what the provider put beside the words, what it takes back."""
    fields: Json = {n: kept[n] for n in ("name", "refusal") if isinstance(kept.get(n), str)}
    audio = mapping(kept.get("audio")) or {}
    if isinstance(audio.get("id"), str):
        # The API gives the whole sound and takes back only its id.
        fields["audio"] = {"id": audio["id"]}
    called = mapping(kept.get("function_call")) or {}
    if isinstance(called.get("name"), str):
        fields["function_call"] = _function(called["name"], called.get("arguments"))
    return fields


def _function(name: str, arguments: object) -> Json:
    written = arguments if isinstance(arguments, str) else compact(arguments or {})
    return {"name": name, "arguments": written}


def _call(block: Block) -> Json:
    kept = private_fields(block)
    extra: Json = mapping(kept.get("extra")) or {}
    if "custom" in kept:
        custom = {name: kept["custom"].get(name) for name in ("name", "input")}
        return {"id": block["id"], "type": "custom", "custom": custom, **extra}
    function = _function(block["name"], kept.get("arguments") or block.get("input"))
    return {"id": block["id"], "type": "function", "function": function, **extra}


# What a person or a tool gives


def _block(block: Block) -> Block | None:
    kind = block.get("type")
    if kind == "text":
        return block if str(block.get("text", "")).strip() else None
    known = kind in _PARTS or kind in ("tool_use", "tool_result")
    return block if known or _is_own(block) else None


def _is_own(block: Block) -> bool:
    kind = block.get("type")
    own = kind in _ONLY_HERE or kind == "provider_fields"
    return own and private_fields(block).get("provider") == "openai"


def openai_part(block: Block) -> Json:
    """A block of the user's as a part of a message."""
    kind = str(block.get("type"))
    make = _PARTS.get(kind)
    return make(block) if make else {"type": kind, kind: block.get(kind)}


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
    detail = (mapping(private_fields(block).get("extra")) or {}).get("detail")
    return {
        "type": "image_url",
        "image_url": {"url": address, **({"detail": detail} if isinstance(detail, str) else {})},
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


_PARTS: dict[str, Callable[[Block], Json]] = {
    "text": _text_part,
    "search_result": _search_part,
    "image": _image_part,
    "document": _document_part,
}
OPENAI = Dialect(_block, longest_id=40, longest_tool=64, knows_names=True)
