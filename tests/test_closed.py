"""What was open and is so no longer: its memory ends, nobody is given it again, undo brings it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.drafts import Spend
from everthread.domain.gleaning.digest import (
    EMPTY,
    Digest,
    Point,
    digest_text,
    mark_of,
    read_digest,
    several_spoke,
)
from everthread.domain.gleaning.digest_bound import bounded_digest
from everthread.domain.gleaning.facts import closed_of, memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.points import MOST
from everthread.domain.redaction.person_names import name_of_principal, safe_name
from everthread.domain.text.acts import speech
from everthread.providers.models.calls import Reply
from everthread.providers.models.distiller import ModelDistiller
from support.desk import Desk, desk_in
from support.spoken import spoken
from support.stores import EACH, fresh

ORDER = "Please delete the backup table orders_old from the production database."
PUT_OFF = "I cannot do that yet: the dump is still running. I will do it later."
REPORT = "Yes. I deleted the backup table orders_old from the production database."


@pytest.fixture(params=EACH)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with fresh(request.param, tmp_path) as place, desk_in(tmp_path, place.target) as found:
        yield found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


def state(desk: Desk) -> list[dict[str, Any]]:
    """All memories as they stand, but for the numbers that every change moves on."""
    kept = desk.ada.memories(limit=1_000, state="all")
    kept = [m for m in kept if m.state == "kept"]
    told = [m._asdict() for m in kept]
    return sorted(
        ({k: v for k, v in one.items() if k not in ("entry", "ref")} for one in told),
        key=lambda one: one["key_id"],
    )


def alike(memories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is drawn anew has another id."""
    bare = [{k: v for k, v in one.items() if k != "key_id"} for one in memories]
    return sorted(bare, key=lambda one: (one["text"], one["kind"]))


def order(desk: Desk) -> Any:
    (found,) = [m for m in desk.ada.memories(state="kept", limit=999) if m.text == ORDER]
    return found


def distilled_open(desk: Desk) -> None:
    desk.turn(ORDER, PUT_OFF)
    desk.talk(0, 12)
    desk.ada.distill()
    memory = order(desk)
    assert (memory.kind, memory.valid_to) == ("open_item", None)


def given(desk: Desk, asked: str) -> str:
    return json.dumps(desk.ada.turn(asked).failed().messages[-1])


@pytest.mark.req("A-13", "R-15")
def test_the_memory_of_what_was_done_ends_and_undo_and_redo_are_exact(stored: Desk) -> None:
    """Distil, undo, redo: each leads to the same memories, column for column."""
    distilled_open(stored)
    stored.turn("Is the dump finished?", REPORT)
    stored.talk(12, 26)
    before = state(stored)
    receipt = stored.ada.distill()
    after = state(stored)
    ended = order(stored)
    assert ended.valid_to is not None
    assert ended.state == "kept"
    assert ended.said == 1
    stored.et.undo(receipt.id)
    assert state(stored) == before
    assert order(stored).valid_to is None
    stored.et.redo(receipt.id)
    again = order(stored)
    assert again == ended._replace(entry=again.entry)
    assert alike(state(stored)) == alike(after)
    stored.et.undo(receipt.id)
    assert state(stored) == before
    assert stored.problems() == []


@pytest.mark.req("A-13")
def test_what_is_done_is_not_given_as_a_memory_again(desk: Desk) -> None:
    distilled_open(desk)
    desk.turn("Is the dump finished?", REPORT)
    desk.talk(12, 26)
    desk.ada.distill()
    assert f"memory {order(desk).id[-8:]}" not in given(desk, "Which tables hold orders_old?")
    found = desk.ada.recall("delete the backup table orders_old")
    assert order(desk).id not in [hit.id for hit in found]


@pytest.mark.req("A-13")
def test_a_session_that_is_seen_to_late_does_not_open_again_what_is_done(desk: Desk) -> None:
    """It is read by itself: what ended the order was said in a later one."""
    desk.turn(ORDER, PUT_OFF)
    desk.talk(0, 12)
    desk.ada.end_session()
    desk.ada.distill()
    desk.clock.forward(hours=20)
    desk.turn("Is the dump finished?", REPORT)
    desk.talk(12, 26)
    desk.ada.distill()
    assert order(desk).valid_to is not None
    ended = order(desk)
    desk.work()
    assert order(desk) == ended


