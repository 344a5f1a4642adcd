"""An agent's export as JSON lines, without secrets: written to a nameless file first, then sent.

A slow reader would otherwise hold a state of the store for as long as it reads.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from typing import IO, TYPE_CHECKING

from starlette.responses import StreamingResponse

from everthread.services.transfer import Redacting

if TYPE_CHECKING:
    from .call import Call, Served

CHUNK = 256_000
LINES = "application/x-ndjson"


def poured(call: Call) -> IO[bytes]:
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


def sent(served: Served, file: IO[bytes]) -> StreamingResponse:
    """The file as an answer, piece by piece."""
    return StreamingResponse(_pieces(served, file), media_type=LINES)


async def _pieces(served: Served, file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while piece := await served.run(file.read, CHUNK):
            yield piece
