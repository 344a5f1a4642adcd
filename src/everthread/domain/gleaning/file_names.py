"""Under which name a file is carried: as it was written, and one file under one name.

Two names are one file only where that is sure: a bare name or a path of the project beside the whole path
that ends with it, and `README` beside the `README.md` of the same folder. `app/main.ts` and
`web/app/main.ts` are two.
"""

from __future__ import annotations

from collections.abc import Iterable

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.specifics_shapes import BARE, EXTENSIONS

_WHOLE = lazy_pattern(r"[/~\\]|[A-Za-z]:[/\\]")
"""So begins a path that says all."""
_COMPARED = lazy_pattern(r"(?:diff --git |(?:---|\+\+\+) )\"?[abciwo]/")
_SIDE = lazy_pattern(r"[abciwo]/(?=.)")
"""What `git diff` writes before the name of each side."""


def written_path(text: str, line: str) -> str:
    """A path without what only leads to it; `line` is where it stands."""
    path = text.rpartition("=")[2].removeprefix("./").rstrip("/:,")
    return _SIDE.sub("", path, count=1) if _COMPARED.match(line.lstrip()) else path


def are_one_file(one: str, other: str) -> bool:
    """Do both name the same file?"""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if short == long:
        return True
    if long.endswith(f"/{short}"):
        return "/" not in short or _WHOLE.match(long) is not None
    return _only_lacks_ending(short, long)


def _only_lacks_ending(short: str, long: str) -> bool:
    """`README` and `README.md` of one folder; but not `Dockerfile` and `Dockerfile.dev`."""
    stem, dot, ending = long.rpartition(".")
    return (
        bool(dot)
        and stem == short
        and short.rpartition("/")[2] in BARE
        and ending.lower() in EXTENSIONS
    )


def names_of(known: Iterable[str], path: str) -> list[str]:
    """The names under which the file is known, the longest first; none where several may be meant."""
    names = [name for name in known if name != path]
    same = sorted((name for name in names if are_one_file(name, path)), key=len, reverse=True)
    if sum(len(name) > len(path) for name in same) > 1:
        return []  # a short name that several longer ones end with is told as it was written
    every = {*same, path}
    return [name for name in same if not _means_others(name, names, every)]


def _means_others(name: str, names: Iterable[str], these: set[str]) -> bool:
    """May the name mean yet another file as well?"""
    return any(are_one_file(name, other) for other in names if other not in these)
