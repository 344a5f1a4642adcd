"""What you embed, and what every door calls."""

from __future__ import annotations

from .agent import Agent, Thread
from .everthread import Everthread
from .turn import Turn

__all__ = ["Agent", "Everthread", "Thread", "Turn"]
