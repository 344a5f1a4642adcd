"""`config`: read, change and explain the settings."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from everthread.domain.addresses import without_secrets
from everthread.domain.errors import SettingInvalid

from .base.options import Choice, OrderedGroup, common, examples, help_if_alone
from .base.terminal import escaped, pairs, say, show, show_json, styled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from tomlkit import TOMLDocument


class SettingFacts(NamedTuple):
    """A setting, what it may be, what it is now and who says so."""

    name: str
    about: str
    allowed: str
    default: Any
    value: Any
    source: str
    variables: list[str]
    wrong: list[str]
    """What is not allowed of it, and where that is written."""


@click.group("config", cls=OrderedGroup, invoke_without_command=True, short_help="The settings.")
@common
def config(_choice: Choice) -> None:
    """Settings come from environment variables, from config.toml in the home folder, or are defaults:
    in this order. A value out of its range is refused.
    """
    help_if_alone()


@config.command("get", epilog=examples("everthread config get inactivity_hours"))
@click.argument("name", required=False)
@common
def get_command(choice: Choice, name: str | None) -> None:
    """The value of one setting, or of all."""
    _tell(choice, name)


@config.command("list", epilog=examples("everthread config list"))
@common
def list_command(choice: Choice) -> None:
    """The values of all settings, as `get` shows them; `explain` says what they mean."""
    _tell(choice, None)


def _tell(choice: Choice, name: str | None) -> None:
    facts, elsewhere = _setting_facts(name)
    found = {each.name: each.value for each in facts}
    wrong = [*(elsewhere if name is None else ()), *(says for each in facts for says in each.wrong)]
    if wrong and (choice.as_json or name is not None):
        raise SettingInvalid(
            "; ".join(wrong)
        )  # whoever takes the answer for the value must not get it
    if choice.as_json:
        show_json(found)
    elif name is not None:
        say(str(found[name]))
    else:
        show(pairs([(key, str(value)) for key, value in found.items()]))
    if wrong:
        raise SettingInvalid("; ".join(wrong))


class _WithValue(click.Command):
    """A command whose value may be below zero: it is refused as a number, not as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        below = [each for each in args if re.fullmatch(r"-[\d.]+", each)]
        if below and "--" not in args:
            args = [*(each for each in args if each not in below), "--", *below]
        return super().parse_args(ctx, args)


@config.command("set", cls=_WithValue, epilog=examples("everthread config set inactivity_hours 8"))
@click.argument("name")
@click.argument("value")
@common
def set_command(choice: Choice, name: str, value: str) -> None:
    """Change a setting in config.toml; its comments stay. A value out of range is refused."""
    from everthread.settings import FILE, Settings, checked

    meant = checked(name, value)
    file = Settings().home / FILE
    _write(file, name, meant)
    variable = _variable(name)
    if choice.as_json:
        shown = {"name": name, "value": _without_password(meant), "file": str(file)}
        show_json({**shown, "overridden_by": variable})
        return
    say(f"{name} = {_without_password(meant)} in {file}")
    if variable is not None:
        say(f"but the environment variable {variable} is stronger, and is set")


@config.command("unset", epilog=examples("everthread config unset inactivity_hours"))
@click.argument("name")
@common
def unset_command(choice: Choice, name: str) -> None:
    """Take a setting out of config.toml, so that its default holds again; the rest of the file stays."""
    from everthread.settings import FILE, Settings, facts, names

    file = Settings().home / FILE
    was = _unwrite(file, name)
    # What no version of ours knows can be taken out too: as long as it is there, nothing is read.
    known = not was or name in names()
    default = facts(name)["default"] if known else None
    variable = _variable(name) if known else None
    if choice.as_json:
        told = {"name": name, "value": default, "file": str(file), "was_set": was}
        show_json({**told, "overridden_by": variable})
        return
    now = f"its default is {_value_text(default)}" if known else "there is no such setting"
    say(f"{name} {'is taken out of' if was else 'is not in'} {file}; {now}")
    if variable is not None:
        say(f"but the environment variable {variable} is stronger, and is set")


