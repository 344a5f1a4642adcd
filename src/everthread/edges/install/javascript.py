"""Plugins in JavaScript: the link to the daemon that all share, and the part of one harness."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .assets import asset
from .parts import Machine


def plugin_text(around: Machine, harness: str, events: Iterable[str], part: str) -> bytes:
    """The text of a plugin that speaks of these events as this harness."""
    names = list(events)
    link = asset(
        "link.js",
        harness=json.dumps(harness),
        socket=json.dumps(str(around.socket)),
        commands=json.dumps({name: list(around.hook(harness, name)) for name in names}),
        limits=json.dumps({name: around.limit(name) for name in names}),
        gate=json.dumps(around.gate),
        sandbox=json.dumps(str(around.home / "run" / "sandbox")),
    )
    return (link + asset(part)).encode()
