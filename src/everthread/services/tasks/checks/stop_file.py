"""Halt: has somebody put the STOP file into a project? It stops every task there."""

from __future__ import annotations

from everthread.domain.errors import EverthreadError
from everthread.services.tasks.desk import Desk

STOP_FILE = ".agentic-governance/STOP"


def has_stop_file(desk: Desk) -> bool:
    if desk.house.folders is None:
        return False
    try:
        return desk.house.folders.project_file(desk.project, STOP_FILE) is not None
    except EverthreadError:
        return True  # something stands there that cannot be read: better stopped than not
