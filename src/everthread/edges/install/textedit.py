"""Small changes to a JSON text that leave every other byte where it is: comments, order, indentation.

Each change is read again and compared with what it should have become before anybody sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .jsontext import Node, Unreadable, gap, node_at, parse

Path = Sequence[str | int]

_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
EMPTY = "{}\n"


class Misfit(ValueError):
    """The settings have another shape than the harness knows; says where."""


class Text:
    """A JSON text under change. Every step leaves it valid, or raises and leaves it as it was."""

    def __init__(self, text: str, *, loose: bool = False) -> None:
        self.loose = loose
        self.text = text if text.strip("\ufeff \t\r\n") else EMPTY
        self.root = parse(self.text, loose=loose)
        if self.root.kind != "object":
            raise Unreadable("the whole is not an object in { }")

    def get(self, path: Path) -> object:
        """The value there; None if there is nothing."""
        node = node_at(self.root, path)
        return None if node is None else node.value()

    def has(self, path: Path) -> bool:
        return node_at(self.root, path) is not None

    def put(self, path: Sequence[str], value: object) -> list[tuple[str, ...]]:
        """Let the member be this; the containers that had to be made for it, outermost first."""
        made: list[tuple[str, ...]] = []
        for depth in range(1, len(path)):
            here = tuple(path[:depth])
            node = node_at(self.root, here)
            if node is None:
                rest = _nest(path[depth:], value)
                self._insert(here[:-1], here[-1], rest)
                return [tuple(path[:n]) for n in range(depth, len(path))]
            if node.kind != "object":
                raise Misfit(f"{'.'.join(here)} is not an object in {{ }}")
        node = node_at(self.root, path)
        if node is None:
            self._insert(tuple(path[:-1]), path[-1], value)
        elif node.value() != value:
            self._replace(node, path, value)
        return made

    def append(self, path: Sequence[str], value: object) -> list[tuple[str, ...]]:
        """Add to the array there; the containers that had to be made for it."""
        node = node_at(self.root, path)
        if node is None:
            return [*self.put(path, [value]), tuple(path)]
        if node.kind != "array":
            raise Misfit(f"{'.'.join(path)} is not an array in [ ]")
        self._insert(path, None, value)
        return []

    def drop(self, path: Path) -> None:
        """Take a member or an element out, with its comma; what is not there is not missed."""
        parent, last = node_at(self.root, path[:-1]), path[-1]
        if parent is None or parent.at(last) is None:
            return
        number = parent.place(last) if isinstance(last, str) else last % len(parent.items)
        assert number is not None
        wanted = _without(self.root.shape(), self._numbers(path[:-1]), number)
        self._settle(wanted, *_removals(self.text, parent, number))

    # ---- how

    def _numbers(self, path: Path) -> list[int]:
        """A path in numbers of members, as the tree counts them."""
        node, found = self.root, list[int]()
        for step in path:
            number = node.place(step) if isinstance(step, str) else step
            assert number is not None
            found.append(number)
            node = node.items[number]
        return found

    def _insert(self, path: Path, key: str | None, value: object) -> None:
        parent = node_at(self.root, path)
        if parent is None or parent.kind != ("array" if key is None else "object"):
            raise Misfit(f"{'.'.join(map(str, path)) or 'the whole'} has another shape")
        new = _shape(value)
        wanted = _with(self.root.shape(), self._numbers(path), key, new)
        self._settle(wanted, *self._inserted(parent, key, value))

    def _inserted(self, parent: Node, key: str | None, value: object) -> list[str]:
        """The text with a new last element: as its neighbours are written, then anyhow."""
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        if not parent.items:
            return [self._filled(parent, name, value)]
        text, stop = self.text, parent.items[-1].end
        comma = gap(text, stop)
        has_comma = text[comma : comma + 1] == ","
        here = _line_end(text, comma + 1 if has_comma else stop)
        head = text[:here] if has_comma else text[:stop] + "," + text[stop:here]
        compact = f"{name}{json.dumps(value, ensure_ascii=False)}"
        first = parent.begins(0)
        if "\n" in text[parent.start : first]:
            indent, end = _indent(text, first), _newline(text)
            new = f"{end}{indent}{name}{_dump(value, _unit(text), indent, end)}"
        else:
            spaced = len(parent.items) == 1 or text[parent.begins(1) - 1] == " "
            new = f"{' ' if spaced else ''}{compact}"
        place = comma if has_comma else stop
        anyhow = f"{text[:place]}, {compact}{text[place:]}"
        # Who ends the last one with a comma has it again when ours is taken out.
        tail = "," if has_comma else ""
        return [head + new + tail + text[here:], anyhow]

    def _filled(self, parent: Node, name: str, value: object) -> str:
        """The first element of something empty; a comment in it stays."""
        text = self.text
        end, unit, outer = _newline(text), _unit(text), _indent(text, parent.start)
        inside = text[parent.start + 1 : parent.end - 1].rstrip()
        body = name + _dump(value, unit, outer + unit, end)
        block = f"{inside}{end}{outer}{unit}{body}{end}{outer}"
        return text[: parent.start + 1] + block + text[parent.end - 1 :]

    def _replace(self, node: Node, path: Path, value: object) -> None:
        new = _shape(value)
        wanted = _alter(self.root.shape(), self._numbers(path), lambda _: new)
        indent = _indent(self.text, node.start)
        flat = "\n" not in self.text[node.start : node.end] and node.kind != "scalar"
        dumped = (
            json.dumps(value, ensure_ascii=False)
            if flat
            else _dump(value, _unit(self.text), indent, _newline(self.text))
        )
        self._settle(wanted, self.text[: node.start] + dumped + self.text[node.end :])

    def _settle(self, wanted: Node, *tries: str) -> None:
        """Take the first text that reads as it should."""
        for text in tries:
            try:
                root = parse(text, loose=self.loose)
            except Unreadable:
                continue
            if root.shape() == wanted:
                self.text, self.root = text, root
                return
        raise Misfit("it cannot be changed without touching what is not ours")


# ---- text


def _removals(text: str, parent: Node, number: int) -> list[str]:
    """The text without one element: tidily, then without regard for blanks."""
    start, end = parent.begins(number), parent.items[number].end
    after = gap(text, end)
    tidy_start = len(text[:start].rstrip(" \t\r\n"))
    if text[after : after + 1] == ",":
        rest = text[after + 1 :]
        if tidy_start == start:
            rest = rest.lstrip(" ")
        kept = text[end:after]
        return [
            text[:tidy_start] + kept + rest,
            text[:start] + kept + text[after + 1 :],
        ]
    if number == 0:
        # Alone: what is left is empty, and a comment in it stays.
        if not text[parent.start + 1 : start].strip() and not text[end : parent.end - 1].strip():
            return [text[: parent.start + 1] + text[parent.end - 1 :]]
        return [text[:tidy_start] + text[end:], text[:start] + text[end:]]
    comma = gap(text, parent.items[number - 1].end)
    before = text[:comma] + text[comma + 1 : tidy_start]
    return [before + text[end:], text[:comma] + text[comma + 1 : start] + text[end:]]


def _line_end(text: str, place: int) -> int:
    """Behind the comments that stand on this line after an element: they belong to it."""
    here = place
    while True:
        stop = here
        while text[stop : stop + 1] in (" ", "\t"):
            stop += 1
        comment = text[stop : stop + 2]
        if comment == "//":
            found = text.find("\n", stop)
            return len(text) if found < 0 else found - (text[found - 1] == "\r")
        if comment != "/*" or "\n" in text[stop : (close := text.find("*/", stop) + 2)]:
            return here
        here = close


def _indent(text: str, place: int) -> str:
    """The blanks at the beginning of the line of this place."""
    start = text.rfind("\n", 0, place) + 1
    line = text[start:place].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = _INDENTED.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _dump(value: object, unit: str, indent: str, end: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (end + indent).join(lines)


# ---- what it should become


def _nest(path: Sequence[str], value: object) -> object:
    for step in reversed(path):
        value = {step: value}
    return value


def _shape(value: object) -> Node:
    return parse(json.dumps(value, ensure_ascii=False)).shape()


def _with(shape: Node, path: Sequence[int], key: str | None, new: Node) -> Node:
    def work(node: Node) -> Node:
        keys = node.keys if key is None else (*node.keys, key)
        return replace(node, items=(*node.items, new), keys=keys)

    return _alter(shape, path, work)


def _without(shape: Node, path: Sequence[int], number: int) -> Node:
    def work(node: Node) -> Node:
        return replace(
            node,
            items=node.items[:number] + node.items[number + 1 :],
            keys=node.keys[:number] + node.keys[number + 1 :],
        )

    return _alter(shape, path, work)


def _alter(shape: Node, path: Sequence[int], work: Callable[[Node], Node]) -> Node:
    """The shape with one node of it worked on."""
    if not path:
        return work(shape)
    first, *rest = path
    new = _alter(shape.items[first], rest, work)
    return replace(shape, items=(*shape.items[:first], new, *shape.items[first + 1 :]))
