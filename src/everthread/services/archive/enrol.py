"""Get or create an agent, with its primary thread, and keep its definition current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everthread.domain.agents import AgentRow, Scope, checked_name
from everthread.domain.checks import (
    checked_number,
    checked_system,
    checked_tools,
    checked_whole,
    optional_text,
)
from everthread.domain.conversation.bodies import Body, body_of
from everthread.domain.conversation.contents import plain
from everthread.domain.conversation.legal_json import write_json
from everthread.domain.conversation.threads import Thread, checked_key, checked_kind, primary_key
from everthread.domain.errors import BadInput, KindMismatch, PrimaryExists

if TYPE_CHECKING:
    from everthread.ports import House, Records

SMALLEST_WINDOW = 1_000
MOST_HOURS = 24 * 365
LONGEST_WINDOW = 100_000_000


class Definition(NamedTuple):
    """What the caller says about an agent; None leaves a part as it is."""

    system: str | Sequence[Mapping[str, Any]] | None = None
    tools: Sequence[Mapping[str, Any]] | None = None
    model: str | None = None
    window: int | None = None
    inactivity_hours: float | None = None
    time_zone: str | None = None


def enrol(house: House, name: str, wanted: Definition) -> AgentRow:
    """The agent of that name; its primary thread exists from here on. Twice changes nothing."""
    checked_name(name)
    _check(wanted)
    bodies = _bodies(wanted)
    known = house.store.read(lambda records: records.agents.find(name))
    if known is not None and _redefine(known, wanted, bodies) == known:
        return known

    def work(records: Records) -> AgentRow:
        now = house.clock.now()
        agent = records.agents.add(name, window=house.policy.window, now=now)
        scope = Scope(agent.ref)
        records.threads.add(scope, key=primary_key(name), kind="primary", now=now)
        defined = _redefine(agent, wanted, bodies)
        if defined == agent:
            return agent
        records.bodies.put(scope, [body for body in bodies if body is not None])
        return records.agents.define(defined, now=now)

    return house.store.write(work)


def open_thread(house: House, agent: AgentRow, key: str, kind: str) -> Thread:
    """The agent's thread of that key, opened if nobody has; its kind must agree."""
    wanted = checked_kind(kind)
    if key == primary_key(agent.name) and wanted == "primary":
        return house.store.read(lambda r: primary_of(r, agent))
    if wanted == "primary":
        raise PrimaryExists(
            f"agent {agent.name!r} has its one primary thread already; use agent.primary, "
            "or open a background or ephemeral thread"
        )
    checked_key(key)
    scope = Scope(agent.ref)
    thread = house.store.read(lambda r: r.threads.find(scope, key))
    if thread is None:
        thread = house.store.write(
            lambda r: r.threads.add(scope, key=key, kind=wanted, now=house.clock.now())
        )
    if thread.kind != wanted:
        raise KindMismatch(
            f"thread {key!r} is {thread.kind}, not {wanted}; a thread keeps its kind for good"
        )
    return thread


def close_thread(house: House, agent: AgentRow, ref: int) -> None:
    """The work of an ephemeral thread is done: it takes nothing more and goes after its time."""

    def work(records: Records) -> None:
        scope = Scope(agent.ref)
        thread = records.threads.hold(scope, ref)
        if thread.kind != "ephemeral":
            raise BadInput(
                f"thread {thread.key!r} is {thread.kind}; only ephemeral threads are closed"
            )
        if thread.closed_ms is None:
            records.threads.close(scope, thread, now=house.clock.now())

    house.store.write(work)


def primary_of(records: Records, agent: AgentRow) -> Thread:
    """The agent's one primary thread."""
    thread = records.threads.find(Scope(agent.ref), primary_key(agent.name))
    assert thread is not None, "it is created together with the agent"
    return thread


def _check(wanted: Definition) -> None:
    checked_system(wanted.system)
    checked_tools(wanted.tools)
    optional_text("model", wanted.model)
    _check_zone(optional_text("time_zone", wanted.time_zone))
    if wanted.window is not None:
        checked_whole("window", wanted.window, low=SMALLEST_WINDOW, high=LONGEST_WINDOW)
    if wanted.inactivity_hours is not None:
        checked_number("inactivity_hours", wanted.inactivity_hours, high=MOST_HOURS)


def _check_zone(name: str | None) -> None:
    if name is None:
        return
    from zoneinfo import ZoneInfo, available_timezones  # noqa: PLC0415 - few name one

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # A machine without a list of zones cannot tell; what is on it is no reason to refuse one.
        if available_timezones():
            raise BadInput(
                f"time_zone must name a zone of zoneinfo, such as Europe/Berlin or UTC; got {name!r:.60}"
            ) from None


def _bodies(wanted: Definition) -> tuple[Body | None, Body | None]:
    system = None if wanted.system is None else body_of(_to_json("system", wanted.system))
    tools = None if wanted.tools is None else body_of(_to_json("tools", list(wanted.tools)))
    return system, tools


def _to_json(what: str, value: object) -> str:
    try:
        return write_json(plain(value), in_ascii=True)
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"{what} must be plain JSON values: {wrong}") from wrong


def _redefine(
    agent: AgentRow, wanted: Definition, bodies: tuple[Body | None, Body | None]
) -> AgentRow:
    system, tools = bodies
    return agent._replace(
        model=wanted.model or agent.model,
        # Sealed as they are stored: a whole number, not 1e5.
        window=int(wanted.window or agent.window),
        inactivity_hours=_hours(wanted.inactivity_hours, agent.inactivity_hours),
        time_zone=wanted.time_zone or agent.time_zone,
        system_hash=agent.system_hash if system is None else system.hash,
        tools_hash=agent.tools_hash if tools is None else tools.hash,
    )


def _hours(wanted: float | None, known: float | None) -> float | None:
    # A float always: the timeline seals 4 and 4.0 as different things.
    return known if wanted is None else float(wanted)
