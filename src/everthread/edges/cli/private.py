"""`private`: keep a session, or a project, out of everything for a while."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import click

from everthread.domain.errors import BadInput
from everthread.domain.times import ms_of, text_of

from .base.options import (
    Choice,
    OrderedGroup,
    common,
    examples,
    help_if_alone,
    open_engine,
    settings_of,
)
from .base.terminal import Column, say, show, show_json, table, time_text


@click.group(
    "private",
    cls=OrderedGroup,
    invoke_without_command=True,
    short_help="Keep a session or a project out.",
)
@common
def private(_choice: Choice) -> None:
    """Keep what is said in a harness out of the memory.

    While it is on, nothing of this folder's project, or of any folder in it, is stored, and nothing is
    given to sessions there; with --session it is one session. What was said meanwhile stays out for
    good, though the harness keeps its own transcript. A harness that is started with
    EVERTHREAD_PRIVATE=1 is private from the first word.
    """
    help_if_alone()


SESSION = click.option(
    "--session", metavar="ID", help="One session, by the harness's id, instead of the project."
)


@private.command(
    "on",
    short_help="From now on nothing is kept.",
    epilog=examples("everthread private on", "everthread private on --session 5b0c2a3e-7d54"),
)
@SESSION
@common
def on_command(choice: Choice, session: str | None) -> None:
    """From now on nothing is kept of this folder's project, or of one session."""
    _switch(choice, session, on=True)


@private.command(
    "off",
    short_help="From now on it is kept again.",
    epilog=examples("everthread private off", "everthread private off --session 5b0c2a3e-7d54"),
)
@SESSION
@common
def off_command(choice: Choice, session: str | None) -> None:
    """From now on it is kept again; what was said in between is not."""
    _switch(choice, session, on=False)


@private.command(
    "list",
    short_help="What is private, and since when.",
    epilog=examples("everthread private list"),
)
@common
def list_command(choice: Choice) -> None:
    """Show what is private now, and what was."""
    from everthread.edges.harnesses.privacy import read_private

    known = read_private(settings_of(choice).home)
    rows = [
        (kind, name, since, until)
        for kind, spans_of in (("session", known.sessions), ("project", known.folders))
        for name, spans in spans_of.items()
        for since, until in spans
    ]
    if choice.as_json:
        show_json(
            {
                "private": [
                    {
                        "kind": kind,
                        "name": name,
                        "since": text_of(since),
                        "until": None if until is None else text_of(until),
                    }
                    for kind, name, since, until in rows
                ]
            }
        )
    elif rows:
        columns = [Column("what", style="bold"), Column("name"), Column("since"), Column("until")]
        show(table(columns, [[k, n, time_text(s), time_text(u)] for k, n, s, u in rows]))
    else:
        say("nothing is private, and nothing was")


def _switch(choice: Choice, session: str | None, *, on: bool) -> None:
    from everthread.edges.harnesses.privacy import read_private, switch
    from everthread.wiring import project_folder

    if session == "":
        raise BadInput("--session is empty; give the harness's id of the session")
    session = _key_of(choice, session) if session else session
    folder = None if session else project_folder()
    if session is None and folder is None:
        raise BadInput("this folder is no project; go to one, or name a session with --session")
    home, now = settings_of(choice).home, ms_of(datetime.now(UTC))
    changed = switch(home, now=now, on=on, session=session or "", folder=folder or "")
    around = None if on or not folder else read_private(home).private_folder(folder, now)
    if choice.as_json:
        told = {"private": on or around is not None, "changed": changed}
        show_json({**told, "session": session, "project": folder})
        return
    what = f"session {session}" if session else f"the project {folder}"
    if around is not None:
        say(f"{what} stays private, for {around} is: end that there (everthread private off)")
    elif on:
        say(f"{what} is {'now' if changed else 'already'} private: nothing of it is kept")
    else:
        say(f"{what} is {'no longer' if changed else 'not'} private: it is kept")


WHOLE = 20
"""Characters of an id that a harness may give to a session we have not heard of yet."""


def _key_of(choice: Choice, name: str) -> str:
    """The harness's id of the session that is meant. A name that fits none would keep nothing out."""
    from everthread.domain.errors import NotAStore, SessionUnknown

    with suppress(NotAStore), open_engine(choice) as engine:
        for agent in engine.agents():
            with suppress(SessionUnknown):
                return agent.session(name).key
    if len(name) < WHOLE:
        raise SessionUnknown(
            f"no session {name!r:.60}; `everthread sessions list` shows what there is. For one that has "
            "not begun yet, give the whole id of the harness"
        )
    return name
