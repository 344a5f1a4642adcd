"""What is seen while the example plays: a bar on a terminal, lines elsewhere, nothing for programs."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from everthread.domain.ids import short
from everthread.edges.cli.base.terminal import clean, console, plural, say, styled, time_text
from everthread.services.distilling.stages import STAGES

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from everthread.domain.distilling.receipts import Receipt

    from .script import Exchange

SHOW_SECONDS = 2.5


class Interrupt:
    """Ctrl-C, kept until the turn is over: nothing is torn. A second one is obeyed at once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def obey(self) -> None:
        if self.asked:
            raise KeyboardInterrupt


class Quiet:
    """Shows nothing."""

    def __init__(self, interrupt: Interrupt) -> None:
        self._interrupt = interrupt

    def sitting(self, at: int, channel: str, turns: int) -> None:
        """Nobody looks on."""

    def turned(self, exchange: Exchange) -> None:
        self._interrupt.obey()

    def stage(self, name: str) -> None:
        """Nobody looks on."""

    def distilled(self, receipt: Receipt) -> None:
        self._interrupt.obey()


class Lines(Quiet):
    """One line for each sitting and each distillation."""

    def sitting(self, at: int, channel: str, turns: int) -> None:
        say(f"{time_text(at)}  {channel.partition(':')[0]}, {plural(turns, 'turn')}")

    def distilled(self, receipt: Receipt) -> None:
        say(f"  {_line(receipt)}")
        super().distilled(receipt)


class Bar(Quiet):
    """A bar that fills, and above it the beginning of each sitting and what is out of the ordinary."""

    def __init__(self, interrupt: Interrupt, bar: Progress, task: TaskID, pause: float) -> None:
        super().__init__(interrupt)
        self._bar = bar
        self._task = task
        self._pause = pause
        self._opening = False
        self._stages: TaskID | None = None

    def sitting(self, at: int, channel: str, turns: int) -> None:
        self._opening = True
        place = f"  {channel.partition(':')[0]}, {plural(turns, 'turn')}"
        self._bar.console.print(styled((time_text(at), "bold"), (place, "dim")))

    def turned(self, exchange: Exchange) -> None:
        if self._opening:
            self._print("Mel", exchange.say)
            self._print("Ada", exchange.reply)
        if exchange.trouble is not None:
            self._print("failed turn", exchange.trouble)
        self._opening = False
        self._bar.advance(self._task)
        time.sleep(self._pause)
        super().turned(exchange)

    def stage(self, name: str) -> None:
        """A second bar, for as long as a distillation takes."""
        if self._stages is None:
            self._stages = self._bar.add_task("", total=len(STAGES))
        done = STAGES.index(name) + 1
        self._bar.update(self._stages, description=f"distilling: {name}", completed=done)

    def distilled(self, receipt: Receipt) -> None:
        if self._stages is not None:
            self._bar.remove_task(self._stages)
            self._stages = None
        self._bar.console.print(styled(("  distilled ", "magenta"), (_line(receipt), "")))
        super().distilled(receipt)

    def _print(self, who: str, text: str) -> None:
        from rich.text import Text

        line = Text.assemble("  ", (f"{who}: ", "cyan"), clean(text), no_wrap=True)
        self._bar.console.print(line, overflow="ellipsis", no_wrap=True)


def _line(receipt: Receipt) -> str:
    """A distillation in one line."""
    name = short(receipt.key_id)
    if not receipt.standing:
        why = receipt.errors[-1] if receipt.errors else ""
        return f"receipt {name}: {receipt.outcome}, {why}"
    messages = f"{receipt.messages_before:,} → {receipt.messages_after:,} messages"
    tokens = f"{receipt.tokens_before:,} → {receipt.tokens_after:,} tokens"
    return f"number {receipt.number}: {messages}, {tokens} (receipt {name})"


@contextmanager
def stage(*, turns: int, fast: bool, as_json: bool) -> Generator[Quiet]:
    """Who looks on, and what Ctrl-C does meanwhile."""
    interrupt = Interrupt()
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        if as_json:
            yield Quiet(interrupt)
        elif not sys.stdout.isatty():
            yield Lines(interrupt)
        else:
            with _bar(interrupt, turns, 0.0 if fast else SHOW_SECONDS / turns) as bar:
                yield bar
    finally:
        signal.signal(signal.SIGINT, before)
    interrupt.obey()


@contextmanager
def _bar(interrupt: Interrupt, turns: int, pause: float) -> Generator[Bar]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(), transient=True) as progress:
        yield Bar(interrupt, progress, progress.add_task("turns", total=turns), pause)
