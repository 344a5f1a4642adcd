"""An agent's export as JSON lines, without secrets, and a copy of the whole store, as it is.

Both are written to a nameless file first, then sent: a slow reader would otherwise hold a state of the
store for as long as it reads.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from starlette.responses import StreamingResponse

from everthread.services.upkeep.transfer import Redacting

from .problems import Refused

if TYPE_CHECKING:
    from .call import Call, DaemonCore

CHUNK = 256_000
BYTES = "application/octet-stream"
DRAFT = ".backup-"
LEFT_SECONDS = 86_400
"""A draft that is older was left by a process that is gone."""


def export_file(call: Call) -> IO[bytes]:
    """In a thread: the whole export, in a file that nobody else can open."""
    agent = call.agent
    file = tempfile.TemporaryFile(dir=call.settings.home)  # noqa: SIM115 - closed when it was sent
    try:
        call.engine.export(Redacting(lambda line: file.write(line.encode())), agent)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def backup_file(call: Call) -> IO[bytes]:
    """In a thread: the whole store in one consistent state, in a file that has no name any more."""
    if not call.key.rules:
        raise Refused(403, "this is the whole store; the token is bound to agents")
    if "://" in call.engine.location:
        raise Refused(
            409,
            "this store is on a PostgreSQL server: use pg_dump there, or `everthread backup` on the "
            "daemon's machine",
        )
    home = Path(call.settings.home)
    _tidy(home)
    with tempfile.TemporaryDirectory(dir=home, prefix=DRAFT) as folder:
        place = Path(folder, "copy.db")
        call.engine.backup(place)
        return place.open("rb")


def _tidy(home: Path) -> None:
    """Remove what a process left that was killed while it copied."""
    for draft in home.glob(f"{DRAFT}*"):
        if time.time() - draft.stat().st_mtime > LEFT_SECONDS:
            shutil.rmtree(draft, ignore_errors=True)


def file_response(served: DaemonCore, file: IO[bytes], kind: str) -> StreamingResponse:
    """The file as an answer, piece by piece. By its length a reader can tell that it was cut off."""
    length = str(os.fstat(file.fileno()).st_size)
    return StreamingResponse(_pieces(served, file), 200, {"Content-Length": length}, kind)


async def _pieces(served: DaemonCore, file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while piece := await served.run(file.read, CHUNK):
            yield piece
