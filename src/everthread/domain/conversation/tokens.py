"""How many tokens a request has: computed from content, then corrected by what was reported.

Nothing here knows a vocabulary: `count` comes from outside. What is not text has a price by its
provider's published rule, or a stated guess; calibration takes up what remains.
"""

from __future__ import annotations

import binascii
import json
import math
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from everthread.domain.policy import DEFAULT_WINDOW

from .messages import PRIVATE, WORDS, Block, Form, blocks_of

Count: TypeAlias = Callable[[str], int]
Size: TypeAlias = tuple[int, int]

PER_MESSAGE = 2
"""Between plain text (0) and OpenAI's chat format (about 4); calibration removes the rest."""

PER_CALL = 4
PER_RESULT = 4
PER_TOOL = 4

IMAGE_EDGE = 1568
IMAGE_PIXELS = 750
IMAGE_MOST = 1600
"""Anthropic scales a larger image down to about this; also the guess for one of unknown size."""

PAGE = 2500
PAGE_BYTES = 50_000
PAGES_MOST = 100
"""A PDF page is its text (1,500 to 3,000 tokens) and its picture; only the bytes tell how many."""

SEALED = 16 / 3
"""Characters of base64 per token of the text sealed in them: four bytes, by four thirds."""

PAYLOAD = 512
DEPTH = 32
_PAYLOAD = re.compile(r"(?:data:[\w/+.;=-]+,)?[A-Za-z0-9+/_=-]+")


# Messages


def content_tokens(count: Count, form: int, content: str) -> int:
    """What one message costs, its frame included; large bodies must have been filled in."""
    if form == Form.TEXT:
        return PER_MESSAGE + count(content)
    return PER_MESSAGE + blocks_tokens(count, blocks_of(form, content))


def blocks_tokens(count: Count, blocks: Sequence[Block]) -> int:
    """What the blocks cost, of whatever kind and however nested."""
    return sum(_BY_KIND.get(_kind(block), _unknown)(count, block) for block in _flat(blocks))


def tools_tokens(count: Count, tools: Sequence[Mapping[str, Any]]) -> int:
    """What the tool definitions cost."""
    return sum(PER_TOOL + count(_compact(tool)) for tool in tools)


def system_tokens(count: Count, system: str | Sequence[Block] | None) -> int:
    """What the system prompt costs; nothing if there is none."""
    if not system:
        return 0
    if isinstance(system, str):
        return PER_MESSAGE + count(system)
    return PER_MESSAGE + blocks_tokens(count, system)


def scale_budget(budget: int, window: int) -> int:
    """A token budget for a model whose window is smaller than the one budgets are stated for."""
    return budget * max(0, min(window, DEFAULT_WINDOW)) // DEFAULT_WINDOW


def _flat(blocks: Iterable[object]) -> Iterator[Block]:
    # A loop and not recursion: how deep blocks nest is up to whoever sent them.
    left = [*blocks]
    while left:
        block = left.pop()
        if isinstance(block, str):
            yield {"type": "text", "text": block}
        elif isinstance(block, dict):
            found = cast(Block, block)
            yield found
            left += _inner(found)


def _kind(block: Block) -> str:
    return str(block.get("type"))


def _inner(block: Block) -> list[object]:
    """The blocks inside a tool result or inside a document made of blocks."""
    holder: object = {"tool_result": block, "document": block.get("source")}.get(_kind(block))
    inner: object = cast(Block, holder).get("content") if isinstance(holder, dict) else None
    return cast("list[object]", inner) if isinstance(inner, list) else []


# Blocks, by kind. Each counts itself; what is nested in it comes along by itself.


def _text(count: Count, block: Block) -> int:
    # Citations repeat what is in their document; the provider does not count them again.
    return _words(count, block.get("text"))


def _call(count: Count, block: Block) -> int:
    name = _words(count, block.get("name"))
    return PER_CALL + name + count(_compact(block.get("input", {})))


def _result(count: Count, block: Block) -> int:
    content = block.get("content")
    if isinstance(content, dict):
        return PER_RESULT + _unknown(count, cast(Block, content))
    return PER_RESULT + _words(count, content)


def _thought(count: Count, block: Block) -> int:
    # A signature seals the very thoughts beside it. The model never reads it as text, so it counts
    # only where the provider withholds the text; so does the data of a redacted thought.
    shown = _words(count, block.get("thinking"))
    return shown or _sealed_tokens(block.get("signature") or block.get("data"))


