"""`logs`: what the daemon tells."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

import click

from .base.options import Choice, WholeNumber, common, examples, settings_of
from .base.terminal import say, show_json

LOOK_AGAIN = 0.3


@click.command(
    "logs",
    short_help="What the daemon tells.",
    epilog=examples("everthread logs", "everthread logs -n 200 -f"),
)
@click.option("-n", "lines", type=WholeNumber(1, 100_000), default=50, help="How many lines.")
@click.option("--follow", "-f", is_flag=True, help="Go on as more comes; Ctrl-C ends it.")
@common
def logs_command(choice: Choice, lines: int, follow: bool) -> None:  # noqa: FBT001 - click gives options by name
    """The end of the daemon's log. The log is bounded: four files of a megabyte."""
    from everthread.edges.daemon.places import Places

    path = Places(settings_of(choice).home).log
    found, place = _end(path, lines)
    if choice.as_json:
        show_json({"log": str(path), "lines": found})
        return
    if not found and not follow:
        say(f"nothing in {path} yet")
    for line in found:
        say(line)
    while follow:
        time.sleep(LOOK_AGAIN)
        place = _more(path, place)


def _end(path: Path, lines: int) -> tuple[list[str], int]:
    """The last lines, across the older file, and where the log ends now."""
    found: deque[str] = deque(maxlen=lines)
    size = 0
    for each in (path.with_name(f"{path.name}.1"), path):
        try:
            text = each.read_text("utf-8", "replace")
        except FileNotFoundError:
            continue
        found.extend(text.splitlines())
        size = each.stat().st_size if each == path else size
    return list(found), size


def _more(path: Path, place: int) -> int:
    """Show what was written since; a log that was begun anew is shown from its beginning."""
    try:
        with path.open("rb") as file:
            if path.stat().st_size < place:
                place = 0
            file.seek(place)
            whole, newline, _ = file.read().rpartition(b"\n")
    except FileNotFoundError:
        return 0
    for line in whole.decode("utf-8", "replace").splitlines():
        say(line)
    return place + len(whole) + len(newline)