@pytest.mark.req("A-13")
def test_what_is_asked_for_once_more_is_open_once_more(desk: Desk) -> None:
    distilled_open(desk)
    desk.turn("Is the dump finished?", REPORT)
    desk.talk(12, 26)
    desk.ada.distill()
    desk.turn(ORDER, PUT_OFF)
    desk.talk(26, 40)
    desk.ada.distill()
    now = desk.clock.now()
    valid = [m for m in desk.ada.memories(state="kept", limit=999) if m.text == ORDER]
    assert [m.valid_to_ms is None or m.valid_to_ms > now for m in valid].count(True) == 1


@pytest.mark.req("A-13")
def test_what_a_person_pinned_nobody_ends(desk: Desk) -> None:
    desk.turn(ORDER, PUT_OFF)
    source = desk.ada.messages(limit=9)[0]
    desk.talk(0, 12)
    kept = desk.ada.remember(f"critical: {ORDER}", kind="open_item", sources=[source])
    assert kept.pinned
    assert source.text == ORDER
    desk.ada.distill()
    desk.turn("Is the dump finished?", REPORT)
    desk.talk(12, 26)
    desk.ada.distill()
    assert desk.ada.memory(kept.id).valid_to is None


def point(text: str, *, by: str = "user", n: int = 1, kind: str = "open_item") -> Point:
    source = (n.to_bytes(16, "big"),)
    return Point(kind, text, source, by, n, 0.6, verbatim=True, pinned=by == "user")  # pyright: ignore[reportArgumentType]


def test_what_was_said_over_again_or_only_lost_its_place_is_not_closed() -> None:
    mine, theirs = point("Book the flight."), point("The review is still open.", by="agent", n=2)
    before = Digest((mine, theirs))
    gone = mark_of(mine), mark_of(theirs)
    assert closed_of(before, Digest(last_ms=9, gone=gone)) == ([mine, theirs], 9)
    assert closed_of(before, Digest(last_ms=9)).points == []
    asked = mine._replace(kind="request", pinned=False)
    assert closed_of(before, Digest((asked,))).points == [mine]
    retold = mine._replace(text="Book the flight, please.", sources=(*mine.sources, b"2" * 16))
    assert closed_of(before, Digest((retold, theirs), gone=gone)).points == []
    other = point("Book the hotel.")  # of the same message
    assert closed_of(before, Digest((other, theirs), gone=gone)).points == [mine]


@pytest.mark.req("A-13")
def test_a_decision_by_question_and_answer_is_known_the_second_time() -> None:
    gleaner = Gleaner()
    for n, (who, text) in enumerate(
        [
            ("user", "Let us set up the build."),
            ("agent", "Which port shall the server use?"),
            ("user", "8443"),
        ],
        start=1,
    ):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    first = gleaner.digest()
    assert "Which port shall the server use? 8443" in [f.text for f in memories_of(EMPTY, first)]
    assert memories_of(first, first) == []


@pytest.mark.req("A-13")
def test_what_was_said_once_is_counted_once_however_often_it_is_distilled(desk: Desk) -> None:
    desk.turn("Let us set up the build.", "Which port shall the server use?")
    desk.turn("8443", "Port 8443 it is, then.")
    told: list[tuple[int, float, int]] = []
    for n in range(4):
        desk.talk(n * 12, n * 12 + 12)
        desk.clock.forward(hours=2)
        desk.ada.distill()
        (memory,) = [m for m in desk.ada.memories(limit=999) if m.text.endswith("use? 8443")]
        told.append((memory.said, memory.confidence, memory.updated_ms))
    assert told[0][0] == 1
    assert len(set(told)) == 1


@pytest.mark.req("A-13")
def test_the_same_from_the_same_message_is_not_said_again_however_late(desk: Desk) -> None:
    desk.turn("The office is in Berlin.", "I see.")
    said = desk.ada.messages(limit=9)[0]
    first = desk.ada.remember(said.text, sources=[said])
    desk.clock.forward(hours=30)
    assert desk.ada.remember(said.text, sources=[said]) == first
    desk.turn("The office is in Berlin.", "I see.")
    again = desk.ada.remember(said.text, sources=[desk.ada.messages(limit=9)[2]])
    assert (again.id, again.said) == (first.id, 2)


