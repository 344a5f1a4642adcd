"""The daemon with every login: the file of a service manager, planned and shown as the others are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from everthread.edges.daemon import service as manager
from everthread.edges.hooks.command import stable_interpreter

from .changes import Change, content
from .installation import Plan
from .parts import FoundHarness, Machine, OwnFile, Part

if TYPE_CHECKING:
    from everthread.edges.daemon.service import Service
    from everthread.settings import Settings


class Login:
    """Speaks of a service as the installers speak of a harness."""

    name = "service"
    title = "The daemon as a service"

    def __init__(self, settings: Settings) -> None:
        self.service: Service = manager.service_for(settings, stable_interpreter().path)

    def find(self, around: Machine) -> FoundHarness | None:
        return None

    def parts(self, around: Machine) -> list[Part]:
        text = self.service.text.encode()
        return [OwnFile(self.service.path, text, "starts the daemon with every login")]

    def advice(self, around: Machine) -> list[str]:
        return []

    def sessions(self, around: Machine) -> Iterable[Path]:
        return ()

    def start(self) -> list[str]:
        """Write the file and tell the service manager; what was done."""
        return manager.install(self.service)

    def removal(self) -> Plan:
        """What taking it back would change; nothing if it is not there."""
        data = content(self.service.path)
        change = Change(self.service.path, data, None, "the service goes", owned=True)
        return Plan(self, [] if data is None else [change], [])

    def stop(self) -> list[str]:
        return manager.remove(self.service)
