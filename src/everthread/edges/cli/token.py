"""`token`: keys to the HTTP API, made, listed and revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from everthread.domain.ids import short
from everthread.edges.documents.tokens import token_document

from .base.options import (
    Choice,
    OrderedGroup,
    common,
    examples,
    help_if_alone,
    open_engine,
    open_to_read,
    refuse_agent,
)
from .base.terminal import NARROW, USUAL, Column, say, show, show_json, table, time_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.harness.checkpoints import Token

SCOPES = click.Choice(["read", "write", "admin"])
BELONGS = "tokens belong to the store; say which agents one speaks for with --for"


@click.group(
    "token", cls=OrderedGroup, invoke_without_command=True, short_help="Keys to the HTTP API."
)
@common
def token(_choice: Choice) -> None:
    """A token opens the HTTP API of the daemon: for reading, writing or everything, for all agents or
    some. The local one in `run/token` of the home folder may do everything; give others less.
    """
    help_if_alone()


@token.command(
    "create",
    epilog=examples(
        "everthread token create dashboard",
        "everthread token create recorder --scope read --scope write --for ada",
    ),
)
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=SCOPES,
    multiple=True,
    default=("read",),
    show_default=True,
    help="What it may do; may be repeated. admin may do everything.",
)
@click.option(
    "--for",
    "agents",
    multiple=True,
    metavar="AGENT",
    help="Only for this agent; may be repeated. Without it, for all.",
)
@common
def create_command(
    choice: Choice, name: str, scopes: tuple[str, ...], agents: tuple[str, ...]
) -> None:
    """Make a token. Its secret is shown this once and kept nowhere: put it where it is needed."""
    chosen = (*agents, *([choice.agent] if choice.agent else []))
    with open_engine(choice, create=True) as engine:
        minted = engine.create_token(name, scopes=scopes, agents=chosen)
        here = {agent.name for agent in engine.agents()}
    _warn_of([agent for agent in chosen if agent not in here])
    if choice.as_json:
        show_json({**token_document(minted.token), "secret": minted.secret}, raw=True)
        return
    click.echo(f"{_line(minted.token)}. Its secret, this once:", err=True)
    say(minted.secret, raw=True)


@token.command("list", epilog=examples("everthread token list"))
@common
def list_command(choice: Choice) -> None:
    """All tokens, newest first, revoked ones too; never a secret."""
    refuse_agent(choice, BELONGS)
    with open_to_read(choice) as engine:
        found = engine.tokens()
    if choice.as_json:
        show_json({"tokens": [token_document(each) for each in found]})
    elif found:
        show(_table(found))
    else:
        say("no tokens yet; `everthread token create` makes one")


@token.command("revoke", epilog=examples("everthread token revoke dashboard"))
@click.argument("name", metavar="NAME|ID")
@common
def revoke_command(choice: Choice, name: str) -> None:
    """Revoke a token by its name or its id: from now on it opens nothing."""
    refuse_agent(choice, BELONGS)
    with open_engine(choice) as engine:
        before = {each.key_id for each in engine.tokens() if each.revoked_ms is not None}
        revoked = engine.revoke_token(name)
    again = revoked.key_id in before
    if choice.as_json:
        show_json({**token_document(revoked), "revoked_before": again})
        return
    since = (
        f"was revoked already, at {time_text(revoked.revoked_ms)} UTC" if again else "is revoked"
    )
    say(f"{short(revoked.key_id)}  {revoked.name} {since}")


def _warn_of(unknown: list[str]) -> None:
    """A token may come before its agent, but so may a slip of the pen."""
    for name in unknown:
        click.echo(
            f"warning: no agent {name!r} is here yet; the token opens it once there is one "
            "(`everthread status` names the agents)",
            err=True,
        )


def _line(made: Token) -> str:
    document = token_document(made)
    agents = ", ".join(document["agents"]) or "all agents"
    return f"{short(made.key_id)}  {made.name}: {', '.join(document['scopes'])} for {agents}"


def _table(found: list[Token]) -> RenderableType:
    columns = [
        Column("id", style="bold"),
        Column("name", folds=True),
        Column("scopes"),
        Column("agents", folds=True),
        Column("made (UTC)", room=USUAL),
        Column("used (UTC)", room=NARROW),
        Column("revoked (UTC)", room=USUAL),
    ]
    return table(columns, [_row(each) for each in found])


def _row(each: Token) -> list[str]:
    document = token_document(each)
    return [
        short(each.key_id),
        each.name,
        ", ".join(document["scopes"]),
        ", ".join(document["agents"]) or "all",
        time_text(each.created_ms),
        time_text(each.used_ms),
        time_text(each.revoked_ms),
    ]
