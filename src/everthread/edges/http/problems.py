"""How a request fails: one table of statuses, and every error as problem+json (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from everthread.domain import errors
from everthread.domain.checks import mend_text
from everthread.domain.redaction.secrets import strip_secrets

PROBLEM = "application/problem+json"
SERVER = 500
LONGEST_DETAIL = 2_000
RETRY_SECONDS = 1

STATUSES: dict[type[errors.EverthreadError], int] = {
    errors.EverthreadError: 500,
    errors.BadInput: 422,
    errors.EntryKeyUnknown: 422,
    errors.KindUnknown: 422,
    errors.KindMismatch: 409,
    errors.PrimaryExists: 409,
    errors.BlockInvalid: 422,
    errors.KeyReserved: 422,
    errors.SettingInvalid: 422,
    errors.AgentUnknown: 404,
    errors.ThreadUnknown: 404,
    errors.SessionUnknown: 404,
    errors.MemoryUnknown: 404,
    errors.NoteUnknown: 404,
    errors.TurnUnknown: 404,
    errors.RequestUnknown: 404,
    errors.CallUnknown: 404,
    errors.ReceiptUnknown: 404,
    errors.CheckpointUnknown: 404,
    errors.CompactionUnknown: 404,
    errors.TokenUnknown: 404,
    errors.ExchangeUnknown: 404,
    errors.ExchangeRefused: 409,
    errors.TaskUnknown: 404,
    errors.IncidentUnknown: 404,
    errors.TaskRefused: 409,
    errors.TaskBusy: 409,
    errors.GateRefused: 409,
    errors.GitFailed: 503,
    errors.SandboxActive: 403,
    errors.CommandRefused: 403,
    errors.MemoryRefused: 422,
    errors.CallsOpen: 409,
    errors.TurnFinished: 409,
    errors.StreamBroken: 422,
    errors.ThreadClosed: 409,
    errors.ThreadBusy: 409,
    errors.ContextFull: 409,
    errors.QuotaReached: 429,
    errors.DistillationBusy: 409,
    errors.DistillationDoubtful: 409,
    errors.MessagesPurged: 410,
    errors.UndoRefused: 409,
    errors.TransitionIllegal: 409,
    errors.LeaseLost: 409,
    errors.ImportRefused: 422,
    errors.InstallRefused: 409,
    errors.NotUnderstood: 422,
    errors.StoreFailed: 503,
    errors.BodyDamaged: 503,
    errors.StoreDamaged: 503,
    errors.StoreFull: 507,
    errors.StoreReadOnly: 503,
    errors.StoreAway: 503,
    errors.StoreBusy: 503,
    errors.StoreClosed: 503,
    errors.StoreTooNew: 503,
    errors.NotAStore: 503,
    errors.IndexDamaged: 503,
    errors.EmbedderFailed: 503,
    errors.DaemonFailed: 503,
    errors.OutcomeUnknown: 503,
}
"""Every error of ours and the status it is told with; a test sees that none is missing."""

AGAIN = (errors.ThreadBusy, errors.DistillationBusy, errors.StoreAway, errors.StoreBusy)
"""Those that pass by themselves: the answer says when to try again."""


class Refused(Exception):
    """The request cannot be answered; status and detail say why, and `name` the error where it has one."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        *,
        name: type[errors.EverthreadError] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.name = "" if name is None else name.__name__
        self.headers = dict(headers or {})


def status_of(error: errors.EverthreadError) -> int:
    """The status of an error: that of the nearest kind of error in the table."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), SERVER)


def problem(
    status: int,
    detail: str,
    *,
    name: str = "",
    headers: Mapping[str, str] | None = None,
    longest: int | None = LONGEST_DETAIL,
) -> Response:
    """The answer that says what went wrong and what to do."""
    title = HTTPStatus(status).phrase
    document: dict[str, Any] = {
        "type": f"urn:everthread:error:{name}" if name else "about:blank",
        "title": title,
        "status": status,
        "detail": strip_secrets(mend_text(detail))[:longest],
    }
    return Response(
        msgspec.json.encode(document), status, headers=dict(headers or {}), media_type=PROBLEM
    )


def error_response(error: BaseException, *, whole: bool = False) -> Response:
    """An error as an answer. What the machine looks like inside stays inside, unless its owner asks."""
    if isinstance(error, Refused):
        return problem(error.status, error.detail, name=error.name, headers=error.headers)
    if not isinstance(error, errors.EverthreadError):
        return problem(SERVER, "a fault in Everthread itself; the daemon's log has the rest")
    status = status_of(error)
    # Messages about the store name files of this machine; the sentence of the class does not.
    hidden = status >= SERVER and not whole
    detail = (type(error).__doc__ or "").strip() if hidden else str(error)
    headers = {"Retry-After": str(RETRY_SECONDS)} if isinstance(error, AGAIN) else None
    longest = None if whole else LONGEST_DETAIL
    return problem(status, detail, name=type(error).__name__, headers=headers, longest=longest)
