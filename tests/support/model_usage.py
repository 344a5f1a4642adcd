"""What a request costs on the scripted model server: counted from its content, never invented."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from .shapes import Json

Count: TypeAlias = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Overhead:
    """Tokens that a provider adds of its own: for each request, each message, each picture."""

    request: int = 0
    message: int = 0
    image: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """One call's tokens; the first three add up to the whole prompt."""

    fresh: int
    written: int
    read: int
    output: int

    @property
    def prompt(self) -> int:
        return self.fresh + self.written + self.read


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the prompt that is cached whole or not at all."""

    key: str
    tokens: int
    marked: bool


def by_characters(text: str) -> int:
    """The default vocabulary: four characters make a token."""
    return -(-len(text) // 4)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Meter:
    """Counts prompts and remembers which beginnings it has seen."""

    def __init__(self, count: Count, overhead: Overhead, *, cache: bool) -> None:
        self._count = count
        self._overhead = overhead
        self._cache = cache
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def prompt(self, body: Json) -> int:
        return self._overhead.request + sum(piece.tokens for piece in self._pieces(body))

    def usage(self, body: Json, output: Sequence[str], *, automatic: bool) -> Usage:
        """What this call costs. `automatic`: every beginning is cached, marked or not."""
        pieces = list(self._pieces(body))
        totals = list(accumulate((p.tokens for p in pieces), initial=self._overhead.request))
        written_to = read_to = 0
        if self._cache:
            read_to, written_to = self._cached(body, pieces, automatic=automatic)
        read = totals[read_to] if read_to else 0
        written = totals[written_to] - read if written_to and not automatic else 0
        return Usage(
            fresh=totals[-1] - written - read,
            written=written,
            read=read,
            output=sum(map(self._count, output)),
        )

    def _cached(self, body: Json, pieces: list[Piece], *, automatic: bool) -> tuple[int, int]:
        """How many leading pieces are read from the cache, and up to which one it is written."""
        ends = [n for n, piece in enumerate(pieces, start=1) if piece.marked or automatic]
        if body.get("cache_control"):
            ends.append(len(pieces))
        last = max(ends, default=0)
        digests = list(_beginnings(str(body.get("model")), pieces))
        with self._lock:
            read = max((n for n in range(1, last + 1) if digests[n - 1] in self._seen), default=0)
            self._seen.update(digests[n - 1] for n in ends)
        return read, last

    def _pieces(self, body: Json) -> Iterator[Piece]:
        """The prompt in the order in which providers cache it: tools, system, messages."""
        for tool in body.get("tools") or ():
            yield self._piece("tool", tool, [compact(_bare(tool))])
        system = body.get("system") or []
        for block in parts_of({"content": system}):
            yield self._piece("system", block, texts_of(block))
        for message in body["messages"]:
            for n, part in enumerate(parts_of(message) or [{"type": "text", "text": ""}]):
                extra = 0 if n else self._overhead.message
                yield self._piece(f"{message['role']}.{n}", part, texts_of(part), extra)

    def _piece(self, place: str, part: Json, texts: list[str], extra: int = 0) -> Piece:
        tokens = sum(map(self._count, texts)) + self._overhead.image * _pictures(part) + extra
        return Piece(f"{place} {compact(_bare(part))}", tokens, marked=_marked(part))


def parts_of(message: Json) -> list[Json]:
    """The content of a message of either provider, as a list; tool calls included."""
    content = message.get("content")
    parts: list[Json] = [{"type": "text", "text": content}] if isinstance(content, str) else []
    return [*(content if isinstance(content, list) else parts), *(message.get("tool_calls") or ())]


def texts_of(part: Json) -> list[str]:
    """The texts of one part that a model reads."""
    reader = READERS.get(str(part.get("type")))
    return [compact(_bare(part))] if reader is None else reader(part)


def _result_texts(part: Json) -> list[str]:
    return [text for inner in parts_of(part) for text in texts_of(inner)]


READERS: dict[str, Callable[[Json], list[str]]] = {
    "text": lambda part: [part["text"]],
    "thinking": lambda part: [part["thinking"]],
    "tool_use": lambda part: [part["name"], compact(part["input"])],
    "tool_result": _result_texts,
    "function": lambda part: [part["function"]["name"], part["function"]["arguments"]],
    "image": lambda _: [],
    "image_url": lambda _: [],
}


def _pictures(part: Json) -> int:
    if part.get("type") == "tool_result":
        return sum(map(_pictures, parts_of(part)))
    return part.get("type") in {"image", "image_url"}


def _bare(part: Json) -> Json:
    """The part without its cache marks: they move from request to request, the content does not."""
    bare = {name: value for name, value in part.items() if name != "cache_control"}
    if isinstance(bare.get("content"), list):
        bare["content"] = [_bare(inner) for inner in bare["content"] if isinstance(inner, dict)]
    return bare


def _marked(part: Json) -> bool:
    inner = part.get("content")
    return part.get("cache_control") is not None or (
        isinstance(inner, list) and any(isinstance(p, dict) and _marked(p) for p in inner)
    )


def _beginnings(model: str, pieces: list[Piece]) -> Iterator[str]:
    digest = hashlib.sha256(model.encode())
    for piece in pieces:
        digest.update(compact(piece.key).encode())
        yield digest.hexdigest()
