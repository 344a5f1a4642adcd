"""The tool gate: while a task is open, harnesses ask us before a tool runs (R-32).

Which tasks are open, the marks in `run/tasks` of the home folder tell. Whoever sees that they and the
registration differ settles it: a command after its verb, or the daemon on its round.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from everthread.domain.errors import InstallRefused

from .parts import gate_state

if TYPE_CHECKING:
    from everthread.settings import Settings

log = logging.getLogger("everthread.install")


def is_wanted(home: Path) -> bool:
    """Should they? While a task is open."""
    return (home / "run" / "tasks").is_dir()


def settle(settings: Settings) -> bool:
    """Have every harness that is installed ask, or ask no more; was there anything to do?

    One that cannot be changed is told in the log, and tried again with the next task.
    """
    home = settings.home
    open_now = is_wanted(home)
    if open_now == gate_state(home).exists():
        return False
    from .installation import install, plan  # noqa: PLC0415 - most commands have nothing to settle
    from .machine import book_of, installers_in_use, place_client, this_machine  # noqa: PLC0415 - as above

    seen = replace(this_machine(settings), gate=open_now)
    for each in installers_in_use(seen):
        known = book_of(seen, each)
        if known is None:
            continue
        there = replace(seen, plain=known.form == "plain")
        try:
            place_client(settings)
            install(plan(each, there), there)
        except (InstallRefused, OSError) as trouble:
            log.warning("the tool gate of %s is as it was: %s", each.name, trouble)
    if open_now:
        gate_state(home).touch()
    else:
        gate_state(home).unlink(missing_ok=True)
    return True
