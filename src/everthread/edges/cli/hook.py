"""`hook`: what a harness runs at an event, to look at or to try by hand."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile

import click

from everthread.domain.errors import BadInput, NotUnderstood
from everthread.domain.harness.happenings import HARNESSES
from everthread.domain.redaction.secrets import strip_secrets

from .base.options import Choice, common, examples, settings_of
from .base.terminal import escaped, show_json


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
    from everthread.edges.hooks.command import (
        client_of,
        command_for,
        install_client,
    )

    if shell and not printing:
        raise BadInput("--shell goes with --print-command")
    if printing:
        _must_be_installed(harness, event)
    settings = settings_of(choice)
    argv = command_for(settings, harness, event)
    if not printing:
        install_client(settings)
        _take_stdin(harness, event)
        os.execv(argv[0], argv)
    if not client_of(settings).exists():
        _hint("its client is not there yet, so it does nothing: `everthread install` puts it there")
    if shell:
        click.echo(shlex.join(argv))
    else:
        show_json(argv)


def _must_be_installed(harness: str, event: str) -> None:
    """Nobody is helped by a command that nothing ever runs."""
    from everthread.edges.harnesses.event_desk import dialect_of
    from everthread.edges.harnesses.openclaw import OpenClaw
    from everthread.edges.install.events import GATES

    older = OpenClaw.legacy if harness == OpenClaw.name else ()
    written = (*dialect_of(harness).events, *older, GATES[harness])
    if event not in written:
        raise BadInput(
            f"`install` writes no command for {event!r:.40} of {HARNESSES[harness]}; it does for "
            + ", ".join(written)
        )


def _take_stdin(harness: str, event: str) -> None:
    """Read the event for the client, and say on stderr what is wrong with it.

    A harness runs the client itself, which is silent whatever happens; who types this wants to know.
    """
    from everthread.edges.harnesses.event_desk import decode_event, dialect_of

    if not dialect_of(harness).knows(event):
        _hint(f"{HARNESSES[harness]} has no event {event!r:.40}: it will be counted and left alone")
    if sys.stdin.isatty():
        _hint("type the event as JSON, then Ctrl-D; or give it a file: < event.json")
    body = sys.stdin.buffer.read()
    try:
        decode_event(body)
    except NotUnderstood as wrong:
        _hint(f"{wrong}; nothing of it will be kept")
    if not body.strip():
        _hint("nothing is on stdin; the event's JSON belongs there: < event.json")
    # The client has little time to read; a file does not make it wait.
    with tempfile.TemporaryFile() as file:
        file.write(body)
        file.seek(0)
        os.dup2(file.fileno(), 0)


def _hint(text: str) -> None:
    click.echo(f"everthread hook: {escaped(strip_secrets(text))}", err=True)
