"""A command that would rather ask us than open the store: may we stand in for it, and whom does it mean?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from everthread import __version__
from everthread.domain.errors import EverthreadError

if TYPE_CHECKING:
    from .core import DaemonCore


def may_stand_in(served: DaemonCore, said: Mapping[str, Any]) -> bool:
    """Would the command do the same as we: of one version, by the same settings, on the same file?"""
    own = served.identity()
    return (
        said.get("version") == __version__
        and said.get("settings") == served.settings.sign()
        and said.get("user") == os.environ.get("HOME")
        and own is not None
        and said.get("store") == list(own)
    )


def meant_by(served: DaemonCore, said: Mapping[str, Any]) -> dict[str, str | None]:
    """Whom and which project the command means; no agent where it had better find out itself."""
    from everthread.edges.harnesses.agent_choice import agent_meant  # noqa: PLC0415 - after listening
    from everthread.wiring import project_folder  # noqa: PLC0415 - after listening

    asked, folder = said.get("agent"), said.get("folder")
    if not isinstance(asked, str) or not isinstance(folder, str):
        return {"agent": None}
    try:
        agent = agent_meant(served.engine(), asked, folder, served.settings.home)
    except (EverthreadError, ValueError):
        return {"agent": None}
    return {"agent": agent.name, "project": project_folder(folder) if folder else None}
