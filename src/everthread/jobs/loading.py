"""Load what a job needs in small steps: to load all of it at once stops everybody else for long.

Most of it is the many patterns by which sentences are read, compiled once in the life of a program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

_TEXT = (
    "everthread.domain.text.acts.passing_remarks",
    "everthread.domain.text.acts.sentence_forms",
    "everthread.domain.text.acts.standing_rules",
    "everthread.domain.text.acts.speech",
    "everthread.domain.text.pasted_text",
    "everthread.domain.text.sentences",
    "everthread.domain.support.sentence_parts",
    "everthread.domain.text.remember_requests",
    "everthread.domain.recall.hits",
    "everthread.domain.redaction.values",
    "everthread.domain.redaction.secrets",
    "everthread.domain.given.packing",
    "everthread.domain.text.acts.releases",
    "everthread.domain.memory.lifts",
    "everthread.domain.gleaning.deed_lines",
    "everthread.domain.gleaning.withdrawals",
    "everthread.domain.text.person_decisions",
    "everthread.domain.text.acts.peer_talk",
    "everthread.domain.text.symptoms",
    "everthread.domain.text.verdicts",
    "everthread.domain.text.acts.classifier",
    "everthread.domain.text.due_tasks",
    "everthread.domain.text.tellings.plain_tellings",
    "everthread.domain.text.attributes",
    "everthread.domain.text.given_up_choices",
    "everthread.domain.gleaning.statement_kinds",
    "everthread.domain.gleaning.person_statements",
    "everthread.domain.memory.places",
    "everthread.domain.memory.value_claims",
    "everthread.domain.memory.purposes",
    "everthread.domain.memory.switches",
    "everthread.domain.memory.parallels",
    "everthread.domain.memory.renewals",
    "everthread.domain.memory.updates",
    "everthread.domain.memory.permissions",
    "everthread.domain.memory.contradictions",
    "everthread.domain.memory.junk",
    "everthread.domain.gleaning.digest",
    "everthread.domain.gleaning.points",
    "everthread.domain.text.promise_forms",
    "everthread.domain.gleaning.open_items.leftovers",
    "everthread.domain.gleaning.open_items.agent_replies",
    "everthread.domain.gleaning.open_items.follow_ups",
    "everthread.domain.gleaning.open_items.deferrals",
    "everthread.domain.gleaning.passing_states",
    "everthread.domain.gleaning.facts",
    "everthread.domain.text.specifics_shapes",
    "everthread.domain.text.specifics_reader",
    "everthread.domain.gleaning.ledger",
    "everthread.domain.gleaning.tone",
    "everthread.domain.text.acts.deed_reports",
    "everthread.domain.gleaning.deed_chances",
    "everthread.domain.gleaning.agent_statements",
    "everthread.domain.gleaning.open_items.settled_items",
    "everthread.domain.gleaning.open_items.put_off_chances",
    "everthread.domain.gleaning.open_items.agent_promises",
    "everthread.domain.gleaning.open_items.promises",
    "everthread.domain.gleaning.open_items.requests",
    "everthread.domain.gleaning.choices.decisions",
    "everthread.domain.gleaning.choices.exchanges",
    "everthread.domain.gleaning.whole_messages",
    "everthread.domain.gleaning.choices.agreements",
    "everthread.domain.gleaning.outdated_reports",
    "everthread.domain.gleaning.standing_chances",
    "everthread.domain.gleaning.figures.told_figures",
    "everthread.domain.gleaning.figures.same_things",
    "everthread.domain.gleaning.figures.figure_changes",
    "everthread.domain.gleaning.choices.settlements",
    "everthread.domain.gleaning.shown_lines",
    "everthread.domain.gleaning.choices.short_answers",
    "everthread.domain.gleaning.point_repeats",
    "everthread.domain.gleaning.gleaner",
)
"""Each before what stands on it, so that a step loads one large module, or a few small ones."""

_COMPOSING = (
    "everthread.domain.distilling.summaries",
    "everthread.domain.support.support",
    "everthread.services.distilling.composed_summary",
    "everthread.services.archive.view",
    "everthread.services.distilling.notice",
    "everthread.domain.memory.merging",
    "everthread.services.memory.provenance",
    "everthread.services.memory.evidence",
    "everthread.services.memory.remember",
    "everthread.services.distilling.told_endings",
    "everthread.services.distilling.corrections",
    "everthread.services.distilling.compose",
)
DISTILLING = (
    *_TEXT,
    "everthread.services.archive.forks",
    *_COMPOSING,
    "everthread.domain.distilling.daily_additions",
    "everthread.services.distilling.swap",
    "everthread.services.distilling.memory_file",
    "everthread.services.distilling.flush",
    "everthread.services.distilling.distill",
    "everthread.services.distilling.distill_job",
)
SCORING = (
    *DISTILLING,
    "everthread.domain.distilling.continuity_rules",
    "everthread.domain.distilling.continuity",
    "fractions",
    "statistics",
    "everthread.domain.recall.small_talk",
    "everthread.domain.recall.latest_answers",
    "everthread.domain.recall.later_values",
    "everthread.domain.recall.told_again",
    "everthread.services.memory.gather",
    "everthread.services.memory.index",
    "everthread.services.distilling.score",
    "everthread.services.distilling.vectors",
    "everthread.services.distilling.mend",
    "everthread.services.distilling.review",
)
ENDING = (
    *_TEXT,
    "everthread.domain.harness.activity",
    "everthread.services.harness.fold",
    *_COMPOSING,
    "everthread.services.distilling.swap",
    "everthread.services.distilling.memory_file",
    "everthread.services.distilling.flush",
    "everthread.services.harness.extract",
    "everthread.domain.ending.session_courtesies",
    "everthread.domain.ending.session_speech",
    "everthread.domain.ending.session_reference",
    "everthread.domain.ending.session_exchanges",
    "everthread.domain.ending.session_talk",
    "everthread.domain.ending.session_choices",
    "everthread.domain.ending.session_outcomes",
    "everthread.domain.ending.session_leftovers",
    "everthread.domain.ending.session_course",
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
