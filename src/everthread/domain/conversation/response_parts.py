"""Content of OpenAI's Responses API and Agents SDK, read as the blocks that every request can hold.

It is stored as it came. How it is read is decided here, where it is read, so what was stored before
reads the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .contents import image_block, listing, mapping, text_block
from .messages import PRIVATE, Block

_FILE_FIELDS = ("file_data", "file_id", "filename")


def known_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, those of the Responses API as the ones that mean the same; also in a tool's result."""
    return [_known(block) for block in blocks]


def _known(block: Block) -> Block:
    read = _READ.get(str(block.get("type")))
    return block if read is None else read(block)


def _words(block: Block) -> Block:
    words = block.get("text")
    return text_block(words) if isinstance(words, str) else block


def _image(block: Block) -> Block:
    address = block.get("image_url")
    if not isinstance(address, str):
        return block  # named by the id of a file, which no other API can open
    detail = block.get("detail")
    return image_block(address, {"detail": detail} if isinstance(detail, str) else {})


def _linked(block: Block) -> Block:
    image = block.get("image_url")
    fields = {"url": image} if isinstance(image, str) else {**(mapping(image) or {})}
    address = fields.pop("url", None)
    return image_block(address, fields) if isinstance(address, str) else block


def _file(block: Block) -> Block:
    kept = {name: block[name] for name in _FILE_FIELDS if isinstance(block.get(name), str)}
    if not kept.keys() & {"file_data", "file_id"}:
        return block
    return {"type": "file", "file": kept, PRIVATE: {"provider": "openai"}}


def _result(block: Block) -> Block:
    parts = listing(block.get("content"))
    if not any((mapping(part) or {}).get("type") in _PARTS for part in parts or ()):
        return block
    return {**block, "content": [_known(part) if mapping(part) else part for part in parts or ()]}


_PARTS: dict[str, Callable[[Block], Block]] = {
    "input_text": _words,
    "output_text": _words,
    "input_image": _image,
    "input_file": _file,
    "image_url": _linked,
}
_READ = {**_PARTS, "tool_result": _result}
