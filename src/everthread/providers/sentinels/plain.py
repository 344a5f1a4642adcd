"""The rules of `domain/safety/refusals`: no model, no network, the same answer every time."""

from __future__ import annotations

from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.safety.safety import Reading, Window, plain_reading

LONGEST_REASON = 160


class PlainSentinel:
    """Fills the port `Sentinel` by itself, or in the place of one that is not there, and says so."""

    def __init__(self, missing: str = "") -> None:
        self._missing = missing

    @property
    def name(self) -> str:
        return f"plain ({self._missing})" if self._missing else "plain"

    def probe(self, window: Window) -> Reading:
        return plain_reading(window, self.name)


def plain_fallback(window: Window, kind: str, why: str) -> Reading:
    """The plain reading in the place of another, saying why."""
    reason = " ".join(strip_secrets(why[: 4 * LONGEST_REASON]).split())[:LONGEST_REASON]
    return plain_reading(window, f"plain ({kind} failed: {reason})")
