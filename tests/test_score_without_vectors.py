"""What no question can find by its meaning yet is not called lost: it is asked for again when it can."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.continuity import Draw, Score, probe, read_score, score_text
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import EmbedderFailed
from everthread.domain.jobs import Job
from everthread.domain.times import MINUTE
from everthread.jobs.worker import Worker
from everthread.services.distilling import vectors
from everthread.services.distilling.review import AGAIN, ALARM, REPAIRED
from everthread.services.distilling.score import ScoreResult, score
from everthread.services.job_names import SCORE
from support.desk import Desk, desk_in
from support.toys import ToyEmbedder

pytestmark = pytest.mark.req("R-16", "A-74")

HOSTS = 110


class FailingEmbedder(ToyEmbedder):
    """There are no vectors, and there never will be."""

    def embed(self, texts: Sequence[str]) -> Any:
        raise EmbedderFailed("the model is not there")

    def ask(self, text: str) -> Any:
        return None


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Desk]:
    """Without an embedder."""
    with desk_in(tmp_path, score_seconds=60.0) as desk:
        yield desk


@pytest.fixture
def desk(plain: Desk) -> Desk:
    return plain.with_ports(embedder=ToyEmbedder())


def talk(desk: Desk, hosts: int = HOSTS) -> None:
    """Replies so alike that a question by words finds some of them, and seldom the one that is meant."""
    for n in range(hosts):
        told = f"I looked at the counter: {n * 37 + 4_000} requests were refused there."
        desk.turn(f"What about host {n}?", f"{told} The rest was fine.")


def score_jobs(desk: Desk) -> list[Job]:
    return [job for job in desk.et.house.store.read(lambda r: r.jobs.all()) if job.kind == SCORE]


def told(receipt: Receipt) -> Score:
    assert receipt.score is not None
    return receipt.score


def alarms(receipt: Receipt) -> list[str]:
    return [error for error in receipt.errors if error.startswith((ALARM, REPAIRED))]


def alarmed(desk: Desk) -> list[str]:
    return [each.says for each in desk.et.diagnose() if each.check == "scores" and not each.fine]


def asked(desk: Desk, *, waiting: bool) -> ScoreResult:
    """A score of all that was said, of which the context holds nothing."""
    draw = Draw(3)
    messages = list(desk.ada.messages(limit=1_000))
    for message in messages:
        draw.read(message)
    keys = frozenset(message.key for message in messages) if waiting else frozenset[bytes]()
    house, agent = desk.et.house, desk.ada.row
    return score(house, agent, 1, draw.items(), "", waiting=keys, seconds=60.0)


def test_without_an_embedder_words_decide(plain: Desk) -> None:
    talk(plain)
    receipt = plain.ada.distill()
    assert alarms(receipt), "all of it was found: the other tests prove nothing"
    assert told(receipt).by_words == 0


def test_what_words_do_not_find_is_unknown_while_its_message_waits(desk: Desk) -> None:
    talk(desk, 20)
    sure, unsure = asked(desk, waiting=False), asked(desk, waiting=True)
    assert sure.lost_items
    assert all(probe(item) is None for item in unsure.lost_items), "these nobody can ask for"
    assert unsure.score.recoverable == sure.score.recoverable > 0
    assert unsure.score.by_words == unsure.score.unprobed
    assert unsure.score.by_words == len(sure.lost_items) - len(unsure.lost_items) > 0
    assert (sure.score.by_words, sure.score.held < 0.9 < unsure.score.held) == (0, True)
    assert (unsure.score.second or 0.0) > (sure.score.second or 0.0)


def test_nothing_is_alarming_nor_mended_before_there_are_vectors(desk: Desk) -> None:
    talk(desk)
    receipt = desk.ada.distill()
    assert told(receipt).by_words > 0
    assert (receipt.outcome, alarms(receipt), alarmed(desk)) == ("ok", [], [])


def test_it_is_asked_for_again_with_vectors_and_then_told_as_it_is(desk: Desk) -> None:
    """These vectors know nothing, so that what words did not find is lost in truth."""
    talk(desk)
    first = desk.ada.distill()
    (job,) = score_jobs(desk)
    assert job.due_at == desk.clock.now() + AGAIN
    desk.clock.forward(minutes=AGAIN / MINUTE)
    desk.work()
    (second,) = desk.ada.receipts()
    assert told(second).by_words == 0
    assert alarms(second)
    assert told(second).items == told(first).items
    assert score_jobs(desk) == []


def test_while_texts_still_wait_it_is_asked_for_once_more(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A share of them is made at a time: what else is due does not wait for a whole import."""
    monkeypatch.setattr(vectors, "SHARE", HOSTS)
    talk(desk)
    left = [told(desk.ada.distill()).by_words]
    while jobs := score_jobs(desk):
        assert len(jobs) == 1
        desk.clock.forward(minutes=AGAIN / MINUTE)
        Worker(desk.et.house, duties=(), rest=0.0).step()
        left.append(told(desk.ada.receipts()[0]).by_words)
    assert left == sorted(left, reverse=True)
    assert left[0] > 0 == left[-1]
    assert any(0 < some < left[0] for some in left), "all were made at once"


def test_a_few_vectors_are_made_before_it_asks(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "SHARE", 1_000)
    talk(desk)
    receipt = desk.ada.distill()
    assert told(receipt).by_words == 0
    assert alarms(receipt)


def test_where_no_vectors_can_be_made_words_decide(
    plain: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(vectors, "SHARE", 1_000)
    desk = plain.with_ports(embedder=FailingEmbedder())
    talk(desk)
    receipt = desk.ada.distill()
    assert told(receipt).by_words == 0
    assert alarms(receipt)
    assert "by words alone" in caplog.text


def test_a_score_that_was_stored_before_has_none_of_these() -> None:
    old = Score(0.5, 0.25, 0.25, {}, 4)
    stored = json.loads(score_text(old))
    del stored["by_words"]
    assert read_score(json.dumps(stored)) == old
