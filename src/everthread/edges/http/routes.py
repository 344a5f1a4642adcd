"""Every route of the API in one table: what it is called, who may, what it takes and gives."""

from __future__ import annotations

from . import answers, asked
from . import answers_known as known
from .route import AGENT, BOTH, IMPORT_BYTES, LINES, RECORD_BYTES, Route
from .routes_among import AMONG
from .routes_tasks import TASKS
from .verbs import admin, agents, carry, checkpoints, distilled, memory, said, turns

MEMORY = AGENT + "/memories/{memory}"
TURN = AGENT + "/turns/{turn}"
RECEIPT = AGENT + "/receipts/{receipt}"
COMPACTION = AGENT + "/compactions/{compaction}"

ROUTES: tuple[Route, ...] = (
    # How things stand
    Route("GET", "/api/status", "read", agents.status, asked.Asked, answers.Status),
    Route("GET", "/api/doctor", "admin", agents.doctor, asked.Asked, answers.Findings),
    # Checkpoints of a project, of a session
    Route(
        "GET",
        "/api/checkpoints",
        "read",
        checkpoints.of_project,
        asked.CheckpointsOf,
        known.CheckpointList,
    ),
    Route(
        "GET",
        "/api/checkpoints/{session_key}",
        "read",
        checkpoints.of_session,
        asked.CheckpointsOfSession,
        known.CheckpointList,
    ),
    # Agents and threads
    Route("GET", "/api/agents", "read", agents.list_agents, asked.Asked, answers.AgentList),
    Route(
        "POST",
        "/api/agents",
        "admin",
        agents.create_agent,
        asked.NewAgent,
        answers.AgentName,
        most=RECORD_BYTES,
    ),
    Route("GET", AGENT, "read", agents.show_agent, asked.Asked, answers.AgentSeen),
    Route("GET", AGENT + "/threads", "read", agents.list_threads, asked.Asked, answers.ThreadList),
    Route(
        "POST", AGENT + "/threads", "write", agents.open_thread, asked.NewThread, answers.ThreadSeen
    ),
    Route(
        "POST",
        AGENT + "/threads/close",
        "write",
        agents.close_thread,
        asked.OneThread,
        answers.ThreadSeen,
    ),
    # What was said
    Route(
        "GET", AGENT + "/messages", "read", said.list_messages, asked.Messages, answers.MessageList
    ),
    Route(
        "POST",
        AGENT + "/messages",
        "write",
        said.record,
        asked.Record,
        answers.Counted,
        most=RECORD_BYTES,
    ),
    Route(
        "GET", AGENT + "/sessions", "read", said.list_sessions, asked.OnThread, answers.SessionList
    ),
    Route(
        "GET",
        AGENT + "/sessions/{session}",
        "read",
        said.show_session,
        asked.OneSession,
        answers.SessionShown,
    ),
    Route(
        "POST",
        AGENT + "/sessions/{session}/resume",
        BOTH,
        said.resume_session,
        asked.Resume,
        answers.SessionSeen,
    ),
    Route(
        "POST",
        AGENT + "/sessions/{session}/end",
        BOTH,
        said.end_session,
        asked.Asked,
        answers.SessionSeen,
    ),
    Route(
        "POST",
        AGENT + "/sessions/{session}/summarize",
        BOTH,
        said.summarize_session,
        asked.Asked,
        answers.SessionSeen,
        slow=True,
    ),
    Route("GET", AGENT + "/timeline", "read", said.timeline, asked.TimelineOf, answers.EntryList),
    # Turns
    Route("GET", AGENT + "/turns", "read", turns.list_turns, asked.OnThread, answers.TurnList),
    Route(
        "POST",
        AGENT + "/turns",
        BOTH,
        turns.begin,
        asked.Begin,
        answers.OpenTurn,
        most=RECORD_BYTES,
        slow=True,
    ),
    Route("GET", TURN, BOTH, turns.show, asked.Style, answers.OpenTurn),
    Route(
        "POST",
        TURN + "/replies",
        BOTH,
        turns.add,
        asked.Reply,
        answers.OpenTurn,
        most=RECORD_BYTES,
    ),
    Route(
        "POST",
        TURN + "/results",
        BOTH,
        turns.tool_result,
        asked.Result,
        answers.OpenTurn,
        most=RECORD_BYTES,
    ),
    Route(
        "POST", TURN + "/done", "write", turns.done, asked.Done, answers.OpenTurn, most=RECORD_BYTES
    ),
    Route("POST", TURN + "/failed", "write", turns.failed, asked.Failed, answers.OpenTurn),
    *AMONG,
    *TASKS,
    # Memory
    Route("POST", AGENT + "/recall", "read", memory.recall, asked.Recall, known.HitList),
    Route("POST", AGENT + "/index", "write", memory.index, asked.Asked, known.Indexed, slow=True),
    Route(
        "GET",
        AGENT + "/memories",
        "read",
        memory.list_memories,
        asked.Memories,
        known.MemoryList,
    ),
    Route("POST", AGENT + "/memories", "write", memory.remember, asked.Remember, known.MemoryKept),
    Route("GET", MEMORY, "read", memory.show_memory, asked.Asked, known.MemoryShown),
    Route("PATCH", MEMORY, "write", memory.edit_memory, asked.Edit, known.MemoryKept),
    Route("DELETE", MEMORY, "write", memory.forget, asked.Asked, known.Forgotten),
    Route("GET", MEMORY + "/history", "read", memory.history, asked.Asked, known.MemoryHistory),
    Route("GET", AGENT + "/scorer", "read", memory.scorer, asked.Asked, known.ScorerSeen),
    Route("GET", AGENT + "/notes", "read", memory.list_notes, asked.Notes, known.NoteList),
    Route("POST", AGENT + "/notes", "write", memory.note, asked.NewNote, known.NoteKept),
    Route(
        "DELETE",
        AGENT + "/notes/{note}",
        "write",
        memory.delete_note,
        asked.Asked,
        known.Deleted,
    ),
    # What the agent is given, and distillations
    Route("GET", AGENT + "/context", "read", distilled.context, asked.ContextOf, known.ContextSeen),
    Route(
        "GET",
        AGENT + "/injections",
        "read",
        distilled.injections,
        asked.Injections,
        known.InjectionList,
    ),
    Route("GET", AGENT + "/knew/{number}", "read", distilled.knew, asked.Asked, known.KnewSeen),
    Route("GET", AGENT + "/sent/{number}", "read", distilled.sent, asked.SentIn, known.ContextSeen),
    Route(
        "POST",
        AGENT + "/distill",
        "write",
        distilled.distill,
        asked.Distill,
        known.ReceiptSeen,
        slow=True,
    ),
    Route(
        "GET",
        AGENT + "/receipts",
        "read",
        distilled.list_receipts,
        asked.OnThread,
        known.ReceiptList,
    ),
    Route("GET", RECEIPT, "read", distilled.show_receipt, asked.Asked, known.ReceiptShown),
    Route(
        "POST",
        RECEIPT + "/undo",
        "write",
        distilled.undo,
        asked.DryRun,
        known.Reversed,
        slow=True,
    ),
    Route(
        "POST",
        RECEIPT + "/redo",
        "write",
        distilled.redo,
        asked.DryRun,
        known.Reversed,
        slow=True,
    ),
    # Checkpoints and compactions of an agent
    Route(
        "GET",
        AGENT + "/checkpoints",
        "read",
        checkpoints.of_agent,
        asked.CheckpointsOfAgent,
        known.CheckpointList,
    ),
    Route(
        "POST",
        AGENT + "/checkpoints",
        BOTH,
        checkpoints.checkpoint,
        asked.NewCheckpoint,
        known.CheckpointSeen,
    ),
    Route(
        "GET",
        AGENT + "/compactions",
        "read",
        checkpoints.compactions,
        asked.CompactionsOf,
        known.CompactionList,
    ),
    Route(
        "GET",
        COMPACTION,
        "read",
        checkpoints.show_compaction,
        asked.Asked,
        known.CompactionShown,
    ),
    Route(
        "POST",
        COMPACTION + "/restore",
        "write",
        checkpoints.restore,
        asked.Restore,
        known.Restored,
    ),
    # Bringing in
    Route(
        "POST",
        AGENT + "/import",
        "write",
        carry.bring,
        asked.Lines,
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
        asked.Lines,
        answers.ImportList,
        most=IMPORT_BYTES,
        takes=LINES,
        slow=True,
    ),
    # Proof, erasure, tokens
    Route(
        "GET", AGENT + "/verify", "read", agents.verify, asked.Asked, answers.VerdictSeen, slow=True
    ),
    Route("POST", AGENT + "/erase", "admin", admin.erase, asked.Erase, answers.Erased, slow=True),
    Route("GET", "/api/tokens", "admin", admin.list_tokens, asked.Asked, answers.TokenList),
    Route(
        "POST",
        "/api/tokens",
        "admin",
        admin.create_token,
        asked.NewToken,
        answers.TokenMade,
        status=201,
        told="secret",
    ),
    Route(
        "DELETE", "/api/tokens/{token}", "admin", admin.revoke_token, asked.Asked, answers.TokenSeen
    ),
)
