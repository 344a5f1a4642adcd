"""A project's agent: how it is named, and which agent is meant when nobody says."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Sequence

DIGITS = 6
LONGEST_FOLDER = 90

_FOREIGN = re.compile(r"[^A-Za-z0-9._@+-]+")
_OF_PROJECT = re.compile(rf".+-[0-9a-f]{{{DIGITS}}}")


def project_name(root: str, *, home: str) -> str | None:
    """The agent of the project whose canonical root this is; None for the root and the home folder.

    The digits tell two folders of one name apart.
    """
    if root.rstrip("/") in {"", home.rstrip("/")}:
        return None
    folder = root.rstrip("/").rpartition("/")[2].removesuffix(".git")
    # A file name can hold bytes that are no text; they must not keep the name from being made.
    digest = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{_plain(folder)}-{digest[:DIGITS]}"


def _plain(folder: str) -> str:
    """What an agent's name may hold of a folder's."""
    return _FOREIGN.sub("-", folder).lstrip("._@+-")[:LONGEST_FOLDER] or "project"


def meant_agent(project: str | None, known: Collection[str]) -> str | None:
    """Whom a command speaks of when nobody says: the project's agent, else the only one there is."""
    if project in known:
        return project
    return next(iter(known)) if len(known) == 1 else None


def meant_agent_of_tools(
    project: str | None,
    chosen: str,
    known: Collection[str],
    has_kept: Callable[[str], bool] = lambda _: False,
) -> str | None:
    """Whose memory the tools of a model work on: the project's agent, where there is one already.

    Else the one that is set, else the only one: as commands have it. But the agents of other projects
    are not for this one to read; where there is none but them, it is the project's own, which the first
    word makes. Of several, the one that has kept something of this folder stays the one, whoever else
    comes: what was stored is to be found from where it was stored.
    """
    if project is None:
        return chosen or (next(iter(known)) if len(known) == 1 else None)
    if project in known:
        return project
    if chosen:
        return chosen
    others = [name for name in known if not _OF_PROJECT.fullmatch(name)]
    if len(others) > 1:
        others = [name for name in others if has_kept(name)]
    return others[0] if len(others) == 1 else project


def task_holder(own: str | None, holders: Sequence[str]) -> str | None:
    """Whose task is meant, of all who have such a one here: the project's agent, else the only other."""
    if own in holders:
        return own
    return holders[0] if len(holders) == 1 else None
