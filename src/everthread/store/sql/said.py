"""SQL of when something was said; its words are not read."""

from __future__ import annotations

from .statements import MESSAGE, Scoped

_HEAD = MESSAGE.replace("form, content", "0 AS form, '' AS content")

SAID_IN = Scoped(f"""
    SELECT {_HEAD} FROM messages
    WHERE agent_id = :agent AND place BETWEEN :low AND :high AND session_id = :session
        AND kind = 'said' AND at >= :start AND at < :stop
    ORDER BY at DESC, seq DESC LIMIT :limit""")
