"""`task used`: for who runs the model elsewhere, how large its context is."""

from __future__ import annotations

import click

from everthread.edges.cli.base.options import Choice, WholeNumber, common, examples, open_engine
from everthread.edges.cli.base.terminal import say, show_json
from everthread.edges.cli.base.termination import sigterm_interrupts
from everthread.edges.documents.tasks import reached_document

from . import steps as _steps  # the group is whole once this is loaded
from .lifecycle import settle_gate, task, task_here, task_option
from .remote import task_there, tell_task

__all__ = ["_steps", "task"]

WHOLE = WholeNumber(0)


@task.command(
    "used",
    short_help="How large the context is.",
    epilog=examples("everthread task used --current 120000 --processed 8000"),
)
@task_option
@click.option("--current", type=WHOLE, required=True, help="Tokens of the model's context now.")
@click.option("--processed", type=WHOLE, default=0, help="Tokens more that it has processed.")
@common
def used_command(choice: Choice, slug: str | None, current: int, processed: int) -> None:
    """Say how large the model's context is. Turns of the library and harnesses are counted by themselves.

    At four fifths of the window the session goes on as a new one, from the summary that is shown; every
    50,000 tokens a summary is kept.
    """
    if far := task_there(choice, slug):
        tell_task(choice, far.post("used", current=current, processed=processed))
        return
    with sigterm_interrupts(), open_engine(choice) as engine:
        reached = task_here(engine, choice, slug).used(current=current, processed=processed)
    settle_gate()
    if choice.as_json:
        show_json(reached_document(reached), raw=True)
    elif reached is None:
        say("it may go on growing")
    else:
        how = "forked: go on in" if reached.forked else "summed up:"
        say(f"{how} {reached.at.session.alias}, from {reached.checkpoint.alias}")
        say(reached.context)
