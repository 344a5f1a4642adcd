"""`task`, while a session works at one: checkpoint, gate, fail, stop, allow, trust."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from everthread.domain.errors import BadInput
from everthread.domain.tasks.checkpoint_rules import checked_tests
from everthread.domain.tasks.gates import LAST
from everthread.domain.tasks.tasks import FAILURES
from everthread.edges.cli.base.exits import Declined
from everthread.edges.cli.base.options import Choice, common, examples, open_engine
from everthread.edges.cli.base.remote import tell_facts, tell_line
from everthread.edges.cli.base.terminal import confirm, plural, say, show_json
from everthread.edges.cli.base.termination import sigterm_interrupts
from everthread.edges.documents.tasks import (
    failed_document,
    put_down_document,
    standing_document,
    task_document,
)

from .lifecycle import settle_gate, task, task_here, task_named, task_option
from .remote import task_there, tell_task, words_of

if TYPE_CHECKING:
    from everthread.domain.tasks.tasks import FailureKind
    from everthread.services.tasks.checks.trust import ProjectCommand

    from .remote import TaskThere

TYPES = ("decision", "file_change", "error_recovery", "explicit", "agent", "context_refresh")


@task.command(
    "checkpoint",
    short_help="Put down where it stands.",
    epilog=examples(
        'everthread task checkpoint --type decision --summary "One pass" --decision "one pass" '
        '--rationale "half the memory" --alternative "two passes"',
        'everthread task checkpoint --type file_change --summary "lexer" --file src/lexer.py:created',
    ),
)
@task_option
@click.option("--type", "kind", type=click.Choice(TYPES), default="explicit", show_default=True)
@click.option("--summary", default="", help="What it is about.")
@click.option("--decision", "decisions", multiple=True, help="What was decided; may be repeated.")
@click.option("--rationale", "rationales", multiple=True, help="Why; one for each decision.")
@click.option(
    "--alternative",
    "alternatives",
    multiple=True,
    help="What else was thought of; several with `;` between them; `none` if nothing was.",
)
@click.option("--file", "files", multiple=True, help="PATH or PATH:created|modified|deleted.")
@click.option("--tests", metavar="P,F,N", help="How many pass, fail, are pending.")
@click.option("--error", help="What went wrong.")
@click.option("--resolution", help="What was done about it.")
@click.option("--step", help="The step that the error was of.")
@click.option("--next", "next_steps", multiple=True, help="What comes next; may be repeated.")
@click.option(
    "--question", "questions", multiple=True, help="What the user is asked; three an arc."
)
@click.option("--resume", help="How to go on from here.")
@click.option("--no-resume", is_flag=True, help="Nobody may go on from here.")
@common
def checkpoint_command(choice: Choice, slug: str | None, **given: Any) -> None:
    """Put down where the task stands. What each type must carry is asked for."""
    decisions = _decisions(given["decisions"], given["rationales"], given["alternatives"])
    if far := task_there(choice, slug):
        _mark_there(choice, far, decisions, given)
        return
    with open_engine(choice) as engine:
        found = task_here(engine, choice, slug)
        done = found.checkpoint(
            given["kind"],
            given["summary"],
            decisions=decisions,
            files=given["files"],
            tests=given["tests"],
            error=given["error"],
            resolution=given["resolution"],
            step=given["step"],
            next_steps=given["next_steps"],
            questions=given["questions"],
            resume=given["resume"],
            can_resume=not given["no_resume"],
        )
        text = "" if done.checkpoint is None else found.document(done.checkpoint)
    if choice.as_json:
        show_json(put_down_document(done, text), raw=True)
    elif done.checkpoint is None:
        say(f"{done.waiting} changed files wait to become one checkpoint")
    else:
        say(f"{done.checkpoint.alias} at {done.checkpoint.gate}")
    if not choice.as_json and done.arc.over:
        say(f"! {done.arc.summary_line}: pass the gate, or sum up with --type context_refresh")


def _mark_there(
    choice: Choice, far: TaskThere, decisions: list[dict[str, Any]], given: dict[str, Any]
) -> None:
    same = ("kind", "summary", "files", "error", "resolution", "step", "resume")
    answer = far.post(
        "checkpoints",
        decisions=decisions,
        tests=checked_tests(given["tests"]),
        can_resume=not given["no_resume"],
        next_steps=given["next_steps"],
        questions=given["questions"],
        **{name: given[name] for name in same},
    )
    made = answer["checkpoint"]
    waits = f"{answer['waiting']} changed files wait to become one checkpoint"
    tell_line(choice, answer, waits if made is None else str(made["checkpoint_id"]))


def _decisions(
    decisions: tuple[str, ...], rationales: tuple[str, ...], alternatives: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Each decision with the rationale and the alternatives in the same place."""
    if len(rationales) > len(decisions) or len(alternatives) > len(decisions):
        raise BadInput("each --rationale and --alternative belongs to one --decision")
    rows: list[dict[str, Any]] = []
    for place, decision in enumerate(decisions):
        row: dict[str, Any] = {"decision": decision}
        if place < len(rationales):
            row["rationale"] = rationales[place]
        if place < len(alternatives):
            row["alternatives"] = [a.strip() for a in alternatives[place].split(";") if a.strip()]
        rows.append(row)
    return rows


