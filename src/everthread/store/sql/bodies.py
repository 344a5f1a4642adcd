"""Statements on bodies, plain and packed."""

from __future__ import annotations

from .statements import Scoped

BODY_PUT = Scoped("""
    INSERT INTO bodies (agent_id, hash, content) VALUES (:agent, :hash, :content)
    ON CONFLICT (agent_id, hash) DO UPDATE SET uses = bodies.uses + 1
    RETURNING uses""")
AT_ONCE = 20
_GET = Scoped("""
    SELECT b.hash, b.content, p.data FROM bodies b
        LEFT JOIN packed p ON p.body_id = b.body_id AND p.agent_id = :agent
    WHERE b.agent_id = :agent""")
BODY_GET = Scoped(f"{_GET} AND b.hash = :hash")
BODIES_GET = Scoped(f"{_GET} AND b.hash IN ({', '.join(f':hash{n}' for n in range(AT_ONCE))})")
BODY_FILL = Scoped("UPDATE bodies SET content = :content WHERE agent_id = :agent AND hash = :hash")
BODY_RELEASE = Scoped("UPDATE bodies SET uses = uses - 1 WHERE agent_id = :agent AND hash = :hash")
# By hash: to look through all of them would take longer with each that is kept.
BODY_SWEEP = Scoped("""
    DELETE FROM bodies WHERE agent_id = :agent AND hash = :hash AND uses <= 0""")

PACKED_PUT = Scoped("""
    INSERT INTO packed (body_id, agent_id, data)
    SELECT body_id, :agent, :data FROM bodies WHERE agent_id = :agent AND hash = :hash
    ON CONFLICT (body_id) DO UPDATE SET data = excluded.data""")
PACKED_OF = Scoped("SELECT data FROM packed WHERE agent_id = :agent AND body_id = :body")
PACKED_DROP = Scoped("""
    DELETE FROM packed WHERE agent_id = :agent AND body_id IN (
        SELECT body_id FROM bodies WHERE agent_id = :agent AND hash = :hash)""")
