"""`messages`: the newest of what was said, on a thread or in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .base.daemon_or_store import daemon_or_store, daemon_unfit
from .base.documents import message_document, session_document
from .base.options import Choice, WholeNumber, agent_of, common, examples, open_to_read
from .base.remote import Document
from .base.terminal import say, say_if_more, show, show_json
from .message_view import message_view

if TYPE_CHECKING:
    from .base.remote import AgentAtDaemon

USUAL_LIMIT = 20
MOST_ASKED = 1_000
"""How many a daemon gives at once."""
LIMIT = WholeNumber(1, 100_000)
TOKENS = WholeNumber(1, 1_000_000_000, meant="a whole number of tokens")


@click.command(
    "messages",
    short_help="The newest of what was said.",
    epilog=examples(
        "everthread messages --limit 5",
        "everthread messages --tokens 4000 --json",
        "everthread messages --session 1a2b3c4d",
    ),
)
@click.option("--thread", metavar="KEY", help="Of this thread; else of the primary one.")
@click.option("--session", metavar="ID", help="Of this session, named as for `sessions show`.")
@click.option(
    "--limit", type=LIMIT, help=f"How many at most.  [default: {USUAL_LIMIT}, or as --tokens says]"
)
@click.option("--tokens", type=TOKENS, help="Only as many whole ones as fit into so many tokens.")
@common
def messages_command(
    choice: Choice, thread: str | None, session: str | None, limit: int | None, tokens: int | None
) -> None:
    """The newest messages of an agent, oldest of them first: what was said, by whom and when.

    It is all that is kept of the thread, not what a model is given: `everthread context` shows that.
    """
    if thread is not None and session is not None:
        raise click.UsageError("a session lies on one thread: leave out --thread, or --session")
    most = limit or (USUAL_LIMIT if tokens is None else MOST_ASKED)
    if session is None:
        answer = daemon_or_store(
            choice,
            lambda far: _from_daemon(far, thread, most, tokens),
            lambda: _from_store(choice, thread, most, tokens),
        )
    else:
        answer = daemon_or_store(
            choice,
            lambda far: _session_from_daemon(far, session, most, tokens),
            lambda: _session_from_store(choice, session, most, tokens),
        )
    if choice.as_json:
        show_json(answer)
        return
    for n, message in enumerate(answer["messages"]):
        show(*([""] if n else []), *message_view(answer["agent"], message))
    if not answer["messages"] and not answer["more"]:
        say("nothing was said yet")
    if tokens is None or not answer["more"]:
        say_if_more(more=answer["more"])
    else:
        say("\n… there are more than these, older or larger; --tokens and --limit show them")


def _from_daemon(
    far: AgentAtDaemon, thread: str | None, limit: int, tokens: int | None
) -> Document:
    answer = far.get("messages", thread=thread, limit=limit, tokens=tokens)
    if far.here and tokens is None and answer["more"] and len(answer["messages"]) < limit:
        raise daemon_unfit()  # an answer holds only so much, and the store all of it
    return answer


def _from_store(choice: Choice, thread: str | None, limit: int, tokens: int | None) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = agent.messages(limit=limit, tokens=tokens, thread=thread)
        more = len(agent.messages(limit=len(found) + 1, thread=thread)) > len(found)
        key = agent.primary.key if thread is None else thread
    told = [message_document(message) for message in found]
    return {"agent": agent.name, "thread": key, "messages": told, "more": more}


def _session_from_daemon(
    far: AgentAtDaemon, session: str, limit: int, tokens: int | None
) -> Document:
    answer = far.get("sessions", session, limit=limit)
    if far.here and len(answer["messages"]) < min(limit, answer["message_count"]):
        raise daemon_unfit()
    return _session_answer(answer, answer["messages"], tokens)


def _session_from_store(choice: Choice, session: str, limit: int, tokens: int | None) -> Document:
    with open_to_read(choice) as engine:
        agent = agent_of(engine, choice)
        found = engine.session(agent, session, limit=limit)
    facts = session_document(agent.row, found)
    return _session_answer(facts, [message_document(m) for m in found.messages], tokens)


def _session_answer(facts: Document, said: list[Document], tokens: int | None) -> Document:
    kept = said if tokens is None else _newest_within(said, tokens)
    return {
        "agent": facts["agent"],
        "thread": facts["thread"],
        "session": facts["id"],
        "messages": kept,
        "more": len(kept) < facts["message_count"],
    }


def _newest_within(said: list[Document], tokens: int) -> list[Document]:
    """The newest whole ones that fit, oldest first."""
    left, start = tokens, len(said)
    while start and said[start - 1]["tokens"] <= left:
        start -= 1
        left -= said[start]["tokens"]
    return said[start:]
