"""By which way a command comes to its answer: another daemon, the one of this machine, or the store.

Where EVERTHREAD_URL names a daemon, that one is asked. Else, where the daemon of this home folder serves
the very store that the command would open, it is asked over its Unix socket; what it has not done the
command does itself, in the same words.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from everthread import __version__

from .options import Choice, folder_here, settings_of
from .remote import AgentAtDaemon, Document, agent_at_daemon, without_secrets

if TYPE_CHECKING:
    from everthread.edges.http.local_daemon import LocalDaemon
    from everthread.settings import Settings


def daemon_or_store(
    choice: Choice,
    ask: Callable[[AgentAtDaemon], Document],
    alone: Callable[[], Document],
    *,
    look: str = "",
    near: bool = True,
) -> Document:
    """The answer: from a daemon where there is one to ask, else from the store.

    `look`: the command that shows whether a write was done. `near`: may our own daemon answer?
    """
    from everthread.domain.errors import OutcomeUnknown

    try:
        if far := agent_at_daemon(choice):
            return without_secrets(ask(far))
        answer = _ask_local_daemon(choice, ask) if near else None
    except OutcomeUnknown as lost:
        raise OutcomeUnknown(f"{lost}. See first, then repeat it: {look}") from lost
    return alone() if answer is None else answer


def without_agent(answer: Document) -> Document:
    """The daemon says whose it is; who asked the store itself knows."""
    return {name: value for name, value in answer.items() if name != "agent"}


def daemon_unfit() -> Exception:
    """To raise where our own daemon's answer will not do: the store gives a better one."""
    from everthread.edges.http.local_daemon import NotTaken

    return NotTaken()


def _ask_local_daemon(choice: Choice, ask: Callable[[AgentAtDaemon], Document]) -> Document | None:
    settings = settings_of(choice)
    hello = None if choice.store or settings.direct == "on" else _hello(choice, settings)
    line = None if hello is None else _connect(settings)
    if hello is None or line is None:
        return None
    from everthread.edges.http.local_daemon import NotTaken

    with line:
        try:
            met = line.meet(hello)
            if met.get("agent") is None:
                return None
            return ask(AgentAtDaemon(line, met["agent"], here=True, project=met.get("project")))
        except NotTaken:
            return None


def _hello(choice: Choice, settings: Settings) -> Document | None:
    """Who we are and what we would open; None where that is no file that a daemon could have too."""
    if "://" in settings.store_target:
        return None
    try:
        seen = os.stat(settings.store_target)  # noqa: PTH116 - as the daemon looks at it
    except OSError:
        return None
    if not seen.st_size:
        return None
    return {
        "version": __version__,
        "settings": settings.sign(),
        "user": os.environ.get("HOME"),
        "store": [seen.st_dev, seen.st_ino],
        "agent": choice.agent or settings.agent,
        "folder": folder_here(),
    }


def _connect(settings: Settings) -> LocalDaemon | None:
    from everthread.edges.daemon.places import Places

    place = Places(settings.home).socket
    if not place.exists():
        return None  # the usual case without a daemon: nothing more is loaded
    from everthread.edges.http.local_daemon import LocalDaemon

    try:
        return LocalDaemon(place)
    except OSError:
        return None  # nobody listens, or it is not ours
