"""Links of a text to places in files: an editor's agent writes `[core.py](cci:7://file:///…/core.py:0:0-0:0)`.

Who reads it needs the label; the path is that of the file.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from .patterns import lazy_pattern

_LINK = lazy_pattern(
    r"\[(?P<label>(?:[^\[\]\n]|\[[^\[\]\n]{0,80}\]){1,160})\]"
    r"\((?:[a-z]{2,12}:\d{1,3}://)?file://(?P<path>/[^\s()]{1,400}(?:\([^\s()]{1,80}\)[^\s()]{0,200}){0,4})\)"
)
_AT = lazy_pattern(r"(?::\d+)+(?:-\d+(?::\d+)*)?$|#L\d+.*$")
_DRIVE = lazy_pattern(r"/[A-Za-z]:/")


class LocalLink(NamedTuple):
    """A link to a file, or to a place in it."""

    label: str
    path: str
    """As the machine has it: without the place, and without signs for signs."""


def local_links(text: str) -> list[LocalLink]:
    """Those that a text has, in order."""
    if "file://" not in text:
        return []
    return [LocalLink(found["label"].strip(" `"), _path(found)) for found in _LINK.finditer(text)]


def without_targets(text: str) -> str:
    """The text as it reads: of each link to a file only the label."""
    return _LINK.sub(lambda found: found["label"], text) if "file://" in text else text


def _path(found: re.Match[str]) -> str:
    path = unquote(_AT.sub("", found["path"], count=1))
    return path[1:] if _DRIVE.match(path) else path
