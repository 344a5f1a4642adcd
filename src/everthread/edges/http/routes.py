"""Every route of the API in one table: what it is called, who may, what it takes and gives."""

from __future__ import annotations

from . import answers, inputs
from . import memory_answers as known
from .route import AGENT, BOTH, IMPORT_BYTES, LINES, RECORD_BYTES, Route
from .routes_exchanges import AMONG
from .routes_tasks import TASKS
from .verbs import admin, agents, carry, checkpoints, distilled, memory, said, turns

MEMORY = AGENT + "/memories/{memory}"
TURN = AGENT + "/turns/{turn}"
RECEIPT = AGENT + "/receipts/{receipt}"
COMPACTION = AGENT + "/compactions/{compaction}"

ROUTES: tuple[Route, ...] = (
    # How things stand
    Route("GET", "/api/status", "read", agents.status, inputs.Asked, answers.Status),
    Route("GET", "/api/doctor", "admin", agents.doctor, inputs.Asked, answers.Findings),
    # Checkpoints of a project, of a session
    Route(
        "GET",
        "/api/checkpoints",
        "read",
        checkpoints.of_project,
        inputs.CheckpointsOf,
        known.CheckpointList,
    ),
    Route(
        "GET",
        "/api/checkpoints/{session_key}",
        "read",
        checkpoints.of_session,
        inputs.CheckpointsOfSession,
        known.CheckpointList,
    ),
    # Agents and threads
    Route("GET", "/api/agents", "read", agents.list_agents, inputs.Asked, answers.AgentList),
    Route(
        "POST",
        "/api/agents",
        "admin",
        agents.create_agent,
        inputs.NewAgent,
        answers.AgentName,
        most=RECORD_BYTES,
    ),
    Route("GET", AGENT, "read", agents.show_agent, inputs.Asked, answers.AgentSeen),
    Route("GET", AGENT + "/threads", "read", agents.list_threads, inputs.Asked, answers.ThreadList),
    Route(
        "POST",
        AGENT + "/threads",
        "write",
        agents.open_thread,
        inputs.NewThread,
        answers.ThreadSeen,
    ),
    Route(
        "POST",
        AGENT + "/threads/close",
        "write",
        agents.close_thread,
        inputs.OneThread,
        answers.ThreadSeen,
    ),
    # What was said
    Route(
        "GET", AGENT + "/messages", "read", said.list_messages, inputs.Messages, answers.MessageList
    ),
    Route(
        "POST",
        AGENT + "/messages",
        "write",
        said.record,
        inputs.Record,
        answers.Counted,
        most=RECORD_BYTES,
    ),
    Route(
        "GET", AGENT + "/sessions", "read", said.list_sessions, inputs.OnThread, answers.SessionList
    ),
    Route(
        "GET",
        AGENT + "/sessions/{session}",
        "read",
        said.show_session,
        inputs.OneSession,
        answers.SessionShown,
    ),
    Route(
        "POST",
        AGENT + "/sessions/{session}/resume",
        BOTH,
        said.resume_session,
        inputs.Resume,
        answers.SessionSeen,
    ),
    Route(
        "POST",
        AGENT + "/sessions/{session}/end",
        BOTH,
        said.end_session,
        inputs.Asked,
        answers.SessionSeen,
    ),
    Route(
        "POST",
        AGENT + "/sessions/{session}/summarize",
        BOTH,
        said.summarize_session,
        inputs.Asked,
        answers.SessionSeen,
        slow=True,
    ),
    Route("GET", AGENT + "/timeline", "read", said.timeline, inputs.TimelineOf, answers.EntryList),
    # Turns
    Route("GET", AGENT + "/turns", "read", turns.list_turns, inputs.OnThread, answers.TurnList),
    Route(
        "POST",
        AGENT + "/turns",
        BOTH,
        turns.begin,
        inputs.Begin,
        answers.OpenTurn,
        most=RECORD_BYTES,
        slow=True,
    ),
    Route("GET", TURN, BOTH, turns.show, inputs.Style, answers.OpenTurn),
    Route(
        "POST",
        TURN + "/replies",
        BOTH,
        turns.add,
        inputs.Reply,
        answers.OpenTurn,
        most=RECORD_BYTES,
    ),
    Route(
        "POST",
        TURN + "/results",
        BOTH,
        turns.tool_result,
        inputs.Result,
        answers.OpenTurn,
        most=RECORD_BYTES,
    ),
    Route(
        "POST",
        TURN + "/done",
        "write",
        turns.done,
        inputs.Done,
        answers.OpenTurn,
        most=RECORD_BYTES,
    ),
    Route("POST", TURN + "/failed", "write", turns.failed, inputs.Failed, answers.OpenTurn),
    *AMONG,
    *TASKS,
    # Memory
    Route("POST", AGENT + "/recall", "read", memory.recall, inputs.Recall, known.HitList),
    Route("POST", AGENT + "/index", "write", memory.index, inputs.Asked, known.Indexed, slow=True),
    Route(
        "GET",
        AGENT + "/memories",
        "read",
        memory.list_memories,
        inputs.Memories,
        known.MemoryList,
    ),
    Route("POST", AGENT + "/memories", "write", memory.remember, inputs.Remember, known.MemoryKept),
    Route("GET", MEMORY, "read", memory.show_memory, inputs.Asked, known.MemoryShown),
    Route("PATCH", MEMORY, "write", memory.edit_memory, inputs.Edit, known.MemoryKept),
    Route("DELETE", MEMORY, "write", memory.forget, inputs.Asked, known.Forgotten),
    Route("GET", MEMORY + "/history", "read", memory.history, inputs.Asked, known.MemoryHistory),
    Route("GET", AGENT + "/scorer", "read", memory.scorer, inputs.Asked, known.ScorerSeen),
    Route("GET", AGENT + "/notes", "read", memory.list_notes, inputs.Notes, known.NoteList),
    Route("POST", AGENT + "/notes", "write", memory.note, inputs.NewNote, known.NoteKept),
    Route(
        "DELETE",
        AGENT + "/notes/{note}",
        "write",
        memory.delete_note,
        inputs.Asked,
        known.Deleted,
    ),
    # What the agent is given, and distillations
    Route(
        "GET", AGENT + "/context", "read", distilled.context, inputs.ContextOf, known.ContextSeen
    ),
    Route(
        "GET",
        AGENT + "/injections",
        "read",
        distilled.injections,
        inputs.Injections,
        known.InjectionList,
    ),
    Route("GET", AGENT + "/knew/{number}", "read", distilled.knew, inputs.Asked, known.KnewSeen),
    Route(
        "GET", AGENT + "/sent/{number}", "read", distilled.sent, inputs.SentIn, known.ContextSeen
    ),
    Route(
        "POST",
        AGENT + "/distill",
        "write",
        distilled.distill,
        inputs.Distill,
        known.ReceiptSeen,
        slow=True,
    ),
    Route(
        "GET",
        AGENT + "/receipts",
        "read",
        distilled.list_receipts,
        inputs.OnThread,
        known.ReceiptList,
    ),
    Route("GET", RECEIPT, "read", distilled.show_receipt, inputs.Asked, known.ReceiptShown),
    Route(
        "POST",
        RECEIPT + "/undo",
        "write",
        distilled.undo,
        inputs.DryRun,
        known.Reversed,
        slow=True,
    ),
    Route(
        "POST",
        RECEIPT + "/redo",
        "write",
        distilled.redo,
        inputs.DryRun,
        known.Reversed,
        slow=True,
    ),
    Route(
        "POST", RECEIPT + "/dismiss", "write", distilled.dismiss, inputs.Asked, known.ReceiptSeen
    ),
    # Checkpoints and compactions of an agent
    Route(
        "GET",
        AGENT + "/checkpoints",
        "read",
        checkpoints.of_agent,
        inputs.CheckpointsOfAgent,
        known.CheckpointList,
    ),
    Route(
        "POST",
        AGENT + "/checkpoints",
        BOTH,
        checkpoints.checkpoint,
        inputs.NewCheckpoint,
        known.CheckpointSeen,
    ),
    Route(
        "GET",
        AGENT + "/compactions",
        "read",
        checkpoints.compactions,
        inputs.CompactionsOf,
        known.CompactionList,
    ),
    Route(
        "GET",
        COMPACTION,
        "read",
        checkpoints.show_compaction,
        inputs.Asked,
        known.CompactionShown,
    ),
    Route(
        "POST",
        COMPACTION + "/restore",
        "write",
        checkpoints.restore,
        inputs.Restore,
        known.Restored,
    ),
    # Bringing in
    Route(
        "POST",
        AGENT + "/import",
        "write",
        carry.bring,
        inputs.Lines,
        answers.Counted,
        most=RECORD_BYTES,
        takes=LINES,
        slow=True,
    ),
    Route(
        "POST",
        "/api/import",
        "admin",
        carry.bring_all,
        inputs.Lines,
        answers.ImportList,
        most=IMPORT_BYTES,
        takes=LINES,
        slow=True,
    ),
    # Proof, erasure, tokens
    Route(
        "GET",
        AGENT + "/verify",
        "read",
        agents.verify,
        inputs.Asked,
        answers.VerdictSeen,
        slow=True,
    ),
    Route("POST", AGENT + "/erase", "admin", admin.erase, inputs.Erase, answers.Erased, slow=True),
    Route("GET", "/api/tokens", "admin", admin.list_tokens, inputs.Asked, answers.TokenList),
    Route(
        "POST",
        "/api/tokens",
        "admin",
        admin.create_token,
        inputs.NewToken,
        answers.TokenMade,
        status=201,
        told="secret",
    ),
    Route(
        "DELETE",
        "/api/tokens/{token}",
        "admin",
        admin.revoke_token,
        inputs.Asked,
        answers.TokenSeen,
    ),
)
