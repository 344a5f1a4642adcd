"""What a distillation leaves for people to read: a section of the daily file, and one of `MEMORY.md`.

Both files belong to the user. What we write stands between markers that carry its hash (`marked`);
all else survives byte for byte, and taking ours out gives back the bytes from before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from everthread.domain.errors import BadInput
from everthread.domain.gleaning.choices.answer_pairs import drop_unclear
from everthread.domain.gleaning.digest import Point, are_several_people
from everthread.domain.text.marked_blocks import (
    BEGIN,
    Block,
    append_block,
    blocks,
    eol_of,
    has_marker,
    is_unchanged,
    label_in,
    label_of,
    labels,
    open_blocks,
    remove_block,
    replace_block,
    wrap_block,
)
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.times import moment_of

from .harmless_text import harmless_line, harmless_prose
from .summaries_lines import RETOLD

MEMORY = "MEMORY.md"
FOLDER = "memory"

MOST_FACTS = 20
"""So many facts a section lists; the rest it only counts."""

LARGEST = 1_000_000
"""Bytes of a daily file. What would pass them goes into the next file of that day."""

LISTS: Mapping[str, tuple[str, ...]] = {
    "Key Facts": ("rule", "preference", "identity", "fact", "state", "done"),
    "Decisions": ("decision",),
    "Open Items": ("open_item",),
    "Corrections": ("correction", "failure"),
}
"""The lists of a section in the daily file, and the kinds of points in each."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Rules": ("rule",),
    "Preferences": ("preference",),
    "Identity": ("identity",),
    "Decisions": ("decision",),
    "Open items": ("open_item",),
    "Key facts": ("fact", "correction"),
}
"""The groups of the managed section, and the kinds of points in each."""

RANKS = ("rule", "identity", "preference", "correction", "decision", "open_item", "fact")
"""What is said as two kinds is kept as the one that comes first."""

NO_IDS: Mapping[Point, str] = {}

TITLE = (
    "## What Everthread remembers\n\n"
    "Renewed after every distillation and session. Write outside the markers: that stays as it is.\n"
)
BY_ID = (
    "\nA line ends with its id: `everthread memories edit ID TEXT` corrects it, `everthread forget ID` "
    "takes it back.\n"
)
UNKEPT = (
    "### Not kept as memories\n\n"
    "This was said, too, and the summary may tell it. `everthread recall WORDS` finds where it was said; "
    "`everthread remember TEXT` makes it a memory, with an id.\n"
)
KEPT = "## Kept from the section above: edited by hand"
"""Over what somebody wrote inside the markers of the managed section."""

_NOTE = "<!-- everthread:day. Between markers with a receipt is ours, all else is yours. -->"
_HEADER = lazy_pattern(
    rf"\ufeff?# Memory - \d{{4}}-\d\d-\d\d(?: \(\d+\))?\s+{re.escape(_NOTE)}\s*\Z"
)
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d", re.ASCII)

Outcome = Literal["written", "unchanged", "removed", "absent", "edited"]


class Change(NamedTuple):
    """A file's text after a change, and what became of our part of it."""

    text: str | None
    """None: no file."""
    outcome: Outcome
    """`edited`: somebody wrote inside the markers, and what they wrote is still there."""


def day_of(at_ms: int) -> str:
    """`2026-11-15`, UTC: the daily file of that moment."""
    return f"{moment_of(at_ms):%Y-%m-%d}"


def day_name(day: str, part: int = 1) -> str:
    """The name of a day's file: `2026-11-15.md`, then `2026-11-15.2.md`."""
    if not _DAY.fullmatch(day):
        raise BadInput(f"{day!r:.40} is no day; write it like 2026-11-15")
    return f"{day}.md" if part == 1 else f"{day}.{part}.md"


# ---- what is written


def section(
    receipt_id: str,
    *,
    number: int,
    at_ms: int,
    thread: str,
    summary: str,
    points: Sequence[Point] = (),
    title: str | None = None,
) -> str:
    """One distillation, for the daily file; or what `title` names instead, such as a session's end.

    One that has a single line to tell and nothing to list is that line: background work is distilled
    several times a day, and must not bury what people come to read.
    """
    moment, told = moment_of(at_ms), harmless_prose(summary)
    what = f"Distillation #{number}" if title is None else harmless_line(title)
    where = f"(thread: {harmless_line(thread)[:12]})"
    found = {name: _points_of(kinds, points) for name, kinds in LISTS.items()}
    if not any(found.values()) and "\n" not in told:
        said = harmless_line(told) or f"{what}: nothing to note."
        return wrap_block(label_of(receipt_id), f"- {moment:%H:%M} {said} {where}")
    counts = ", ".join(f"{name.lower()}: {len(items)}" for name, items in found.items())
    parts = [f"---\n\n## {what} - {moment:%H:%M} {where}"]
    parts += [f"### Summary\n\n{told}"] if told else []
    parts += [f"### Extracted\n\n{counts.capitalize()}"]
    named = are_several_people(points)
    for name, items in found.items():
        most = MOST_FACTS if name == "Key Facts" else len(items)
        if items:
            parts.append(f"#### {name}\n\n{_point_list(items, most, named=named)}")
    return wrap_block(label_of(receipt_id), "\n\n".join(parts))


