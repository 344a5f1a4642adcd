"""`everthread import` of what harnesses have kept: find it, list it, count it, bring it in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from everthread.domain.agents import checked_name
from everthread.domain.harness.happenings import HARNESSES, LOGS

from .base.options import Choice, open_engine, open_engine_if_there, settings_of
from .base.terminal import (
    Column,
    bytes_text,
    escaped,
    plural,
    progress,
    say,
    show,
    show_json,
    table,
    time_text,
)

if TYPE_CHECKING:
    from everthread.edges.harnesses.histories import History
    from everthread.edges.harnesses.history_import import ImportResult

NAMES = {**HARNESSES, "specstory": "SpecStory", "aider": "aider"}
AT_LEAST = 10_000
"""What a history counts for on the way, should it be smaller: opening it takes its time."""


class HistoryChoice(NamedTuple):
    """Which of the histories are meant."""

    source: Path | None
    harnesses: tuple[str, ...] = ()


def histories_of(wanted: HistoryChoice) -> list[History]:
    """The histories that are meant, oldest first: the later one goes on from the earlier."""
    from everthread.edges.harnesses import histories
    from everthread.wiring import project_folder

    if wanted.source is not None:
        found = histories.histories_in(wanted.source, _tell_unread)
    else:
        here = Path(project_folder() or Path.cwd())
        found = list(histories.find_histories(os.environ, Path.home(), here, _tell_unread))
    if wanted.harnesses:
        found = [history for history in found if history.harness in wanted.harnesses]
    logs = LOGS
    return sorted(found, key=lambda h: (h.harness in logs, h.child is not None, h.started, h.place))


def _tell_unread(error: OSError) -> None:
    click.echo(f"everthread: left out: {escaped(str(error.filename))}: {error.strerror}", err=True)


def show_list(choice: Choice, found: Sequence[History]) -> None:
    """What there is, by harness and folder, and how much of it the store knows."""
    from everthread.edges.harnesses.history_import import Census

    with open_engine_if_there(choice) as engine:
        census = Census(settings_of(choice).home, choice.agent, engine)
        known = [census.knows(history) for history in found]
    if choice.as_json:
        both = zip(found, known, strict=True)
        show_json({"histories": [{**each._asdict(), "known": here} for each, here in both]})
        return
    if not found:
        say(NOTHING)
        return
    groups: dict[tuple[str, str], list[tuple[History, bool]]] = {}
    for history, here in zip(found, known, strict=True):
        groups.setdefault((history.harness, history.folder), []).append((history, here))
    rows: list[Sequence[str]] = []
    for (harness, folder), group in groups.items():
        times = [history.started for history, _ in group if history.started]
        size = sum(history.size for history, _ in group)
        row = [NAMES[harness], folder or "–", f"{len(group):,}"]
        row += [f"{sum(here for _, here in group):,}", bytes_text(size) if size else "–"]
        rows.append(
            [*row, time_text(min(times, default=None)), time_text(max(times, default=None))]
        )
    columns = [
        *(Column("harness", style="bold"), Column("folder")),
        *(Column("sessions", right=True), Column("known", right=True), Column("size", right=True)),
        *(Column("first"), Column("last")),
    ]
    show(table(columns, rows))
    say("`everthread import` brings all of it in; `--dry-run` says what that would be")


NOTHING = (
    "no histories were found here; name a file or a folder: everthread import PATH "
    "(sessions of Claude Code, Codex, Gemini CLI, OpenCode, OpenClaw; logs of SpecStory, aider)"
)


def count_all(choice: Choice, found: Sequence[History]) -> None:
    """What would come: what the store knows already is not counted."""
    from everthread.edges.harnesses.history_import import Census

    with open_engine_if_there(choice) as engine:
        census = Census(settings_of(choice).home, choice.agent, engine)
        taken = _work_through(found, "reading", lambda h, _told: census.count(h))
    _show(choice, taken, dry=True)


def take_all(choice: Choice, found: Sequence[History]) -> None:
    """Bring the histories in."""
    from everthread.edges.harnesses import history_import

    if not found:
        _show(choice, [], dry=False)
        return
    home = settings_of(choice).home
    if choice.agent:
        checked_name(choice.agent)  # a fault of all, not of one
    with open_engine(choice, create=True) as engine:
        with closing(history_import.Ledger(home, engine.location)) as ledger:
            taken = _work_through(
                found,
                "importing",
                lambda h, told: history_import.take_or_leave(
                    engine, h, home, choice.agent, ledger, told
                ),
            )
        location = engine.location
    _show(choice, taken, dry=False, store=location)


def _work_through(
    found: Sequence[History],
    label: str,
    work: Callable[[History, Callable[[int], None]], ImportResult],
) -> list[ImportResult]:
    """Work through them, and show how far it is; a large one moves the bar while it is read."""
    whole = sum(max(history.size, AT_LEAST) for history in found)
    done, out = 0, list[Any]()
    with progress(label) as note:

        def told(part: int) -> None:
            if note is not None:
                note(done + part, whole)

        for history in found:
            out.append(work(history, told))
            done += max(history.size, AT_LEAST)
            told(0)
    return out


def _show(choice: Choice, taken: Sequence[ImportResult], *, dry: bool, store: str = "") -> None:
    groups: dict[tuple[str, str], list[ImportResult]] = {}
    for one in taken:
        if not one.reason and one.agent is not None:
            groups.setdefault((one.history.harness, one.agent), []).append(one)
    left = Counter(one.reason for one in taken if one.reason)
    skipped = sum(one.skipped for one in taken)
    if choice.as_json:
        show_json(
            {
                **({"dry_run": True} if dry else {"store": store}),
                "messages": sum(one.messages for one in taken),
                "brought": [
                    {
                        "harness": harness,
                        "agent": agent,
                        "sessions": len(group),
                        "messages": sum(one.messages for one in group),
                    }
                    for (harness, agent), group in groups.items()
                ],
                "left_out": [{"reason": why, "sessions": n} for why, n in left.items()],
                "unreadable_lines": skipped,
            }
        )
        return
    _tell(groups, left, skipped, dry=dry)


def _tell(
    groups: dict[tuple[str, str], list[ImportResult]],
    left: Counter[str],
    skipped: int,
    *,
    dry: bool,
) -> None:
    if not groups and not left:
        say(NOTHING)
        return
    rows = [
        [NAMES[harness], agent, f"{len(group):,}", f"{sum(one.messages for one in group):,}"]
        for (harness, agent), group in groups.items()
    ]
    columns = [
        *(Column("harness", style="bold"), Column("agent")),
        *(Column("sessions", right=True), Column("new", right=True)),
    ]
    if rows:
        show(table(columns, rows))
    for reason, number in left.most_common():
        say(f"left out: {plural(number, 'session')}: {reason}")
    if skipped:
        say(f"{plural(skipped, 'line')} could not be read")
    if dry:
        say("nothing was changed; what is known already is not counted")
