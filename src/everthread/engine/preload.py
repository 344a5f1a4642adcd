"""What a command that only looks does without, and who talks needs: loaded before the first turn."""

from __future__ import annotations

from importlib import import_module

_TURNS = (
    "everthread.domain.given.packing",
    "everthread.services.archive.record",
    "everthread.services.giving.inject",
    "everthread.services.turns.sender",
    "everthread.services.distilling.notice",
    "everthread.engine.turn",
)


def prepare_turns() -> None:
    """Load what the first turn, record or recall would otherwise wait for."""
    for name in _TURNS:
        import_module(name)