@task.command(
    "gate",
    short_help="Pass a gate.",
    epilog=examples(
        "everthread task gate G4 --evidence code_changes=@CHANGES.md --evidence test_status=green",
        'everthread task gate G5 --waiver "no coverage tool for this language"',
    ),
)
@click.argument("gate")
@task_option
@click.option(
    "--evidence",
    multiple=True,
    metavar="KEY=VALUE|FILE",
    help="What the gate asks for: KEY=VALUE, KEY=@FILE, or a FILE named after it; may be repeated.",
)
@click.option("--waiver", help="Why it is passed without what it asks for, or out of turn.")
@click.option("--summary", help="How it was passed.")
@click.option("--next", "next_steps", multiple=True, help="What comes next; may be repeated.")
@common
def gate_command(
    choice: Choice,
    gate: str,
    slug: str | None,
    evidence: tuple[str, ...],
    waiver: str | None,
    summary: str | None,
    next_steps: tuple[str, ...],
) -> None:
    """Pass a gate with what it asks for; `task status` says what that is."""
    if far := task_there(choice, slug):
        brought = words_of(evidence)
        answer = far.post(
            "gate",
            gate=gate,
            evidence=brought,
            waiver=waiver,
            summary=summary,
            next_steps=next_steps,
        )
        tell_task(choice, answer)
        return
    with sigterm_interrupts(), open_engine(choice) as engine:
        found = task_here(engine, choice, slug)
        done = found.gate(
            gate, evidence=evidence, waiver=waiver, summary=summary, next_steps=next_steps
        )
        standing = found.status()
    if choice.as_json:
        show_json(
            {
                **standing_document(standing),
                "checkpoint": done.checkpoint.alias,
                "waived": done.passage.waiver is not None,
            },
            raw=True,
        )
        return
    waived = " by a waiver" if done.passage.waiver is not None else ""
    say(f"passed G{done.passage.number}{waived}: {done.checkpoint.alias}")
    row = standing.task
    if row.passed == LAST:
        say("all gates are passed: `everthread task end --outcome success` completes it")
    else:
        say(
            f"now at {row.gate} ({standing.gate_name}), which asks for {' and '.join(standing.asks)}"
        )


@task.command(
    "fail",
    short_help="A step failed.",
    epilog=examples(
        'everthread task fail "run the migration" --kind resource --detail "disk full"'
    ),
)
@click.argument("step")
@task_option
@click.option("--kind", type=click.Choice(FAILURES), required=True, help="What sort of failure.")
@click.option("--detail", default="", help="What happened.")
@common
def fail_command(
    choice: Choice, step: str, slug: str | None, kind: FailureKind, detail: str
) -> None:
    """Count a failure of a step and say what follows. The third in a row asks the fixer, which can write
    nothing; what it answers is a suggestion, or that a person is needed.
    """
    if far := task_there(choice, slug):
        tell_facts(choice, far.post("fail", step=step, kind=kind, detail=detail))
        return
    with sigterm_interrupts(), open_engine(choice) as engine:
        failed = task_here(engine, choice, slug).fail(step, kind, detail)
    if choice.as_json:
        show_json(failed_document(failed), raw=True)
        return
    times = plural(failed.next.failures.total, "time")
    say(f"{failed.step}: failed {times} in a row; {failed.next.words}")
    if failed.rolls_back_to:
        say(f"the last checkpoint to go back to is {failed.rolls_back_to}")
    if failed.suggestion is not None:
        say(f"{failed.suggestion.kind} of the fixer:")
        say(failed.suggestion.text)


