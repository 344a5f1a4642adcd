"""Whose files are whose, as the store knows it: fills `Claims`."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.agents import Scope
from everthread.domain.ids import id_ending
from everthread.ports import Records, Store
from everthread.ports.workspace import Owner

WHOLE_ID = 32


class StoreClaims:
    def __init__(self, store: Store, address: str, file: str = "") -> None:
        """`address`: where the store is, hashed. `file`: its path, if it has one."""
        self._store = store
        self._address = address
        self._file = file

    def owner(self, agent: str) -> Owner | None:
        found = self._store.read(lambda r: r.agents.find(agent))
        return None if found is None else Owner(self._address, found.key_id.hex(), self._file)

    def wrote(self, agent: str, receipts: Sequence[str]) -> bool:
        found = [id_ending(name) or "" for name in receipts]
        keys = [bytes.fromhex(digits) for digits in found if len(digits) == WHOLE_ID]
        return self._store.read(lambda r: _wrote(r, agent, keys))


def _wrote(records: Records, agent: str, keys: Sequence[bytes]) -> bool:
    found = records.agents.find(agent)
    if found is None:
        return False
    return any(records.timeline.about(Scope(found.ref), key) for key in keys)
