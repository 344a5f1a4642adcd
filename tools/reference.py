"""Write docs/reference from the code itself: settings, commands, errors and the library.

`make docs` writes the pages; with `--check` nothing is written, and a page that is out of date is
named. What the code does not say about itself cannot be told here: mend it there.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

import everthread
from everthread import settings
from everthread.domain import errors

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "reference"
NOTE = "<!-- Made by `make docs` from the code; change it there. -->"
WIDTH = 90


def page(title: str, *parts: str) -> str:
    return "\n\n".join([NOTE, f"# {title}", *parts]) + "\n"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def said(thing: object, name: str) -> str:
    """What the thing's own docstring says."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if not text:
        raise SystemExit(f"{name} has no docstring, so there is nothing to tell about it")
    return text


# ---- settings


def settings_page() -> str:
    rows = [
        (
            code(name),
            about(settings.facts(name)),
            allowed(settings.facts(name)),
            default(settings.facts(name)),
            ", ".join(map(code, settings.facts(name)["variables"])),
        )
        for name in settings.names()
    ]
    return page(
        "Settings",
        "One file, `config.toml`, in the home folder, plus the environment. A value is looked for in this "
        "order: the environment, the file, the default. A value out of its range is refused, not bent.",
        "The home folder is what `EVERTHREAD_HOME` says; else, on macOS, "
        "`~/Library/Application Support/everthread`; else `everthread` in `XDG_DATA_HOME`; else "
        "`~/.local/share/everthread`.",
        "`everthread config explain` shows the same table with your values and where they come from; "
        "`everthread config set NAME VALUE` changes the file and keeps its comments, "
        "`everthread config unset NAME` takes a value out of it.",
        table(("setting", "meaning", "allowed", "default", "variables"), rows),
        '```toml\n# config.toml\ninactivity_hours = 8\nworker = "process"\n```',
        "In Python: `everthread.connect(settings=everthread.Settings.load().with_(inactivity_hours=8))`.",
    )


def about(known: Mapping[str, Any]) -> str:
    return str(known["about"]).replace("|", "\\|")


def allowed(known: Mapping[str, Any]) -> str:
    if known["among"]:
        return ", ".join(map(code, known["among"]))
    return "text" if known["low"] is None else f"{known['low']:,} to {known['high']:,}"


def default(known: Mapping[str, Any]) -> str:
    value = known["default"]
    if value == "":
        return "empty"
    return code(value) if isinstance(value, str) else f"{value:,}"


# ---- commands


def root() -> click.Group:
    found = importlib.import_module("everthread.edges.cli.app").cli
    if not isinstance(found, click.Group):
        raise SystemExit("everthread.edges.cli.app.cli is not a click group")
    return found


class Command(NamedTuple):
    """A command by its whole name, with its help as the terminal shows it."""

    name: str
    help: str


def commands() -> list[Command]:
    """Every command in the order of the help, groups before their own."""
    return [*_commands(root(), None, "everthread")]


def _commands(command: click.Command, parent: click.Context | None, name: str) -> Iterator[Command]:
    own: dict[str, Any] = {**command.context_settings, "terminal_width": WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **own)
    yield Command(context.command_path, command.get_help(context))
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from _commands(found, context, child)


def cli_page() -> str:
    exits = importlib.import_module("everthread.edges.cli.base.exits")
    codes = [(str(row.code), row.meaning) for row in exits.EXIT_CODES]
    return page(
        "Command line",
        "`--store`, `--agent` and `--json` are understood before and after the name of every command. "
        "With `--json` a command answers with one JSON document (`export` always writes JSON lines); "
        "an error then is one too, on stderr.",
        "## Exit codes",
        table(("code", "meaning"), codes),
        *(f"## {each.name}\n\n```text\n{each.help.rstrip()}\n```" for each in commands()),
    )


# ---- errors


def errors_page() -> str:
    rows = [
        (code(name), said(kind, name).replace("\n", " "), ", ".join(map(code, parents(kind))))
        for name, kind in named_errors().items()
    ]
    return page(
        "Errors",
        "Every error that Everthread raises on purpose has a name, and its message says what to do. "
        "All are in `everthread.errors`; `except everthread.errors.EverthreadError` catches every one.",
        table(("error", "when", "also caught as"), rows),
        "On the command line the same errors end in [exit codes](cli.md#exit-codes).",
    )


def named_errors() -> dict[str, type[Exception]]:
    return {name: getattr(errors, name) for name in errors.__all__}


def parents(kind: type[Exception]) -> list[str]:
    """The kinds by which it can be caught too, the nearest first."""
    above = kind.__mro__[1:]
    return [k.__name__ for k in above if k not in (Exception, BaseException, object)]


# ---- library

