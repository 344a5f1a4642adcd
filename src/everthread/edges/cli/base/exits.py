"""How a command ends: one table of exit codes, and every error in words or as JSON."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import NamedTuple

import click

from everthread.domain import errors
from everthread.domain.redaction.secrets import strip_secrets

from .terminal import escaped
from .termination import TerminationSignal, was_interrupted

OK, NO, USAGE, UNKNOWN, BUSY, STORE, REFUSED, DOUBT, BUG, STOPPED, UNHEARD, ENDED = (
    *range(8),
    70,
    130,
    141,
    143,
)

DEBUG = "EVERTHREAD_DEBUG"


class Declined(click.ClickException):
    """A person who was asked said no."""


class Exit(NamedTuple):
    """An exit code, what it tells a script, and the errors that lead to it."""

    code: int
    meaning: str
    errors: tuple[type[BaseException], ...] = ()


EXIT_CODES: tuple[Exit, ...] = (
    Exit(OK, "done"),
    Exit(
        NO,
        "the answer is no: verify or doctor found something, a distillation or a step of a session's "
        "end failed, the embedder does not work",
    ),
    Exit(
        USAGE,
        "wrong use: an option, a value or a setting, or one that is missing; a file to write that is there "
        "already",
        (errors.BadInput, click.UsageError),
    ),
    Exit(
        UNKNOWN,
        "not found: no such agent, thread, session, turn, request of it, memory, note, receipt, checkpoint, "
        "compaction, exchange or task",
        (
            errors.AgentUnknown,
            errors.ThreadUnknown,
            errors.SessionUnknown,
            errors.MemoryUnknown,
            errors.NoteUnknown,
            errors.TurnUnknown,
            errors.RequestUnknown,
            errors.CallUnknown,
            errors.ReceiptUnknown,
            errors.CheckpointUnknown,
            errors.CompactionUnknown,
            errors.TokenUnknown,
            errors.ExchangeUnknown,
            errors.TaskUnknown,
            errors.IncidentUnknown,
        ),
    ),
    Exit(
        BUSY,
        "busy: someone else holds it; try again",
        (
            errors.ThreadBusy,
            errors.DistillationBusy,
            errors.StoreBusy,
            errors.LeaseLost,
            errors.TaskBusy,
        ),
    ),
    Exit(
        STORE,
        "the store failed: missing, full, read-only, too new",
        (errors.StoreFailed, OSError),
    ),
    Exit(
        REFUSED,
        "refused, or declined by you: nothing was changed",
        (errors.EverthreadError, click.ClickException),
    ),
    Exit(
        DOUBT,
        "not known whether it was done: the daemon went away before it answered; look before you repeat",
        (errors.OutcomeUnknown,),
    ),
    Exit(BUG, "a fault in Everthread itself", (Exception,)),
    Exit(STOPPED, "stopped by Ctrl-C", (KeyboardInterrupt, click.Abort)),
    Exit(UNHEARD, "the reader of the output went away", (BrokenPipeError,)),
    Exit(ENDED, "told to end (SIGTERM) in a ritual of a task", (TerminationSignal,)),
)

_CODES = {error: row.code for row in EXIT_CODES for error in row.errors}


def code_of(error: BaseException) -> int:
    """The exit code of an error: that of the nearest kind of error in the table."""
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), BUG)


def report_error(error: BaseException, *, as_json: bool) -> int:
    """Say on stderr what went wrong; the exit code."""
    code = code_of(error)
    if code == BUG and was_interrupted():
        error, code = KeyboardInterrupt(), STOPPED
    if code == UNHEARD:
        _hush()
        return code
    if os.environ.get(DEBUG) and not isinstance(error, click.ClickException | KeyboardInterrupt):
        traceback.print_exception(error)
    said = [_message(error, code), *getattr(error, "__notes__", ())]
    message = strip_secrets(". ".join([*(each.removesuffix(".") for each in said[:-1]), said[-1]]))
    if as_json:
        message = json.dumps({"error": {"name": type(error).__name__, "message": message}})
    else:
        message = f"everthread: {escaped(message)}"
    click.echo(message, err=True)
    return code


def _message(error: BaseException, code: int) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message() + _hint(error)
    if code in (STOPPED, ENDED):
        return str(error) or "stopped"
    if code == BUG:
        hint = "" if os.environ.get(DEBUG) else f"\nSet {DEBUG}=1 and try again to see where."
        return f"a fault in Everthread itself: {type(error).__name__}: {error}{hint}"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return "" if context is None else f"\nTry: {context.command_path} --help"


def _hush() -> None:
    # The interpreter flushes on its way out, and must not complain to a reader who has gone.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
