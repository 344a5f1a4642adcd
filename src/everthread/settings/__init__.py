"""Settings: one typed TOML file plus the environment. The only reader of either.

`config.toml` lies in the home folder (EVERTHREAD_HOME, else the user's data directory). A value is
looked for in this order: the environment, the file, the default. Out of range is an error.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from everthread.domain.errors import SettingInvalid
from everthread.domain.policy import Policy

from .fact import setting
from .reading import (
    Fault,
    checked,
    facts,
    from_environment,
    from_file,
    home_folder,
    names,
    readable,
    variables,
)
from .values import Values

__all__ = [
    "FILE",
    "STORE",
    "Fault",
    "Settings",
    "checked",
    "facts",
    "from_environment",
    "from_file",
    "home_folder",
    "names",
    "readable",
    "variables",
]

FILE = "config.toml"
STORE = "everthread.db"
OF_A_COMMAND = ("agent", "direct", "token", "url")
"""What one command or session sets for itself: its daemon goes by none of it."""


def _folder(home: Any) -> Path:
    """The home folder, however it was given: as a path, as text, or not at all."""
    if home is None:
        return home_folder(os.environ)
    if isinstance(home, Path):
        return home
    named: object = home.__fspath__() if hasattr(home, "__fspath__") else home
    if not isinstance(named, str) or not named:
        raise SettingInvalid(f"home must be the path of a folder; got {home!r:.60}")
    return Path(named).expanduser().absolute()


class Settings(Values):
    """Every value that can be changed, with its default. `everthread config explain` lists them."""

    home: Path = setting(None, "The folder; a str is taken too.")

    def _accept(self, name: str, value: Any) -> Any:
        return _folder(value) if name == "home" else checked(name, value)

    @classmethod
    def load(
        cls, home: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None
    ) -> Self:
        """What file and environment say."""
        env = os.environ if environ is None else environ
        place = home_folder(env) if home is None else _folder(home)
        values = {**from_file(place / FILE), **from_environment(env)}
        return cls(**values, home=place)

    @classmethod
    def load_readable(cls, environ: Mapping[str, str] | None = None) -> tuple[Self, list[Fault]]:
        """The same for who is to say what is wrong: what is not allowed is left out, and told."""
        env = os.environ if environ is None else environ
        place = home_folder(env)
        values, faults = readable(place / FILE, env)
        return cls(**values, home=place), faults

    def with_(self, **changes: Any) -> Self:
        """The same settings but for these."""
        for name in changes:
            if name != "home":
                facts(name)  # an unknown one is told with the one that is meant
        return type(self)(**{**vars(self), **changes})

    def plain(self) -> dict[str, Any]:
        """The settings as plain values, without the home folder."""
        return {name: getattr(self, name) for name in names()}

    def sign(self) -> str:
        """A digest of what a command and the daemon must have in common to stand in for each other."""
        said = {name: value for name, value in self.plain().items() if name not in OF_A_COMMAND}
        return hashlib.sha256(repr((said, str(self.home))).encode("utf-8", "replace")).hexdigest()

    @property
    def model_key(self) -> str:
        """The key of the model that distills, from here or from where its vendor's tools look."""
        variable = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
        return self.distiller_key or os.environ.get(variable.get(self.distiller, ""), "")

    @property
    def store_target(self) -> str:
        return self.store or str(self.home / STORE)

    @property
    def policy(self) -> Policy:
        return Policy(**{name: getattr(self, name) for name in Policy._fields})
