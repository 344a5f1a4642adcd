"""Commands that speak to another daemon, where EVERTHREAD_URL names one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from everthread.domain.errors import AgentUnknown, BadInput
from everthread.domain.harness.projects import meant_agent

from .options import Choice, folder_here, settings_of
from .terminal import Column, pairs, say, say_if_more, show, show_json, table

if TYPE_CHECKING:
    from everthread.domain.redaction.json_values import Redactor
    from everthread.edges.http.client import DaemonClient, RemoteDaemon

Document = dict[str, Any]

ID = 8
LONGEST = 200


def remote_daemon(choice: Choice) -> RemoteDaemon | None:
    """The daemon to speak to; none where a store is named, or no address is set."""
    if choice.store:
        return None
    settings = settings_of(choice)
    if not settings.url:
        return None
    from everthread.edges.http.client import remote_daemon

    return remote_daemon(settings)


def agent_name_there(daemon: RemoteDaemon, choice: Choice) -> str:
    """The agent that is meant: named, set, this project's, or the only one that the token may see."""
    asked = choice.agent or settings_of(choice).agent
    if asked:
        return asked
    names = names_there(daemon)
    name = meant_agent(own_there(choice), names)
    if not names:
        raise AgentUnknown(
            f"there is no agent at {daemon.url} yet; POST /api/agents with a name makes one"
        )
    if name is None:
        raise BadInput(f"which agent of {daemon.url}? Name one with --agent: {', '.join(names)}")
    return name


def names_there(daemon: DaemonClient) -> list[str]:
    """The agents that the token may see."""
    return [str(each["agent"]) for each in daemon.get("agents")["agents"]]


def own_there(choice: Choice) -> str | None:
    """The name of this folder's agent, as the user binds it.

    What a file of the project says alone is not heeded: whether that agent ever worked here cannot be seen
    from afar.
    """
    from everthread.edges.harnesses.binding import binding_of
    from everthread.wiring import project_agent

    found = binding_of(folder_here(), settings_of(choice).home)
    return (None if found.claimed else found.agent) or project_agent()


class AgentAtDaemon(NamedTuple):
    """An agent of a daemon, and what can be asked about it."""

    daemon: DaemonClient
    agent: str
    here: bool = False
    """Is it the daemon of this home folder?"""
    project: str | None = None
    """Then the project that this folder lies in."""

    def get(self, *path: str, **query: object) -> Document:
        return self.daemon.get("agents", self.agent, *path, **query)

    def find(self, *path: str, **body: object) -> Document:
        return self.daemon.find("agents", self.agent, *path, body=body)

    def post(self, *path: str, **body: object) -> Document:
        return self.daemon.post("agents", self.agent, *path, body=body)

    def patch(self, *path: str, **body: object) -> Document:
        return self.daemon.patch("agents", self.agent, *path, body=body)

    def delete(self, *path: str) -> Document:
        return self.daemon.delete("agents", self.agent, *path)


def agent_at_daemon(choice: Choice) -> AgentAtDaemon | None:
    """The agent that is meant at the daemon that the settings name; none where they name none."""
    daemon = remote_daemon(choice)
    return None if daemon is None else AgentAtDaemon(daemon, agent_name_there(daemon, choice))


def absolute_folder(folder: str | None) -> str | None:
    """A folder as a daemon understands it, which works in another than we."""
    here = folder_here()
    return folder if not folder or not here else os.path.join(here, folder)  # noqa: PTH118 - `..` stays


def without_secrets(answer: Document) -> Document:
    """What another machine told, by our rules: its own may be older. Names of fields are not looked at."""
    from everthread.domain.redaction.json_values import Redactor

    return cast("Document", _redact(Redactor(), answer))


def _redact(redactor: Redactor, value: object) -> object:
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, dict):
        parts = cast("Document", value)
        return {name: _redact(redactor, part) for name, part in parts.items()}
    if isinstance(value, list):
        return [_redact(redactor, part) for part in cast("list[object]", value)]
    return value


def tell_line(choice: Choice, answer: Document, line: str) -> None:
    """What became of it: all for programs, one line for people."""
    if choice.as_json:
        show_json(answer)
    else:
        say(line)


def tell_facts(choice: Choice, answer: Document, *names: str) -> None:
    """What is known of one thing: all for programs, for people these fields, or all that say something."""
    if choice.as_json:
        show_json(answer)
        return
    said = {name: answer.get(name) for name in names} if names else answer
    show(pairs([(n, _value_text(v)) for n, v in said.items() if v not in (None, "", [], {})]))


def short_id(answer: Document, name: str = "id") -> str:
    """As people name it."""
    return str(answer[name]).replace("-", "")[-ID:]


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, object]", value).items()
        return "\n".join(f"{name} {_value_text(part)}" for name, part in parts if part is not None)
    if isinstance(value, list):
        return "\n".join(_value_text(each) for each in cast("list[object]", value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def tell(
    choice: Choice, answer: Document, field: str, columns: Sequence[str], nothing: str
) -> None:
    """What came back: as it is for programs, as a table of these fields for people."""
    if choice.as_json:
        show_json(answer)
        return
    rows: list[Document] = answer[field]
    if not rows:
        say(nothing)
        return
    last = columns[-1]
    shown = [Column(name, folds=name == last) for name in columns]
    show(table(shown, [[_cell(name, row.get(name)) for name in columns] for row in rows]))
    say_if_more(more=bool(answer.get("more")))


def _cell(name: str, value: object) -> str:
    if value is None:
        return "–"
    if name == "id":
        return str(value).replace("-", "")[-ID:]
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