FACE: tuple[tuple[str, str], ...] = (
    ("Everthread", "everthread.engine"),
    ("Agent", "everthread.engine"),
    ("Thread", "everthread.engine"),
    ("Turn", "everthread.engine.turn"),
)
VALUES: tuple[tuple[str, str], ...] = (
    ("Message", "everthread.domain.conversation.messages"),
    ("Memory", "everthread.domain.memory.memories"),
    ("Version", "everthread.services.memory.memories"),
    ("Note", "everthread.domain.memory.notes"),
    ("Hit", "everthread.domain.recall.hits"),
    ("Session", "everthread.domain.conversation.sessions"),
    ("TurnRow", "everthread.domain.conversation.turns"),
    ("Recorded", "everthread.services.archive.record"),
    ("Sent", "everthread.services.archive.rebuild"),
    ("Usage", "everthread.domain.conversation.replies"),
    ("Receipt", "everthread.domain.distilling.receipts"),
    ("Score", "everthread.domain.distilling.continuity"),
    ("KindScore", "everthread.domain.distilling.continuity"),
    ("Shown", "everthread.services.distilling.receipts"),
    ("Sentence", "everthread.domain.distilling.receipts"),
    ("Reversal", "everthread.services.distilling.undo"),
    ("Context", "everthread.services.archive.context"),
    ("Finding", "everthread.services.upkeep.diagnose"),
    ("Entry", "everthread.domain.timeline"),
    ("Verdict", "everthread.services.upkeep.verify"),
    ("Fault", "everthread.domain.timeline"),
    ("Tombstone", "everthread.domain.agents"),
    ("Imported", "everthread.services.upkeep.transfer"),
)
INSIDE = {
    "Everthread": {"opened", "finished", "must_take_task"},
    "Agent": {"row", "scope", "close_thread", "read_thread"},
    "Thread": {"ref"},
    "Turn": {"keep_partial"},
}
"""Public to the other rooms of the house, not to those who embed it."""


class Verbatim:
    """An annotation shown as it is written."""

    def __init__(self, text: object) -> None:
        self._text = str(getattr(text, "__forward_arg__", text))

    def __repr__(self) -> str:
        return self._text


def signature(function: Callable[..., Any], name: str) -> str:
    """The call as it is written in the code, on one line or with one argument a line."""
    found = inspect.signature(function)
    parameters = [written(p) for p in found.parameters.values() if p.name not in ("self", "cls")]
    result = Verbatim(found.return_annotation)
    flat = f"{name}{found.replace(parameters=parameters, return_annotation=result)}"
    if len(flat) <= WIDTH:
        return flat
    lines = [f"    {line}," for line in arguments(parameters)]
    return "\n".join([f"{name}(", *lines, f") -> {result}"])


