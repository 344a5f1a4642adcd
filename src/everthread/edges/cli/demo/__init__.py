"""`demo`: a hundred turns with an agent called Ada, through a store of their own."""

from __future__ import annotations

import click

from everthread.edges.cli.base.options import Choice, WholeNumber, common, examples, refuse_agent

# Many more turns than this would not fit into the window of Ada's model.
MOST_TURNS = 1_000


@click.command(
    "demo",
    short_help="See a thread live: a hundred turns with an agent called Ada.",
    epilog=examples("everthread demo", "everthread demo --turns 20 --store ada.db"),
)
@click.option(
    "--turns",
    type=WholeNumber(1, MOST_TURNS),
    default=100,
    show_default=True,
    help="How long the conversation is.",
)
@click.option("--fast", is_flag=True, help="Do not wait for those who watch.")
@common
def demo_command(choice: Choice, turns: int, *, fast: bool) -> None:
    """A conversation of several days flows through a fresh store, by the calls that a program makes:
    channels, tools, a turn that fails, a heartbeat, sessions that end and begin. On the way the thread
    is distilled three times; then the start is asked for, and one distillation is undone.

    The store lies in the folder demo of Everthread's home folder and replaces the one of the last demo;
    with --store it is a new file of your choice. No model is asked; the words come from a script.
    """
    from .perform import perform

    refuse_agent(choice, "the demo is Ada's")
    perform(choice, turns=turns, fast=fast)
