"""What can still be read of a store whose file is damaged."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """A table of a damaged file: how many of its rows can be read, and whether these are all."""

    table: str
    rows: int
    whole: bool


class Damage(NamedTuple):
    """What the database says of its own file, and what of it can be read."""

    where: str
    found: list[str]
    parts: list[Part]
    agents: list[str]
