"""Entries of ours in a harness's JSON settings: single members, and hooks in the shape that three share.

{"hooks": {"Stop": [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]}}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from everthread.domain.errors import InstallRefused

from .changes import Made
from .jsontext import Unreadable
from .textedit import Misfit, Text

Group = Mapping[str, Any]
"""A matcher with its hooks."""

HOOKS = "hooks"


class Entry(NamedTuple):
    """A member of the settings that is ours, or an element of an array."""

    path: tuple[str, ...]
    value: object
    in_array: bool = False
    shared: bool = False
    """A switch that others may need too: it is only taken back if we turned it on and nobody uses it."""


def edit_text(name: str, text: str, work: Callable[[Text], None], *, loose: bool = False) -> str:
    """The text after some work on it. What cannot be read or does not fit is told, and left alone."""
    try:
        settings = Text(text, loose=loose)
        work(settings)
    except (Unreadable, Misfit) as wrong:
        raise InstallRefused(f"{name}: {wrong}; mend it first, it was left alone") from wrong
    return settings.text


def put_entries(settings: Text, entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """Let these be there; the containers that were made for them."""
    made: list[tuple[str, ...]] = []
    for entry in entries:
        if not entry.in_array:
            if entry.shared and not settings.has(entry.path):
                made.append(entry.path)
            made += settings.put(entry.path, entry.value)
        elif entry.value not in _array(settings, entry.path):
            made += settings.append(entry.path, entry.value)
    return made


def drop_entries(settings: Text, entries: Sequence[Entry]) -> None:
    """Take these out, whatever their value is by now."""
    for entry in entries:
        if not entry.in_array:
            while not entry.shared and settings.has(entry.path):
                settings.drop(entry.path)
            continue
        held = _array(settings, entry.path)
        for number in reversed(range(len(held))):
            if held[number] == entry.value:
                settings.drop((*entry.path, number))


def prune(settings: Text, made: Made) -> None:
    """Take out what was made for our entries and serves nobody any more: empty containers, and switches
    that stand alone."""
    left = set(made)
    while gone := [path for path in left if _idle(settings, path)]:
        path = max(gone, key=len)
        settings.drop(path)
        left.discard(path)


def _idle(settings: Text, path: tuple[str, ...]) -> bool:
    if not settings.has(path):
        return False
    value = settings.get(path)
    if isinstance(value, dict | list):
        return not value
    beside = settings.get(path[:-1])
    return isinstance(beside, dict) and len(cast("dict[str, object]", beside)) == 1


# ---- hooks


def put_hooks(
    settings: Text, wanted: Mapping[str, Group], ours: Callable[[Sequence[object]], bool]
) -> list[tuple[str, ...]]:
    """Let exactly these groups be there; what is ours and not among them goes."""
    current: set[str] = set()
    for event, number, spot in _own_hooks(settings, ours):
        group = _groups(settings, event)[number]
        if event in wanted and event not in current and group == wanted[event]:
            current.add(event)
        else:
            _drop_hook(settings, event, number, spot)
    made: list[tuple[str, ...]] = []
    for event, group in wanted.items():
        if event not in current:
            made += settings.append((HOOKS, event), group)
    return made


def drop_hooks(settings: Text, ours: Callable[[Sequence[object]], bool]) -> None:
    """Take out every hook of ours, and no other."""
    for event, number, spot in _own_hooks(settings, ours):
        _drop_hook(settings, event, number, spot)


def _own_hooks(
    settings: Text, ours: Callable[[Sequence[object]], bool]
) -> list[tuple[str, int, int]]:
    """Where hooks of ours are (event, group, hook), the last ones first, so that they can be dropped."""
    held = settings.get((HOOKS,))
    if held is None:
        return []
    if not isinstance(held, dict):
        raise Misfit(f"{HOOKS} is not an object in {{ }}")
    found: list[tuple[str, int, int]] = []
    for event in cast("dict[str, object]", held):
        for number, group in enumerate(_groups(settings, event)):
            for spot, hook in enumerate(_hooks(group)):
                if ours(words_of(hook)):
                    found.append((event, number, spot))
    return found[::-1]


def words_of(hook: Mapping[str, Any]) -> list[object]:
    """The words of a hook's command."""
    args = hook.get("args")
    more = cast("list[object]", args) if isinstance(args, list) else []
    return [hook.get("command"), *more]


def _drop_hook(settings: Text, event: str, number: int, spot: int) -> None:
    group = _groups(settings, event)[number]
    alone = len(_hooks(group)) == 1
    where = (HOOKS, event, number)
    settings.drop(where if alone else (*where, HOOKS, spot))


def _groups(settings: Text, event: str) -> list[dict[str, Any]]:
    """The groups of an event. What is none counts as an empty one, so that numbers stay true."""
    return [_object(group) for group in _array(settings, (HOOKS, event))]


def _hooks(group: Mapping[str, Any]) -> list[dict[str, Any]]:
    held = group.get(HOOKS)
    return [_object(h) for h in cast("list[object]", held)] if isinstance(held, list) else []


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _array(settings: Text, path: Sequence[str]) -> list[object]:
    held = settings.get(path)
    if held is None:
        return []
    if not isinstance(held, list):
        raise Misfit(f"{'.'.join(path)} is not an array in [ ]")
    return cast("list[object]", held)
