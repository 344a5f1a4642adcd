"""The commands about tasks: their life, the steps of a session, their audit, incidents and the outbox."""
