"""`MEMORY.md` tells an answer on one line with what it answers: neither can be read alone."""

from __future__ import annotations

from pathlib import Path

from everthread.domain.distilling.daily_files import managed_section
from everthread.domain.gleaning.choices.joined_answers import join_answers
from everthread.domain.gleaning.digest import Point
from support.desk import desk_in

NOON = 1_771_588_800_000
MAIL, SELF = "Shall I write the mail?", "No, I'll go by on Wednesday."


def asked(text: str, by: str = "agent", **told: str) -> Point:
    return Point("decision", text, (b"q",), "agent" if by == "agent" else "user", NOON, **told)


def answered(text: str, **told: str) -> Point:
    return Point("decision", text, (b"a",), "user", NOON + 60_000, 0.5, True, **told)


def lines(*points: Point) -> list[str]:
    told = managed_section(join_answers(points)) or ""
    return [line for line in told.splitlines() if line.startswith("- ")]


def test_a_question_and_its_answer_are_one_line_of_who_answered() -> None:
    (joined,) = join_answers([asked(MAIL), answered(SELF)])
    assert (joined.text, joined.by, joined.sources) == (f"{MAIL} {SELF}", "user", (b"q", b"a"))
    assert lines(asked(MAIL), answered(SELF)) == [f"- {MAIL} {SELF} (2026-02-20)"]


def test_what_was_chosen_from_a_list_is_told_with_what_it_stands_for() -> None:
    found = join_answers([asked("There are two ways … b) Heat pump"), answered("Then b.")])
    assert [point.text for point in found] == ["There are two ways: Then b. (Heat pump)"]


def test_who_asked_is_named_where_another_answered() -> None:
    put = asked("Shall we take the blue one?", "user", name="Nora")
    (joined,) = join_answers([put, answered("Yes, blue.", name="Olu")])
    assert joined.text == "Nora: Shall we take the blue one? Olu: Yes, blue."


def test_a_question_alone_is_no_decision_and_other_points_stay() -> None:
    kept = answered("We take the train.")
    assert join_answers([kept, asked(MAIL)]) == [kept]


def test_the_file_of_a_distillation_has_them_on_one_line(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.turn("The binoculars for my father, please order them.", f"I cannot order. {MAIL}")
        desk.turn(SELF, "Fine.")
        desk.turn("Mistral or Robe for the heads?", "Robe has the better dimming.")
        desk.turn("Robe.", "Robe it is.")
        desk.talk(0, 15)
        desk.ada.distill()
        told = (desk.memory or b"").decode().splitlines()
        (line,) = (line for line in told if SELF in line)
        assert line.startswith(f"- {MAIL} {SELF} (2026-02-20, ")
        assert not [line for line in told if line.startswith((f"- {MAIL} (", "- Robe. ("))]
