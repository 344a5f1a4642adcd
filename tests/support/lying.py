"""Bodies as they lie in a store, for tests that look or write behind its back."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from .stores import Place

LYING = "SELECT b.body_id, b.content, p.data FROM bodies b LEFT JOIN packed p USING (body_id)"


def lying(place: Place, where: str = "1 = 1") -> dict[int, str]:
    """The contents of those bodies, packed or plain."""
    return {
        ref: content if data is None else zlib.decompress(data).decode()
        for ref, content, data in place.raw(f"{LYING} WHERE {where}")
    }


def forged(place: Place, where: str, change: Callable[[str], str]) -> int:
    """Change those bodies where and as they lie; how many are others now."""
    changed = 0
    for ref, content in lying(place, where).items():
        text = change(content)
        changed += text != content
        packed = place.raw("SELECT 1 FROM packed WHERE body_id = :ref", ref=ref)
        if packed:
            data = zlib.compress(text.encode())
            place.raw("UPDATE packed SET data = :data WHERE body_id = :ref", data=data, ref=ref)
        else:
            place.raw("UPDATE bodies SET content = :text WHERE body_id = :ref", text=text, ref=ref)
    return changed