@config.command(
    "explain",
    short_help="What they mean and where they come from.",
    epilog=examples("everthread config explain", "everthread config explain window"),
)
@click.argument("name", required=False)
@common
def explain_command(choice: Choice, name: str | None) -> None:
    """What each setting means, what it may be, and where its value comes from."""
    found, elsewhere = _setting_facts(name)
    if choice.as_json:
        show_json({"settings": [each._asdict() for each in found], "wrong": elsewhere})
    elif name is not None:
        show(*_entry(found[0]))
    else:
        for each in found:
            show(*_entry(each), "")
    for says in elsewhere:
        click.echo(f"everthread: {escaped(says)}", err=True)


def _entry(each: SettingFacts) -> tuple[RenderableType, ...]:
    rows = [
        ("  value", f"{_value_text(each.value)}  ({each.source})"),
        ("  allowed", each.allowed),
        ("  default", _value_text(each.default)),
        ("  variable", ", ".join(each.variables)),
        *(("  wrong", says) for says in each.wrong),
    ]
    return styled((each.name, "bold"), (f"  {each.about}", "")), pairs(rows)


def _setting_facts(name: str | None) -> tuple[list[SettingFacts], list[str]]:
    """What there is to know of one setting or of all, and what is wrong that belongs to none of them."""
    from everthread.settings import FILE, Settings, facts, names, readable

    wanted = names() if name is None else [name]
    known = {each: facts(each) for each in wanted}
    settings, faults = Settings.load_readable()
    file = settings.home / FILE
    written, _ = readable(file, {})
    in_file = {*written, *(fault.name for fault in faults if fault.source == f"file {file}")}
    found: list[SettingFacts] = []
    for each in wanted:
        source = _source(each, file if each in in_file else None)
        given = [f.given for f in faults if (f.name, f.source) == (each, source)]
        found.append(
            SettingFacts(
                name=each,
                about=known[each]["about"],
                allowed=_allowed_values(known[each]),
                default=known[each]["default"],
                value=_without_password(given[0] if given else getattr(settings, each)),
                source=source,
                variables=known[each]["variables"],
                wrong=[f.says for f in faults if f.name == each],
            )
        )
    return found, [f.says for f in faults if f.name not in names()]


def _source(name: str, file: Path | None) -> str:
    variable = _variable(name)
    if variable is not None:
        return f"environment variable {variable}"
    return f"file {file}" if file is not None else "default"


def _variable(name: str) -> str | None:
    """The environment variable that decides a setting here and now, if one does."""
    from everthread.settings import variables

    return next((each for each in variables(name) if each in os.environ), None)


def _allowed_values(known: Mapping[str, Any]) -> str:
    if known["among"]:
        return "one of " + ", ".join(known["among"])
    if known["low"] is None:
        return "any text"
    kind = "a whole number" if isinstance(known["default"], int) else "a number"
    return f"{kind} from {known['low']:,} to {known['high']:,}"


def _value_text(value: Any) -> str:
    return str(value) if value != "" else "empty"


def _without_password(value: Any) -> Any:
    """A value without the password that a store's address may hold."""
    return without_secrets(value) if isinstance(value, str) else value


def _write(file: Path, name: str, value: Any) -> None:
    """Put one value into the file and leave the rest as it is, whole at every moment."""
    import tomlkit

    target = file.resolve()
    document = _document(file)
    document[name] = value
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _replace(target, tomlkit.dumps(document))


def _unwrite(file: Path, name: str) -> bool:
    """Take one value out of the file; False where it is not in it."""
    import tomlkit

    document = _document(file)
    if name not in document:
        return False
    del document[name]
    _replace(file.resolve(), tomlkit.dumps(document))
    return True


def _document(file: Path) -> TOMLDocument:
    """The file as it can be changed; an empty one where there is none."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    target = file.resolve()
    try:
        return tomlkit.parse(target.read_text("utf-8") if target.exists() else "")
    except (ParseError, UnicodeDecodeError) as wrong:
        raise SettingInvalid(f"{file}: {wrong}; mend the file or remove it") from wrong


def _replace(target: Path, text: str) -> None:
    # mkstemp makes files that only their owner can read, and so the settings stay.
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=".config-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
