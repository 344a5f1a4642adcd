"""The names of the jobs that services ask for."""

DISTILL = "thread.distill"
"""Distill a thread, if signals still fire."""

SCORE = "receipt.score"
"""Score a distillation for which nobody waited."""

FLUSH = "files.flush"
"""Try again what could not be written to files."""

WITHDRAW = "files.withdraw"
"""Take what was written of an erased thread out of files."""

SETTLE = "store.settle"
"""Bring everything to its final place after an erasure."""

ERASURE = "erasure"
"""Why a store is settled: asked for twice is once."""
