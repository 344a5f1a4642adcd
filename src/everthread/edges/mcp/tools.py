"""The tools: check the arguments, call one verb of the engine, show what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from everthread.domain.conversation.block_kinds import THOUGHTS
from everthread.domain.conversation.messages import TEXT
from everthread.domain.errors import BadInput, MemoryRefused, SessionUnknown
from everthread.domain.ids import short
from everthread.domain.redaction.json_values import Redactor
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.safety.sandbox import own_tool_allowed
from everthread.domain.text.fences import one_line
from everthread.edges.documents.block_lines import lines_of, only_thinks
from everthread.edges.documents.kept import replaced_by
from everthread.edges.documents.recall import recall_note
from everthread.edges.http.key_limits import must_stay

from .arguments import check_arguments
from .blocks import Item, of_hits, of_items
from .caller import Desk
from .catalogue import TOOLS
from .tools_agents import AGENT_ACTIONS
from .tools_tasks import TASK_ACTIONS

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.domain.harness.checkpoints import Checkpoint
    from everthread.domain.memory.memories import Memory
    from everthread.engine import Agent

Arguments = Mapping[str, Any]

SCHEMAS: Mapping[str, Mapping[str, Any]] = {tool["name"]: tool["inputSchema"] for tool in TOOLS}
READING: Mapping[str, bool] = {t["name"]: bool(t["annotations"]["readOnlyHint"]) for t in TOOLS}

NO_HITS = "Nothing was found. Try other words, or fewer."
LONGEST_MESSAGE = 700
LONGEST_CALL = 160
LONGEST_CHECKPOINT = 4_000
LONGEST_SUMMARY = 3_000
LONGEST_NOTE = 1_000


def call(desk: Desk, name: str, arguments: object) -> str:
    """Do what the tool of that name does; what it answers is for a model."""
    if name not in ACTIONS:
        raise BadInput(f"there is no tool {name[:40]!r}; there are {', '.join(ACTIONS)}")
    given = check_arguments(SCHEMAS[name], arguments)
    if name in TASK_ACTIONS:
        desk = desk.tasking()
    decision = own_tool_allowed(name, reads=_reads(name, given))
    if not decision.allow:
        desk.must_be_free(decision.reason)
    return ACTIONS[name](desk, given)


def _reads(name: str, given: Arguments) -> bool:
    return READING[name] or (name == "note" and given["action"] == "list")


def session_digest(desk: Desk, given: Arguments) -> str:
    """B-5, S-7: the agent's own account of where things stand, kept as a checkpoint."""
    agent, named = desk.writing(), given.get("session_key")
    session = named or desk.session(agent)

    def put_down() -> Checkpoint:
        return agent.checkpoint(
            given["summary"],
            session=session,
            kind="agent",
            decisions=given.get("decisions", ()),
            state=given.get("state", ""),
            blockers=given.get("blockers", ()),
            next_steps=given.get("next_steps", ()),
        )

    try:
        made = put_down()
    except SessionUnknown:
        if named:
            raise
        # No hook has told us of this session: what it says of itself is where it begins.
        said = {"role": "assistant", "content": strip_secrets(given["summary"])}
        agent.record([said], session=session, project=desk.folder, source="hook")
        made = put_down()
    return f"Checkpoint {made.id} is written. The next session of {desk.subject} starts from it."


def memory_search(desk: Desk, given: Arguments) -> str:
    agent = desk.reading()
    if agent is None:
        return f"{_nothing_known(desk)}{desk.others()}"
    hits = agent.recall(given["query"], limit=given["limit"])
    note = recall_note(hits)
    more = f"{note}; ask again in a moment for what other words say" if note else ""
    return of_hits(hits, given["query"], more) or f"{NO_HITS}{desk.others()}"


BESIDE = (
    " These stand beside it. If it takes the place of one, store it once more with `replaces` and that "
    "id; if they are about other things, do nothing."
)


def memory_store(desk: Desk, given: Arguments) -> str:
    agent, scope = desk.writing(), given["scope"]
    # The agent says it: its word must not pass for the user's.
    memory = agent.remember(
        given["text"],
        kind=given["kind"],
        scope=scope,
        project=desk.noted(agent, scope),
        tags=tuple(given.get("tags", ())),
        origin="agent",
        replaces=tuple(given.get("replaces", ())),
    )
    how = f"said {memory.said} times" if memory.said > 1 else "kept"
    without = ", without the secret in it" if "redacted" in memory.tags else ""
    return f"Memory {memory.id} is {how} as {memory.kind}{without}.{_around(agent, memory)}"


def _around(agent: Agent, memory: Memory) -> str:
    """What it took the place of, and what else is known of the matter, for the agent to compare."""
    gone = [short(old.key_id) for old in replaced_by(agent, memory)]
    ended = f" It takes the place of {', '.join(gone)}." if gone else ""
    others = agent.beside(memory)
    if not others:
        return ended
    items = (
        Item(
            f"{at:%Y-%m-%d} · {other.kind} · memory {short(other.key_id)}", other.text, LONGEST_NOTE
        )
        for other, at in zip(others, agent.said_at(others), strict=True)
    )
    return f"{ended}{BESIDE}\n{of_items(items)}"


