"""Bringing in what was said elsewhere: plain messages for one agent, or an export for the whole store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.domain.errors import ImportRefused
from everthread.edges.http.problems import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everthread.edges.http import inputs
    from everthread.edges.http.call import Call

Document = dict[str, Any]


def bring(call: Call, wanted: inputs.Lines) -> Document:
    """Bring in plain messages, one JSON object a line or one array; those of known ids are left out."""
    done = call.engine.backfill(call.agent, _text(wanted.file))
    if done.added:
        call.engine.nudge()  # as for what is recorded
    return done._asdict()


def bring_all(call: Call, wanted: inputs.Lines) -> Document:
    """Bring in what `everthread export --raw` wrote, all of it or nothing."""
    if not call.key.rules:
        raise Refused(403, "this is about the whole store; the token is bound to agents")
    brought = call.engine.import_lines(_text(wanted.file))
    return {"agents": [each._asdict() for each in brought]}


def _text(file: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(file, 1):
        try:
            yield line.decode()
        except UnicodeDecodeError as wrong:
            raise ImportRefused(
                f"line {number} is not text in UTF-8; nothing was imported"
            ) from wrong
