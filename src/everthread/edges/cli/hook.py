"""`hook`: what a harness runs at an event, to look at or to try by hand."""

from __future__ import annotations

import os
import shlex

import click

from everthread.domain.errors import BadInput
from everthread.domain.happenings import HARNESSES

from .options import Choice, common, examples, settings_of
from .terminal import show_json


@click.command(
    "hook",
    short_help="The command that a harness runs at an event.",
    epilog=examples(
        "everthread hook --print-command SessionStart --harness claude-code",
        "everthread hook UserPromptSubmit < event.json",
    ),
)
@click.argument("event")
@click.option(
    "--harness",
    type=click.Choice(list(HARNESSES)),
    default="claude-code",
    show_default=True,
    help="Whose event it is.",
)
@click.option("--print-command", "printing", is_flag=True, help="Print what `install` writes.")
@click.option("--shell", is_flag=True, help="Print it as a line for a shell, not as JSON.")
@common
def hook_command(choice: Choice, event: str, harness: str, printing: bool, shell: bool) -> None:  # noqa: FBT001 - click gives options by name
    """Bring an event to the daemon: its JSON on stdin, the answer on stdout. This is the very command
    that `install` writes, started by hand.
    """
    from everthread.edges.hooks.command import command_for, install_client  # noqa: PLC0415 - `--help` needs none of it

    if shell and not printing:
        raise BadInput("--shell goes with --print-command")
    settings = settings_of(choice)
    argv = command_for(settings, harness, event)
    if not printing:
        install_client(settings)
        os.execv(argv[0], argv)
    if shell:
        click.echo(shlex.join(argv))
    else:
        show_json(argv)