def written(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter as it stands in the code: a function that is its default goes by its name."""
    if parameter.annotation is not parameter.empty:
        parameter = parameter.replace(annotation=Verbatim(parameter.annotation))
    if inspect.isfunction(parameter.default):
        parameter = parameter.replace(default=Verbatim(parameter.default.__name__))
    return parameter


def arguments(parameters: list[inspect.Parameter]) -> Iterator[str]:
    keyword_only = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "*"
        yield str(parameter)


def member(owner: type, name: str, value: object) -> str:
    title = f"{owner.__name__}.{name}"
    shown = typed(title, value) if isinstance(value, property) else signature(call(value), title)
    return f"{fenced(shown)}\n\n{inspect.cleandoc(value.__doc__ or '')}".rstrip()


def typed(title: str, value: property) -> str:
    assert value.fget is not None
    return f"{title}: {Verbatim(inspect.signature(value.fget).return_annotation)}"


def call(value: object) -> Callable[..., Any]:
    assert callable(value)
    return value


def fenced(text: str) -> str:
    return f"```text\n{text}\n```"


def inherited(owner: type) -> dict[str, object]:
    """What is written in the class and in those of ours that it is made of, its own first."""
    found: dict[str, object] = {}
    for kind in owner.__mro__:
        if kind.__module__.startswith("everthread"):
            found |= {name: value for name, value in vars(kind).items() if name not in found}
    return found


def members(owner: type) -> list[tuple[str, object]]:
    """What a class offers to those who embed it, in the order of the code."""
    hidden = INSIDE.get(owner.__name__, set[str]())
    return [
        (name, value)
        for name, value in inherited(owner).items()
        if not name.startswith("_")
        and name not in hidden
        and (inspect.isfunction(value) or isinstance(value, property))
    ]


def fields_of(value: type) -> Iterator[str]:
    """The fields that mean something outside the store: no local references, no raw bytes."""
    for name, annotation in value.__annotations__.items():
        kind = str(Verbatim(annotation))
        inner = name in {"ref", "entry", "form"} or name.endswith(("_ref", "_ms", "_json"))
        if not inner and not kind.startswith("bytes"):
            yield f"{name}: {kind}"
    for name, found in members(value):
        if isinstance(found, property) and not name.endswith("_ms"):
            yield typed(name, found)


def of(name: str, module: str) -> type:
    return getattr(importlib.import_module(module), name)


def library_page() -> str:
    testing = importlib.import_module("everthread.testing")
    classes = [of(*where) for where in FACE]
    clock: type = testing.FrozenClock
    return page(
        "Library",
        f"Version {everthread.__version__}. `import everthread` loads nothing else; each name below is "
        "loaded on first use. Everything is synchronous and may be called from several threads. A `limit` "
        "is at least 1 here, on the command line, over HTTP and for a tool; 0 is refused, as it might be "
        "meant as none or as all.",
        "## connect",
        fenced(signature(everthread.connect, "everthread.connect")),
        said(everthread.connect, "connect"),
        *(section(kind) for kind in classes),
        "## Values",
        "What the calls above give back. All are immutable.",
        *(value_part(of(*where)) for where in VALUES),
        "## everthread.testing",
        said(testing, "everthread.testing"),
        section(clock, level="###"),
    )


def section(kind: type, *, level: str = "##") -> str:
    parts = [f"{level} {kind.__name__}", said(kind, kind.__name__)]
    return "\n\n".join([*parts, *(member(kind, *each) for each in members(kind))])


def value_part(kind: type) -> str:
    shown = "\n".join(fields_of(kind))
    return f"### {kind.__name__}\n\n{said(kind, kind.__name__)}\n\n{fenced(shown)}"


# ---- HTTP


def http_page() -> str:
    routes = importlib.import_module("everthread.edges.http.routes").ROUTES
    openapi = importlib.import_module("everthread.edges.http.openapi")
    problems = importlib.import_module("everthread.edges.http.problems")
    rows = [
        (
            code(f"{r.method} {r.path}"),
            code(r.scope),
            openapi.about(r).replace("|", "\\|"),
            taken(r),
        )
        for r in routes
    ]
    rows.append((code("GET /api/openapi.json"), code("read"), "This list for programs.", ""))
    about = "What happens, as it happens: server-sent events, without text."
    whole = "All of an agent as JSON lines, without secrets."
    rows.append((code("GET /api/agents/{agent}/export"), code("admin"), whole, ""))
    copy = "A consistent copy of the whole store, secrets and all; of an embedded one only."
    rows.append((code("GET /api/backup"), code("admin"), copy, ""))
    rows.append((code("GET /api/events"), code("read"), about, code("agent")))
    statuses: dict[int, list[str]] = {}
    for kind, status in problems.STATUSES.items():
        statuses.setdefault(status, []).append(kind.__name__)
    told = [(str(s), ", ".join(map(code, sorted(names)))) for s, names in sorted(statuses.items())]
    return page(
        "HTTP API",
        "JSON under `/api` of the daemon, for whoever has a token ([how](../howto/http-api.md)). "
        "`/api/openapi.json` is the same with every field of every body and answer (OpenAPI 3.1). "
        "A GET or DELETE takes its fields from the query, everything else from a JSON body; a field "
        "that is not known is refused. Fields in bold are needed.",
        table(("request", "scope", "what it does", "fields"), rows),
        "## Errors",
        "Every error is a document of type `application/problem+json` (RFC 9457) whose `detail` says "
        "what to do. Beside those of HTTP itself (400 for a query or a body that is no JSON, 401, 403, "
        "405, 413, 415, 421 for a foreign Host, 429) these are told:",
        table(("status", "errors"), told),
    )


def taken(route: Any) -> str:
    """The fields of its query or body; those that are needed stand out."""
    structs = importlib.import_module("msgspec").structs
    if route.takes != "application/json":
        return "JSON lines"
    fields = structs.fields(route.asks)
    return ", ".join(f"**{code(f.name)}**" if f.required else code(f.name) for f in fields)


# ---- writing

PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "cli.md": cli_page,
    "errors.md": errors_page,
    "library.md": library_page,
    "http.md": http_page,
}


def stale() -> list[str]:
    """The pages that do not say what the code says."""
    return [name for name, make in PAGES.items() if current(name) != make()]


def current(name: str) -> str | None:
    place = FOLDER / name
    return place.read_text("utf-8") if place.exists() else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a page is stale")
    if parser.parse_args().check:
        old = stale()
        for name in old:
            print(f"docs/reference/{name} is out of date: make docs", file=sys.stderr)
        return 1 if old else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        (FOLDER / name).write_text(make(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