DONE = (
    "I deleted the table orders_old; 0 rows are left.",
    "All tests pass, nothing is left to do.",
    "No steps remain open.",
    "None of the items are pending.",
    "There are no open questions left.",
    "Zero issues remain unresolved.",
    "The list has no outstanding tasks.",
    "No follow-ups are pending.",
    "Nothing is still open.",
    "There is nothing left to do in the parser.",
    "No reviews are outstanding.",
    "0 files are missing, none is pending.",
    "No migrations are pending.",
    "There are no remaining issues in the build.",
    "Nothing remains to be done here.",
    "I merged it without any step left.",
    "No more rows are left in the table.",
    "No job is blocked by the lock.",
    "Es ist nichts mehr offen.",
    "Keine Aufgabe steht noch aus.",
)
LEFT = (
    "Two steps are left.",
    "The export still needs a test.",
    "The review of the parser is still open.",
    "Three tests remain to be written.",
    "The migration is pending.",
    "I'm waiting for your approval.",
    "The deploy is blocked by the lock.",
    "TODO: the error message of the parser.",
    "Next steps: write the docs.",
    "The docs have not yet been written.",
    "No tests were written yet; the docs are still missing.",
    "I have no access, the upload is pending.",
    "I'll come back to it later.",
    "The question of the licence is unresolved.",
    "It is deferred until tomorrow.",
    "Der Test steht noch aus.",
    "Die Frage ist noch offen.",
    "Il reste à écrire les tests.",
    "La revisión queda pendiente.",
    "还没写测试。",
)


@pytest.mark.parametrize("text", DONE)
def test_who_says_that_nothing_is_left_leaves_nothing_open(text: str) -> None:
    assert not speech.leaves_open(speech.parse_sentence(text))


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_is_open(text: str) -> None:
    assert speech.leaves_open(speech.parse_sentence(text))


DECIDED = "We decided to use port 8443 for the staging gateway."


class Wrong:
    """A model that first does well, and then not by what was decided."""

    name = "wrong"
    mode = "keep"

    def price(self, _given: int, _told: int) -> int:
        return 0

    def ask(self, prompt: Any, **_: Any) -> Reply:
        written: list[dict[str, Any]] = []
        outdated: list[str] = []
        for key, cited in prompt.citable.items():
            mine = cited.by == "user" and len(cited.text) < 200
            if key.startswith("m") and mine:
                kind = "decision" if cited.text == DECIDED else "fact"
                written.append({"kind": kind, "text": cited.text, "sources": [key]})
            elif key.startswith("s") and DECIDED in cited.text:
                if self.mode == "reword":
                    text = "The production database was moved to Frankfurt on port 9000."
                    written.append({"kind": "decision", "text": text, "sources": [key]})
                elif self.mode == "outdated":
                    outdated.append(key)
        told = json.dumps({"points": written, "outdated": outdated})
        return Reply(told, Spend(1, 10, 10, 0))


LIFTED = [
    (
        "Never restart the mail server during the day.",
        "Forget what I said about the mail server, restart it whenever you want.",
    ),
    (
        "Don't call the supplier without asking me.",
        "The rule about calling the supplier no longer applies.",
    ),
]


@pytest.mark.req("A-13", "R-15")
@pytest.mark.parametrize(("rule", "lifted"), LIFTED)
def test_the_memory_of_a_rule_that_was_taken_back_ends(desk: Desk, rule: str, lifted: str) -> None:
    """Nobody is given it as in force, whatever distillation lies between; undo brings it back."""
    desk.turn(rule, "Understood.")
    desk.talk(0, 12)
    desk.ada.distill()
    (memory,) = desk.ada.memories(kind="rule")
    assert (memory.text, memory.valid_to) == (rule, None)
    desk.turn(lifted, "Good to know.")
    desk.talk(12, 26)
    receipt = desk.ada.distill()
    assert desk.ada.memory(memory.id).valid_to is not None
    desk.et.undo(receipt.id)
    assert desk.ada.memory(memory.id).valid_to is None


