"""Everthread keeps an AI agent's conversation going for ever, and proves it.

    import everthread
    et = everthread.connect()
    ada = et.agent("ada", system="You are Ada.")

Everything is loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
"""Not from `typing`, which takes longer to load than all that is here; type checkers know the name."""

if TYPE_CHECKING:
    from everthread import errors
    from everthread.engine import Agent, Everthread, Thread
    from everthread.engine.turn import Turn
    from everthread.settings import Settings
    from everthread.wiring import connect

__all__ = ["Agent", "Everthread", "Settings", "Thread", "Turn", "connect", "errors"]

_HOMES = {
    "Agent": "everthread.engine",
    "Everthread": "everthread.engine",
    "Settings": "everthread.settings",
    "Thread": "everthread.engine",
    "Turn": "everthread.engine.turn",
    "connect": "everthread.wiring",
}


def __getattr__(name: str) -> object:
    from importlib import import_module  # noqa: PLC0415 - the face itself stays free of imports

    if name == "errors":
        return import_module("everthread.errors")
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'everthread' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
