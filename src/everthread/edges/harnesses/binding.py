"""Whose memory a folder is: which agent its sessions belong to, or that they are left alone.

By default a project is an agent. `<home>/projects.toml` of the user and `.everthread.toml` of a
project bind it to a named one, or switch it off; the user's own file has the last word. Neither can
do anything else. Each speaks for its folder and all below it, and the nearest counts.

A name that cannot be one, or a file that is no TOML, is told of, and the project is kept under its own
name. But where the file may mean that nothing is to be kept, nothing is: that could not be taken back.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Iterable, Sequence
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple, cast

from everthread.domain.agents import checked_name
from everthread.domain.errors import BadInput
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
    around: str = ""
    """The folder around this one whose file says so; "" where it is this one's."""


class _FileWish(NamedTuple):
    """What files say of a folder."""

    place: str = ""
    agent: str | None = None
    off: str = ""
    """Why nothing is kept; "" if it may be."""
    warnings: tuple[str, ...] = ()
    open: bool = False
    """Does it say that it is kept?"""
    opened: str = ""
    """Where that is said."""
    named: str = ""
    """Where the agent is named."""


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
            return (*signs, _sign(f"/{PROJECT_FILE}"))
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
    around = _folders_around(_real(folder), _real(here))
    own = _nearest(_of_home(home, around), here)
    # The user has the last word on a folder, and so on those around it; not on one in it that is shut.
    spoken = {own.opened, "" if _is_above(own.named, here) else own.named}
    free = [*dropwhile(lambda each: each not in spoken, around)]
    theirs = _nearest(_of_project(around), here, free)
    warnings = (*own.warnings, *theirs.warnings)
    if off := own.off or theirs.off:
        return Binding(None, here, off, warnings, off=True)
    for wish in (own, theirs):
        if wish.agent is not None:
            found = Binding(wish.agent, here, f"bound in {wish.place}", warnings, said=True)
            above = wish.named if _is_above(wish.named, here) else ""
            return found._replace(claimed=wish is theirs, around=above)
    if root is None:
        reason = "the root and the home folder are no projects; bind them in projects.toml"
        return Binding(None, here, reason, warnings)
    agent = project_name(root, home=str(Path.home().resolve()))
    return Binding(agent, here, "the agent of this project", warnings)


def _folders_around(folder: str, root: str) -> list[str]:
    """The folder and those around it, the nearest first. A worktree lies beside its project, and is
    part of that before it is part of the folders that it lies in."""
    outer = [root, *map(str, Path(root).parents)]
    inner = [folder, *map(str, Path(folder).parents)]
    if root in inner:
        return inner
    return [*dict.fromkeys((folder, *outer, *inner))]


def _nearest(
    wishes: Iterable[tuple[str, _FileWish]], here: str, free: Sequence[str] = ()
) -> _FileWish:
    """What the nearest says of each. Whatever is switched off is so for all below, until one that is
    nearer opens it in so many words; that it names an agent does not do that. Not so for the folders
    that are `free`."""
    found = _FileWish()
    for folder, wish in wishes:
        found = found._replace(warnings=(*found.warnings, *wish.warnings))
        if wish.off and not found.opened and folder not in free:
            return found._replace(off=wish.off)
        if wish.open and not found.opened:
            found = found._replace(opened=folder)
        if found.agent is None and wish.agent is not None and _names_for(folder, here):
            found = found._replace(place=wish.place, agent=wish.agent, named=folder)
    return found


def _names_for(folder: str, here: str) -> bool:
    """Is the agent that is named for a folder that of this project too? A repository inside of it is a
    project of its own, and so is whatever lies in the home folder."""
    if not _is_above(folder, _real(here)):
        return True
    return folder not in {"/", _real("~")} and not Path(here, ".git").exists()


def _is_above(folder: str, here: str) -> bool:
    return folder != here and here.startswith(f"{folder.rstrip('/')}/")


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
    agent = engine.known_agent(binding.agent)
    if any(agent.works_in(each) for each in (binding.folder, binding.around) if each):
        return binding
    reason = (
        f"{binding.reason}, to an agent that has never worked here; to allow it, put "
        f"[{json.dumps(binding.folder)}] with agent = {json.dumps(binding.agent)} into projects.toml"
    )
    return binding._replace(agent=None, reason=reason, warnings=(*binding.warnings, reason))


def _of_home(home: Path, around: Sequence[str]) -> Iterable[tuple[str, _FileWish]]:
    """What the user says of these folders in the home folder, the nearest first."""
    place = home / HOME_FILE
    table = _table(place)
    if isinstance(table, _FileWish):
        yield around[0], table
        return
    told = {_real(path): (path, wish) for path, wish in reversed(table.items())}
    for folder in around:
        if folder in told:
            path, wish = told[folder]
            yield folder, _wish_of(wish, f"{place} ({path})")


def _of_project(around: Sequence[str]) -> Iterable[tuple[str, _FileWish]]:
    """What projects say of themselves and of all that is in them, the nearest first."""
    for folder in around:
        place = Path(folder, PROJECT_FILE)
        if place.is_file():
            table = _table(place)
            yield folder, table if isinstance(table, _FileWish) else _wish_of(table, str(place))


def _wish_of(table: object, place: str) -> _FileWish:
    """The wish that a table states. Where it is not clear that something may be kept, it is not."""
    if not isinstance(table, dict):
        return _FileWish(place, off=f"{place}: needs a table with agent or capture")
    given = cast("dict[str, Any]", table)
    agent, capture = given.get("agent"), given.get("capture")
    warnings = [f"{place}: {key!r} is nothing we know" for key in given if key not in KEYS]
    off = "" if capture is None or capture is True else f"switched off in {place}"
    if capture is not None and not isinstance(capture, bool):
        off = f"{place}: capture must be true or false; got {capture!r:.40}"
    if agent is not None and (wrong := _name_fault(agent)):
        agent = None
        warnings.append(f"{place}: {wrong}. Until it is right, the project goes by its own name")
    return _FileWish(place, agent, off, tuple(warnings), open=capture is True)


def _name_fault(agent: object) -> str:
    """Why this can name no agent; "" if it can."""
    if not isinstance(agent, str):
        return f"agent must be a name; got {agent!r:.40}"
    try:
        checked_name(agent)
    except BadInput as wrong:
        return str(wrong)
    return ""


def _table(place: Path) -> dict[str, Any] | _FileWish:
    """The file's table, or what follows from it that there is none to be read."""
    try:
        if place.stat().st_size > LARGEST:
            says = f"{place} is too large to be read; nothing is kept until it is right"
            return _FileWish(str(place), off=says)
        told = place.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as wrong:
        says = f"{place} cannot be read ({wrong}); nothing is kept until it is right"
        return _FileWish(str(place), off=says)
    try:
        return tomllib.loads(told.decode("utf-8"))
    except ValueError as wrong:
        says = f"{place} cannot be read ({wrong}); "
        # It may say that nothing is to be kept, in whatever encoding.
        if b"capture" in told.replace(b"\0", b"").lower():
            return _FileWish(str(place), off=f"{says}nothing is kept until it is right")
        return _FileWish(str(place), warnings=(f"{says}until then, it goes by its own name",))


def _real(path: str) -> str:
    try:
        return str(Path(path).expanduser().resolve())
    except (OSError, RuntimeError):
        return path
