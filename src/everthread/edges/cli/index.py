"""`index`: bring what recall searches up to date, or make it anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .base.options import Choice, agents_of, common, examples, open_engine
from .base.terminal import bytes_text, plural, progress, say, show_json

if TYPE_CHECKING:
    from everthread.engine import Agent, Everthread


@click.command(
    "index",
    short_help="Bring what recall searches up to date.",
    epilog=examples("everthread index", "everthread index --rebuild --agent ada"),
)
@click.option("--rebuild", is_flag=True, help="Throw the index away and make it anew.")
@common
def index_command(choice: Choice, rebuild: bool) -> None:  # noqa: FBT001 - a flag of the command line
    """Put everything recorded into the index, with the vectors by which recall goes by meaning.

    Nobody has to call this: words are found at once, and vectors follow in the background. It is for
    after a large import, and for whoever wants to wait for it. The index holds nothing of its own;
    it can be deleted at any time and is made anew from the store.
    """
    with open_engine(choice) as engine:
        done = [_index_agent(engine, agent, rebuild=rebuild) for agent in agents_of(engine, choice)]
        size = engine.house.index.size()
    if choice.as_json:
        show_json({"agents": done, "bytes": size})
        return
    for each in done:
        vectors = f"{each['embedded']:,} with vectors" if each["model"] else "by words alone"
        say(f"{each['agent']}: {plural(each['cards'], 'card')}, {vectors}")
    say(f"{bytes_text(size)} on disk" if done else "no agents, hence nothing to index")


def _index_agent(engine: Everthread, agent: Agent, *, rebuild: bool) -> dict[str, Any]:
    if rebuild:
        engine.house.index.drop(agent.row)
    with progress(f"indexing {agent.name}") as note:
        agent.index(note)
    embedder = engine.house.embedder
    model = None if embedder is None else embedder.name
    counts = engine.house.index.of(agent.row).counts(model)
    return {
        "agent": agent.name,
        "cards": counts.cards,
        "embedded": counts.embedded,
        "model": model,
    }
