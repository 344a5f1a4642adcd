"""The tools by which an agent runs the rituals of its tasks, word for word as a model reads them."""

from __future__ import annotations

from .schemas import LONGEST_NAME, LONGEST_TEXT, Schema, among, count, hints, lines, takes, text

_TASK = text("The task, by its slug. Leave it out for the one open task of this project.", 64)

MOST_TOKENS = 1_000_000_000
MOST_STEPS, MOST_QUESTIONS = 7, 3
"""Of an arc, as the charter has it."""

_KINDS = ("decision", "file_change", "error_recovery", "explicit", "agent", "context_refresh")

TASK_TOOLS: tuple[Schema, ...] = (
    {
        "name": "task_status",
        "description": (
            "How a task of this project stands: its gate and what that asks for, blockers, next "
            "steps, who works at it, what a person should look at. Call it before you begin and "
            "whenever you are not sure. Example: {}"
        ),
        "inputSchema": takes((), task=_TASK),
        "annotations": hints("How a task stands", reads=True),
    },
    {
        "name": "task_new",
        "description": (
            "Make a task of this project with its folder tasks/<slug>. Call it only when the user "
            'asks for it. Example: {"slug": "parser-rewrite", "goal": "Parse in one pass", '
            '"acceptance": ["all tests pass"]}'
        ),
        "inputSchema": takes(
            ("slug", "goal"),
            slug=text("Small letters, digits, hyphens.", 64),
            goal=text("What is to be reached.", LONGEST_TEXT),
            acceptance=lines("When it is reached."),
        ),
        "annotations": hints("Make a task"),
    },
    {
        "name": "task_start",
        "description": (
            "Begin a session of a task. Call it before you work at one. Its startup ritual is "
            "recall, implementation log, status, recent commits, smoke command, goal. Answers "
            "with the result of each step and with where the last session stood. While the smoke "
            'command fails it is refused; then begin with {"fix": true} and repair that first. '
            'Example: {"task": "parser-rewrite"}'
        ),
        "inputSchema": takes(
            (),
            task=_TASK,
            goal=text("The goal of this session; the task's otherwise.", LONGEST_TEXT),
            from_gate=text("Go on from the last checkpoint before that gate, such as G4.", 3),
            fix={"type": "boolean", "description": "Begin in order to repair what fails."},
        ),
        "annotations": hints("Begin a session of a task"),
    },
    {
        "name": "task_checkpoint",
        "description": (
            "Put down where a task stands. Call it after a significant decision (with rationale "
            "and alternatives), after files were made or changed, after an error was overcome. An arc, "
            "from one gate to the next, has at most 7 steps and 3 questions to the user. "
            'Example: {"type": "decision", "summary": "One pass", "decisions": [{"decision": "one '
            'pass", "rationale": "half the memory", "alternatives_considered": ["two passes"]}]}'
        ),
        "inputSchema": takes(
            ("summary",),
            task=_TASK,
            type=among("What it is about.", _KINDS, "agent"),
            summary=text("What happened.", LONGEST_TEXT),
            decisions={
                "type": "array",
                "maxItems": 50,
                "description": "Each with decision, rationale, alternatives_considered.",
                "items": {
                    "type": "object",
                    "properties": {
                        "decision": text("What was decided.", LONGEST_TEXT),
                        "rationale": text("Why.", LONGEST_TEXT),
                        "alternatives_considered": lines("What else was thought of."),
                    },
                    "required": ["decision", "rationale", "alternatives_considered"],
                    "additionalProperties": False,
                },
            },
            files=lines("PATH or PATH:created|modified|deleted."),
            error=text("What went wrong.", LONGEST_TEXT),
            resolution=text("What was done about it.", LONGEST_TEXT),
            next_steps=lines("What comes next.", MOST_STEPS),
            questions=lines("What you asked the user to clarify.", MOST_QUESTIONS),
            resume=text("How to go on from here.", LONGEST_TEXT),
        ),
        "annotations": hints("Checkpoint of a task"),
    },
    {
        "name": "task_gate",
        "description": (
            "Pass a gate of a task. Call it when its work is done. Each asks for evidence; "
            "task_status says which. Without it, or out of turn, it is refused; a waiver is the "
            'user\'s to give, not yours. Example: {"gate": "G4", "evidence": {"code_changes": '
            '"lexer rewritten", "test_status": "41 of 41 pass"}}'
        ),
        "inputSchema": takes(
            ("gate",),
            task=_TASK,
            gate=text("G0 to G10.", 3),
            evidence={
                "type": "object",
                "description": "What the gate asks for, by name.",
                "additionalProperties": {"type": "string", "maxLength": LONGEST_TEXT},
            },
            waiver=text("Why it is passed all the same; only if the user said so.", LONGEST_TEXT),
            summary=text("How it was passed.", LONGEST_TEXT),
            next_steps=lines("What comes next.", MOST_STEPS),
        ),
        "annotations": hints("Pass a gate"),
    },
    {
        "name": "task_fail",
        "description": (
            "Call it when a step of a task failed: it counts that and says what to do next "
            "(retry, diagnose, wait, roll back, a person). The third failure in a row asks the "
            'fixer, whose answer is a suggestion. Example: {"step": "run the migration", "kind": '
            '"resource", "detail": "disk full"}'
        ),
        "inputSchema": takes(
            ("step", "kind"),
            task=_TASK,
            step=text("The step, always in the same words.", LONGEST_NAME),
            kind=among("What sort of failure.", ("transient", "test", "resource", "logic")),
            detail=text("What happened.", LONGEST_TEXT),
        ),
        "annotations": hints("A step failed"),
    },
    {
        "name": "task_used",
        "description": (
            "How large your context is. Call it if you know that and no harness of this project tells it. "
            "At four fifths of the window the session goes on as a new one, from the summary that "
            'is answered. Example: {"current": 120000, "processed": 8000}'
        ),
        "inputSchema": takes(
            ("current",),
            task=_TASK,
            current={
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_TOKENS,
                "description": "Tokens of the context now.",
            },
            processed=count("Tokens since the last call.", MOST_TOKENS, 0, least=0),
        ),
        "annotations": hints("How large the context is"),
    },
    {
        "name": "task_end",
        "description": (
            "End the session of a task with its shutdown ritual: commit or patch, implementation "
            "log, checkpoint, memories, status, event. Call it before you stop working at the "
            'task. Example: {"outcome": "partial", "summary": "Lexer done", "completed": '
            '["lexer"], "next_steps": ["parser"]}'
        ),
        "inputSchema": takes(
            ("outcome", "summary"),
            task=_TASK,
            outcome=among("How it went.", ("success", "partial", "failed")),
            summary=text("What the session came to.", LONGEST_TEXT),
            completed=lines("What was done."),
            blocked=lines("What is in the way."),
            next_steps=lines("What comes next.", MOST_STEPS),
        ),
        "annotations": hints("End a session of a task"),
    },
    {
        "name": "task_audit",
        "description": (
            "Look into a task's records: its sessions, their timeline, its checkpoints, its "
            "incidents, or whether its folder still says what the store says. Call it when you take "
            'over a task, or doubt its files. Nothing of it is changed. Example: {"what": "files"}'
        ),
        "inputSchema": takes(
            ("what",),
            task=_TASK,
            what=among(
                "Which records.", ("sessions", "timeline", "checkpoints", "incidents", "files")
            ),
        ),
        "annotations": hints("Audit a task", reads=True),
    },
    {
        "name": "task_stop",
        "description": (
            "End a task's session at once. Call it in an emergency: a leaked secret, damage in "
            'progress. A person has to allow the next start. Example: {"reason": "the key was '
            'printed"}'
        ),
        "inputSchema": takes(("reason",), task=_TASK, reason=text("Why.", LONGEST_TEXT)),
        "annotations": hints("Stop a task at once", destroys=True),
    },
)
