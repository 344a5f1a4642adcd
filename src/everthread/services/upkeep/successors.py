"""What another agent keeps in the place of an agent's own memory goes along where only the one is exported.

What reaches user-wide may be replaced from any agent, and the new memory is that agent's. Without it, whoever
takes the first agent elsewhere would have what no longer holds, marked so, and nothing that holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
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
    """Keep each as the agent's own, unless it, or another's copy of it, is here already; how many."""
    added, now = 0, house.clock.now()
    for row in rows:
        first = bytes.fromhex(row["id"])
        if _find(records, first) is not None:
            continue
        copy = _find(records, copy_id(first)) or _add_copy(records, scope, row)
        added += copy.agent_ref == scope.agent
        for name in row["over"]:
            old = records.memories.find(scope, bytes.fromhex(name))
            if old is None:
                raise ValueError(f"{name} did not come with the agent")
            records.memories.supersede(scope, old, copy.key_id, now=now)
    return added


def replace_copies(house: House, records: Records, brought: Iterable[bytes]) -> None:
    """What came itself by now stands in the place of its copy."""
    kept = {copy.key_id: copy for copy in records.memories.user_wide()}
    for first in brought:
        copy = kept.get(copy_id(first))
        if copy is not None:
            home = Scope(copy.agent_ref)
            records.memories.supersede(home, copy, first, now=house.clock.now())


def copy_id(first: bytes) -> bytes:
    """The id of its copy in any store, so that it is known again: as old, and otherwise another."""
    told = sha256(b"copy of " + first).digest()
    return first[:6] + bytes((0x70 | told[0] & 0x0F, told[1], 0x80 | told[2] & 0x3F)) + told[3:10]


def _add_copy(records: Records, scope: Scope, row: Mapping[str, Any]) -> Memory:
    told = new_memory(
        copy_id(bytes.fromhex(row["id"])),
        row["text"],
        kind=row["kind"],
        origin=row["origin"],
        now=row["created_at"],
    )
    values = {field: row[column] for column, field in _CARRIED.items()}
    return records.memories.add(scope, told._replace(reach="user", **values))


def _find(records: Records, key_id: bytes) -> Memory | None:
    """At any agent, in any state: what was replaced or forgotten here must not come back."""
    agents = (Scope(agent.ref) for agent in records.agents.all())
    return next(filter(None, (records.memories.find(scope, key_id) for scope in agents)), None)
