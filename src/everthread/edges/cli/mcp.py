"""`mcp`: what a harness starts to reach the tools."""

from __future__ import annotations

import os
import sys

import click

from everthread.domain.errors import BadInput

from .base.options import Choice, common, examples, refuse_agent, settings_of
from .base.terminal import show_json


@click.command(
    "mcp",
    short_help="The MCP server that a harness starts.",
    epilog=examples("everthread mcp --print-command"),
)
@click.option("--print-command", "printing", is_flag=True, help="Print what `install` writes.")
@common
def mcp_command(choice: Choice, *, printing: bool) -> None:
    """Speak the Model Context Protocol on stdin and stdout, until stdin ends. Harnesses start this;
    it carries each call to the daemon, and starts the daemon if there is none.
    """
    from everthread.edges.mcp.command import bridge_command

    refuse_agent(choice, "the folder that the harness works in says whose memory it is")
    if choice.store:
        raise BadInput("--store does not go with this command: the daemon knows its store")
    argv = bridge_command(settings_of(choice))
    if printing:
        show_json(argv)
        return
    if sys.stdin.isatty():
        click.echo("everthread: this is for a harness; it waits for MCP on stdin", err=True)
    os.execv(argv[0], argv)
