"""The command line: parse, call one verb of the engine, show what it answers."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
