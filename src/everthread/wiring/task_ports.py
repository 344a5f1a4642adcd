"""Who fills the ports of tasks: the projects they work in, and those who hear of them."""

from __future__ import annotations

from everthread.providers.commands import SystemCommands
from everthread.providers.git import GitVersions
from everthread.providers.markers import MarkerFiles
from everthread.providers.outbox import SystemOutbox
from everthread.providers.sentinels.plain import PlainSentinel
from everthread.providers.task_folder import TaskFolders
from everthread.providers.trust_file import TrustedFile

__all__ = [
    "GitVersions",
    "MarkerFiles",
    "PlainSentinel",
    "SystemCommands",
    "SystemOutbox",
    "TaskFolders",
    "TrustedFile",
]
