"""The root of the command line: the commands, the help that leads to them, and the way out."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from everthread import __version__

from .carry import backup_command, export_command, import_command
from .checkpoints import checkpoints
from .compactions import compactions
from .completion import VARIABLE, completion_command
from .config import config
from .context import context_command
from .daemon import down_command, up_command
from .demo import demo_command
from .distill import distill_command, redo_command, undo_command
from .doctor import doctor_command
from .embed import embed
from .erase import erase_command
from .exchanges import exchanges, send_command
from .exits import EXIT_CODES, OK, told
from .hook import hook_command
from .incidents import incidents, outbox_command
from .index import index_command
from .injections import injections_command
from .install import install_command, uninstall_command
from .logs import logs_command
from .mcp import mcp_command
from .memories import memories
from .notes import notes
from .options import Choice, Ordered, common, help_if_alone
from .private import private
from .recall import recall_command
from .receipts import receipts
from .remember import forget_command, remember_command
from .scorer import scorer
from .sessions import sessions
from .status import status_command, threads_command
from .task_steps import task
from .token import token
from .vacuum import vacuum_command
from .verify import verify_command

COMMANDS: tuple[click.Command, ...] = (
    demo_command,
    install_command,
    uninstall_command,
    up_command,
    down_command,
    logs_command,
    hook_command,
    mcp_command,
    status_command,
    threads_command,
    sessions,
    checkpoints,
    task,
    incidents,
    outbox_command,
    compactions,
    recall_command,
    remember_command,
    forget_command,
    memories,
    notes,
    injections_command,
    scorer,
    send_command,
    exchanges,
    distill_command,
    receipts,
    undo_command,
    redo_command,
    context_command,
    doctor_command,
    verify_command,
    backup_command,
    export_command,
    import_command,
    private,
    erase_command,
    index_command,
    vacuum_command,
    token,
    embed,
    config,
    completion_command,
)


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
    cls=Ordered,
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


for _command in COMMANDS:
    cli.add_command(_command)


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say; the exit code."""
    choice = Choice()
    try:
        code = _invoked(list(arguments), choice)
        # Output that waits in a buffer has not reached its reader yet.
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost boundary
        # Wrong use can end the parsing before --json is met.
        return told(error, as_json=choice.as_json or "--json" in arguments)
    return code


def _invoked(arguments: list[str], choice: Choice) -> int:
    try:
        with cli.make_context("everthread", arguments, obj=choice) as context:
            cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return OK


def main() -> NoReturn:
    """The command `everthread`."""
    _fill_closed_streams()
    if wish := os.environ.get(VARIABLE):
        from click.shell_completion import shell_complete  # noqa: PLC0415 - only a shell asks for it

        sys.exit(shell_complete(cli, {}, "everthread", VARIABLE, wish))
    sys.exit(run(sys.argv[1:]))


def _fill_closed_streams() -> None:
    # The number of a closed stream goes to the next file that is opened, and that would be the store.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, "r" if name == "stdin" else "w"))
