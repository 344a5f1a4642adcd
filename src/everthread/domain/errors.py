"""Errors have names, and each message says what to do next."""

from __future__ import annotations

__all__ = [
    "AgentUnknown",
    "BadInput",
    "BlockInvalid",
    "BodyDamaged",
    "CallUnknown",
    "CallsOpen",
    "CheckpointUnknown",
    "CommandRefused",
    "CompactionUnknown",
    "ContextFull",
    "DistillationBusy",
    "DistillationDoubtful",
    "EmbedderFailed",
    "EntryKeyUnknown",
    "EverthreadError",
    "ExchangeRefused",
    "ExchangeUnknown",
    "GateRefused",
    "GitFailed",
    "ImportRefused",
    "IncidentUnknown",
    "IndexDamaged",
    "InstallRefused",
    "KeyReserved",
    "KindMismatch",
    "KindUnknown",
    "LeaseLost",
    "MemoryRefused",
    "MemoryUnknown",
    "MessagesPurged",
    "NotAStore",
    "NoteUnknown",
    "PrimaryExists",
    "QuotaReached",
    "ReceiptUnknown",
    "RequestUnknown",
    "SandboxActive",
    "SessionUnknown",
    "SettingInvalid",
    "StoreAway",
    "StoreBusy",
    "StoreClosed",
    "StoreDamaged",
    "StoreFailed",
    "StoreFull",
    "StoreReadOnly",
    "StoreTooNew",
    "StreamBroken",
    "TaskBusy",
    "TaskRefused",
    "TaskUnknown",
    "ThreadBusy",
    "ThreadClosed",
    "ThreadUnknown",
    "TokenUnknown",
    "TransitionIllegal",
    "TurnFinished",
    "TurnUnknown",
    "UndoRefused",
]


class EverthreadError(Exception):
    """The root of every error that Everthread raises on purpose."""


class BadInput(EverthreadError, ValueError):
    """An argument has the wrong shape."""


class BlockInvalid(BadInput):
    """A content block is of a kind that no provider has, or lacks what it needs."""


class EntryKeyUnknown(BadInput):
    """An entry to record has a key that nobody reads; the message says which is probably meant."""


class KindUnknown(BadInput):
    """A thread kind other than primary, background or ephemeral."""


class CommandRefused(EverthreadError):
    """A command is not trusted, or cannot be held as it must be."""


class KindMismatch(BadInput):
    """The thread exists already, with another kind."""


class PrimaryExists(BadInput):
    """A second primary thread was asked for."""


class KeyReserved(BadInput):
    """A key from outside uses a prefix that Everthread keeps for itself."""


class SettingInvalid(BadInput):
    """A setting is unknown, of the wrong type or out of its range."""


class AgentUnknown(EverthreadError, LookupError):
    """No agent of that name."""


class ThreadUnknown(EverthreadError, LookupError):
    """No thread of that key or id."""


class SessionUnknown(EverthreadError, LookupError):
    """No session of that id, or more than one."""


class MemoryUnknown(EverthreadError, LookupError):
    """There is no memory of that id, or the ending of an id fits several."""


class NoteUnknown(EverthreadError, LookupError):
    """There is no note of that id, or the ending of an id fits several."""


class MemoryRefused(EverthreadError):
    """This is not worth keeping as a memory; the message says why."""


class TurnUnknown(EverthreadError, LookupError):
    """No turn of that number or id."""


class RequestUnknown(BadInput, LookupError):
    """The turn made no request of that number."""


class CallUnknown(EverthreadError, LookupError):
    """A tool result for a call that the model never made, or that is answered already."""


class CallsOpen(EverthreadError):
    """The turn cannot end while tool calls wait for their results."""


class TurnFinished(EverthreadError):
    """The turn is over; it takes nothing more."""


class StreamBroken(EverthreadError):
    """A model's stream ended in the middle of its reply."""


class ThreadClosed(EverthreadError):
    """The thread was closed; it takes nothing more."""