def managed_section(points: Sequence[Point], ids: Mapping[Point, str] | None = None) -> str | None:
    """What `MEMORY.md` says of ours, grouped and dated; None if there is nothing to say.

    `ids`: by which id each is kept as a memory; None where that is not known yet.
    """
    told, named = drop_unclear(points), are_several_people(points)
    known = ids or {}
    found = {title: _points_of(kinds, told) for title, kinds in GROUPS.items()}
    once = _each_once([point for items in found.values() for point in items], known)
    found = {title: [p for p in items if p in once] for title, items in found.items()}
    unkept = [p for items in found.values() for p in items if ids is not None and p not in known]
    kept = {title: [p for p in items if p not in unkept] for title, items in found.items()}
    groups = [
        f"### {title}\n\n{_managed_list(items, known, named=named)}"
        for title, items in kept.items()
        if items
    ]
    if unkept:
        groups.append(f"{UNKEPT}\n{_managed_list(unkept, NO_IDS, named=named)}")
    head = f"{TITLE}{BY_ID}" if known else TITLE
    return wrap_block(BEGIN, "\n\n".join([head.strip(), *groups])) if groups else None


def _each_once(points: Iterable[Point], ids: Mapping[Point, str]) -> set[Point]:
    """Without what another line says of the same memory."""
    found: dict[str, dict[str, Point]] = {}

    def place(point: Point) -> tuple[bool, bool, int]:
        return point not in ids, point.by != "user", RANKS.index(_kind_of(point))

    for point in sorted(points, key=place):
        same = found.setdefault(harmless_line(point.text), {})
        if not same or point in ids:
            same.setdefault(ids.get(point, ""), point)
    return {point for same in found.values() for point in same.values()}


def _managed_list(items: list[Point], ids: Mapping[Point, str], *, named: bool) -> str:
    # A pinned point is never dropped for room.
    most = max(MOST_FACTS, sum(p.pinned for p in items))
    return _point_list(items, most, dated=True, named=named, ids=ids)


def is_listed(point: Point) -> bool:
    """Has it a place in the managed section?"""
    return any(_kind_of(point) in kinds for kinds in GROUPS.values())


def _kind_of(point: Point) -> str:
    """A pinned request is one that is still open."""
    return "open_item" if point.kind == "request" and point.pinned else point.kind


def _points_of(kinds: tuple[str, ...], points: Iterable[Point]) -> list[Point]:
    """Points of these kinds, each text once."""
    found: dict[str, Point] = {}
    for point in points:
        line = harmless_line(point.text) if _kind_of(point) in kinds else ""
        # What the user said too is no longer only somebody's report.
        if line and (line not in found or (point.by == "user" != found[line].by)):
            found[line] = point
    return list(found.values())


def _point_list(
    points: list[Point],
    most: int,
    *,
    dated: bool = False,
    named: bool = False,
    ids: Mapping[Point, str] = NO_IDS,
) -> str:
    """The weightiest as a list, in the order in which they were said; not the user's words say whose."""
    best = sorted(points, key=lambda p: (p.pinned, p.weight, p.at_ms), reverse=True)[:most]
    said = sorted((p for p in points if p in best), key=lambda p: p.at_ms)
    lines = [
        f"- {harmless_line(p.text)}{_attribution(p, dated=dated, named=named, memory=ids.get(p, ''))}"
        for p in said
    ]
    if len(points) > most:
        lines.append(f"- ... and {len(points) - most} more")
    return "\n".join(lines)


def _attribution(point: Point, *, dated: bool, named: bool, memory: str = "") -> str:
    """Whose words it gives, where not the user's; whether they hold, of which day, how often; its id."""
    told = [point.by] if point.by != "user" else []
    told += [RETOLD] if point.by == "user" and not point.verbatim else []
    told += ["since corrected"] if told and point.kind == "correction" else []
    told += [point.name] if named and point.by == "user" and point.name else []
    told += [day_of(point.at_ms)] if dated else []
    if point.series is not None:
        told.append(f"×{point.series.times} since {day_of(point.series.since_ms)}")
    told += [memory] if memory else []
    return f" ({', '.join(told)})" if told else ""


# ---- the daily file


def put_section(text: str | None, section: str, *, day: str, part: int = 1) -> Change:
    """The daily file with that section, once. Its earlier version is replaced, unless it was edited."""
    label = label_in(section)
    if text is None:
        return Change(append_block(_header(day, part), section), "written")
    found = blocks(text, label)
    if any(not block.ours for block in found) or (not found and has_marker(text, label)):
        return Change(text, "edited")
    if not found:
        return Change(append_block(text, section), "written")
    if any(is_unchanged(block, section) for block in found):
        return Change(text, "unchanged")
    return Change(replace_block(text, found[0], section), "written")


