"""The places that a call of a tool names: where it would work, and the files that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

FOLDERS = frozenset({"workdir", "cwd", "directory", "dir_path"})
"""By these names a shell is told in which folder to run."""

LONGEST_PATH = 4_096
DEEPEST = 50

_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)


def is_within(path: str, project: str) -> bool:
    """Is the one path the other, or below it? Both are real paths."""
    return path == project or path.startswith(project.rstrip("/") + "/")


def places_named(given: object, depth: int = 0) -> Iterator[str]:
    """Every text of a call that could name a file or a folder; of a patch, the files it is about."""
    if isinstance(given, str):
        yield from _places(given)
    elif depth < DEEPEST and isinstance(given, Mapping):
        for value in cast("Mapping[object, object]", given).values():
            yield from places_named(value, depth + 1)
    elif depth < DEEPEST and isinstance(given, Sequence) and not isinstance(given, bytes):
        for value in cast("Sequence[object]", given):
            yield from places_named(value, depth + 1)


def _places(text: str) -> Iterator[str]:
    found = [text, text.strip(), text.removeprefix("file://")]
    found += [match[1].strip() for match in _PATCHED.finditer(text)]
    yield from (place for place in found if 0 < len(place) <= LONGEST_PATH and "\0" not in place)
