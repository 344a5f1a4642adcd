"""Conversations for the tests of how sessions end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.conversation.sessions import Session
from everthread.domain.distilling.drafts import ModelFailed, Outline, OutlineResult, Passage, Spend
from everthread.domain.errors import QuotaReached
from everthread.jobs.worker import Worker
from everthread.services.job_names import ENDED
from everthread.testing import FrozenClock

TALK = (
    ("Let's use PostgreSQL for the store.", "Good: PostgreSQL it is."),
    ("I prefer short commit messages in the imperative.", "Noted."),
    ("Add a retry to the uploader.", "I added a retry with three attempts to uploader.py."),
    ("Why did the import fail?", "The import failed because row 12 had no date."),
    ("I will write the migration guide tomorrow.", "Fine."),
)
"""A conversation of five messages of a person."""


def talk(agent: Agent, times: int = len(TALK), **options: Any) -> Session:
    """So many turns of the conversation; the session they fell into."""
    session: Session | None = None
    for said, reply in (TALK * 3)[:times]:
        turn = agent.turn(said, **options)
        turn.done(reply)
        session = turn.session
    assert session is not None
    return agent.session(session.id)


def work_off(et: Everthread) -> None:
    """Run all jobs that are due."""
    worker = Worker(et.house, rest=0)
    while worker.step():
        pass


def asked(et: Everthread) -> list[str]:
    """For which sessions the end is waiting to be seen to."""
    return [j.once or "" for j in et.house.store.read(lambda r: r.jobs.all()) if j.kind == ENDED]


class Scripted:
    """A model that says what it is told to; an error is raised instead."""

    name = "scripted:model"

    def __init__(self, *answers: Sequence[Outline] | ModelFailed) -> None:
        self.answers = list(answers)
        self.asked: list[Sequence[Passage]] = []

    def summarize(self, passages: Sequence[Passage], *, pause: Callable[[], None]) -> OutlineResult:
        pause()
        self.asked.append(passages)
        answer = self.answers.pop(0)
        if isinstance(answer, ModelFailed):
            raise answer
        return OutlineResult(tuple(answer), Spend(1, 100, 50, 7))


def with_model(et: Everthread, model: Scripted) -> Scripted:
    """Have that model sum up sessions."""
    et.house = replace(et.house, summarizer=model)
    return model


def told_of(days: float, **settings: Any) -> int:
    """How many of four conversations, `days` apart, the next session is told of."""
    clock = FrozenClock("2026-02-20T10:00:00Z")
    chosen = Settings(**settings)
    with everthread.connect("memory://", clock=clock, background=False, settings=chosen) as et:
        agent = et.agent("ada")
        for _ in range(4):
            talk(agent)
            agent.end_session()
            work_off(et)
            clock.forward(hours=24 * days)
        return str(agent.turn("Good morning!").messages[-1]).count("recent conversation")


def sessions_opened(**settings: Any) -> int:
    """How many of five sessions in one month somebody may open."""
    clock = FrozenClock("2026-02-10T10:00:00Z")
    chosen = Settings(**settings)
    with everthread.connect("memory://", clock=clock, background=False, settings=chosen) as et:
        agent = et.agent("ada")
        for number in range(5):
            try:
                agent.turn("hello").done("hi")
            except QuotaReached:
                return number
            clock.forward(hours=5)
    return 5
