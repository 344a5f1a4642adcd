"""What you embed, and what every door calls."""

from __future__ import annotations

from .agent import Agent, Thread
from .everthread import Everthread

__all__ = ["Agent", "Everthread", "Thread"]
