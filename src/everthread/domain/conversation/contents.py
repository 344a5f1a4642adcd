"""Content as users and tools hand it over, read into blocks.

Anthropic's blocks stay as they are. OpenAI's parts become the same blocks where there is one; what
only OpenAI understands is kept under `PRIVATE`, to be given back to OpenAI and to no one else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, cast

from everthread.domain.errors import BadInput, BlockInvalid

from .messages import PRIVATE, Block

PLAIN = frozenset({str, int, float, bool, type(None)})
"""What most values are; to ask them for more takes time."""

DEEPEST = 128
"""So deep may a value be nested, as most readers of JSON go: whoever shows it later takes it apart level
by level, and Python has only so many calls within calls.
"""

NAMED = 5
"""So many fields are named of a block that is not understood."""

TOO_DEEP = (
    f"a value may be nested {DEEPEST} levels deep; what lies deeper can be given as JSON in a text"
)

CONTENT_HELP = "content is a text, one content block as a dict, or a list of content blocks"


def mapping(value: object) -> dict[str, Any] | None:
    """The value if it is a JSON object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def listing(value: object) -> list[Any] | None:
    """The value if it is a JSON array."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def kind_of(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"


def plain(value: object, *, unset: bool = False) -> object:
    """SDK objects as the JSON they came from: what the provider left out stays out.

    A number that JSON does not have, such as NaN, is its name: no client sends it as a number.
    """
    return _plain(value, DEEPEST, unset=unset)


def _plain(value: object, depth: int, *, unset: bool) -> object:
    if type(value) in PLAIN:
        return value if type(value) is not float or isfinite(value) else json.dumps(value)
    if depth == 0:
        raise BlockInvalid(TOO_DEEP)
    dump: Callable[..., object] | None = getattr(value, "model_dump", None)
    if dump is not None and not isinstance(value, type):
        return _plain(_dumped(dump, unset=unset), depth, unset=unset)
    if isinstance(value, Mapping):
        return {
            str(k): _plain(v, depth - 1, unset=unset)
            for k, v in cast("Mapping[object, object]", value).items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item, depth - 1, unset=unset) for item in cast("Sequence[object]", value)]
    return value


def _dumped(dump: Callable[..., object], *, unset: bool) -> object:
    try:
        # Without warnings: a block of a kind newer than the SDK is no fault of the user's.
        return dump(mode="json", exclude_unset=not unset, warnings=False)
    except (ValueError, RecursionError) as wrong:
        raise BlockInvalid(f"an object of an SDK cannot be read ({wrong}); {TOO_DEEP}") from wrong


def content_blocks(content: object, help_text: str) -> list[Block]:
    if isinstance(content, str):
        return [text_block(content)]
    items = listing(content)
    if items is None:
        items = None if mapping(content) is None else [content]
    if items is None:
        raise BadInput(f"content cannot be {kind_of(content)}; {help_text}")
    return blocks_from(items, help_text)


def blocks_from(items: Iterable[object], help_text: str) -> list[Block]:
    return [_block(item, help_text) for item in items]


def _block(item: object, help_text: str) -> Block:
    block = mapping(item)
    if block is None:
        raise BadInput(f"a content block is a dict with a `type`, not {kind_of(item)}; {help_text}")
    kind = block.get("type")
    if not isinstance(kind, str):
        raise BadInput(f"{_untyped(block)}, as in {text_block('…')}; {help_text}")
    if kind == "text" and not isinstance(block.get("text"), str):
        raise BlockInvalid(f"a text block carries a text, not {kind_of(block.get('text'))}")
    return _PARTS[kind](block) if kind in _PARTS else block


def _untyped(block: Block) -> str:
    """What is wrong with a block that does not say what it is."""
    if not block:
        return "an empty dict says nothing; a content block needs a `type`"
    if "type" in block:
        return f"the `type` of a content block is a text, not {kind_of(block['type'])}"
    named = ", ".join(f"`{name}`" for name in list(block)[:NAMED])
    return f"a content block needs a `type`; this one has {named:.200}"


def _image(part: Block) -> Block:
    image: Any = part.get("image_url")
    fields: Block = {"url": image} if isinstance(image, str) else dict(image or {})
    address = fields.pop("url", None)
    if not isinstance(address, str):
        raise BadInput("an image_url part carries a `url`, of the web or with the data itself")
    return image_block(address, fields)


def image_block(address: str, extra: Block) -> Block:
    """The picture of an address, which may hold the data itself, with what only OpenAI understands."""
    kept: Block = {PRIVATE: {"extra": extra}} if extra else {}
    head, comma, data = address.partition(";base64,")
    if comma and head.startswith("data:"):
        source = {"type": "base64", "media_type": head.removeprefix("data:"), "data": data}
        return {"type": "image", "source": source, **kept}
    return {"type": "image", "source": {"type": "url", "url": address}, **kept}


def refusal_block(words: str) -> Block:
    """What a model said when it refused: its words like any other, and OpenAI's `refusal` again there."""
    return {**text_block(words), PRIVATE: {"provider": "openai", "refusal": True}}


