"""The daemon as a service of the user's session: a systemd unit, or a launchd agent."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from everthread.settings import Settings, home_folder

from .places import OURS

SECONDS = 20.0


class Service(NamedTuple):
    """What a service manager is given, and how it is told."""

    path: Path
    text: str
    start: Sequence[Sequence[str]]
    stop: Sequence[Sequence[str]]
    """Told before the file is removed."""
    after: Sequence[Sequence[str]] = ()
    """Told when it is gone."""


def service_for(
    settings: Settings,
    interpreter: str,
    *,
    platform: str = sys.platform,
    environ: Mapping[str, str] = os.environ,
) -> Service:
    """The service of this home folder on this machine."""
    command = [interpreter, "-P", "-E", "-m", "everthread.edges.daemon", str(settings.home)]
    name = _name(settings.home, environ)
    home = Path(environ.get("HOME") or Path.home())
    if platform == "darwin":
        path = home / "Library" / "LaunchAgents" / f"dev.{name}.plist"
        told = (("launchctl", "load", "-w", str(path)),)
        return Service(path, launchd_agent(f"dev.{name}", command), told, (_unload(path),))
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    path = config / "systemd" / "user" / f"{name}.service"
    reload = ("systemctl", "--user", "daemon-reload")
    enable = ("systemctl", "--user", "enable", "--now", path.name)
    disable = ("systemctl", "--user", "disable", "--now", path.name)
    return Service(path, systemd_unit(command), (reload, enable), (disable,), (reload,))


def systemd_unit(command: Sequence[str]) -> str:
    """A unit of systemd. It is started again after a failure, not after `everthread down`."""
    return "\n".join(
        [
            "# Written by `everthread install --service`.",
            "[Unit]",
            "Description=Everthread, beside your coding harnesses",
            "",
            "[Service]",
            f"ExecStart={' '.join(map(_quote, command))}",
            "Restart=on-failure",
            "RestartSec=5",
            "KillMode=mixed",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def launchd_agent(label: str, command: Sequence[str]) -> str:
    """An agent of launchd, with the same manners."""
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
        '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n<dict>\n'
        f"  <key>Label</key>\n  <string>{escape(label)}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}\n  </array>\n"
        "  <key>RunAtLoad</key>\n  <true/>\n"
        "  <key>KeepAlive</key>\n  <dict>\n"
        "    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n"
        "</dict>\n</plist>\n"
    )


def install(service: Service) -> list[str]:
    """Write the file and start the service; what was done, in words."""
    done: list[str] = []
    if not service.path.exists() or service.path.read_text("utf-8") != service.text:
        service.path.parent.mkdir(mode=OURS, parents=True, exist_ok=True)
        made = service.path.with_name(f".{service.path.name}-{os.getpid()}")
        made.write_text(service.text, "utf-8")
        made.replace(service.path)
        done.append(f"wrote {service.path}")
    return [*done, *map(_run_command, service.start)]


def remove(service: Service) -> list[str]:
    """Stop the service and remove the file; what was done, in words. Nothing where there is none."""
    if not service.path.exists():
        return []
    done = [_run_command(command) for command in service.stop]
    service.path.unlink()
    return [*done, f"removed {service.path}", *map(_run_command, service.after)]


def _run_command(command: Sequence[str]) -> str:
    """Tell the service manager; where there is none, say how it would be told."""
    line = " ".join(command)
    if shutil.which(command[0]) is None:
        return f"not run, there is no {command[0]} here: {line}"
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"failed: {line}: {error}"
    if done.returncode:
        return f"failed: {line}: {done.stderr.strip()[:200] or done.returncode}"
    return f"ran {line}"


def _unload(path: Path) -> tuple[str, ...]:
    return ("launchctl", "unload", "-w", str(path))


def _name(home: Path, environ: Mapping[str, str]) -> str:
    """One name for the usual home folder, and one of its own for any other."""
    usual = home_folder({k: v for k, v in environ.items() if k != "EVERTHREAD_HOME"})
    if home == usual:
        return "everthread"
    return f"everthread-{hashlib.sha256(os.fsencode(home)).hexdigest()[:6]}"


def _quote(word: str) -> str:
    """A word as systemd reads it: quotes, and its own signs doubled."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + plain.replace("%", "%%").replace("$", "$$") + '"'
