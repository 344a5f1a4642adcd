"""`help`: the same pages as --help, for who types the word."""

from __future__ import annotations

import click

from .base.options import Choice, common, examples


@click.command(
    "help",
    short_help="This page, or that of a command.",
    epilog=examples("everthread help", "everthread help memories list"),
)
@click.argument("words", nargs=-1, metavar="[COMMAND]…")
@common
def help_command(_choice: Choice, words: tuple[str, ...]) -> None:
    """What --help shows: the list of all commands, or the page of the one that is named."""
    context = click.get_current_context().find_root()
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no commands of its own")
        name, command, _ = group.resolve_command(context, [word])
        assert command is not None, "resolve_command refuses what there is not"
        context = click.Context(command, info_name=name, parent=context)
    click.echo(context.get_help())