def sections_in(text: str) -> list[tuple[str, str]]:
    """What of ours stands in a daily file: of each section whose it is, and what it says."""
    found = [label for label in labels(text) if label != BEGIN]
    ids = (label.partition(" ")[2] for label in found)
    told = ("\n".join(block.content for block in blocks(text, label)) for label in found)
    return list(zip(ids, told, strict=True))


def is_untouched(text: str, receipt_id: str) -> bool:
    """Does that section stand there as we wrote it?"""
    found = blocks(text, label_of(receipt_id))
    return bool(found) and all(block.ours for block in found)


def day_in(name: str) -> str | None:
    """The day whose file has this name; None for any other file."""
    day, part = name[:10], name[10:].removesuffix(".md")
    fits = name.endswith(".md") and (not part or (part[0] == "." and part[1:].isdecimal()))
    return day if fits and _DAY.fullmatch(day) else None


def without_section(text: str | None, receipt_id: str) -> Change:
    """The daily file without the section of that receipt. One that somebody edited stays."""
    label = label_of(receipt_id)
    if text is None or not has_marker(text, label):
        return Change(text, "absent")
    found = blocks(text, label)
    for block, floor in _last_to_first(found):
        if block.ours:
            text = remove_block(text, block, floor)
    if not found or any(not block.ours for block in found):
        return Change(text, "edited")
    return Change(None if _HEADER.match(text) else text, "removed")


def put_day(texts: Sequence[str | None], section: str, day: str) -> tuple[int, Change]:
    """Which of a day's files to write (from 0; the next one if the last is full), and what into it.

    A section that is in one of them already stays in that one.
    """
    label = label_in(section)
    at = next((n for n, text in enumerate(texts) if text and has_marker(text, label)), None)
    if at is None:
        at = max(len(texts) - 1, 0)
        filled = _size(texts[at]) if texts else 0
        at += bool(filled) and filled + _size(section) > LARGEST
    text = texts[at] if at < len(texts) else None
    return at, put_section(text, section, day=day, part=at + 1)


def _header(day: str, part: int) -> str:
    return f"# Memory - {day}{f' ({part})' if part > 1 else ''}\n\n{_NOTE}\n"


def _size(text: str | None) -> int:
    return len((text or "").encode(errors="surrogateescape"))


# ---- MEMORY.md


def with_managed(text: str | None, managed: str | None) -> Change:
    """`MEMORY.md` with that managed section in the place of the one before; None takes ours out.

    Where somebody wrote inside the markers, what they wrote is moved below and is theirs from now on; so
    is all that follows a marker without its end.
    """
    if managed is not None:
        label_in(managed)
    found, lost = _managed_blocks(text or "")
    if text is None or not found:
        if managed is None:
            return Change(text, "absent")
        return Change(append_block(text, managed), "written")
    # What may be outdated never stands above what holds.
    whole = (block for block in found if block.ours)
    keep = found[0] if found[0] in lost else next(whole, found[0])
    if managed is not None and len(found) == 1 and not lost and is_unchanged(keep, managed):
        return Change(text, "unchanged")
    for block, floor in _last_to_first(found):
        text = _renew_managed(text, block, floor, managed if block is keep else None)
    if any(not block.ours for block in found):
        return Change(text, "edited")
    if managed is not None:
        return Change(text, "written")
    return Change(text if text or not any(block.new for block in found) else None, "removed")


def by_hand(text: str) -> str:
    """`MEMORY.md` without our section: what a person wrote, or may have."""
    found, lost = _managed_blocks(text)
    for block, floor in _last_to_first(found):
        if block.ours or block not in lost:
            text = remove_block(text, block, floor)
    return text


def _managed_blocks(text: str) -> tuple[list[Block], list[Block]]:
    """All managed sections, and those that have lost their end."""
    lost = open_blocks(text, BEGIN)
    return sorted([*blocks(text, BEGIN), *lost]), lost


def _renew_managed(text: str, block: Block, floor: int, managed: str | None) -> str:
    theirs = block.content if not block.ours and block.content.strip() else ""
    eol = eol_of(text)
    kept = f"{KEPT}{eol}{eol}{theirs}" if theirs else ""
    if managed is not None:
        return replace_block(text, block, managed, below=f"{eol}{kept}" if kept else "")
    if kept:
        return text[: block.start] + kept + text[block.end :]
    return remove_block(text, block, floor)


def _last_to_first(found: list[Block]) -> Iterator[tuple[Block, int]]:
    """From the last to the first, so that places stay true; with each, where the one before ends."""
    ends = (block.end for block in found)
    return reversed(list(zip(found, (0, *ends), strict=False)))
