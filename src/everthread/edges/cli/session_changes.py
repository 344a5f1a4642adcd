"""`sessions resume`, `end` and `summarize`: what changes a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.conversation.threads import primary_key
from everthread.domain.errors import SessionUnknown
from everthread.domain.redaction.secrets import strip_secrets

from .base.daemon_or_store import daemon_or_store, daemon_unfit
from .base.documents import session_document
from .base.options import Choice, agent_of, common, examples, open_engine
from .base.remote import AgentAtDaemon, Document, agent_at_daemon, tell_line
from .base.terminal import say, show_json, tell_if_slow
from .daemon import served_by_daemon
from .sessions import sessions

if TYPE_CHECKING:
    from everthread.domain.conversation.sessions import Session
    from everthread.engine import Agent

__all__ = ["sessions"]

LOOKED_AT = 100
FOLLOWS = {
    "daemon": "the daemon draws its memories, and sums it up if a person spoke five times in it",
    "later": "its memories and its summary take longer: the next worker on this store makes them "
    "(everthread up)",
}
"""What follows from its end, where this command has not done it."""


@sessions.command(
    "resume",
    short_help="Make an earlier session current again.",
    epilog=examples(
        "everthread sessions resume 1a2b3c4d --channel webchat",
        "everthread sessions resume --continue",
    ),
)
@click.argument("session", metavar="[ID]", required=False)
@click.option(
    "--continue", "newest", is_flag=True, help="The newest one in which something was said."
)
@click.option("--channel", metavar="NAME", help="Only for this channel, such as webchat.")
@common
def resume_command(
    choice: Choice, *, session: str | None, newest: bool, channel: str | None
) -> None:
    """Make an earlier session the current one again: the next message goes on in it.

    A session of a harness is the harness's to go on with: of such a one, this tells where it stood.
    """
    if (session is None) is not newest:
        raise click.UsageError("name a session, or give --continue for the newest one")
    answer = daemon_or_store(
        choice,
        lambda far: _resume_at_daemon(far, session, channel),
        lambda: _resume_in_store(choice, session, channel),
        look="everthread sessions list",
    )
    if choice.as_json:
        show_json(answer)
    elif "recovery" in answer:
        say(answer["recovery"] or "nothing was said in this session")
    else:
        where = f" on {channel}" if channel else ""
        say(f"{answer['session_id']} is current again{where}: the next message goes on in it")


def _resume_at_daemon(far: AgentAtDaemon, session: str | None, channel: str | None) -> Document:
    name = session or _newest_there(far)
    if far.here and channel is None:
        known = far.get("sessions", name, limit=1)
        if known["harness"] is not None:
            raise daemon_unfit()  # of a harness's session it is told where it stood, by the store
        name = known["id"]
    return far.post("sessions", name, "resume", channel=channel)


def _resume_in_store(choice: Choice, session: str | None, channel: str | None) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        known = agent.newest_session() if session is None else agent.session(session)
        if known.harness is not None and channel is None:
            # What a new session of the harness needs to go on from this one.
            return {"session": known.id, "recovery": agent.recovery(known.id)}
        resumed = agent.resume(known.id, channel=channel)
        return session_document(agent.row, engine.session(agent, resumed.id, limit=1))


@sessions.command(
    "end",
    short_help="End a session now.",
    epilog=examples("everthread sessions end", "everthread sessions end 1a2b3c4d"),
)
@click.argument("session", metavar="[ID]", required=False)
@common
def end_command(choice: Choice, session: str | None) -> None:
    """End a session: the one that is named, else the one that goes on in the primary thread.

    What was said in it is drawn into memories, and it is summed up: by the daemon if one serves this
    store, else by this command.
    """
    answer = daemon_or_store(
        choice,
        lambda far: _end_at_daemon(far, session),
        lambda: _end_in_store(choice, session),
        look="everthread sessions list",
    )
    if choice.as_json:
        show_json(answer)
        return
    say(f"{answer['session_id']} is {answer['state']}: the next message opens another")
    summed = "and it is summed up" if answer["summary"] else "it is too short for a summary"
    say(FOLLOWS.get(answer["seen_to"], f"its memories are drawn, {summed}"))


def _end_at_daemon(far: AgentAtDaemon, session: str | None) -> Document:
    name = session or _newest_there(far, state="active")
    return {**far.post("sessions", name, "end"), "seen_to": "daemon"}


def _end_in_store(choice: Choice, session: str | None) -> Document:
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        over = agent.end_session(session)
        seen_to = "daemon" if served_by_daemon(choice) else _conclude(agent, over)
        found = engine.session(agent, over.id, limit=1)
    return {**session_document(agent.row, found), "seen_to": seen_to}


def _conclude(agent: Agent, session: Session) -> str:
    """Draw its memories and sum it up; whoever waits for long is told for what."""
    with tell_if_slow("drawing its memories and summing it up …"):
        return "here" if agent.conclude_session(session.id) else "later"


@sessions.command(
    "summarize",
    short_help="Sum a session up now.",
    epilog=examples("everthread sessions summarize", "everthread sessions summarize 1a2b3c4d"),
)
@click.argument("session", metavar="[ID]", required=False)
@common
def summarize_command(choice: Choice, session: str | None) -> None:
    """Sum a session up in two to five sentences: the one that is named, else the newest.

    Sessions that end are summed up by themselves if a person spoke five times in them.
    """
    if far := agent_at_daemon(choice):
        answer = far.post("sessions", session or _newest_there(far), "summarize")
        tell_line(choice, answer, answer["summary"] or "nothing was said that could be summed up")
        return
    with open_engine(choice) as engine:
        agent = agent_of(engine, choice)
        told = agent.summarize_session(session)
        found = engine.session(agent, told.id, limit=1)
    if choice.as_json:
        show_json(session_document(agent.row, found))
    else:
        say(strip_secrets(told.summary or "") or "nothing was said in it that could be summed up")


def _newest_there(far: AgentAtDaemon, state: str | None = None) -> str:
    """The session with the newest activity that is no subagent's, at a daemon.

    Without a state one in which something was said is meant, if there is one; with one, the primary
    thread's.
    """
    found = [
        each
        for each in far.get("sessions", limit=LOOKED_AT)["sessions"]
        if each["parent_session"] is None
        and (state is not None or each["task_slug"] is None)
        and (
            state is None or (each["state"], each["thread"]) == (state, primary_key(each["agent"]))
        )
    ]
    said = found if state else [each for each in found if each["message_count"]]
    if meant := next(iter(said or found), None):
        return str(meant["id"])
    if far.here:
        raise daemon_unfit()  # the store has them all, and says why there is none
    raise SessionUnknown(f"{far.agent} has no session there that could be meant; name one")
