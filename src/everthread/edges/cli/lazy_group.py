"""Commands that are loaded when they are named: nobody waits for those that they did not ask for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from .base.options import OrderedGroup

LIST = "list"
_LISTING = "agents threads sessions checkpoints incidents compactions injections exchanges receipts"
LISTING = frozenset(_LISTING.split())
"""Commands that list by themselves, so that `list` behind them asks for nothing else."""


class LazyGroup(OrderedGroup):
    """A group that knows its commands by name, and where each of them is."""

    def __init__(self, *args: Any, places: Mapping[str, tuple[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            # Whoever mistyped is told the names that come near: then they must all be known.
            for name in self._places:
                self._load(name)
            return None
        return self._load(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        known = isinstance(command, click.Group) and LIST in command.list_commands(ctx)
        if name in LISTING and rest[:1] == [LIST] and not known:
            rest = rest[1:]
        return name, command, rest

    def _load(self, name: str) -> click.Command:
        if name not in self.commands:
            module, attribute = self._places[name]
            self.add_command(getattr(import_module(f"{__package__}.{module}"), attribute))
        return self.commands[name]