def test_a_rule_or_a_choice_that_only_lost_its_place_still_holds() -> None:
    rule = point("Never push on Fridays.", kind="rule")
    asked = point("Which port shall it be?", by="agent", n=2, kind="decision")
    taken = point("8080", n=3, kind="decision")
    before = Digest((rule, asked, taken))
    both = taken._replace(
        text="Which port shall it be? 8080", sources=(*asked.sources, *taken.sources)
    )
    gone = tuple(map(mark_of, before.points))
    assert closed_of(before, Digest(last_ms=9, gone=gone)) == ([rule, both], 9)
    assert closed_of(before, Digest(last_ms=9)).points == []
    later = point("Use tabs.", n=4, kind="decision")
    # The question may have lost its place; the answer is still there.
    assert closed_of(before, Digest((rule, later, taken), gone=gone)).points == []


@pytest.mark.req("A-13")
def test_of_rules_that_find_no_place_only_the_one_that_was_lifted_ends() -> None:
    """More than are carried, and one of them is taken back in the same range."""
    subjects = [
        f"{a}{b}"
        for a in [
            "gan",
            "mor",
            "tel",
            "vin",
            "zar",
            "pel",
            "hul",
            "dro",
            "nif",
            "tas",
            "wem",
            "kos",
        ]
        for b in ["dola", "bex", "lith", "quon", "rup", "sca", "tow", "mund", "fip", "glaz", "vork"]
    ]
    gleaner = Gleaner()
    for n, each in enumerate(subjects[: MOST["rule"]], start=1):
        gleaner.read(spoken(f"Never touch the {each} server during the day.", n=n))
    before = gleaner.digest()
    assert sum(p.kind == "rule" for p in before.points) == MOST["rule"]
    gleaner = Gleaner(before)
    for n, each in enumerate(subjects[MOST["rule"] :], start=150):
        gleaner.read(spoken(f"Never touch the {each} server during the day.", n=n))
    last = next(p.text for p in reversed(before.points) if p.kind == "rule")
    name = last.split()[3]
    gleaner.read(spoken(f"Forget what I said about the {name} server.", n=190))
    after = gleaner.digest()
    assert [p.text for p in closed_of(before, after).points] == [last]


@pytest.mark.req("A-13", "R-15")
def test_what_a_small_room_drops_is_not_over() -> None:
    gleaner = Gleaner()
    for n in range(1, 40):
        gleaner.read(spoken(f"We decided to use port {8000 + n} for service number {n}.", n=n))
    before = gleaner.digest()
    after = bounded_digest(before, 2_000)
    assert len(after.points) < len(before.points)
    assert closed_of(before, after).points == []


@pytest.mark.req("A-13", "R-15")
@pytest.mark.parametrize("mode", ["reword", "outdated", "silent"])
def test_nothing_that_a_model_writes_ends_what_a_person_said(desk: Desk, mode: str) -> None:
    """It rewords the decision wrongly, calls it outdated, or leaves it out: the memory stands."""
    model = Wrong()
    writes = ModelDistiller(model, count=lambda text: len(text) // 4, allowed=lambda _: True)
    told = desk.with_ports(distiller=writes)
    told.turn(DECIDED, "Noted.")
    told.talk(0, 14)
    told.ada.distill()
    model.mode = mode
    told.talk(14, 30)
    receipt = told.ada.distill()
    assert receipt.distiller != "plain"
    (memory,) = [m for m in told.ada.memories(limit=999) if m.text == DECIDED]
    assert memory.valid_to is None


def test_what_was_said_again_after_it_was_over_is_not_over() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken("Never push on Fridays.", n=1))
    gleaner.read(spoken("Forget what I said about Fridays, you may push then.", n=2))
    assert gleaner.digest().gone
    gleaner.read(spoken("Never push on Fridays.", n=3))
    assert gleaner.digest().gone == ()


# ---- of several people


def people(*lines: tuple[str, str]) -> Digest:
    gleaner = Gleaner()
    for n, (name, text) in enumerate(lines, start=1):
        gleaner.read(spoken(text, n=n, name=name))
    return gleaner.digest()


