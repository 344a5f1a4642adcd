"""What a text speaks of that can be looked at again: files and commits."""

from __future__ import annotations

import re

from .patterns import lazy_pattern

MOST_FILES = 20
MOST_COMMITS = 20
LONGEST_PATH = 300

_PATH = lazy_pattern(
    r"(?<![\w/.~-])(?:\./)?((?:[\w.@+-]+/)+[\w.@+-]*\w|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9})(?![\w/])"
)
_NAMED = lazy_pattern(
    r"\b(?:commit|revision|rev|sha|changeset)s?:?\s+([0-9a-f]{7,40})\b", re.IGNORECASE
)
_WHOLE = lazy_pattern(r"(?<![\w/.-])([0-9a-f]{40})(?![\w/.-])")


def paths_in(text: str) -> list[str]:
    """What may be paths of files below a folder, in order, each once. Whether they exist is not asked.

    Absolute ones and those that lead out of the folder are not among them.
    """
    found = (match[1] for match in _PATH.finditer(text))
    inside = (path for path in found if ".." not in path.split("/") and len(path) <= LONGEST_PATH)
    return list(dict.fromkeys(inside))[:MOST_FILES]


def commits_in(text: str) -> list[str]:
    """The commits that the text names as such, in order, each once.

    Of shorter ids only those after the word are taken: seven digits may be anything.
    """
    found = [(m.start(1), m[1].lower()) for rule in (_NAMED, _WHOLE) for m in rule.finditer(text)]
    return list(dict.fromkeys(commit for _, commit in sorted(found)))[:MOST_COMMITS]
