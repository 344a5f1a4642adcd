"""What another agent keeps in the place of an agent's own memory goes along where only the one is exported.

What reaches user-wide may be replaced from any agent, and the new memory is that agent's. Without it, whoever
takes the first agent elsewhere would have what no longer holds, marked so, and nothing that holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from everthread.domain.agents import Scope
from everthread.domain.memory.memories import Memory, new_memory
from everthread.ports import House, Records
from everthread.services.memory.shared import versions_anywhere

SUCCESSORS = "successors"
"""The name of these rows in an export. No table holds them: an import makes memories of them."""

_CARRIED = {
    "project": "project",
    "principal": "principal",
    "confidence": "confidence",
    "importance": "importance",
    "pinned": "pinned",
    "tags": "tags_json",
    "evidence": "evidence_json",
    "valid_from": "valid_from_ms",
    "valid_to": "valid_to_ms",
    "said": "said",
    "updated_at": "updated_ms",
}
"""Columns of a memory and their fields. The messages it rests on are the other agent's, and stay there."""


class ReplacedElsewhere:
    """Watches the rows of an agent go by, for those of its memories whose place another's took."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._over: dict[str, str] = {}

    def see(self, table: str, columns: Mapping[str, Any]) -> None:
        if table == "memories":
            self._own.add(columns["id"])
            if columns["reach"] == "user" and columns["state"] == "superseded":
                self._over[columns["id"]] = columns["successor"]

    def rows(
        self, records: Records, scope: Scope, exported: Collection[int]
    ) -> Iterator[dict[str, Any]]:
        """What holds now in their place, unless the agent that keeps it is exported as well."""
        for one, over in self._holding(records, scope).values():
            if one.agent_ref not in exported:
                values = {column: getattr(one, field) for column, field in _CARRIED.items()}
                told = {"kind": one.kind, "text": one.text, "origin": one.origin}
                yield {
                    "id": one.key_id.hex(),
                    "over": over,
                    **told,
                    **values,
                    "created_at": one.created_ms,
                }

    def _holding(self, records: Records, scope: Scope) -> dict[bytes, tuple[Memory, list[str]]]:
        found: dict[bytes, tuple[Memory, list[str]]] = {}
        for name, successor in self._over.items():
            old = (
                None
                if successor in self._own
                else records.memories.find(scope, bytes.fromhex(name))
            )
            for one in () if old is None else versions_anywhere(records, scope, old):
                if one.state == "kept":
                    found.setdefault(one.key_id, (one, []))[1].append(name)
        return found


def bring_successors(
    house: House, records: Records, scope: Scope, rows: Iterable[Mapping[str, Any]]
) -> int:
    """Keep each as the agent's own, unless whoever kept it is here as well; how many."""
    missing = [row for row in rows if not _was_here(records, bytes.fromhex(row["id"]))]
    now = house.clock.now()
    for row in missing:
        told = new_memory(
            house.ids.new(),
            row["text"],
            kind=row["kind"],
            origin=row["origin"],
            now=row["created_at"],
        )
        values = {field: row[column] for column, field in _CARRIED.items()}
        kept = records.memories.add(scope, told._replace(reach="user", **values))
        for name in row["over"]:
            old = records.memories.find(scope, bytes.fromhex(name))
            if old is None:
                raise ValueError(f"{name} did not come with the agent")
            records.memories.supersede(scope, old, kept.key_id, now=now)
    return len(missing)


def _was_here(records: Records, key_id: bytes) -> bool:
    """Does any agent have it, or did? What was replaced or forgotten here must not come back."""
    agents = (Scope(agent.ref) for agent in records.agents.all())
    return any(records.memories.find(scope, key_id) is not None for scope in agents)
