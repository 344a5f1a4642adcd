"""`task`: work over many sessions, from gate to gate. Here: make, begin, end and see one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from everthread.domain.errors import BadInput
from everthread.domain.tasks.gates import LAST, NAMES
from everthread.domain.tasks.tasks import OUTCOMES
from everthread.edges.cli.base.exits import NO
from everthread.edges.cli.base.options import (
    Choice,
    OrderedGroup,
    common,
    examples,
    help_if_alone,
    open_engine,
    open_to_read,
    project_here,
)
from everthread.edges.cli.base.remote import remote_daemon
from everthread.edges.cli.base.terminal import (
    NARROW,
    USUAL,
    Column,
    pairs,
    say,
    show,
    show_json,
    styled,
    table,
    time_text,
)
from everthread.edges.cli.base.termination import sigterm_interrupts
from everthread.edges.documents.tasks import (
    begun_document,
    ended_document,
    owner_document,
    owner_text,
    standing_document,
    task_document,
)

from .remote import list_there, new_there, task_there, tell_task
from .task_agent import agent_to_make, task_of, tasks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from everthread.domain.tasks.rituals import Step
    from everthread.domain.tasks.tasks import Outcome
    from everthread.domain.tasks.tasks import Task as TaskRow
    from everthread.engine import Everthread
    from everthread.engine.tasking import Task
    from everthread.services.tasks.new import TaskFields
    from everthread.services.tasks.sessions.start import StartOutcome
    from everthread.services.tasks.status import Standing

F = TypeVar("F", bound=Callable[..., object])

MARKS = {
    "ok": "✓",
    "pass": "✓",
    "flaky": "~",
    "missing": "–",
    "skipped": "–",
    "fail": "✗",
    "changed": "!",
}

HELP = "The task; the one open task of this project otherwise."

task_option = click.option("--task", "slug", metavar="SLUG", help=HELP)


WORD = "everthread.task"


def task_named(command: F) -> F:
    """The same, where the task may also be named without the option."""
    # Eager: it is there when the option is looked at, which has the last word on both.
    word = click.argument(
        "word",
        metavar="[SLUG]",
        required=False,
        is_eager=True,
        expose_value=False,
        callback=_keep_word,
    )
    option = click.option("--task", "slug", metavar="SLUG", help=HELP, callback=_one_slug)
    return word(option(command))


def _keep_word(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    context.meta[WORD] = value


def _one_slug(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    word: str | None = context.meta.get(WORD)
    if word is not None and value is not None and word != value:
        raise click.UsageError(f"which task? {word} and --task {value} are two")
    return word if value is None else value


@click.group(
    "task", cls=OrderedGroup, invoke_without_command=True, short_help="Work from gate to gate."
)
@common
def task(_choice: Choice) -> None:
    """A task takes many sessions and eleven gates. Each session begins and ends with a ritual; each gate
    asks for evidence; all of it stands in `tasks/SLUG` of the project and can be verified.
    """
    help_if_alone()


def caller_process(pid: int | None = None) -> str:
    """The process that works at the task: the one that is named, else who called this command."""
    from everthread.wiring import harness_process

    if pid is not None:
        owner = harness_process(str(pid))
        if not owner:
            raise BadInput(f"there is no process {pid} that could work at a task")
        return owner
    return harness_process(str(os.getppid())) or "unknown"


def task_here(engine: Everthread, choice: Choice, slug: str | None) -> Task:
    """The task that is meant, worked at by whoever called."""
    return task_of(engine, choice, slug, project=project_here(), owner=caller_process())


def settle_gate() -> None:
    """Have harnesses ask before a tool runs while a task is open, and no longer."""
    from everthread.edges.install.tool_gate import settle
    from everthread.settings import Settings

    settle(Settings.load())


@task.command(
    "new",
    short_help="Make one.",
    epilog=examples(
        'everthread task new parser-rewrite --goal "Parse in one pass" --smoke "make test"'
    ),
)
@click.argument("slug")
@click.option("--goal", required=True, help="What is to be reached.")
@click.option("--acceptance", multiple=True, help="When it is reached; may be repeated.")
@click.option("--smoke", help="The command that shows that all is well, such as `make test`.")
@common
def new_command(
    choice: Choice, slug: str, goal: str, acceptance: tuple[str, ...], smoke: str | None
) -> None:
    """Make a task, with its folder `tasks/SLUG` in this project. The command that it names is trusted."""
    if far := remote_daemon(choice):
        new_there(choice, far, smoke, slug=slug, goal=goal, acceptance=list(acceptance))
        return
    project = project_here()
    with open_engine(choice, create=True) as engine:
        said: TaskFields = {"goal": goal, "acceptance": acceptance, "smoke": smoke}
        agent = agent_to_make(engine, choice, slug, project=project, **said)
        made = agent.new_task(slug, project=project, **said)
        row = made.row
    if choice.as_json:
        show_json(task_document(row), raw=True)
    else:
        say(f"task {row.slug} stands at {row.gate} ({NAMES[0]})")
        say(f"begin a session: everthread task start {row.slug}")


@task.command(
    "start",
    short_help="Begin a session.",
    epilog=examples("everthread task start", "everthread task start parser-rewrite --from-gate G4"),
)
@click.argument("slug", required=False)
@click.option("--goal", help="The goal of this session; the task's otherwise.")
@click.option(
    "--from-gate", metavar="GATE", help="Go on from the last checkpoint before that gate."
)
@click.option("--fix", is_flag=True, help="Begin although the smoke command fails, to repair that.")
@click.option("--owner", type=int, metavar="PID", help="The process that works; else who calls.")
@common
def start_command(
    choice: Choice,
    slug: str | None,
    goal: str | None,
    from_gate: str | None,
    fix: bool,  # noqa: FBT001 - click gives it by name
    owner: int | None,
) -> None:
    """Begin a session with the startup ritual: recall, implementation log, task status, recent commits,
    smoke command, goal. While the smoke command fails, no new work begins.
    """
    if far := task_there(choice, slug):
        tell_task(choice, far.post("start", goal=goal, from_gate=from_gate, fix=fix))
        return
    process = caller_process(owner)
    with sigterm_interrupts(), open_engine(choice) as engine:
        found = task_of(engine, choice, slug, project=project_here(), owner=process)
        begun = found.start(
            goal=goal, from_gate=from_gate, fix=fix, tell=None if choice.as_json else _tell
        )
        standing = found.status()
    settle_gate()
    if choice.as_json:
        show_json({**standing_document(standing), **begun_document(begun)}, raw=True)
    else:
        _show_ritual(begun, standing)


def _tell(step: Step) -> None:
    """A step as it is done: of a start that is refused too."""
    _say_step(step.name, step.result, step.detail)


def _say_step(name: str, result: str, detail: str) -> None:
    say(f"{MARKS.get(result, '·')} {name}: {result}  {detail}".rstrip())


def _show_ritual(begun: StartOutcome, standing: Standing) -> None:
    row = standing.task
    show(styled((f"{row.slug}, {begun.at.session.alias}", "bold")))
    for line in begun.changed:
        say(f"  changed since: {line}")
    if begun.at.sitting.sandboxed:
        say(
            "! in a sandbox: only reading is allowed. Harness sessions that were open before do not ask"
        )
        say("  us about tools yet: start them anew. `everthread task allow` frees the next session")
    if begun.context:
        say("")
        say(begun.context)
    say("")
    say(f"at {row.gate} ({standing.gate_name}), which asks for {' and '.join(standing.asks)}")
    say(f"works: {_works(standing)}")


def _works(standing: Standing) -> str:
    if owner_document(standing) is None:
        return f"{owner_text(standing)}; --owner PID names it"
    return owner_text(standing)


@task.command(
    "end",
    short_help="End the session.",
    epilog=examples('everthread task end --outcome partial --completed "lexer" --next "parser"'),
)
@task_named
@click.option("--outcome", type=click.Choice(OUTCOMES), default="success", show_default=True)
@click.option("--summary", default="", help="What the session came to.")
@click.option("--completed", multiple=True, help="What was done; may be repeated.")
@click.option("--blocked", multiple=True, help="What is in the way; may be repeated.")
@click.option("--next", "next_steps", multiple=True, help="What comes next; may be repeated.")
@click.option(
    "--hint", default="", help="A word to the next session; the first next step otherwise."
)
@common
def end_command(choice: Choice, slug: str | None, outcome: Outcome, **given: Any) -> None:
    """End the session with the shutdown ritual: commit or patch, implementation log, checkpoint,
    memories, status, event.
    """
    if far := task_there(choice, slug):
        answer = far.post("end", outcome=outcome, **given)
        tell_task(choice, answer)
        _must_be_done(answer["task"], answer["ritual"])
        return
    with sigterm_interrupts(), open_engine(choice) as engine:
        done = task_here(engine, choice, slug).end(outcome, **given)
    settle_gate()
    if choice.as_json:
        show_json(ended_document(done), raw=True)
    else:
        for step in done.record:
            _say_step(str(step["name"]), str(step["result"]), str(step.get("detail", "")))
        say(f"{done.task.slug} is {done.task.status} at {done.task.gate}")
    _must_be_done(done.task.slug, done.record)


def _must_be_done(slug: str, record: Sequence[dict[str, Any]]) -> None:
    """The session is over either way; whoever ended it should hear that a step failed."""
    failed = [str(step["name"]) for step in record if step["result"] == "fail"]
    if failed:
        click.echo(
            f"everthread: the session is over, but not all of its end could be done: "
            f"{', '.join(failed)}. Nothing is lost: see to the cause, then "
            f"`everthread checkpoints verify --task {slug} --repair`",
            err=True,
        )
        click.get_current_context().exit(NO)


@task.command("status", short_help="How it stands.", epilog=examples("everthread task status"))
@task_named
@common
def status_command(choice: Choice, slug: str | None) -> None:
    """How the task stands: who works at it, what its gate asks for, what a person should look at."""
    if far := task_there(choice, slug):
        tell_task(choice, far.get())
        return
    with open_to_read(choice) as engine:
        told = task_here(engine, choice, slug).status()
    settle_gate()
    if choice.as_json:
        show_json(standing_document(told), raw=True)
        return
    row, at = told.task, told.at
    show(
        pairs(
            [
                ("task", row.slug),
                ("goal", row.goal),
                ("status", _status(row)),
                ("gate", f"{row.gate} ({told.gate_name}), asks for {' and '.join(told.asks)}"),
                ("passed", f"{row.passed + 1} of {LAST + 1} gates"),
                ("session", "none" if at is None else f"{at.session.alias} ({at.session.state})"),
                ("works", "nobody" if at is None else _works(told)),
                ("arc", told.arc.summary_line),
                ("checkpoint", "none" if told.last is None else told.last.alias or "none"),
                ("blockers", "; ".join(row.blockers) or "none"),
                ("next", "; ".join(row.next_steps) or "–"),
                ("incidents", "; ".join(i.summary for i in told.incidents) or "none"),
            ]
        )
    )


def _status(row: TaskRow) -> str:
    if row.stopped_ms is not None:
        return f"{row.status}, stopped at {time_text(row.stopped_ms)} UTC: `everthread task allow`"
    return f"{row.status}, the next start is in a sandbox" if row.sandbox else row.status


@task.command("list", short_help="All tasks.", epilog=examples("everthread task list --everywhere"))
@click.option("--everywhere", is_flag=True, help="Of all of the agent's projects.")
@common
def list_command(choice: Choice, everywhere: bool) -> None:  # noqa: FBT001 - click gives it by name
    """The tasks of this project, latest change first."""
    if far := remote_daemon(choice):
        list_there(choice, far, everywhere=everywhere)
        return
    with open_to_read(choice) as engine:
        rows = tasks_of(engine, choice, project_here(), everywhere=everywhere)
    if choice.as_json:
        show_json(
            {"tasks": [{**task_document(row), "agent": name} for name, row in rows]}, raw=True
        )
    elif rows:
        show(_table(rows))
    else:
        say("no tasks yet: everthread task new SLUG --goal …")


def _table(rows: Sequence[tuple[str, TaskRow]]) -> RenderableType:
    several = len({name for name, _ in rows}) > 1
    columns = [
        Column("task", style="bold"),
        Column("status"),
        Column("gate"),
        Column("changed (UTC)", room=NARROW),
        *([Column("agent", room=USUAL)] if several else []),
        Column("goal", room=USUAL, folds=True),
    ]
    cells = [
        [r.slug, r.status, r.gate, time_text(r.updated_ms), *([name] if several else []), r.goal]
        for name, r in rows
    ]
    return table(columns, cells)
