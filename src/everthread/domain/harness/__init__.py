"""Beside a harness: what happens there, checkpoints of it, and what a session is given at its start."""
