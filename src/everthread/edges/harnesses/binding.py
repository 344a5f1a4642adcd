"""Whose memory a folder is: which agent its sessions belong to, or that they are left alone.

By default a project is an agent. `<home>/projects.toml` of the user and `.everthread.toml` of a
project bind it to a named one, or switch it off; the user's own file has the last word. Neither can
do anything else.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any, NamedTuple, cast

from everthread.domain.harness.projects import project_name
from everthread.engine import Everthread
from everthread.wiring import project_folder

PROJECT_FILE = ".everthread.toml"
HOME_FILE = "projects.toml"
KEYS = ("agent", "capture")
LARGEST = 64_000


class Binding(NamedTuple):
    """What is known of a folder."""

    agent: str | None
    """Who keeps what is said there; None for nobody."""
    folder: str
    """The project's root; the folder itself where there is no project."""
    reason: str
    """Why it is that agent, or none."""
    warnings: tuple[str, ...] = ()
    claimed: bool = False
    """Does only a file of the project say so? Such a file may have come with somebody else's code."""
    said: bool = False
    """Does any file say so?"""
    off: bool = False
    """Does a file say that nothing is kept, or fail to say that it may be? Then nobody keeps it."""


class _FileWish(NamedTuple):
    """What one file says of a folder."""

    place: str = ""
    agent: str | None = None
    off: str = ""
    """Why nothing is kept; "" if it may be."""
    warnings: tuple[str, ...] = ()


_Signs = tuple[object, ...]
_known: dict[tuple[str, str], tuple[_Signs, Binding]] = {}
MOST_KNOWN = 256


def binding_of(folder: str, home: Path) -> Binding:
    """Which agent the sessions of that folder belong to. Without a folder: nobody.

    Every prompt asks, so the answer is kept for as long as nothing changed that it was read from.
    """
    if not folder:
        return Binding(None, "", "the event names no folder")
    signs, key = _signs(folder, home), (folder, str(home))
    held = _known.get(key)
    if signs is not None and held is not None and held[0] == signs:
        return held[1]
    found = _read_binding(folder, home)
    if signs is not None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = signs, found
    return found


def _signs(folder: str, home: Path) -> _Signs | None:
    """By what a change would be seen: the files that are read, as they are now.

    None where there is too much to look at: a `.git` that is a file leads elsewhere.
    """
    real = folder if _is_real(folder) else os.path.realpath(folder)
    signs: list[object] = [real, os.environ.get("HOME"), _sign(f"{home}/{HOME_FILE}")]
    if folder != real:
        signs.append(_sign(f"{folder}/{PROJECT_FILE}"))
    here = real
    while True:
        git = _sign(f"{here}/.git")
        if git is not None and not stat.S_ISDIR(git[0]):
            return None
        signs += [git, _sign(f"{here}/{PROJECT_FILE}")]
        above = here.rpartition("/")[0]
        if not above:
            return tuple(signs)
        here = above


def _is_real(folder: str) -> bool:
    """Is it a real path already? `realpath` finds that out too, and takes five times as long."""
    if not folder.startswith("/") or os.path.normpath(folder) != folder:
        return False
    try:
        while folder:
            if stat.S_ISLNK(os.lstat(folder).st_mode):
                return False
            folder = folder.rpartition("/")[0]
    except OSError:
        return False
    return True


def _sign(path: str) -> tuple[int, ...] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISLNK(found.st_mode):
        try:
            found = os.stat(path)  # noqa: PTH116 - as above
        except OSError:
            return (0,)
    return found.st_mode, found.st_ino, found.st_mtime_ns, found.st_size


def _read_binding(folder: str, home: Path) -> Binding:
    root = project_folder(folder)
    here = root or folder
    own, theirs = _of_home(home, here), _of_project(root, folder)
    warnings = (*own.warnings, *theirs.warnings)
    for wish in (own, theirs):
        if wish.off:
            return Binding(None, here, wish.off, warnings, off=True)
        if wish.agent is not None:
            reason = f"bound in {wish.place}"
            return Binding(wish.agent, here, reason, warnings, claimed=wish is theirs, said=True)
    if root is None:
        reason = "the root and the home folder are no projects; bind them in projects.toml"
        return Binding(None, here, reason, warnings)
    agent = project_name(root, home=str(Path.home().resolve()))
    return Binding(agent, here, "the agent of this project", warnings)


def bound_agent(engine: Everthread, folder: str, home: Path) -> Binding:
    """The same, unless a file that came with a project claims an agent of the user's.

    It would be given that agent's memory. A new name is fine, and one that has worked here before; for
    any other the user says so in projects.toml.
    """
    binding = binding_of(folder, home)
    if not binding.claimed or binding.agent is None:
        return binding
    if binding.agent not in {agent.name for agent in engine.agents()}:
        return binding
    if engine.known_agent(binding.agent).works_in(binding.folder):
        return binding
    reason = (
        f"{binding.reason}, to an agent that has never worked here; to allow it, put "
        f"[{json.dumps(binding.folder)}] with agent = {json.dumps(binding.agent)} into projects.toml"
    )
    return binding._replace(agent=None, reason=reason, warnings=(*binding.warnings, reason))


def _of_home(home: Path, folder: str) -> _FileWish:
    """What the user says of this folder in the home folder."""
    place = home / HOME_FILE
    table = _table(place)
    if isinstance(table, str):
        return _FileWish(str(place), off=table)
    real = _real(folder)
    for path, wish in table.items():
        if _real(path) == real:
            return _wish_of(wish, f"{place} ({path})")
    return _FileWish()


def _of_project(root: str | None, folder: str) -> _FileWish:
    """What the project says of itself: at its root, or where the harness works."""
    for base in dict.fromkeys((root, folder)):
        if base is not None and (place := Path(base) / PROJECT_FILE).is_file():
            return _wish_of(_table(place), str(place))
    return _FileWish()


def _wish_of(table: object, place: str) -> _FileWish:
    """The wish that a table states. Where it is not clear that something may be kept, it is not."""
    if isinstance(table, str):
        return _FileWish(place, off=table)
    if not isinstance(table, dict):
        return _FileWish(place, off=f"{place}: needs a table with agent or capture")
    given = cast("dict[str, Any]", table)
    agent, capture = given.get("agent"), given.get("capture", True)
    warnings = tuple(f"{place}: {key!r} is nothing we know" for key in given if key not in KEYS)
    off = "" if capture is True else f"switched off in {place}"
    if not isinstance(capture, bool):
        off = f"{place}: capture must be true or false; got {capture!r:.40}"
    if agent is not None and (not isinstance(agent, str) or not agent):
        off = f"{place}: agent must be a name; got {agent!r:.40}"
    return _FileWish(place, agent if isinstance(agent, str) else None, off, warnings)


def _table(place: Path) -> dict[str, Any] | str:
    """The file's table, or why it cannot be read."""
    try:
        if place.stat().st_size > LARGEST:
            return f"{place} is too large to be read; nothing is kept until it is right"
        return tomllib.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as wrong:
        return f"{place} cannot be read ({wrong}); nothing is kept until it is right"


def _real(path: str) -> str:
    try:
        return str(Path(path).expanduser().resolve())
    except (OSError, RuntimeError):
        return path
