"""A reply gathered from the events of a stream, of either SDK, as objects or as dicts.

Only the events that came over the wire count. What an SDK's helper derives from them (running
texts, snapshots of blocks and messages) is passed over, so nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from .contents import compact, listing, mapping, plain
from .messages import PRIVATE, Block
from .replies import Reply, arguments_in, read_reply

Json = dict[str, Any]


class Gathering:
    """Feed it every event; ask for the reply at the end, or for what there is before it."""

    def __init__(self) -> None:
        self._claude = _ClaudeStream()
        self._openai = _OpenAIStream()

    @property
    def complete(self) -> bool:
        """Whether the provider said that the reply is whole."""
        return self._claude.complete or self._openai.complete

    @property
    def partial_text(self) -> str:
        """The words so far."""
        return self._claude.text or self._openai.text

    def feed(self, event: object) -> None:
        """Take in one event; what is not part of a reply is ignored."""
        kind = _field(event, "type")
        if kind == "chunk":
            self.feed(_field(event, "chunk"))
        elif isinstance(kind, str) and kind in self._claude.events:
            self._claude.events[kind](event)
        elif kind is None and _field(event, "choices") is not None:
            self._openai.take(_fields(event))

    def reply(self) -> Reply:
        """The reply as far as it came."""
        return read_reply((self._openai if self._openai.started else self._claude).whole())


def _field(event: object, name: str) -> object:
    if isinstance(event, Mapping):
        return cast("Mapping[str, object]", event).get(name)
    return getattr(event, name, None)


def _fields(event: object) -> Json:
    return mapping(plain(event)) or {}


class _ClaudeStream:
    """Blocks grow by deltas; the pieces are joined once, at the end."""

    def __init__(self) -> None:
        self.complete = False
        self._message: Json = {"type": "message", "role": "assistant"}
        self._usage: Json = {}
        self._blocks: dict[int, Block] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}
        self.events: dict[str, Callable[[object], None]] = {
            "message_start": self._start,
            "content_block_start": self._start_block,
            "content_block_delta": self._grow,
            "message_delta": self._change,
            "message_stop": self._stop,
        }

    @property
    def text(self) -> str:
        texts = (str(b.get("text") or "") for b in self._joined() if b.get("type") == "text")
        return "\n".join(texts)

    def whole(self) -> Json:
        return {**self._message, "content": self._joined(), "usage": self._usage}

    def _joined(self) -> list[Block]:
        return [self._block(n) for n in sorted(self._blocks)]

    def _block(self, n: int) -> Block:
        block = dict(self._blocks[n])
        for (index, field), pieces in self._pieces.items():
            if index == n and field != "input":
                block[field] = (block.get(field) or "") + "".join(pieces)
        raw = "".join(self._pieces.get((n, "input"), ()))
        return _with_input(block, raw) if raw else block

    def _start(self, event: object) -> None:
        message = mapping(_fields(event).get("message")) or {}
        self._usage = mapping(message.pop("usage", None)) or {}
        for n, block in enumerate(listing(message.pop("content", None)) or ()):
            self._blocks[n] = block
        self._message |= message

    def _start_block(self, event: object) -> None:
        started = _fields(event)
        self._blocks[int(started.get("index", 0))] = mapping(started.get("content_block")) or {}

    def _grow(self, event: object) -> None:
        grown = _fields(event)
        n, delta = int(grown.get("index", 0)), mapping(grown.get("delta")) or {}
        kind = str(delta.get("type"))
        if n not in self._blocks:
            return
        if kind in _PIECES:
            source, field = _PIECES[kind]
            self._pieces.setdefault((n, field), []).append(str(delta.get(source) or ""))
        elif kind == "signature_delta":
            self._blocks[n]["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            cited = listing(self._blocks[n].get("citations")) or []
            self._blocks[n]["citations"] = [*cited, delta.get("citation")]
        else:
            self._blocks[n] = _with_delta(self._blocks[n], delta)

    def _change(self, event: object) -> None:
        changed = _fields(event)
        self._message |= mapping(changed.get("delta")) or {}
        # Counts are totals so far, and those that were not counted anew are left out.
        counted = mapping(changed.get("usage")) or {}
        self._usage |= {name: count for name, count in counted.items() if count is not None}

    def _stop(self, _event: object) -> None:
        self.complete = True


# Delta → its field, and the field of the block that grows by it.
_PIECES = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("partial_json", "input"),
}


def _with_delta(block: Block, delta: Json) -> Block:
    """The block grown by a delta of a kind without rules of its own, such as a compaction's.

    Each of its fields grows the one of that name. What fits no field is kept beside the block.
    """
    grown = {k: v for k, v in delta.items() if k != "type" and v is not None}
    if not all(_can_grow(block.get(name), value) for name, value in grown.items()):
        kept = mapping(block.get(PRIVATE)) or {}
        return {**block, PRIVATE: {**kept, "deltas": [*kept.get("deltas", ()), delta]}}
    return block | {name: _grow(block.get(name), value) for name, value in grown.items()}


def _can_grow(old: object, new: object) -> bool:
    kind = next((kind for kind in (str, list, dict) if isinstance(old, kind)), None)
    return kind is None or isinstance(new, kind)


def _with_input(block: Block, raw: str) -> Block:
    asked = arguments_in(raw)
    if asked or raw.strip() == compact(asked):
        return {**block, "input": asked}
    # The stream broke off inside the arguments, or the model wrote no object.
    return {**block, "input": {}, PRIVATE: {"arguments": raw}}


class _OpenAIStream:
    """The first choice's deltas, put together to the message that would have come whole."""

    def __init__(self) -> None:
        self.started = self.complete = False
        self._reason: str | None = None
        self._head: Json = {}
        self._texts: dict[str, list[str]] = {}
        self._fields: Json = {}
        self._calls: dict[int, _Call] = {}

    @property
    def text(self) -> str:
        said, refused = ("".join(self._texts.get(name, ())) for name in ("content", "refusal"))
        return said or refused

    def whole(self) -> Json:
        message = {name: "".join(pieces) for name, pieces in self._texts.items()} | self._fields
        if self._calls:
            message["tool_calls"] = [self._calls[n].whole() for n in sorted(self._calls)]
        choice = {"message": message, "finish_reason": self._reason}
        return {**self._head, "choices": [choice]}

    def take(self, chunk: Json) -> None:
        self.started = True
        known = ("id", "model", "usage")
        self._head |= {name: chunk[name] for name in known if chunk.get(name)}
        for choice in listing(chunk.get("choices")) or ():
            if not choice.get("index"):
                self._take_choice(choice)

    def _take_choice(self, choice: Json) -> None:
        for name, value in (mapping(choice.get("delta")) or {}).items():
            if name == "tool_calls":
                self._take_calls(listing(value) or [])
            elif name != "role" and value is not None:
                self._take_field(name, value)
        if choice.get("finish_reason"):
            self._reason = choice["finish_reason"]
            self.complete = True

    def _take_field(self, name: str, value: object) -> None:
        if isinstance(value, str):
            self._texts.setdefault(name, []).append(value)
        else:
            self._fields[name] = _grow(self._fields.get(name), value)

    def _take_calls(self, deltas: list[Any]) -> None:
        for delta in deltas:
            n = delta.get("index")
            if not isinstance(n, int):
                # Some servers send each call whole and do not number them.
                n = len(self._calls)
            self._calls.setdefault(n, _Call()).take(delta)


class _Call:
    """One tool call: named at first, its arguments in pieces."""

    def __init__(self) -> None:
        self._call: Json = {}
        self._function: Json = {}
        self._arguments: list[str] = []

    def take(self, delta: Json) -> None:
        function = mapping(delta.get("function")) or {}
        self._function = {k: v for k, v in function.items() if v} | self._function
        self._arguments.append(function.get("arguments") or "")
        for name, value in delta.items():
            if name == "custom":
                self._call[name] = _grow(self._call.get(name), value)
            elif name != "function" and value not in (None, ""):
                self._call.setdefault(name, value)

    def whole(self) -> Json:
        if "custom" in self._call:
            return self._call
        return self._call | {"function": self._function | {"arguments": "".join(self._arguments)}}


def _grow(old: object, new: object) -> object:
    """Beside the words too, texts and lists come in pieces; of all else the newest counts."""
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if (items := listing(old)) is not None and (more := listing(new)) is not None:
        return [*items, *more]
    if (fields := mapping(old)) is not None and (added := mapping(new)) is not None:
        return fields | {name: _grow(fields.get(name), value) for name, value in added.items()}
    return new
