"""Whose task is meant: the agent that is named or set, else this project's; never just the only one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from everthread.domain.errors import BadInput, TaskUnknown
from everthread.domain.harness.projects import task_holder
from everthread.edges.cli.base.options import Choice, settings_of

if TYPE_CHECKING:
    from everthread.domain.tasks.tasks import Task as TaskRow
    from everthread.edges.harnesses.binding import Binding
    from everthread.engine import Agent, Everthread
    from everthread.engine.tasking import Task
    from everthread.services.tasks.new import TaskFields

MOST = 1_000


def agent_to_make(
    engine: Everthread, choice: Choice, slug: str, *, project: str, **said: Unpack[TaskFields]
) -> Agent:
    """Whose a new task is. An agent that is not there yet is made, if the task can be, and that is said."""
    name = _named_agent(choice)
    if name is None:
        binding = _project_binding(engine, choice, project)
        if binding.agent is None:
            raise BadInput(f"{project} has no agent: {binding.reason}. Name one with --agent")
        name = binding.agent
    known = _agents(engine)
    if name in known:
        return known[name]
    engine.must_take_task(slug, project=project, **said)
    made = engine.agent(name)
    # Whoever mistyped --agent or --store should hear that this is not the one they meant.
    how = "a new agent" if known else "the first agent"
    click.echo(f"everthread: {name} is {how} in {engine.location}", err=True)
    return made


def task_of(
    engine: Everthread, choice: Choice, slug: str | None, *, project: str, owner: str = ""
) -> Task:
    """The task that is meant. One of another agent of this project is found, and it is said whose it is."""
    agent = agent_with(engine, choice, slug, project)
    return agent.task(slug, project=project, owner=owner)


def tasks_of(
    engine: Everthread, choice: Choice, project: str, *, everywhere: bool
) -> list[tuple[str, TaskRow]]:
    """The project's tasks, each with whose it is; `everywhere`: all of the agent's. Latest change first."""
    asked = _named_agent(choice)
    if asked is not None:
        agents = [engine.known_agent(asked)]
    elif everywhere:
        own = _agents(engine).get(_project_binding(engine, choice, project).agent or "")
        agents = [] if own is None else [own]
    else:
        agents = engine.agents()
    at = None if everywhere else project
    found = [(agent.name, row) for agent in agents for row in agent.tasks(project=at, limit=MOST)]
    return sorted(found, key=lambda one: one[1].updated_ms, reverse=True)


def agent_with(engine: Everthread, choice: Choice, slug: str | None, project: str) -> Agent:
    """Who has the task that is meant."""
    asked = _named_agent(choice)
    if asked is not None:
        return engine.known_agent(asked)
    own, known = _project_binding(engine, choice, project).agent, _agents(engine)
    holders = [name for name, agent in known.items() if _has_task(agent, project, slug)]
    name = task_holder(own, holders)
    if name is None and holders:
        raise BadInput(f"whose task? Name one with --agent: {', '.join(holders)}")
    if name is None and own not in known:
        what = "no task is open" if slug is None else f"there is no task {slug!r:.80}"
        raise TaskUnknown(f"{what} in {project}; make one: everthread task new SLUG --goal …")
    if name is not None and name != own:
        click.echo(f"everthread: the task is {name}'s", err=True)
    return known[name or own or ""]


def _has_task(agent: Agent, project: str, slug: str | None) -> bool:
    """Has it that task there; without a slug, any that is not complete?"""
    rows = agent.tasks(project=project, limit=MOST)
    return any(row.status != "complete" if slug is None else row.slug == slug for row in rows)


def _named_agent(choice: Choice) -> str | None:
    return choice.agent or settings_of(choice).agent or None


def _agents(engine: Everthread) -> dict[str, Agent]:
    return {agent.name: agent for agent in engine.agents()}


def _project_binding(engine: Everthread, choice: Choice, project: str) -> Binding:
    """As the daemon sees it, so that projects.toml and .everthread.toml are heeded."""
    from everthread.edges.harnesses.binding import bound_agent

    return bound_agent(engine, project, settings_of(choice).home)
