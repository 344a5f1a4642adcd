"""Under which name a file, or a link, is carried: as it was written, and one under one name.

Two names are one file only where that is sure: a bare name or a path of the project beside the whole path
that ends with it, and `README` beside the `README.md` of the same folder. `app/main.ts` and
`web/app/main.ts` are two.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_letters

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.specifics_shapes import BARE, EXTENSIONS

_WHOLE = lazy_pattern(r"[/~\\]|[A-Za-z]:[/\\]")
"""So begins a path that says all."""
_COMPARED = lazy_pattern(r"(?:diff --git |(?:---|\+\+\+) )\"?[abciwo]/")
_SCHEME = lazy_pattern(r"https?://(?:www\.)?|www\.")
_SIDE = lazy_pattern(r"[abciwo]/(?=.)")
"""What `git diff` writes before the name of each side."""


def written_path(text: str, line: str) -> str:
    """A path without what only leads to it; `line` is where it stands."""
    path = text.rpartition("=")[2].removeprefix("./").removeprefix(".\\").rstrip("/:,")
    return _SIDE.sub("", path, count=1) if _COMPARED.match(line.lstrip()) else path


def are_one_file(one: str, other: str) -> bool:
    """Do both name the same file?"""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    short, long = _with_slashes(short), _with_slashes(long)
    if short == long:
        return True
    if long.endswith(f"/{short}"):
        return "/" not in short or _WHOLE.match(long) is not None
    return _only_lacks_ending(short, long)


def _with_slashes(path: str) -> str:
    """As all write it but one system, for which `C:` and `c:` are one as well."""
    path = path.replace("\\", "/")
    drive = path[1:3] == ":/" and path[0] in ascii_letters  # asked of every pair: no pattern for it
    return f"{path[0].lower()}{path[1:]}" if drive else path


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


def known_link(known: Iterable[str], link: str) -> str:
    """The link as it is known: with `https://` before it, or without, it is one."""
    bare = _bare_link(link)
    return next((each for each in known if _bare_link(each) == bare), link)


def _bare_link(link: str) -> str:
    return _SCHEME.sub("", link, count=1).rstrip("/")
