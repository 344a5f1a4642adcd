"""What every command is told: which store, which agent, and whether a program reads the answer."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from everthread.domain.errors import BadInput, NotAStore

from .terminal import escaped, print_warnings

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread
    from everthread.settings import Settings

P = ParamSpec("P")


@dataclass(slots=True)
class Choice:
    """The options that every command takes, gathered before and after its name."""

    store: str | None = None
    agent: str | None = None
    as_json: bool = False
    settings: Settings | None = None
    """Those to go by, where a command looks at what is wrong with those that were written."""


class WholeNumber(click.IntRange):
    """A whole number in a range; who gives something else is told what is meant."""

    name = "number"

    def __init__(
        self, low: int | None = None, high: int | None = None, *, meant: str = "a whole number"
    ) -> None:
        super().__init__(low, high)
        self._meant = meant

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            int(value)
        except ValueError:
            self.fail(f"{value!r:.60} is not {self._meant}", param, ctx)
        return super().convert(value, param, ctx)


class OrderedGroup(click.Group):
    """Lists its commands in the order in which a newcomer meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def help_if_alone() -> None:
    """What a group of commands does when none of them is named: it teaches."""
    context = click.get_current_context()
    if context.invoked_subcommand is not None:
        return
    if context.ensure_object(Choice).as_json:
        # Whoever reads JSON has no use for a page of help, and takes 0 for an answer.
        raise click.UsageError("Missing command: name one, or leave out --json to see them all.")
    click.echo(context.get_help())


def _keep_option(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    # Both places write here; the later one, nearer to the command, has the last word.
    if value:
        setattr(context.ensure_object(Choice), str(parameter.name), value)


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--store",
        metavar="PATH|URL",
        expose_value=False,
        callback=_keep_option,
        help="The store: a path or postgresql://…",
    ),
    click.option(
        "--agent",
        metavar="NAME",
        expose_value=False,
        callback=_keep_option,
        help="The agent that is meant: its name, its id or an ending of that.",
    ),
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        expose_value=False,
        callback=_keep_option,
        help="Answer with one JSON document.",
    ),
)


def common(command: Callable[Concatenate[Choice, P], None]) -> Callable[P, None]:
    """Give a command the options that all have, and itself what was chosen by them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return click.pass_obj(command)


def examples(*lines: str) -> str:
    """The end of a help page: commands to copy."""
    return "\b\n" + "\n".join(("Example:" if len(lines) == 1 else "Examples:", *_indent(lines)))


def _indent(lines: tuple[str, ...]) -> list[str]:
    return [f"  {line}" for line in lines]


def settings_of(choice: Choice) -> Settings:
    """What file and environment say, but for the store that was named."""
    from everthread.settings import Settings

    if choice.store == "":
        # An unset shell variable must not quietly mean the user's own store.
        raise BadInput("--store is empty; name a path, postgresql://… or leave it out")
    settings = choice.settings or Settings.load()
    return settings.with_(store=choice.store) if choice.store else settings


@contextmanager
def open_engine(choice: Choice, *, create: bool = False) -> Generator[Everthread]:
    """The engine on the chosen store. A store that is not there is made only by who says so."""
    from everthread.wiring import connect

    print_warnings()
    settings = settings_of(choice)
    if settings.url and not choice.store:
        raise BadInput(
            f"the setting url names another daemon, {settings.url}, and this command works on a store "
            "itself: run it there, or name a store of this machine with --store"
        )
    if not create:
        _must_exist(settings.store_target)
    with connect(settings=settings, background=False) as engine:
        yield engine


@contextmanager
def open_to_read(choice: Choice) -> Generator[Everthread]:
    """The same for a command that only looks: a store that cannot be written is read as it is."""
    from everthread.domain.errors import StoreAway, StoreFull, StoreReadOnly

    with ExitStack() as opened:
        try:
            engine = opened.enter_context(open_engine(choice))
        except (StoreReadOnly, StoreAway, StoreFull):
            from everthread.wiring import connect
            from everthread.wiring.read_only import is_unwritable

            settings = settings_of(choice)
            if not is_unwritable(settings):
                raise
            engine = connect(settings=settings, background=False, read_only=True)
            opened.enter_context(engine)
            where = escaped(engine.location)
            click.echo(f"everthread: {where} cannot be written; it is only read", err=True)
        yield engine


@contextmanager
def open_engine_if_there(choice: Choice) -> Generator[Everthread | None]:
    """The same for who can do without: None where no store is yet, or another machine has it."""
    settings = settings_of(choice)
    if (settings.url and not choice.store) or is_missing(settings.store_target):
        yield None
        return
    with open_to_read(choice) as engine:
        yield engine


def is_missing(target: str) -> bool:
    """Is there no store yet?"""
    if "://" in target:
        return False
    path = Path(target).expanduser().absolute()
    return (path.is_file() and not path.stat().st_size) or not path.exists()


def _must_exist(target: str) -> None:
    if is_missing(target):
        path = Path(target).expanduser().absolute()
        if path.with_name(path.name + "-index").is_dir():
            raise NotAStore(
                f"there is no store at {path} any more, though its index lies beside it: put the file, or a "
                "backup, back in its place. `everthread remember` and programs begin a new one there"
            )
        raise NotAStore(
            f"there is no store at {path} yet: the first session of a harness makes it (`everthread "
            'install`), `everthread remember "…"`, or a program of yours '
            "(everthread.connect().agent('ada')). `everthread demo` shows one at work; --store PATH names "
            "another"
        )


def project_here() -> str:
    """The root of the project that this folder lies in."""
    from everthread.wiring import project_folder

    found = project_folder()
    if found is None:
        raise BadInput("tasks belong to a project: run this in a project's folder")
    return found


def agent_of(engine: Everthread, choice: Choice) -> Agent:
    """The agent that is meant: named, set, this project's (as files bind it), or the only one (R-48)."""
    from everthread.edges.harnesses.agent_choice import agent_meant

    settings = settings_of(choice)
    return agent_meant(engine, choice.agent or settings.agent, folder_here(), settings.home)


def folder_here() -> str:
    """Where the command runs; empty where that was removed meanwhile."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def agent_to_tell(engine: Everthread, choice: Choice) -> Agent:
    """The same for a command that brings something in: a store without agents gets its first."""
    if engine.agents():
        return agent_of(engine, choice)
    from everthread.edges.harnesses.agent_choice import own_agent

    settings = settings_of(choice)
    name = choice.agent or settings.agent or own_agent(engine, folder_here(), settings.home)
    if name is None:
        raise BadInput("which agent? This folder is no project; name one with --agent")
    made = engine.agent(name)
    # Whoever mistyped --store should hear that this is not the store they meant.
    click.echo(f"everthread: {escaped(name)} is the first agent in {engine.location}", err=True)
    return made


def agents_of(engine: Everthread, choice: Choice) -> list[Agent]:
    """Those that a command about the whole store speaks of: the named one, else all."""
    return [engine.known_agent(choice.agent)] if choice.agent else engine.agents()


def refuse_agent(choice: Choice, why: str) -> None:
    """An option that cannot be obeyed is not ignored."""
    if choice.agent:
        raise BadInput(f"--agent does not go with this command: {why}")
