"""This machine, as the installers see it: folders, programs, and the commands that hooks run."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from everthread.domain.errors import InstallRefused
from everthread.edges.daemon import running_daemon
from everthread.edges.daemon.places import Places
from everthread.edges.hooks.command import (
    command_for,
    install_client,
    limit_ms,
    stable_interpreter,
)
from everthread.edges.mcp.command import bridge_command

from .claude_code import ClaudeCode
from .codex import Codex
from .gemini import Gemini
from .install_log import InstallLog, load, log_path
from .installation import removal
from .openclaw import OpenClaw, OpenClawLegacy
from .opencode import OpenCode
from .parts import Installer, Machine, gate_state

if TYPE_CHECKING:
    from everthread.settings import Settings

INSTALLERS: tuple[Installer, ...] = (
    ClaudeCode(),
    Codex(),
    Gemini(),
    OpenCode(),
    OpenClaw(),
    OpenClawLegacy(),
)
NAMES = tuple(each.name for each in INSTALLERS)


def this_machine(settings: Settings, *, plain: bool = False, instructions: bool = False) -> Machine:
    """What the installers need to know."""
    return Machine(
        environ=os.environ,
        user=Path.home(),
        home=settings.home,
        socket=Places(settings.home).socket,
        hook=lambda harness, event: command_for(settings, harness, event),
        limit=lambda event: limit_ms(settings, event),
        mcp=bridge_command(settings),
        which=shutil.which,
        plain=plain,
        instructions=instructions,
        gate=gate_state(settings.home).exists(),
    )


def installer(name: str) -> Installer:
    return next(each for each in INSTALLERS if each.name == name)


def installers_here(around: Machine) -> list[Installer]:
    """The installers of the harnesses that are on this machine."""
    return [each for each in INSTALLERS if each.find(around) is not None]


def must_last() -> None:
    """A harness is not told to run a program that is gone tomorrow. Who works on a checkout knows best."""
    seen = stable_interpreter()
    if not seen.stable and Path(__file__).resolve().is_relative_to(Path(sys.prefix).resolve()):
        raise InstallRefused(
            f"{seen.why}: hooks that run it would soon fail. Install Everthread to stay, with "
            "`pipx install .` or `uv tool install .` in a checkout of it, and run install from there"
        )


def why_unspeakable(url: str) -> str:
    """Why hooks cannot bring their events to this address; nothing if they can, or if there is none."""
    if not url or url.startswith("http://"):
        return ""
    kind = url.partition("://")[0] if "://" in url else url
    return (
        f"hooks cannot speak {kind[:40]}: EVERTHREAD_URL must be http://HOST:PORT for them. Where the "
        "way is not your own, use a tunnel (ssh -L) or a proxy on this machine"
    )


def must_speak() -> None:
    """Hooks that could not bring a single event are not installed."""
    if wrong := why_unspeakable(os.environ.get("EVERTHREAD_URL", "")):
        raise InstallRefused(wrong)


def place_client(settings: Settings) -> None:
    """Put the hook client where the commands look for it."""
    install_client(settings)


def book_of(around: Machine, installer: Installer) -> InstallLog | None:
    """What was done for that harness; None if nothing was."""
    return load(around.home, installer.name)


def installers_in_use(around: Machine) -> list[Installer]:
    """The installers that have something to take back."""
    return [each for each in INSTALLERS if _is_installed(each, around)]


def _is_installed(installer: Installer, around: Machine) -> bool:
    if log_path(around.home, installer.name).exists():
        return True
    try:
        return bool(removal(installer, around).changes)
    except InstallRefused:
        return False


def retire(around: Machine, *, stop: bool) -> list[str]:
    """When no harness is left, the hook client goes, and the daemon if it is to; what was done."""
    if any(log_path(around.home, name).exists() for name in NAMES):
        return []
    shutil.rmtree(around.hooks, ignore_errors=True)
    places = Places(around.home)
    if not stop or running_daemon.lock_holder(places) is None:
        return []
    if running_daemon.stop(places):
        return ["the daemon has stopped: no harness needs it any more"]
    return ["the daemon does not stop; `everthread down` tries again"]
