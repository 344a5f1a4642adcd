"""The verbs by which a store is copied and carried: backups, exports, imports, plain messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from everthread.domain.checks import LONGEST_PATH, checked_several, checked_text
from everthread.domain.errors import BadInput, ImportRefused

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow
    from everthread.ports import House
    from everthread.services.archive.record import Recorded
    from everthread.services.upkeep.transfer import Imported
    from everthread.services.upkeep.verify import Progress

    from .agent import Agent

LINES = "lines must be several, such as those of an open file"


class Carrying:
    """What every engine can do to bring its store elsewhere, and to take in what comes from there."""

    house: House

    if TYPE_CHECKING:

        def agent(self, name: str) -> Agent: ...

        def known_agent(self, name: str | Agent) -> Agent: ...

        def rows_of(self, agents: Sequence[Agent | str]) -> list[AgentRow]: ...

    def backup(self, target: object, progress: Progress | None = None) -> None:
        """A consistent copy of the whole store, while writing goes on."""
        if not isinstance(target, str) and not hasattr(target, "__fspath__"):
            raise BadInput(f"name the file for the backup; got {target!r:.40}")
        place = checked_text("the file for the backup", str(target), longest=LONGEST_PATH)
        self.house.store.backup(place, progress=progress)

    def export(self, write: Callable[[str], object], *agents: Agent | str) -> int:
        """Write everything as JSON lines, in one consistent state; how many lines."""
        from everthread.services.upkeep.transfer import write_export

        if not callable(write):
            raise BadInput(
                f"export() writes each line by a function, such as file.write; got {write!r:.40}"
            )
        rows = self.rows_of(agents)
        return self.house.store.read(lambda r: write_export(r, rows, write))

    def import_lines(
        self,
        lines: Iterable[str],
        *,
        agent: str | None = None,
        unchecked: bool = False,
        file: str = "",
    ) -> list[Imported]:
        """Bring in an export, all of it or nothing; or, for an agent that is named, plain messages.

        An export that was changed is refused, by the hashes that are in it, unless `unchecked`: then
        `verify` tells what is wrong with what was brought.

        Plain messages are one JSON object a line, or all in one JSON array: role and content, and, where
        known, id, at, name and session_key. What its id shows to have been brought before is known, and
        stays as it is; what has no id is known where the same lines were brought before, or lines of the
        same `file` that began like these. Other keys are not read; one that is id, at or name by another
        name is refused. If it is broken off half-way, a note of the error says how many were brought;
        bring the same lines again for the others.
        """
        from everthread.services.archive.backfill import backfill, messages_in, without_mark
        from everthread.services.upkeep.transfer import Imported, import_lines, is_export

        rest = without_mark(checked_several(LINES, lines))
        first = next((line for line in rest if line.strip()), "")
        if is_export(first):
            if agent is not None:
                raise BadInput("an export brings its own agents; import it without naming one")
            return import_lines(self.house, chain([first], rest), unchecked=unchecked)
        if agent is None:
            raise ImportRefused(
                "this is not an Everthread export. Plain messages (JSON lines with role and content) "
                "can be imported too: name the agent they belong to. Nothing was imported"
            )
        rows = messages_in(chain([first], rest), self.house.clock.now())
        done = backfill(self.house, self.agent(agent).row, rows, file=file)
        outcome = "recorded" if done.added else "known"
        return [Imported(agent, outcome, done.added, done.changed)]

    def backfill(self, agent: Agent | str, lines: Iterable[str]) -> Recorded:
        """Bring in plain messages for an agent that is there; how many are new, and how many were known."""
        from everthread.services.archive.backfill import backfill, messages_in, without_mark
        from everthread.services.upkeep.transfer import is_export

        rest = without_mark(checked_several(LINES, lines))
        first = next((line for line in rest if line.strip()), "")
        if is_export(first):
            raise BadInput("an export brings its own agents; import it without naming one")
        rows = messages_in(chain([first], rest), self.house.clock.now())
        return backfill(self.house, self.known_agent(agent).row, rows)
