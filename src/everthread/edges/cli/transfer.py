"""`backup`, `export` and `import`: carry what was said from place to place."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO

import click

from everthread.domain.agents import checked_name
from everthread.domain.errors import BadInput, ImportRefused
from everthread.domain.times import ms_of

from .base.new_file import private_file
from .base.options import (
    Choice,
    agents_of,
    common,
    examples,
    is_missing,
    open_engine,
    open_to_read,
    refuse_agent,
    settings_of,
)
from .base.terminal import Column, bytes_text, plural, progress, say, show, show_json, table

if TYPE_CHECKING:
    from everthread.wiring import Rescue

PATH = click.Path(path_type=Path)
MOST_SHOWN = 10


@click.command(
    "backup",
    short_help="A consistent copy of the whole store.",
    epilog=examples("everthread backup monday.db"),
)
@click.argument("target", type=PATH)
@common
def backup_command(choice: Choice, target: Path) -> None:
    """Copy the whole store to TARGET, a new file, in one consistent state and while writing goes on.

    The copy is a store of its own: `everthread status --store TARGET`. Only you can read it.
    """
    refuse_agent(choice, "a backup holds the whole store; `export` takes one agent")
    with open_to_read(choice) as engine, progress("copying") as note:
        engine.backup(target, note)
    size = target.stat().st_size
    if choice.as_json:
        show_json({"file": str(target.absolute()), "bytes": size})
    else:
        say(f"copied to {target} ({bytes_text(size)})")


@click.command(
    "export",
    short_help="Everything as JSON lines.",
    epilog=examples(
        "everthread export -o ada.jsonl --agent ada",
        "everthread export --raw | gzip > all.gz",
    ),
)
@click.option("--raw", is_flag=True, help="Faithfully: everything that was said, secrets too.")
@click.option("--rescue", is_flag=True, help="Of a damaged file: the messages that can be read.")
@click.option("-o", "--output", "file", type=PATH, metavar="FILE", help="A new file, yours alone.")
@common
def export_command(choice: Choice, *, raw: bool, rescue: bool, file: Path | None) -> None:
    """Write everything as JSON lines, in one consistent state.

    Secrets are taken out, so that the lines can be read and shared; with --raw they stay in, and
    `everthread import` reads the lines back. Without --agent all agents are written. With --output the
    lines go to a new file that only you can read, else to the standard output.

    With --rescue a SQLite file need not be whole: the messages of one agent that can be read are written
    as plain ones, for `everthread import FILE --agent NAME` into a new store. What was forgotten stays
    out, and what was said privately. `everthread verify` tells when that is needed.
    """
    if rescue:
        _rescue(choice, file, raw=raw)
        return
    with open_to_read(choice) as engine:
        agents = agents_of(engine, choice)
        if file is None:
            engine.export(_writer(sys.stdout, raw=raw)[0], *agents)
            return
        with private_file(file) as out:
            write, secrets = _writer(out, raw=raw)
            lines = engine.export(write, *agents)
    if choice.as_json:
        names = [agent.name for agent in agents]
        told = {} if raw else {"redacted": secrets()}
        show_json({"file": str(file.absolute()), "lines": lines, "agents": names, **told})
    else:
        more = "" if raw else f"; {plural(secrets(), 'secret')} taken out"
        say(f"{plural(lines, 'line')} of {plural(len(agents), 'agent')} in {file}{more}")


def _rescue(choice: Choice, file: Path | None, *, raw: bool) -> None:
    from everthread.wiring import rescue_of

    if not raw or choice.agent is None or file is None:
        raise BadInput(
            "a rescue writes what one agent was told and said, faithfully, to a new file: "
            "everthread export --rescue --raw --agent NAME -o FILE"
        )
    count, found = 0, rescue_of(settings_of(choice), choice.agent)
    with private_file(file) as out:
        for message in found:
            out.write(json.dumps(message) + "\n")
            count += 1
    if choice.as_json:
        told = {"forgotten": found.forgotten, "unread": found.unread, "unplaced": found.unplaced}
        told |= {"damaged": found.damaged, "unproved": found.unproved}
        document = {"file": str(file.absolute()), "lines": count, "agents": [choice.agent]}
        show_json({**document, **told, "whole": found.whole, "forgotten_known": found.sure})
        return
    _say_rescued(found, count, choice.agent, file)


def _say_rescued(found: Rescue, count: int, agent: str, file: Path) -> None:
    """What was written, and what was not."""
    forgotten = f"; {found.forgotten:,} that were forgotten stay out" if found.forgotten else ""
    say(f"{plural(count, 'message')} of {agent} in {file}{forgotten}")
    if found.unread:
        say(f"{plural(found.unread, 'message')} more cannot be read")
    if found.unplaced:
        say(
            f"{plural(found.unplaced, 'message')} stay out: it cannot be read whether their threads were "
            "private"
        )
    if found.damaged:
        stay = "stays out: it is" if found.damaged == 1 else "stay out: they are"
        say(f"{plural(found.damaged, 'message')} {stay} not what was stored any more")
    if found.unproved:
        say(
            f"Of {plural(found.unproved, 'message')} nothing proves any more that they are what was said"
        )
    if not found.whole:
        say("Others are gone with the part of the file that is damaged")
    if not found.sure:
        say(
            "Of some it cannot be read whether they were forgotten: look through the file before you "
            "import it"
        )


def _writer(out: TextIO, *, raw: bool) -> tuple[Callable[[str], object], Callable[[], int]]:
    """What writes the lines, and what tells how many secrets it took out."""
    if raw:
        return out.write, lambda: 0
    from everthread.services.upkeep.transfer import Redacting

    redacting = Redacting(out.write)
    return redacting, lambda: redacting.count


@click.command(
    "import",
    short_help="Bring in harnesses' histories, an export, plain messages.",
    epilog=examples(
        "everthread import --list",
        "everthread import",
        "everthread import .specstory/history --dry-run",
        "everthread import ada.jsonl",
        "gunzip < all.gz | everthread import -",
        "everthread import chat.jsonl --agent ada",
    ),
)
@click.argument("file", required=False)
@click.option("--list", "listing", is_flag=True, help="Only show which histories there are.")
@click.option("--dry-run", is_flag=True, help="Only count what would come: what is new here.")
@click.option(
    "--harness",
    "harnesses",
    multiple=True,
    type=click.Choice(
        ("claude-code", "codex", "gemini", "opencode", "openclaw", "specstory", "aider")
    ),
    help="Only histories of this one; may be given more than once.",
)
@click.option(
    "--unchecked", is_flag=True, help="Take an export that was changed; `verify` tells what."
)
@common
def import_command(
    choice: Choice,
    file: str | None,
    *,
    listing: bool,
    dry_run: bool,
    harnesses: tuple[str, ...],
    unchecked: bool,
) -> None:
    """Bring in what was said before: FILE tells by itself what it is.

    Without FILE it is all that Claude Code, Codex, Gemini CLI, OpenCode and OpenClaw have kept on this
    machine, and the logs of SpecStory and aider in the same projects. FILE may also name such a
    history, or a folder of them. Each session goes to the agent of its project; with --agent to
    that one. What is here already is not brought twice, so it can be stopped and begun again.
    Projects that are switched off and private sessions stay out; summaries that a harness wrote are
    nobody's words and stay out too. Nothing is distilled.

    Else FILE is what `everthread export --raw` wrote, or - for the standard input. All of it comes in,
    or nothing: a file that was cut or changed is refused. An agent that is here already with the same
    past stays as it is; one with another past is refused. The store is made if there is none.

    With --agent, FILE may also hold plain messages, one JSON object a line or all in one JSON array:
    role and content, and, where known, id, at, name, origin and session_key. They become that agent's
    archive; those whose id was imported before are left out. Without ids the lines of the same FILE are
    known again; if it is stopped half-way, import FILE again for the others.
    """
    from .histories import HistoryChoice, count_all, histories_of, show_list, take_all

    source = None if file is None or file == "-" else Path(file)
    if source is not None and not source.exists():
        raise click.BadParameter(f"{file!r}: No such file or directory", param_hint="'FILE'")
    found = [] if file == "-" else histories_of(HistoryChoice(source, harnesses))
    if listing:
        show_list(choice, found)
    elif dry_run:
        count_all(choice, found)
    elif found or file is None or (source is not None and source.is_dir()):
        take_all(choice, found)
    else:
        _import_lines(choice, file, unchecked=unchecked)


def _import_lines(choice: Choice, name: str, *, unchecked: bool) -> None:
    """An export, or plain messages."""
    with click.open_file(name, "r", encoding="utf-8") as file:
        lines, whole = _read_lines(file, choice.agent)
    if not (whole or unchecked) and is_missing(settings_of(choice).store_target):
        _rehearse(lines)
    with open_engine(choice, create=True) as engine:
        place = "" if name == "-" else str(Path(name).resolve())
        brought = engine.import_lines(lines, agent=choice.agent, unchecked=unchecked, file=place)
        location = engine.location
    if choice.as_json:
        show_json({"store": location, "agents": [each._asdict() for each in brought]})
    elif brought:
        columns = [Column("agent", style="bold"), Column("outcome"), Column("rows", right=True)]
        show(table(columns, [[e.agent, e.outcome, f"{e.rows:,}"] for e in brought]))
        _say_changed([ident for each in brought for ident in each.changed])
    else:
        say("the file holds no agents; nothing was to be done")


def _say_changed(ids: list[str]) -> None:
    """What was left out although it says something new must not go unseen."""
    if ids:
        shown = ", ".join(ids[:MOST_SHOWN]) + (" …" if len(ids) > MOST_SHOWN else "")
        say(
            f"{plural(len(ids), 'id')} stood for another text already, which stays: {shown}. Where that "
            "is another message, give it an id of its own and import it again"
        )


def _rehearse(lines: list[str]) -> None:
    """No store is made for an export that it would refuse."""
    from everthread.wiring import connect

    with connect("memory://", background=False) as engine:
        engine.import_lines(lines)


def _read_lines(file: IO[str], agent: str | None) -> tuple[list[str], bool]:
    """The file's lines, looked through before a store is made for them; is it known that it takes them?"""
    from everthread.services.archive.backfill import messages_in, without_mark
    from everthread.services.upkeep.export_seal import SealCheck
    from everthread.services.upkeep.transfer import is_export, parse_export

    try:
        lines = [*without_mark(file)]
    except UnicodeDecodeError as wrong:
        raise ImportRefused(
            "this is not an Everthread export: it is not text in UTF-8. Nothing was imported"
        ) from wrong
    if is_export(next((line for line in lines if line.strip()), "")):
        sealed = SealCheck(lines)
        for _ in parse_export(sealed):
            pass
        return lines, sealed.whole
    if agent is not None:
        checked_name(agent)
        messages_in(lines, ms_of(datetime.now(UTC)))
    else:
        raise ImportRefused(
            "this is not an Everthread export. Plain messages (JSON lines with role and content) can "
            "be imported too, for an agent: add --agent NAME. Nothing was imported"
        )
    return lines, True