class ThreadBusy(EverthreadError):
    """Another turn is open on the thread and did not end in time."""


class ContextFull(EverthreadError):
    """The request would pass the guard, a share of the model's window."""


class DistillationBusy(EverthreadError):
    """The thread is being distilled already; one at a time, across all processes."""


class DistillationDoubtful(EverthreadError):
    """In strict mode: the check after a distillation drew a warning; log and receipt have it too."""


class MessagesPurged(EverthreadError, LookupError):
    """What was asked for was distilled, and purged when its age was over."""


class ReceiptUnknown(EverthreadError, LookupError):
    """There is no receipt of that id, or the ending of an id fits several."""


class CheckpointUnknown(EverthreadError, LookupError):
    """There is no checkpoint of that id, or the ending of an id fits several."""


class CompactionUnknown(EverthreadError, LookupError):
    """There is no compaction of that id, or the ending of an id fits several."""


class TokenUnknown(EverthreadError, LookupError):
    """There is no token of that name or id, or the ending of an id fits several."""


class UndoRefused(EverthreadError):
    """What was asked to be undone or redone cannot be, as things stand; nothing was changed."""


class TransitionIllegal(EverthreadError):
    """A session cannot go from this state to that one."""


class TaskUnknown(EverthreadError, LookupError):
    """No task of that slug, or none that is meant."""


class IncidentUnknown(EverthreadError, LookupError):
    """No incident of that id."""


class TaskRefused(EverthreadError):
    """A task does not allow this now; the message says what it waits for."""


class TaskBusy(EverthreadError):
    """Another session works at the task."""


class GateRefused(TaskRefused):
    """A gate cannot be passed without what it asks for, or out of turn."""


class GitFailed(EverthreadError):
    """Git did not do what was asked, or not in time; nothing of the project was changed."""


class SandboxActive(TaskRefused):
    """The task is in a sandbox: only reading is allowed."""


class QuotaReached(EverthreadError):
    """No further session may be opened this month; nothing was stored."""


class LeaseLost(EverthreadError):
    """Someone else took the work over; what this owner did late is refused."""


class StoreFailed(EverthreadError):
    """The store could not do it. Nothing was acknowledged that is not on disk."""


class BodyDamaged(StoreFailed):
    """A stored text cannot be read any more; `everthread verify` names it."""


class StoreDamaged(StoreFailed):
    """The store's file is damaged; `everthread verify` tells what of it can be read."""


class StoreFull(StoreFailed):
    """No space left where the store lives."""


class StoreReadOnly(StoreFailed):
    """The store cannot be written."""


class StoreAway(StoreFailed):
    """The store cannot be reached now: it is gone, starts up, or has no connection left. It may pass."""


class StoreBusy(StoreFailed):
    """Another program holds the store locked."""


class StoreClosed(StoreFailed):
    """The store was closed."""


class IndexDamaged(StoreFailed):
    """The index was not as it was written; it was thrown away and is made anew from the store."""


class StoreTooNew(StoreFailed):
    """The store was written by a newer Everthread."""


class NotAStore(StoreFailed):
    """What is there is not an Everthread store; it was left untouched."""


class EmbedderFailed(EverthreadError):
    """The embedding model is missing, is not the one we know, or cannot be run."""


class ExchangeRefused(EverthreadError):
    """One agent may not ask, tell or send another just now; nothing was stored."""


class ExchangeUnknown(EverthreadError, LookupError):
    """There is no such exchange of this agent."""


class ImportRefused(EverthreadError):
    """The file to import does not fit what the store holds; nothing was changed."""


class DaemonFailed(EverthreadError):
    """The daemon could not be started or stopped; what hooks bring is spooled meanwhile."""


class OutcomeUnknown(EverthreadError):
    """The daemon went away before it answered: whether it was done is not known. Look, then repeat."""


class NotUnderstood(EverthreadError):
    """What a harness told its hook could not be read; nothing was kept of it."""


class InstallRefused(EverthreadError):
    """A harness's settings could not be changed safely; they were left as they are."""
