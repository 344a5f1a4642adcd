"""The command that a harness starts to speak with us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everthread.edges.daemon.places import Places
from everthread.edges.hooks.command import stable_interpreter

if TYPE_CHECKING:
    from everthread.settings import Settings


def bridge_command(settings: Settings) -> list[str]:
    """The command in exec form, with the absolute interpreter: what `install` writes."""
    places = Places(settings.home)
    module = "everthread.edges.mcp.bridge"
    return [
        stable_interpreter().path,
        "-I",
        "-m",
        module,
        str(places.home),
        str(places.socket),
    ]
