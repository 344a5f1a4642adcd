"""Blocks of ours in a text that belongs to somebody else: found by their markers, known by their hash.

A block's opening marker tells what we added to place it, so that taking it out gives back the text as
it was. What stands between the markers and has another hash was written by a person, and is theirs.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from everthread.domain.errors import BadInput

from .patterns import lazy_pattern

BEGIN = "begin"
"""The label of the one block that a file may have besides those of receipts."""

MOST_LINES = 5_000
"""So far a block whose end is lost is looked for by its hash."""

_OPEN = lazy_pattern(
    r"(?:^|(?<=\A\ufeff))<!-- everthread:(begin|receipt [A-Za-z0-9_.-]+)"
    r"(?P<new> new)?(?: gap:(?P<gap>[0-2]))? sha256:(?P<digest>[0-9a-f]{64}) -->[ \t]*\r?\n",
    re.MULTILINE,
)
_BREAKS = lazy_pattern(r"(?:\r?\n)*")
_FENCE = lazy_pattern(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)
_UNSAFE = lazy_pattern(r"[^A-Za-z0-9_.-]+")


class Block(NamedTuple):
    """One block of ours, with its place in the text."""

    start: int
    end: int
    """Behind the line of its closing marker."""
    gap: int
    """How many line breaks we put before it."""
    new: bool
    """Was there no file before?"""
    digest: str
    content: str

    @property
    def ours(self) -> bool:
        """Has nobody changed it since we wrote it? Other line breaks are no change."""
        return self.digest == digest_of(self.content)


def label_of(receipt_id: str) -> str:
    """The label of a receipt's block; an id that could end a marker cannot."""
    return f"receipt {_UNSAFE.sub('-', receipt_id) or '-'}"


def digest_of(content: str) -> str:
    plain = content.replace("\r\n", "\n")
    # Where a file is not UTF-8, its bytes are carried as lone surrogates.
    return hashlib.sha256(plain.encode(errors="surrogateescape")).hexdigest()


def wrap_block(label: str, content: str) -> str:
    """The content between its markers, whole lines. It must hold no markers itself."""
    content = f"{content.strip()}\n"
    return f"<!-- everthread:{label} sha256:{digest_of(content)} -->\n{content}{_closing_line(label)}\n"


def _closing_line(label: str) -> str:
    return f"<!-- {'everthread:end' if label == BEGIN else f'/everthread:{label}'} -->"


def label_in(block: str) -> str:
    """The label of what `wrapped` made."""
    found = _OPEN.match(block)
    if found is None or not block.endswith(f"{_closing_line(found[1])}\n"):
        raise BadInput(
            f"{block!r:.40} is no block of ours; make it with everthread.domain.distilling.daily_files"
        )
    return found[1]


def is_unchanged(block: Block, wrapping: str) -> bool:
    """Does the text hold just what is to be written?"""
    found = _OPEN.match(wrapping)
    return block.ours and found is not None and found["digest"] == block.digest


# ---- finding


def blocks(text: str, label: str) -> list[Block]:
    """The whole blocks of that label. Markers inside a code fence only speak of blocks."""
    opened = _opening_markers(text, label)
    if not opened:
        return []
    closed = _closing_markers(text, label)
    starts = [found.start() for found in closed]
    # An opening marker that is followed by another one before it is closed has lost its end.
    limits = [*(found.start() for found in opened[1:]), len(text)]
    pairs = zip(opened, limits, strict=True)
    ends = [(found, limit, bisect_left(starts, found.end())) for found, limit in pairs]
    return [
        _block(text, found, closed[n])
        for found, limit, n in ends
        if n < len(starts) and starts[n] < limit
    ]


def open_blocks(text: str, label: str) -> list[Block]:
    """The blocks of that label that have lost their end.

    What still has its hash ends where that does. Of any other nobody knows the end: it reaches to the next
    block of ours, or to the end of the text.
    """
    opened = _opening_markers(text, label)
    whole = {block.start for block in blocks(text, label)} if opened else set[int]()
    starts = [found.start() for found in _outside_fences(text, _OPEN)] if opened else []
    found: list[Block] = []
    for marker in opened:
        if marker.start() in whole:
            continue
        after = bisect_left(starts, marker.end())
        limit = starts[after] if after < len(starts) else len(text)
        left = text[marker.end() : limit]
        own = _own_part(left, marker["digest"])
        content, size = own or (left, len(left))
        end = marker.end() + size
        new = marker["new"] is not None
        gap = int(marker["gap"] or 0)
        found.append(Block(marker.start(), end, gap, new, marker["digest"], content))
    return found


def _own_part(text: str, digest: str) -> tuple[str, int] | None:
    """What it begins with, if that has this hash, and how long that is; it ends with a line."""
    found, size = hashlib.sha256(), 0
    for line in text.splitlines(keepends=True)[:MOST_LINES]:
        size += len(line)
        # The last line of a file may have lost its break together with the marker.
        whole = line.replace("\r\n", "\n") if line.endswith("\n") else f"{line}\n"
        if not line.endswith("\n") and size < len(text):
            whole = line
        found.update(whole.encode(errors="surrogateescape"))
        if found.hexdigest() == digest:
            lost = "" if text[:size].endswith("\n") else "\n"
            return text[:size] + lost, size
    return None


