"""JSON as people write it, read with the place of everything: comments and commas too many are borne.

`read` gives the tree; `textedit` changes a text by it. Nothing here ever writes a whole file anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

DEEPEST = 200
"""No settings file nests deeper; one that does is left alone."""

_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_LOOSE = re.compile(r"[+-]?[\w.]+(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[^\W\d]\w*|\$[\w$]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_LOOSE_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n\ufeff]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Unreadable(ValueError):
    """The text is not JSON, comments allowed; says where."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: text[start:end]."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    raw: str = ""
    """A scalar as it is written."""
    items: tuple[Node, ...] = ()
    """What an array or object holds."""
    keys: tuple[str, ...] = ()
    """The names of what an object holds, in step with items."""
    key_starts: tuple[int, ...] = ()

    def at(self, step: str | int) -> Node | None:
        """What lies one step below; of two members with one name the last counts, as for everybody."""
        if isinstance(step, int):
            inside = self.kind == "array" and -len(self.items) <= step < len(self.items)
            return self.items[step] if inside else None
        place = self.place(step)
        return None if place is None else self.items[place]

    def place(self, key: str) -> int | None:
        """Which member of an object has this name."""
        found = [n for n, name in enumerate(self.keys) if name == key]
        return found[-1] if found else None

    def begins(self, number: int) -> int:
        """Where an element begins, its name included."""
        return self.key_starts[number] if self.kind == "object" else self.items[number].start

    def value(self) -> object:
        """The same in Python."""
        if self.kind == "object":
            return {k: n.value() for k, n in zip(self.keys, self.items, strict=True)}
        if self.kind == "array":
            return [each.value() for each in self.items]
        return _decode(self.raw)

    def shape(self) -> Node:
        """The same without places: two texts that say the same, scalars letter by letter, have one."""
        held = tuple(each.shape() for each in self.items)
        return Node(self.kind, 0, 0, self.raw, held, self.keys)


def parse(text: str, *, loose: bool = False) -> Node:
    """The tree of a text. `loose`: names without quotes and single quotes too (JSON5)."""
    reader = _Reader(text, loose=loose)
    root = reader.value(reader.gap(0), 0)
    end = reader.gap(root.end)
    if end != len(text):
        raise reader.wrong(end, "something follows the end")
    return root


def node_at(root: Node, path: Sequence[str | int]) -> Node | None:
    """What a path leads to."""
    node: Node | None = root
    for step in path:
        if node is None:
            return None
        node = node.at(step)
    return node


def gap(text: str, start: int) -> int:
    """The end of the blanks and comments that begin here."""
    place = start
    while found := _BLANK.match(text, place) or _COMMENT.match(text, place):
        place = found.end()
    return place


class _Reader:
    def __init__(self, text: str, *, loose: bool) -> None:
        self.text = text
        self.loose = loose

    def wrong(self, place: int, why: str) -> Unreadable:
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        return Unreadable(f"line {line}, column {column}: {why}")

    def gap(self, place: int) -> int:
        return gap(self.text, place)

    def value(self, place: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.wrong(place, f"nested more than {DEEPEST} deep")
        sign = self.text[place : place + 1]
        if sign == "{":
            return self.object(place, depth)
        if sign == "[":
            return self.array(place, depth)
        end = self.scalar(place)
        return Node("scalar", place, end, raw=self.text[place:end])

    def scalar(self, place: int) -> int:
        kinds = (_STRING, _SCALAR, *((_LOOSE_STRING, _LOOSE) if self.loose else ()))
        ends = [found.end() for kind in kinds if (found := kind.match(self.text, place))]
        if not ends:
            raise self.wrong(place, "a value is missing")
        return max(ends)

    def array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        place = self.gap(start + 1)
        while self.text[place : place + 1] != "]":
            item = self.value(place, depth + 1)
            items.append(item)
            place = self.after(item.end, "]")
        return Node("array", start, place + 1, items=tuple(items))

    def object(self, start: int, depth: int) -> Node:
        keys: list[str] = []
        starts: list[int] = []
        items: list[Node] = []
        place = self.gap(start + 1)
        while self.text[place : place + 1] != "}":
            end = self.name(place)
            colon = self.gap(end)
            if self.text[colon : colon + 1] != ":":
                raise self.wrong(colon, "a colon is missing")
            item = self.value(self.gap(colon + 1), depth + 1)
            keys.append(str(_decode(self.text[place:end])))
            starts.append(place)
            items.append(item)
            place = self.after(item.end, "}")
        return Node(
            "object",
            start,
            place + 1,
            items=tuple(items),
            keys=tuple(keys),
            key_starts=tuple(starts),
        )

    def name(self, place: int) -> int:
        kinds = (_STRING, *((_LOOSE_STRING, _NAME) if self.loose else ()))
        for kind in kinds:
            if found := kind.match(self.text, place):
                return found.end()
        raise self.wrong(place, "a name is missing")

    def after(self, end: int, close: str) -> int:
        """Over the comma behind an element; where the next begins, or the closing sign is."""
        place = self.gap(end)
        sign = self.text[place : place + 1]
        if sign == ",":
            return self.gap(place + 1)
        if sign == close:
            return place
        raise self.wrong(place, f"a comma or {close} is missing")


def _decode(raw: str) -> object:
    try:
        return json.loads(raw, strict=False)
    except ValueError:
        # JSON5, or a number that nobody could have meant: its text stands for it.
        if raw[:1] == "'":
            return _ESCAPE.sub(r"\1", raw[1:-1])
        return raw
