"""The root of the command line: the commands, the help that leads to them, and the way out."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from everthread import __version__

from .base.exits import EXIT_CODES, OK, report_error
from .base.options import Choice, common, help_if_alone
from .base.termination import note_interrupts
from .completion import VARIABLE
from .lazy_group import LazyGroup

COMMANDS = {
    "demo": ("demo", "demo_command"),
    "install": ("install", "install_command"),
    "uninstall": ("install", "uninstall_command"),
    "up": ("daemon", "up_command"),
    "down": ("daemon", "down_command"),
    "logs": ("logs", "logs_command"),
    "hook": ("hook", "hook_command"),
    "mcp": ("mcp", "mcp_command"),
    "status": ("status", "status_command"),
    "agents": ("agents", "agents_command"),
    "threads": ("status", "threads_command"),
    "messages": ("messages", "messages_command"),
    "sessions": ("session_changes", "sessions"),
    "checkpoints": ("checkpoints", "checkpoints"),
    "task": ("tasks.context_size", "task"),
    "incidents": ("tasks.incidents", "incidents"),
    "outbox": ("tasks.incidents", "outbox_command"),
    "compactions": ("compactions", "compactions"),
    "recall": ("recall", "recall_command"),
    "remember": ("remember", "remember_command"),
    "forget": ("remember", "forget_command"),
    "memories": ("memories", "memories"),
    "notes": ("notes", "notes"),
    "injections": ("injections", "injections_command"),
    "scorer": ("scorer", "scorer"),
    "send": ("exchanges", "send_command"),
    "exchanges": ("exchanges", "exchanges"),
    "distill": ("distill", "distill_command"),
    "receipts": ("receipts", "receipts"),
    "undo": ("distill", "undo_command"),
    "redo": ("distill", "redo_command"),
    "context": ("context", "context_command"),
    "doctor": ("doctor", "doctor_command"),
    "verify": ("verify", "verify_command"),
    "backup": ("transfer", "backup_command"),
    "export": ("transfer", "export_command"),
    "import": ("transfer", "import_command"),
    "private": ("private", "private"),
    "erase": ("erase", "erase_command"),
    "index": ("index", "index_command"),
    "vacuum": ("vacuum", "vacuum_command"),
    "token": ("token", "token"),
    "embed": ("embed", "embed"),
    "config": ("config", "config"),
    "completion": ("completion", "completion_command"),
    "help": ("help", "help_command"),
}
"""In the order in which a newcomer meets them: the module here, and the command's name in it."""


def _epilog() -> str:
    codes = [f"  {row.code:>3}  {row.meaning}" for row in EXIT_CODES]
    first = [
        "  everthread demo                    see a thread live",
        "  everthread status                  how things stand",
        '  everthread recall "which port?"     find again what was said',
        "  everthread receipts                what was distilled, and what is left",
        "  everthread sessions show 1a2b3c4d  by any unique ending of an id",
    ]
    return "\n\n".join(
        ["\b\n" + "\n".join(["Begin with:", *first]), "\b\n" + "\n".join(["Exit codes:", *codes])]
    )


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    invoke_without_command=True,
    epilog=_epilog(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="everthread", message="%(prog)s %(version)s")
@common
def cli(_choice: Choice) -> None:
    """Keeps an AI agent's conversation going for ever, and proves it.

    --store, --agent and --json are understood before and after the name of every command. Without
    --agent, what EVERTHREAD_AGENT names is meant, else this project's agent, else the only one.
    """
    help_if_alone()


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say; the exit code."""
    choice = Choice()
    try:
        code = _invoke(list(arguments), choice)
        # Output that waits in a buffer has not reached its reader yet.
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost boundary
        # Wrong use can end the parsing before --json is met.
        return report_error(error, as_json=choice.as_json or "--json" in arguments)
    return code


def _invoke(arguments: list[str], choice: Choice) -> int:
    try:
        with cli.make_context("everthread", arguments, obj=choice) as context:
            cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return OK


def main() -> NoReturn:
    """The command `everthread`."""
    note_interrupts()
    _fill_closed_streams()
    if wish := os.environ.get(VARIABLE):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(cli, {}, "everthread", VARIABLE, wish))
    sys.exit(run(sys.argv[1:]))


def _fill_closed_streams() -> None:
    # The number of a closed stream goes to the next file that is opened, and that would be the store.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, "r" if name == "stdin" else "w"))