def labels(text: str) -> list[str]:
    """The labels of all blocks, each once."""
    return list(dict.fromkeys(found[1] for found in _outside_fences(text, _OPEN)))


def has_marker(text: str, label: str) -> bool:
    """Is there an opening marker of that label, with or without its end?"""
    return bool(_opening_markers(text, label))


def _block(text: str, opened: re.Match[str], closed: re.Match[str]) -> Block:
    return Block(
        opened.start(),
        closed.end(),
        int(opened["gap"] or 0),
        opened["new"] is not None,
        opened["digest"],
        text[opened.end() : closed.start()],
    )


def _opening_markers(text: str, label: str) -> list[re.Match[str]]:
    if f"everthread:{label} " not in text:
        return []
    return [found for found in _outside_fences(text, _OPEN) if found[1] == label]


def _closing_markers(text: str, label: str) -> list[re.Match[str]]:
    line = rf"^{re.escape(_closing_line(label))}[ \t]*(?:\r?\n|\Z)"
    return _outside_fences(text, lazy_pattern(line, re.MULTILINE))


def _outside_fences(text: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    spans = list(_fence_spans(text))
    return [found for found in pattern.finditer(text) if not _inside(found.start(), spans)]


def _inside(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _fence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where code fences are. One that is never closed is none: all that follows would be in it."""
    lines, at = list(_FENCE.finditer(text)), 0
    hopeless = {"`": len(text) + 1, "~": len(text) + 1}
    while at < len(lines):
        fence = lines[at][1]
        # What no later line closes, none closes for a longer fence either: look only once.
        end = _fence_end(lines, at) if len(fence) < hopeless[fence[0]] else None
        if end is None:
            hopeless[fence[0]] = min(hopeless[fence[0]], len(fence))
            at += 1
        else:
            yield lines[at].start(), lines[end].end()
            at = end + 1


def _fence_end(lines: list[re.Match[str]], at: int) -> int | None:
    fence = lines[at][1]
    for n in range(at + 1, len(lines)):
        if lines[n][1].startswith(fence) and not lines[n][2].strip():
            return n
    return None


# ---- changing


def append_block(text: str | None, block: str) -> str:
    """The text with the block at its end, a blank line before it; None: a file of our own."""
    if text is None:
        return _with_marker_fields(block, gap=0, new=True, eol="\n")
    eol = eol_of(text)
    gap = 0 if not text or text.endswith(eol * 2) else 1 if text.endswith("\n") else 2
    return text + eol * gap + _with_marker_fields(block, gap=gap, new=False, eol=eol)


def replace_block(text: str, old: Block, block: str, below: str = "") -> str:
    """The text with the block in the old one's place, and what is to stand below it."""
    fresh = _with_marker_fields(block, gap=old.gap, new=old.new, eol=eol_of(text))
    return text[: old.start] + fresh + below + text[old.end :]


def remove_block(text: str, block: Block, floor: int = 0) -> str:
    """The text as it was before the block, plus what was written since.

    `floor`: the end of the block before it, whose last line break is none of the gap.
    """
    before, after = text[: block.start], text[block.end :]
    if (handed := _pass_gap_on(after, block.gap)) is not None:
        return before + handed
    bare = before[:floor] + _without_gap(before[floor:], block.gap)
    # Two lines of theirs never become one.
    apart = not bare or not after or bare[-1] in "\r\n" or after[0] in "\r\n"
    return (bare if apart else before) + after


def _pass_gap_on(after: str, gap: int) -> str | None:
    """If another block follows at once, it takes the removed one's place, and its gap."""
    breaks = _BREAKS.match(after)
    found = _OPEN.match(after, breaks.end()) if breaks else None
    if found is None or after.count("\n", 0, found.start()) != int(found["gap"] or 0):
        return None
    line = re.sub(r"(?: gap:\d)?(?= sha256:)", f" gap:{gap}", found[0], count=1)
    return line + after[found.end() :]


def _without_gap(before: str, gap: int) -> str:
    for breaks in ("\r\n" * gap, "\n" * gap):
        if before.endswith(breaks):
            return before[: len(before) - len(breaks)]
    # Somebody took some of it away.
    found = re.search(rf"(?:\r?\n){{0,{gap}}}\Z", before)
    return before[: found.start()] if found else before


def _with_marker_fields(block: str, *, gap: int, new: bool, eol: str) -> str:
    told = f"{' new' if new else ''} gap:{gap} sha256:"
    return block.replace(" sha256:", told, 1).replace("\n", eol)


def eol_of(text: str) -> str:
    """As the file has its first line break, so it has ours.

    Where it has none but ends with a carriage return, a bare one of ours would become its other half.
    """
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
