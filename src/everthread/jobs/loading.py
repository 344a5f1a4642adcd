"""Load what a job needs in small steps: to load all of it at once stops everybody else for long.

Most of it is the many patterns by which sentences are read, compiled once in the life of a program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

_TEXT = (
    "everthread.domain.text.speech_forms",
    "everthread.domain.text.speech_standing",
    "everthread.domain.text.pasted",
    "everthread.domain.text.sentences",
    "everthread.domain.support.words",
    "everthread.domain.text.keeping",
    "everthread.domain.recall.hits",
    "everthread.domain.redaction.secrets",
    "everthread.domain.given.packing",
    "everthread.domain.gleaning.withdrawn",
    "everthread.domain.text.settling",
    "everthread.domain.text.speech_among",
    "everthread.domain.text.symptoms",
    "everthread.domain.text.verdicts",
    "everthread.domain.text.speech_acts",
    "everthread.domain.gleaning.said",
    "everthread.domain.memory.telling",
    "everthread.domain.memory.updates",
    "everthread.domain.memory.contradictions",
    "everthread.domain.memory.junk",
    "everthread.domain.gleaning.facts",
    "everthread.domain.text.specifics_shapes",
    "everthread.domain.gleaning.ledger",
    "everthread.domain.gleaning.tone",
    "everthread.domain.gleaning.reported",
    "everthread.domain.gleaning.onward",
    "everthread.domain.gleaning.requests",
    "everthread.domain.gleaning.undone",
    "everthread.domain.gleaning.chosen",
    "everthread.domain.gleaning.whole",
    "everthread.domain.gleaning.among",
    "everthread.domain.gleaning.lately",
    "everthread.domain.gleaning.reading",
)
"""Each before what stands on it, so that a step loads one large module, or a few small ones."""

_COMPOSING = (
    "everthread.domain.distilling.summaries",
    "everthread.domain.support.support",
    "everthread.services.distilling.composed",
    "everthread.services.archive.view",
    "everthread.services.distilling.notice",
    "everthread.services.distilling.compose",
)
DISTILLING = (
    *_TEXT,
    "everthread.services.archive.forked",
    *_COMPOSING,
    "everthread.domain.distilling.daily_new",
    "everthread.services.distilling.swap",
    "everthread.services.distilling.flush",
    "everthread.services.memory.remember",
    "everthread.services.distilling.distill",
    "everthread.services.distilling.heed",
)
SCORING = (
    *DISTILLING,
    "everthread.domain.distilling.continuity_rules",
    "everthread.domain.distilling.continuity",
    "fractions",
    "statistics",
    "everthread.domain.recall.latest",
    "everthread.services.memory.gather",
    "everthread.services.memory.index",
    "everthread.services.distilling.score",
    "everthread.services.distilling.scoring",
)
ENDING = (
    *_TEXT,
    "everthread.domain.harness.activity",
    "everthread.services.harness.folding",
    *_COMPOSING,
    "everthread.services.distilling.swap",
    "everthread.services.distilling.flush",
    "everthread.services.memory.remember",
    "everthread.services.harness.extract",
    "everthread.domain.ending.session_speech",
    "everthread.domain.ending.session_talk",
    "everthread.domain.ending.session_summary",
    "everthread.services.ending.summarize",
    "everthread.services.ending.conclude",
)


def load(modules: Sequence[str], pause: Callable[[], None]) -> None:
    """Have these modules loaded, and let others go first before each."""
    for name in modules:
        if name not in sys.modules:
            pause()
            import_module(name)