def memory_forget(desk: Desk, given: Arguments) -> str:
    agent = desk.writing()
    memory = agent.memory(given["id"])
    must_stay(desk.caller.key, memory.reach)
    if memory.agent_ref != agent.row.ref:  # a text that one agent read must not reach into another
        raise MemoryRefused(
            f"memory {short(memory.key_id)} is {agent.owner(memory)}'s and for every agent: only that "
            "one forgets it, or the user (`everthread forget`)"
        )
    left = [f"{hit.kind} {hit.id.replace('-', '')[-8:]}" for hit in agent.forget(memory.id)]
    told = f" These may still say it in other words: {', '.join(left)}." if left else ""
    return f"Memory {memory.id} is forgotten, for good.{told}"


def note(desk: Desk, given: Arguments) -> str:
    """R-19: add, list, delete."""
    return NOTE[given["action"]](desk, given)


def _note_add(desk: Desk, given: Arguments) -> str:
    if "text" not in given:
        raise BadInput("'text' is missing: what to write down")
    made = desk.writing().note(given["text"], category=given.get("category", "note"))
    return f"Note {short(made.key_id)} is written down under {strip_secrets(made.category)}."


def _note_list(desk: Desk, given: Arguments) -> str:
    agent, limit = desk.reading(), given["limit"]
    found = agent.notes(category=given.get("category"), limit=limit + 1) if agent else []
    items = (
        Item(
            f"{n.created_at:%Y-%m-%d %H:%M} UTC · {n.origin} · note {short(n.key_id)} · {n.category}",
            n.text,
            LONGEST_NOTE,
        )
        for n in found[:limit]
    )
    return of_items(items, more=len(found) > limit) or "There are no such notes."


def _note_delete(desk: Desk, given: Arguments) -> str:
    if "id" not in given:
        raise BadInput("'id' is missing: which note; `list` shows their ids")
    desk.writing().unnote(given["id"])
    return "The note is deleted."


def thread_context(desk: Desk, given: Arguments) -> str:
    agent = desk.reading()
    if agent is None:
        return f"{_nothing_known(desk)}{desk.others()}"
    newest_first = filter(_says_something, reversed(_messages(desk, agent, given)))
    items = [*_standing_items(agent), *map(_message_item, newest_first)]
    return of_items(items) or _nothing_known(desk)


def _nothing_known(desk: Desk) -> str:
    return f"Nothing is known of {desk.subject} yet."


def _standing_items(agent: Agent) -> list[Item]:
    state, summary = agent.working_state(), agent.context().summary
    told = [("working state", state), ("summary of what is long past", summary)]
    return [Item(heading, text, LONGEST_SUMMARY) for heading, text in told if text]


def _messages(desk: Desk, agent: Agent, given: Arguments) -> list[Message]:
    most = given["messages"]
    if not most:
        return []
    named = given.get("session_key")
    try:
        session = named or desk.session(agent)
        if session:
            return list(desk.engine.session(agent, session, limit=most).messages)
    except SessionUnknown:
        if named:
            raise
    return agent.messages(limit=most)


def _message_item(message: Message) -> Item:
    heading = f"{message.at:%Y-%m-%d %H:%M} UTC · {message.name or message.origin}"
    # Secrets go before a call is cut: half of one is not known as one.
    blocks = Redactor().value([b for b in message.blocks if b.get("type") not in THOUGHTS])
    said = lines_of(blocks, lambda text: one_line(text, LONGEST_CALL))
    return Item(heading, said, LONGEST_MESSAGE)


def _says_something(message: Message) -> bool:
    """Does it say or do anything? A blank entry would only make the agent wonder."""
    return bool(message.text.strip()) or not (message.form == TEXT or only_thinks(message.blocks))


def checkpoint_list(desk: Desk, given: Arguments) -> str:
    agent, limit = desk.reading(), given["limit"]
    if agent is None:
        return f"{_nothing_known(desk)}{desk.others()}"
    found = agent.checkpoints(session=given.get("session_key"), limit=limit + 1)
    told = _checkpoint_block(agent, found[:limit], more=len(found) > limit)
    return told or "There are no checkpoints yet."


def latest(desk: Desk) -> str:
    """The newest checkpoint, framed; "" where there is none."""
    agent = desk.reading()
    return "" if agent is None else _checkpoint_block(agent, agent.checkpoints(limit=1))


def _checkpoint_block(agent: Agent, found: list[Checkpoint], *, more: bool = False) -> str:
    items = (
        Item(
            f"{c.created_at:%Y-%m-%d %H:%M} UTC · {c.kind.replace('_', ' ')} · checkpoint {short(c.key_id)}",
            agent.checkpoint_text(c),
            LONGEST_CHECKPOINT,
        )
        for c in found
    )
    return of_items(items, more=more)


Action = Callable[[Desk, Arguments], str]

NOTE: Mapping[str, Action] = {"add": _note_add, "list": _note_list, "delete": _note_delete}

ACTIONS: Mapping[str, Action] = {
    "session_digest": session_digest,
    "memory_search": memory_search,
    "memory_store": memory_store,
    "memory_forget": memory_forget,
    "note": note,
    "thread_context": thread_context,
    "checkpoint_list": checkpoint_list,
    **AGENT_ACTIONS,
    **TASK_ACTIONS,
}