def _refusal(part: Block) -> Block:
    words = part.get("refusal")
    if not isinstance(words, str):
        raise BadInput(f"a refusal part carries a text, not {kind_of(words)}")
    return refusal_block(words)


def _only_openai(part: Block) -> Block:
    return {**part, PRIVATE: {"provider": "openai"}}


_PARTS: dict[str, Callable[[Block], Block]] = {
    "image_url": _image,
    "refusal": _refusal,
    "input_audio": _only_openai,
    "file": _only_openai,
}


# Tool results


def tool_output(value: object) -> str | list[Block]:
    """What a tool gave back: a text, blocks, or any other JSON value as its text."""
    if isinstance(value, str):
        return value
    # The defaults of a tool's own model are part of what it says.
    given = plain(value, unset=True)
    items = listing(given) or [given]
    if all(_shows(item) for item in items):
        return blocks_from(items, CONTENT_HELP)
    try:
        return compact(given)
    except (TypeError, ValueError) as wrong:
        raise BadInput(
            f"a tool's output cannot be {kind_of(value)};"
            " give a text, content blocks or a JSON value"
        ) from wrong


def _shows(item: object) -> bool:
    """Is it a block? A tool may well return JSON of its own that has a `type`."""
    block = mapping(item) or {}
    shows = _SHOWN.get(str(block.get("type")))
    return shows is not None and shows(block)


def _shows_text(block: Block) -> bool:
    return isinstance(block.get("text"), str)


def _shows_source(block: Block) -> bool:
    """Has it a source as an API takes one, whether or not what that names can be shown?"""
    source = mapping(block.get("source")) or {}
    kind = source.get("type")
    if kind == "content":
        return isinstance(source.get("content"), (str, list))
    field = _SOURCES.get(kind) if isinstance(kind, str) else None
    return field is not None and isinstance(source.get(field), str)


def _shows_found(block: Block) -> bool:
    parts = listing(block.get("content"))
    named = isinstance(block.get("source"), str) and isinstance(block.get("title"), str)
    return named and parts is not None and all(_shows_text(mapping(part) or {}) for part in parts)


def _shows_address(block: Block) -> bool:
    image = block.get("image_url")
    named = mapping(image)
    address: object = image if named is None else named.get("url")
    return isinstance(address, str) and address.startswith(_ADDRESSES)


_SOURCES = {"base64": "data", "url": "url", "file": "file_id", "text": "data"}
_ADDRESSES = ("https://", "http://", "data:")
_SHOWN: dict[str, Callable[[Block], bool]] = {
    "text": _shows_text,
    "image": _shows_source,
    "document": _shows_source,
    "search_result": _shows_found,
    "image_url": _shows_address,
}