def _image(count: Count, block: Block) -> int:
    match block:
        case {"source": {"data": str(data)}} | {"image_url": str(data)}:
            size = image_size(data.rpartition(",")[2] if data.startswith("data:") else data)
            return IMAGE_MOST if size is None else image_tokens(*size)
        case _:
            return IMAGE_MOST


def _document(count: Count, block: Block) -> int:
    around = _words(count, block.get("title")) + _words(count, block.get("context"))
    match block.get("source"):
        case {"type": "text", "data": str(text)} | {"type": "content", "content": str(text)}:
            return around + count(text)
        case {"type": "content"}:
            return around
        case {"type": "base64", "data": str(data)}:
            pages = -(-len(data) * 3 // 4 // PAGE_BYTES)
            return around + PAGE * max(1, min(pages, PAGES_MOST))
        case _:
            return around + PAGE


def _unknown(count: Count, block: Block) -> int:
    payloads: list[str] = []
    text = _compact(_readable(block, payloads, DEPTH))
    return count(text) + sum(min(_sealed_tokens(payload), IMAGE_MOST) for payload in payloads)


_BY_KIND: dict[str, Callable[[Count, Block], int]] = {
    **dict.fromkeys(WORDS, _text),
    "tool_use": _call,
    "server_tool_use": _call,
    "mcp_tool_use": _call,
    "tool_result": _result,
    "thinking": _thought,
    "redacted_thinking": _thought,
    "image": _image,
    "input_image": _image,
    "document": _document,
}


def _words(count: Count, value: object) -> int:
    return count(value) if isinstance(value, str) and value else 0


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _sealed_tokens(value: object) -> int:
    return math.ceil(len(value) / SEALED) if isinstance(value, str) else 0


def _readable(value: object, payloads: list[str], depth: int) -> object:
    """The value without our own key and without payloads, which are put aside."""
    if isinstance(value, str):
        if len(value) <= PAYLOAD or not _PAYLOAD.fullmatch(value, 0, PAYLOAD):
            return value
        payloads.append(value)
        return ""
    if not isinstance(value, (dict, list)):
        return value
    if depth == 0:
        return None
    if isinstance(value, list):
        return [_readable(part, payloads, depth - 1) for part in cast("list[object]", value)]
    items = cast("dict[str, object]", value).items()
    return {k: _readable(part, payloads, depth - 1) for k, part in items if k != PRIVATE}


# Images: only the few bytes that hold the size are decoded, wherever they lie.


def image_tokens(width: int, height: int) -> int:
    """What an image costs by Anthropic's rule."""
    shrink = min(1.0, IMAGE_EDGE / max(width, height, 1))
    pixels = width * shrink * height * shrink
    return max(1, min(IMAGE_MOST, round(pixels / IMAGE_PIXELS)))


def image_size(data: str) -> Size | None:
    """Width and height of a base64 PNG, JPEG, GIF or WebP; None if its head does not tell."""
    head = _bytes(data, 0, 12)
    sizes = (read(data) for magic, read in _READERS if magic.match(head))
    width, height = next(sizes, (0, 0))
    return (width, height) if width and height else None


def _bytes(data: str, at: int, size: int) -> bytes:
    """These bytes of what the base64 stands for; zeros where there are none."""
    first, skip = divmod(at, 3)
    part = data[first * 4 : (first + (skip + size + 2) // 3) * 4]
    try:
        found = binascii.a2b_base64(part[: len(part) // 4 * 4])
    except ValueError:
        found = b""
    return found[skip : skip + size].ljust(size, b"\0")


def _png(data: str) -> Size:
    return struct.unpack(">II", _bytes(data, 16, 8))


def _gif(data: str) -> Size:
    return struct.unpack("<HH", _bytes(data, 6, 4))


def _webp(data: str) -> Size:
    match _bytes(data, 12, 4):
        case b"VP8 ":
            width, height = struct.unpack("<HH", _bytes(data, 26, 4))
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = int.from_bytes(_bytes(data, 21, 4), "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            bits = int.from_bytes(_bytes(data, 24, 6), "little")
            return (bits & 0xFFFFFF) + 1, (bits >> 24) + 1
        case _:
            return 0, 0


def _jpeg(data: str) -> Size:
    at = 2
    # Thumbnails and colour profiles come before the frame that tells the size: step over them.
    for _ in range(JPEG_SEGMENTS):
        mark, kind, length, height, width = struct.unpack(">BBHxHH", _bytes(data, at, 9))
        if mark != JPEG_MARK:
            break
        if kind in JPEG_FRAMES:
            return width, height
        # Any number of fill bytes may stand before a marker.
        at += 1 if kind == JPEG_MARK else 2 + length
    return 0, 0


JPEG_SEGMENTS = 100
JPEG_MARK = 0xFF
JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_READERS: tuple[tuple[re.Pattern[bytes], Callable[[str], Size]], ...] = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), _png),
    (re.compile(rb"\xff\xd8\xff"), _jpeg),
    (re.compile(rb"GIF8[79]a"), _gif),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), _webp),
)


# Calibration

FACTOR_LEAST, FACTOR_MOST = 0.7, 1.5
OVERHEAD_MOST = 40_000
"""A harness may add a prompt and tools of its own that we do not see; not more than this."""

PLAUSIBLE = 2
LARGEST = 10**8
DECAY = 0.7
SURPRISE = 0.25
SETTLED = 3
"""After so many reports, a new one counts only up to `SURPRISE` off what was expected."""

NOISE = 0.005
FACTOR_SPREAD = 0.3
OVERHEAD_SPREAD = 1000
"""What is believed before the first report: a factor of 1 and no overhead, each so uncertain."""


class Calibration(NamedTuple):
    """What one model's reports say about our counts: reported = factor × computed + overhead.

    A least-squares line through the reports, weighted to relative error and to the newest: the next
    turn will most likely grow by what the last ones grew by. A prior holds the line where reports
    are few or all of one size, and keeps every division from being one by zero.
    """

    samples: int = 0
    rejected: int = 0
    weight: float = 0.0
    x: float = 0.0
    y: float = 0.0
    xx: float = 0.0
    xy: float = 0.0

    @property
    def factor(self) -> float:
        return self._line()[0]

    @property
    def overhead(self) -> float:
        return self._line()[1]

    def apply(self, computed: int) -> int:
        """What the provider would report for so many computed tokens."""
        factor, overhead = self._line()
        return round(factor * computed + overhead)

    def learn(self, computed: int, reported: int) -> Calibration:
        """Take a report in: input, cache read and cache write of a turn's last call together.

        One that cannot be true, such as 3 for 25,000, is counted and otherwise ignored: it is what
        remains when a provider leaves out what it read from its cache.
        """
        if not _plausible(computed, reported):
            return self._replace(rejected=self.rejected + 1)
        y = self._unsurprised(computed, reported)
        weight = 1 / (NOISE * y) ** 2
        return Calibration(
            samples=self.samples + 1,
            rejected=self.rejected,
            weight=DECAY * self.weight + weight,
            x=DECAY * self.x + weight * computed,
            y=DECAY * self.y + weight * y,
            xx=DECAY * self.xx + weight * computed * computed,
            xy=DECAY * self.xy + weight * computed * y,
        )

    def as_row(self) -> list[float]:
        """The value as plain numbers."""
        return [*self]

    @classmethod
    def from_row(cls, row: Sequence[float]) -> Calibration:
        """The value behind the numbers. Damaged ones start anew: a few turns teach it all again."""
        if len(row) != len(cls._fields) or not all(0 <= n < math.inf for n in row):
            return cls()
        samples, rejected, *sums = row
        return cls(int(samples), int(rejected), *map(float, sums))

    def _unsurprised(self, computed: int, reported: int) -> float:
        if self.samples < SETTLED:
            return reported
        expected = self.apply(computed)
        return _clamp(reported, expected * (1 - SURPRISE), expected * (1 + SURPRISE))

    def _line(self) -> tuple[float, float]:
        belief = FACTOR_SPREAD**-2
        xx, xy = self.xx + belief, self.xy + belief
        weight = self.weight + OVERHEAD_SPREAD**-2
        factor = (xy * weight - self.y * self.x) / (xx * weight - self.x * self.x)
        # Where one of the two hits its bound, the other has to be fitted anew beside it.
        overhead = _clamp((self.y - self.x * _factor(factor)) / weight, 0, OVERHEAD_MOST)
        factor = _factor((xy - self.x * overhead) / xx)
        return factor, _clamp((self.y - self.x * factor) / weight, 0, OVERHEAD_MOST)


def _plausible(computed: int, reported: int) -> bool:
    # Wider than the factor's bounds: our own price of an image or a PDF may be the one that errs.
    most = PLAUSIBLE * computed + OVERHEAD_MOST
    return 0 < computed <= LARGEST and computed / PLAUSIBLE <= reported <= most


def _factor(value: float) -> float:
    return _clamp(value, FACTOR_LEAST, FACTOR_MOST)


def _clamp(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)
