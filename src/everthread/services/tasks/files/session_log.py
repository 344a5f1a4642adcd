"""The log lines of tasks: for people with the service's name in front, for programs as JSON lines.

Both say the same. The lines that the protocol asks for are exactly as it asks.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from everthread.domain.errors import EverthreadError
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.governance import read_governance
from everthread.domain.tasks.tasks import Task
from everthread.domain.times import text_of
from everthread.services.tasks.desk import Desk

from .projection import folder_of

log = logging.getLogger("everthread.task")

FILE = "logs/session.log"
LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
CONFIG = ".agentic-governance/config.json"
LARGEST = 1_000_000
"""Bytes after which a log is put aside when the next session starts."""


def service_of(desk: Desk) -> str:
    """The name in front of log lines: the project's own, else that of the settings."""
    folders = desk.house.folders
    try:
        text = None if folders is None else folders.project_file(desk.project, CONFIG)
    except EverthreadError:
        text = None
    return read_governance(text).service or desk.house.policy.service


def log_line(
    desk: Desk, task: Task, message: str, *, level: str = "info", trace: str = "", **fields: Any
) -> str:
    """Log one line; the line. A folder that cannot be written keeps nobody from going on."""
    service = service_of(desk)
    line = f"[{service}] {_plain(strip_secrets(message))}"
    log.log(LEVELS[level], "%s", line)
    trace_id = trace or task.key_id.hex()
    entry = {
        "service": service,
        "time": text_of(desk.house.clock.now()).replace("Z", "+00:00"),
        "level": level,
        "trace_id": trace_id,
        "traceparent": f"00-{trace_id}-{desk.house.ids.new().hex()[16:]}-01",
        "task_slug": task.slug,
        "message": line,
        **Redactor().value(fields),
    }
    try:
        folder_of(desk, task, create=True).append(
            FILE, json.dumps(entry, ensure_ascii=False) + "\n"
        )
    except EverthreadError as trouble:
        log.warning("%s could not be written: %s", FILE, trouble)
    return line


def _plain(message: str) -> str:
    """One line, whatever somebody said in it: it can neither forge another nor command a terminal."""
    if message.isprintable():
        return message
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)


def rotate_log(desk: Desk, task: Task) -> None:
    """Put a log aside that has grown large; the next line begins a new one."""
    try:
        folder = folder_of(desk, task)
        if len(folder.read(FILE) or "") > LARGEST:
            aside = sum(name.startswith("session-") for name in folder.names("logs"))
            folder.move(FILE, f"logs/session-{aside + 1:03d}.log")
    except EverthreadError as trouble:
        log.warning("%s could not be put aside: %s", FILE, trouble)
