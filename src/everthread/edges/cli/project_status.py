"""What a harness in this folder sees: whose memory it is, what came last, what is open."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everthread.domain.errors import BadInput
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.times import ms_of

from .base.terminal import clean, time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everthread.domain.conversation.sessions import Session
    from everthread.edges.harnesses.binding import Binding
    from everthread.engine import Agent, Everthread
    from everthread.services.upkeep.diagnose import Finding
    from everthread.settings import Settings

Document = dict[str, Any]

LONGEST = 160
LOOKED_AT = 20
"""So many of the newest sessions are looked through for a summary."""


def project_document(engine: Everthread, settings: Settings) -> Document | None:
    """The same for a program; none where this folder lies in no project."""
    from everthread.edges.harnesses.binding import bound_agent
    from everthread.wiring import project_agent, project_folder

    folder = project_folder()
    if folder is None:
        return None
    binding = bound_agent(engine, folder, settings.home)
    agents = {agent.name: agent for agent in engine.agents()}
    agent = agents.get(binding.agent or "")
    return {
        "project": binding.folder,
        "agent": binding.agent,
        "made": agent is not None,
        "commands": _agent_of_commands(settings, binding.agent or project_agent(), [*agents]),
        "why": binding.reason,
        "private": _why_private(settings, binding.folder),
        "warnings": [*binding.warnings],
        "last_event": _last_event(settings),
        **_agent_facts(agent, binding.folder),
    }


def _why_private(settings: Settings, folder: str) -> str | None:
    """Why nothing of the folder is kept now: it is private, or nobody can tell."""
    from everthread.edges.harnesses.privacy import read_private

    try:
        found = read_private(settings.home).private_folder(folder, ms_of(datetime.now(UTC)))
    except BadInput as wrong:
        return str(wrong)
    return None if found is None else f"{found} is private (everthread private off)"


def project_findings(settings: Settings) -> list[Finding]:
    """Is what is said in this very folder kept? Told where it is not, and where a file must be mended."""
    from everthread.edges.harnesses.binding import binding_of
    from everthread.services.upkeep.diagnose import Finding
    from everthread.wiring import project_folder

    folder = project_folder()
    if folder is None:
        return []
    binding = binding_of(folder, settings.home)
    found = _file_findings("this project", binding)
    if binding.agent is None:
        return found
    if private := _why_private(settings, binding.folder):
        found.append(Finding("this project", fine=" is private" in private, says=private))
    return found


def elsewhere_findings(settings: Settings, sessions: Sequence[Session]) -> list[Finding]:
    """The files of other projects that must be mended, of those in which sessions were."""
    from everthread.edges.harnesses.binding import binding_of
    from everthread.wiring import project_folder

    here = project_folder()
    folders = dict.fromkeys(s.project for s in sessions if s.project and s.project != here)
    bindings = [binding_of(folder, settings.home) for folder in folders]
    found = [each for binding in bindings for each in _file_findings("project file", binding)]
    return [each for each in dict.fromkeys(found) if not each.fine]


def _file_findings(check: str, binding: Binding) -> list[Finding]:
    """What the files say that bind a folder: that it is switched off, or what is wrong with them."""
    from everthread.services.upkeep.diagnose import Finding

    advice = "mend the file"
    found = [Finding(check, fine=False, says=each, advice=advice) for each in binding.warnings]
    if binding.off:
        meant = binding.reason.startswith("switched off")
        advice = "" if meant else "mend the file; until then nothing of this project is kept"
        found.append(Finding(check, fine=meant, says=binding.reason, advice=advice))
    return found


def _agent_of_commands(settings: Settings, own: str | None, known: list[str]) -> str | None:
    """Whom commands mean in this folder if none is named; None where they ask which (R-48)."""
    from everthread.domain.harness.projects import meant_agent

    return settings.agent or (meant_agent(own, known) if known else own)


def _last_event(settings: Settings) -> Document | None:
    """The newest event of any harness that the daemon answered."""
    from everthread.domain.times import text_of
    from everthread.edges.daemon.trace import read_trace

    seen = read_trace(settings.home).harnesses.items()
    events = [(at, harness, event) for harness, one in seen for event, at in one.last.items()]
    if not events:
        return None
    at, harness, event = max(events)
    return {"harness": harness, "event": event, "at": text_of(int(at * 1000))}


def _agent_facts(agent: Agent | None, project: str) -> Document:
    if agent is None:
        return {"task": None, "gate": None, "last_session": None}
    tasks = [t for t in agent.tasks(project=project) if t.status != "complete"]
    newest = [s for s in agent.sessions(limit=LOOKED_AT) if s.summary]
    return {
        "task": tasks[0].slug if tasks else None,
        "gate": tasks[0].gate if tasks else None,
        "last_session": strip_secrets(newest[0].summary or "") if newest else None,
    }


def project_line(told: Document, *, running: bool) -> str:
    """One line for people."""
    if told["agent"] is None:
        return f"nothing is kept: {told['why']}"
    if told["private"] is not None:
        return f"nothing is kept: {told['private']}"
    event = told["last_event"]
    parts = [
        *map(clean, told["warnings"]),
        f"agent {told['agent']}{'' if told['made'] else ', which its first session makes'}",
        *_other_agent(told),
        "daemon runs" if running else "no daemon",
        "no event yet" if event is None else _event(event),
        "no open task" if told["task"] is None else f"task {told['task']} at {told['gate']}",
    ]
    if told["last_session"]:
        parts.append(f"last session: {_one_line(told['last_session'])}")
    return "; ".join(parts)


def _other_agent(told: Document) -> list[str]:
    """Whom commands mean here, where that is somebody else."""
    if told["commands"] == told["agent"]:
        return []
    whom = "ask which agent" if told["commands"] is None else f"mean {told['commands']}"
    return [f"commands {whom}"]


def _event(event: Document) -> str:
    return f"last event {event['event']} of {event['harness']}, {time_text(ms_of(event['at']))} UTC"


def _one_line(text: str) -> str:
    line = " ".join(clean(text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
