"""What a person corrects in a memory, the summary that quotes it says too; what was given before stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.distilling.corrected_points import Correction
from everthread.domain.distilling.receipts import LOST_RULE, Receipt
from everthread.domain.gleaning.digest import Point
from everthread.services.distilling import compose
from everthread.services.distilling.correct import correct_views
from everthread.services.distilling.review import score_receipt
from support.desk import Desk, answer, desk_in, question

pytestmark = pytest.mark.req("R-16", "A-74")

RULE = "Never deploy on a Friday without telling Ruth first."
NEW_RULE = "Never deploy on a Monday without telling Ruth first."
CHOICE = "We decided to keep billing on port 8443 because the firewall lets only that through."
NEW_CHOICE = "We keep billing on port 9443 because the firewall lets only that through."


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, score_seconds=30.0) as found:
        yield found


def told(desk: Desk) -> Receipt:
    """A distillation whose summary quotes both."""
    desk.turn(RULE, "Understood.")
    desk.turn(CHOICE, "Noted.")
    desk.talk(0, 12)
    receipt = desk.ada.distill()
    assert {RULE, CHOICE} <= quoted(desk)
    return receipt


def summary(desk: Desk) -> str:
    return desk.ada.context().history[0].text


def quoted(desk: Desk) -> set[str]:
    return {text for text in (RULE, NEW_RULE, CHOICE, NEW_CHOICE) if text in summary(desk)}


def edit(desk: Desk, old: str, new: str) -> None:
    (memory,) = [memory for memory in desk.ada.memories(limit=500) if memory.text == old]
    desk.ada.edit(memory, new)
    desk.work()


def test_the_summary_says_what_was_corrected_and_all_else_as_before(desk: Desk) -> None:
    told(desk)
    before = summary(desk)
    edit(desk, RULE, NEW_RULE)
    assert sorted(summary(desk).splitlines()) == sorted(before.replace(RULE, NEW_RULE).splitlines())
    assert desk.problems() == []


def test_the_daily_file_says_what_the_summary_says_also_once_an_earlier_one_is_undone(
    desk: Desk,
) -> None:
    desk.talk(20, 32)
    first = desk.ada.distill()
    second = told(desk)
    edit(desk, RULE, NEW_RULE)
    assert stale_files(desk) == []
    for change in (desk.et.undo, desk.et.redo):
        change(first)
        assert stale_files(desk) == []
    assert NEW_RULE in desk.daily
    assert second.id in desk.daily


def stale_files(desk: Desk) -> list[str]:
    return [each.says for each in desk.et.diagnose() if each.check == "files" and not each.fine]


def test_evidence_of_what_holds_no_more_goes_with_it(desk: Desk) -> None:
    told(desk)
    edit(desk, CHOICE, NEW_CHOICE)
    assert quoted(desk) == {RULE, NEW_CHOICE}
    assert "8443" not in summary(desk)


def test_what_was_given_to_a_turn_before_stays_as_it_was(desk: Desk) -> None:
    told(desk)
    turn = desk.ada.turn("What do you know of our deployments?")
    number = turn.number
    turn.done("You never deploy on a Friday.")
    edit(desk, RULE, NEW_RULE)
    then = desk.ada.context(at=number).history[0].text
    assert RULE in then and NEW_RULE not in then
    assert desk.ada.sent(number), "its requests can be made again"


def test_later_distillations_say_it_too(desk: Desk) -> None:
    told(desk)
    edit(desk, RULE, NEW_RULE)
    for first in (20, 40):
        desk.talk(first, first + 12)
        assert desk.ada.distill().standing
        assert quoted(desk) >= {NEW_RULE} and RULE not in summary(desk)


def test_corrected_twice_it_says_the_last(desk: Desk) -> None:
    told(desk)
    edit(desk, RULE, NEW_RULE)
    last = "Never deploy on a holiday without telling Ruth first."
    edit(desk, NEW_RULE, last)
    assert last in summary(desk) and quoted(desk) == {CHOICE}
    edit(desk, last, RULE)
    assert quoted(desk) == {RULE, CHOICE}


def test_nothing_that_was_corrected_is_missed_or_put_back(desk: Desk) -> None:
    receipt = told(desk)
    edit(desk, RULE, NEW_RULE)
    again = score_receipt(desk.et.house, desk.ada.row, receipt.ref)
    assert (again.outcome, again.lacks_rule) == ("ok", False)
    assert not [error for error in again.errors if error.startswith(LOST_RULE)]
    assert RULE not in summary(desk)
    assert not [each for each in desk.et.diagnose() if each.check == "scores" and not each.fine]


def test_undoing_a_later_one_does_not_bring_the_old_words_back(desk: Desk) -> None:
    first = told(desk)
    desk.talk(20, 32)
    second = desk.ada.distill()
    edit(desk, RULE, NEW_RULE)
    corrected = desk.view()
    desk.et.undo(second)
    assert NEW_RULE in summary(desk) and RULE not in summary(desk)
    desk.et.redo(second)
    assert NEW_RULE in summary(desk) and RULE not in summary(desk)
    assert desk.view() == corrected
    desk.et.undo(first)
    assert RULE not in summary(desk), "said in a message, it is in the view as it was said"


def test_undone_it_is_in_the_view_as_it_was_said(desk: Desk) -> None:
    before = told(desk)
    edit(desk, RULE, NEW_RULE)
    desk.et.undo(before)
    shown = [message.text for message in desk.ada.context().history]
    assert shown[0] == RULE
    desk.et.redo(before)
    assert quoted(desk) == {NEW_RULE, CHOICE}


def test_forgotten_neither_wording_is_left(desk: Desk) -> None:
    told(desk)
    edit(desk, RULE, NEW_RULE)
    (memory,) = [memory for memory in desk.ada.memories(limit=500) if memory.text == NEW_RULE]
    desk.ada.forget(memory)
    assert quoted(desk) == {CHOICE}
    (receipt,) = desk.ada.receipts()
    sentences = [each.text for each in desk.ada.receipt(receipt).sentences]
    assert not [text for text in sentences if "deploy" in text]


def test_forgetting_something_else_leaves_the_correction(desk: Desk) -> None:
    told(desk)
    edit(desk, RULE, NEW_RULE)
    (memory,) = [memory for memory in desk.ada.memories(limit=500) if memory.text == CHOICE]
    desk.ada.forget(memory)
    assert quoted(desk) == {NEW_RULE}


def test_a_view_that_quotes_nothing_of_it_is_left_alone(desk: Desk) -> None:
    told(desk)
    memory = desk.ada.remember("The office closes at six.")
    before, version = desk.view(), desk.ada.threads()[0].row.view_version
    desk.ada.edit(memory, "The office closes at seven.")
    desk.work()
    assert (desk.view(), desk.ada.threads()[0].row.view_version) == (before, version)


def test_what_only_begins_with_the_same_words_stays_as_it_is(desk: Desk) -> None:
    """Of two rules in one message only the one is corrected."""
    other = "Never deploy on Friday evenings without telling Ruth"
    desk.turn(f"Our rules:\n- Never deploy on Friday\n- {other}", "Understood.")
    desk.talk(0, 12)
    desk.ada.distill()
    edit(desk, "Never deploy on Friday", "Never deploy on Monday")
    lines = [line for line in summary(desk).splitlines() if "Never deploy" in line]
    assert sorted(line.split('"')[1] for line in lines) == [other, "Never deploy on Monday"]
    assert other in (desk.memory or b"").decode()


def test_done_twice_is_once(desk: Desk) -> None:
    told(desk)
    edit(desk, RULE, NEW_RULE)
    assert correct_views(desk.et.house, desk.ada.row.ref) == 0


def test_a_summary_without_room_to_spare_is_corrected_once_too(tmp_path: Path) -> None:
    """Else it would be another one with every further look, and a longer one each time."""
    with desk_in(tmp_path, window=8_000) as desk:
        desk.turn(RULE, "Understood.")
        for n in range(20):
            desk.turn(f"{question(n)} My cousin number {n} lives in Town{n}.", answer(n))
        desk.ada.distill()
        days = "on a Monday, on a Tuesday, on a Wednesday or the day before a holiday"
        longer = (
            f"Never deploy {days} without telling Ruth, Jonas and the whole platform team first."
        )
        edit(desk, RULE, longer)
        assert longer in summary(desk)
        view = desk.view()
        assert correct_views(desk.et.house, desk.ada.row.ref) == 0
        memory = desk.ada.remember("The office closes at six.")
        edit(desk, memory.text, "The office closes at seven.")
        assert desk.view() == view


def nothing_corrected(*_: object, **__: object) -> dict[Point, Correction]:
    return {}


def test_a_view_that_changes_meanwhile_is_looked_at_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(desk)
    (memory,) = [memory for memory in desk.ada.memories(limit=500) if memory.text == RULE]
    desk.ada.edit(memory, NEW_RULE)
    desk.talk(20, 32)
    looks: list[int] = []

    def pause() -> None:
        looks.append(1)
        if len(looks) == 1:
            with monkeypatch.context() as as_before:
                as_before.setattr(compose, "corrected_points", nothing_corrected)
                desk.ada.distill()

    correct_views(desk.et.house, desk.ada.row.ref, pause=pause)
    assert RULE not in summary(desk) and NEW_RULE in summary(desk)


def test_without_a_summary_nothing_is_asked_for(desk: Desk) -> None:
    memory = desk.ada.remember(RULE)
    desk.ada.edit(memory, NEW_RULE)
    kinds = [job.kind for job in desk.et.house.store.read(lambda r: r.jobs.all())]
    assert "views.correct" not in kinds