@task.command("pass", short_help="A step that failed went through.")
@click.argument("step")
@task_option
@common
def pass_command(choice: Choice, step: str, slug: str | None) -> None:
    """A step that had failed went through: its failures are over."""
    if far := task_there(choice, slug):
        tell_line(choice, far.post("passed", step=step), f"{step}: its failures are over")
        return
    with open_engine(choice) as engine:
        row = task_here(engine, choice, slug).passed(step)
    if choice.as_json:
        show_json(task_document(row), raw=True)
    else:
        say(f"{step}: its failures are over")


@task.command(
    "stop",
    short_help="Stop at once.",
    epilog=examples('everthread task stop --reason "leaked key"'),
)
@task_named
@click.option("--reason", default="", help="Why.")
@common
def stop_command(choice: Choice, slug: str | None, reason: str) -> None:
    """An emergency: end the session at once and keep what is uncommitted as a patch. The next start needs
    a person: `task allow`.
    """
    if far := task_there(choice, slug):
        tell_task(choice, far.post("stop", reason=reason))
        return
    with open_engine(choice) as engine:
        stopped = task_here(engine, choice, slug).stop(reason)
    settle_gate()
    if choice.as_json:
        made = stopped.checkpoint
        told = {"checkpoint": None if made is None else made.alias, "patch": stopped.patch}
        show_json({**task_document(stopped.task), **told}, raw=True)
        return
    say(f"{stopped.task.slug} is stopped; nobody can start it before `everthread task allow`")
    if stopped.patch:
        say(f"what was uncommitted: tasks/{stopped.task.slug}/{stopped.patch}")


@task.command("allow", short_help="Allow one that was stopped or is in a sandbox.")
@task_option
@click.option("--note", required=True, help="What you looked at, and why it may go on.")
@click.option("--yes", is_flag=True, help="You are a person, though no terminal is here.")
@common
def allow_command(
    choice: Choice,
    slug: str | None,
    note: str,
    yes: bool,  # noqa: FBT001 - click gives it by name
) -> None:
    """Allow a task that was stopped, or is in a sandbox, to begin again as usual; the incidents of that
    are resolved. A person does that, in a terminal.
    """
    _must_be_a_person(yes=yes)
    with open_engine(choice) as engine:
        row = task_here(engine, choice, slug).allow(note)
    settle_gate()
    if choice.as_json:
        show_json(task_document(row), raw=True)
    else:
        say(f"{row.slug} may be started again")


@task.command(
    "trust",
    short_help="Allow the commands that its files name.",
    epilog=examples("everthread task trust", "everthread task trust --revoke"),
)
@task_named
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--revoke", is_flag=True, help="Trust none of them any more.")
@common
def trust_command(
    choice: Choice,
    slug: str | None,
    yes: bool,  # noqa: FBT001 - click gives it by name
    revoke: bool,  # noqa: FBT001 - as above
) -> None:
    """Show the command that a file of this project names, and allow it on this machine. It stays allowed
    until the file changes. With --json and without --yes it is only shown.
    """
    with open_engine(choice) as engine:
        found = task_here(engine, choice, slug)
        if revoke:
            count = found.distrust()
            _tell(choice, f"{count} commands are trusted no more", revoked=count, task=found.slug)
            return
        wanted = found.smoke()
        if wanted is None:
            raise BadInput(f"{found.slug} names no command, and neither does the project")
        asked = wanted.why_not is not None and (yes or not choice.as_json)
        if asked:
            _must_agree(wanted, yes=yes)
            found.trust(wanted)
    why_not = None if asked else wanted.why_not
    facts = {"what": wanted.what, "command": wanted.command, "trusted": why_not is None}
    _tell(choice, f"trusted: {_line(wanted)}", task=found.slug, why_not=why_not, **facts)


def _tell(choice: Choice, line: str, **facts: object) -> None:
    if choice.as_json:
        show_json(facts)
    else:
        say(line)


def _must_be_a_person(*, yes: bool) -> None:
    """What only a person may decide is not decided by whoever else can run a command."""
    if not (yes or sys.stdin.isatty()):
        raise BadInput("only a person decides this: run it in a terminal, where you can see it")


def _must_agree(wanted: ProjectCommand, *, yes: bool) -> None:
    """Nobody is asked about what cannot be trusted, nor about a command that they do not see."""
    if not yes and wanted.asked is not None:
        _must_be_a_person(yes=yes)
        say(f"{wanted.why_not}")
        say("The command, all of it:")
        say(f"  {_line(wanted)}", raw=True)
        if not confirm("Run it whenever the task asks for it?"):
            raise Declined("it is not trusted; nothing was changed")


def _line(wanted: ProjectCommand) -> str:
    from everthread.domain.tasks.commands import command_line

    return command_line(wanted.command)
