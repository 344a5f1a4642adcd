"""Who we are among those that share a store: a home folder, and the folder with the agents' files."""

from __future__ import annotations

from typing import NamedTuple


class HomeIdentity(NamedTuple):
    """Names that stay the same as long as the home folder is there. Empty: nobody else shares the store."""

    home: str = ""
    """The home folder: events that come from here are brought with its settings."""
    files: str = ""
    """The folder with the files of agents; empty where there is none."""
    told: str = ""
    """How people know it: machine and folder."""


ANYWHERE = HomeIdentity()
