"""Where values come from: the file, the environment, the default; and whether they are allowed."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from everthread.domain.errors import SettingInvalid

from .values import Values

LONGEST_NAME = 60
PERCENTAGES = frozenset({"score_threshold"})
"""Where a share of one is surely meant as one, and would silently switch the setting off."""


def names() -> list[str]:
    """The settings, in the order they are explained."""
    return list(_all_facts())


@cache
def _all_facts() -> Mapping[str, Mapping[str, Any]]:
    """Each setting's facts, gathered once: every command asks for all of them several times."""
    return {
        name: MappingProxyType({**fact._asdict(), "variables": _variables(name, fact.also)})
        for name, fact in Values.known.items()
    }


def facts(name: str) -> Mapping[str, Any]:
    """What there is to know about a setting: default, about, low, high, among, variables."""
    try:
        return _all_facts()[name]
    except KeyError:
        raise SettingInvalid(
            f"no setting {name!r:.60};{_nearest(name)} `everthread config explain` shows them all"
        ) from None


def _nearest(name: str) -> str:
    """The one that was probably meant, where it looks like one."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    close = get_close_matches(name[:LONGEST_NAME].lower(), names(), 1)
    return f" did you mean {close[0]!r}?" if close else ""


def variables(name: str) -> list[str]:
    """The environment variables that set it, strongest first."""
    return list(facts(name)["variables"])


def _variables(name: str, also: str | None) -> list[str]:
    own = f"EVERTHREAD_{name.upper()}"
    return [own] if also in (None, own) else [own, also]


def checked(name: str, value: Any) -> Any:
    """The value in its type, if it is allowed."""
    known = facts(name)
    if isinstance(known["default"], str):
        return _word(name, value, known["among"])
    return _number(name, value, known)


def _word(name: str, value: Any, among: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        raise SettingInvalid(f"{name} must be text; got {value!r}")
    if among and value not in among:
        raise SettingInvalid(f"{name} must be one of {', '.join(among)}; got {value!r}")
    return value


def _number(name: str, value: Any, known: Mapping[str, Any]) -> int | float:
    whole = isinstance(known["default"], int)
    try:
        if isinstance(value, bool) or (whole and float(value) != int(float(value))):
            raise ValueError
        number = int(value) if whole else float(value)
    except (TypeError, ValueError, OverflowError):
        raise _out_of_range(name, value, known) from None
    if not known["low"] <= number <= known["high"]:
        raise _out_of_range(name, value, known)
    if name in PERCENTAGES and 0 < number < 1:
        raise SettingInvalid(
            f"{name} is in percent: {100 * number:g} for {100 * number:g} %, and 0 for none; got {value!r}"
        )
    return number


def _out_of_range(name: str, value: Any, known: Mapping[str, Any]) -> SettingInvalid:
    kind = "a whole number" if isinstance(known["default"], int) else "a number"
    return SettingInvalid(
        f"{name} must be {kind} from {known['low']:,} to {known['high']:,}; got {value!r}"
    )


class Fault(NamedTuple):
    """A value that is not allowed, or a file that cannot be read."""

    name: str | None
    """The setting; None where it is the file as a whole."""
    given: Any
    source: str
    says: str


def from_file(path: Path) -> dict[str, Any]:
    """The values in a settings file; none where there is no file."""
    return {
        name: _naming(str(path), lambda n=name, v=value: checked(n, v))
        for name, value in _written(path).items()
    }


def _written(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise SettingInvalid(f"{path}: {wrong}; mend the file or remove it") from wrong
    except OSError as wrong:
        raise SettingInvalid(f"{path}: cannot be read ({wrong.strerror})") from wrong


def _naming(source: str, check: Callable[[], Any]) -> Any:
    try:
        return check()
    except SettingInvalid as wrong:
        raise SettingInvalid(f"{source}: {wrong}") from wrong


def from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The values in the environment."""
    return {
        name: _naming(source, lambda n=name, v=value: checked(n, v))
        for name, value, source in _in_environment(environ)
    }


def _in_environment(environ: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Settings, what they are set to and by which variable; the strongest of one setting last."""
    return [
        (name, environ[variable], f"environment variable {variable}")
        for name in names()
        for variable in reversed(variables(name))
        if variable in environ
    ]


def readable(path: Path, environ: Mapping[str, str]) -> tuple[dict[str, Any], list[Fault]]:
    """What file and environment say that is allowed, and what is wrong with the rest."""
    found: dict[str, Any] = {}
    faults: list[Fault] = []
    try:
        written = _written(path)
    except SettingInvalid as wrong:
        faults.append(Fault(None, None, f"file {path}", str(wrong)))
        written = {}
    in_file = [(name, value, str(path)) for name, value in written.items()]
    for name, value, source in [*in_file, *_in_environment(environ)]:
        try:
            found[name] = _naming(source, lambda n=name, v=value: checked(n, v))
        except SettingInvalid as wrong:
            shown = f"file {path}" if source == str(path) else source
            faults.append(Fault(name, value, shown, str(wrong)))
    return found, faults


def home_folder(environ: Mapping[str, str]) -> Path:
    """Where Everthread keeps its things, by the rules of the platform."""
    if own := environ.get("EVERTHREAD_HOME"):
        return Path(own).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "everthread"
    if data := environ.get("XDG_DATA_HOME"):
        return Path(data) / "everthread"
    return Path.home() / ".local" / "share" / "everthread"
