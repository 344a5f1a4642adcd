"""Checkpoints of a task: written from changes, mirrored as memories, gone on from."""