@pytest.mark.req("A-13", "A-21")
def test_what_one_asks_for_himself_another_does_not_change() -> None:
    digest = people(
        ("Nora", "Always answer me in French."), ("Piet", "Always answer me in German.")
    )
    ruled = [(p.name, p.text) for p in digest.points if p.kind == "rule"]
    assert ruled == [
        ("Nora", "Always answer me in French."),
        ("Piet", "Always answer me in German."),
    ]
    assert digest.gone == ()


@pytest.mark.req("A-21")
def test_the_same_wish_of_two_people_is_told_of_both() -> None:
    digest = people(("Nora", "I prefer window seats."), ("Piet", "I prefer window seats."))
    assert [p.name for p in digest.points if p.kind == "preference"] == ["Nora", "Piet"]


@pytest.mark.req("A-21")
def test_who_spoke_is_known_though_only_one_is_still_told_of() -> None:
    digest = people(("Nora", "Thanks!"), ("Piet", "Always answer me in German."))
    assert {p.name for p in digest.points if p.name} == {"Piet"}
    assert several_spoke(read_digest(digest_text(digest)))


@pytest.mark.req("A-13", "A-21")
def test_nor_does_another_take_the_place_of_his_memory(desk: Desk) -> None:
    """A rule of the one, and the opposite of the other, in two distillations."""
    mine, theirs = "Never send me reports by email.", "Always send me reports by email."
    for name, text, start in (("Nora", mine, 0), ("Piet", theirs, 14)):
        desk.ada.turn(text, name=name).done("Understood.")
        desk.talk(start, start + 14)
        desk.ada.distill()
    kept = {m.text: (m.state, m.valid_to) for m in desk.ada.memories(limit=999, state="all")}
    assert kept[mine] == kept[theirs] == ("kept", None)


@pytest.mark.req("A-13")
def test_who_moves_lives_there_no_longer_in_any_later_distillation(desk: Desk) -> None:
    for text, start in (("I live in Hamburg.", 0), ("I moved to Lisbon last week.", 14)):
        desk.turn(text, "Good to know.")
        desk.talk(start, start + 14)
        desk.ada.distill()
    kept = {m.text: m.state for m in desk.ada.memories(limit=999, state="all")}
    assert (kept["I live in Hamburg."], kept["I moved to Lisbon last week."]) == (
        "superseded",
        "kept",
    )


@pytest.mark.req("A-21", "R-44")
def test_whatever_mark_a_program_has_for_people_they_are_told_apart() -> None:
    """By `user-1` no line of ours may name anybody; two such people are two all the same."""
    gleaner = Gleaner()
    gleaner.read(spoken("Always answer me in French.", n=1, principal="user-1"))
    gleaner.read(spoken("Always answer me in German.", n=2, principal="user-2"))
    names = [p.name for p in gleaner.digest().points if p.kind == "rule"]
    assert len(names) == len({*names}) == 2
    marks = [
        "user-1",
        "maria del mar",
        "maria del sol",
        "slack:U02",
        "ana@example.org",
        "x" * 2_000,
    ]
    made = [name_of_principal(mark) for mark in marks]
    assert len({*made}) == len(marks)
    assert [safe_name(name) for name in made] == made
    assert made[4] == "ana@example.org"


@pytest.mark.req("A-21")
def test_nobody_lifts_what_another_laid_down() -> None:
    gleaner = Gleaner()
    rule = "Never assign tickets to me on Fridays."
    gleaner.read(spoken(rule, n=1, name="Nora"))
    gleaner.read(spoken("You can assign tickets to me on Fridays again.", n=2, name="Piet"))
    assert [p.text for p in gleaner.digest().points if p.kind == "rule"] == [rule]
    gleaner.read(spoken("You can assign tickets to me on Fridays again.", n=3, name="Nora"))
    assert [p.text for p in gleaner.digest().points if p.kind == "rule"] == []


@pytest.mark.req("A-21", "R-44")
def test_people_without_a_name_are_told_apart_by_whom_a_program_knows_them() -> None:
    gleaner = Gleaner()
    gleaner.read(spoken("Always answer me in French.", n=1, principal="nora"))
    gleaner.read(spoken("Always answer me in German.", n=2, principal="piet"))
    digest = gleaner.digest()
    assert [p.name for p in digest.points if p.kind == "rule"] == ["nora", "piet"]
    assert several_spoke(digest)
