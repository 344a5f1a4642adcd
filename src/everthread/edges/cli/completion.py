"""`completion`: what makes a shell complete our commands."""

from __future__ import annotations

import click

from everthread.domain.errors import BadInput

from .base.options import Choice, common, examples

VARIABLE = "_EVERTHREAD_COMPLETE"


@click.command(
    "completion",
    short_help="A script that makes your shell complete commands.",
    epilog=examples(
        "everthread completion bash >> ~/.bashrc",
        "everthread completion zsh >> ~/.zshrc",
        "everthread completion fish > ~/.config/fish/completions/everthread.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common
def completion_command(_choice: Choice, shell: str) -> None:
    """Print a script for bash, zsh or fish. Read by the shell, it completes commands and options."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise BadInput(f"no completion for {shell}")
    root = click.get_current_context().find_root().command
    click.echo(found(root, {}, "everthread", VARIABLE).source())
