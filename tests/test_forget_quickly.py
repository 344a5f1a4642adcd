"""What makes forgetting cheap changes nothing of what it finds: marks, lines taken out, things made once."""

from __future__ import annotations

import json
import secrets
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import run

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import everthread
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.receipts import Sentence, sentence, summary_message
from everthread.domain.distilling.summaries import render
from everthread.domain.forgetting import marks
from everthread.domain.forgetting.forgotten_texts import ForgottenTexts, Sieve, forgotten_of
from everthread.domain.forgetting.marks import MarkedTexts
from everthread.domain.forgetting.pruning import PrunedSummary, StoredSummary, prune_summary
from everthread.domain.forgetting.restatements import Restatements, Statement
from everthread.domain.gleaning.digest import (
    Digest,
    Point,
    RequestStanding,
    Trace,
    digest_text,
    read_digest,
)
from everthread.domain.gleaning.offers import ChoiceState, Item, Offer
from everthread.domain.memory.memories import Memory, new_memory
from everthread.domain.text.sayings import is_echoed
from everthread.store.postgres.link import rewrite_parameters
from everthread.store.sql.statements import ENTRIES_ABOUT

pytestmark = pytest.mark.req("R-43")

# Words that sayings handles in a way of its own, and plain ones.
_WORDS = """
    ledger ledgers Xylander noon parties party party's user’s o’clock don't not over instead of no longer
    rather than cannot the a always before Straße STRASSE ΟΔΟΣ 8081 port src/a.py built-in preference to
    Remember: actually, tabs spaces 好 不 改 C++ in on İ ſend send. noon! why?
"""
WORDS = _WORDS.split()
said = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
texts = st.one_of(said, st.text(max_size=30), st.lists(said, max_size=3).map("\n".join))


@given(texts, texts)
@example(
    "Send the ledger to Xylander before noon.", "He said: send the ledgers to Xylander before noon"
)
@example("Send weekly accounting reports tomorrow.", "Send weekly reports tomorrow.")
@example("Send it to accounting tomorrow.", "send it to")
@example("The party begins here.", "Parties begin here")
@example("The party is in the Straße.", "the parties is in the STRASSE")
@example("In on at to ledger", "in on at to")
@example("tabs over spaces", "tabs instead of spaces")
@example("built-over house here", "built-in preference to house here")
def test_marks_let_nothing_pass_that_says_it(gone: str, text: str) -> None:
    plain = ForgottenTexts((gone,))
    assert forgotten_of([gone], [], []).tells(text) == (bool(gone) and plain.tells(text))
    if is_echoed(gone, text):
        assert MarkedTexts([gone]).echoed_by(text)


@given(said, said, said)
def test_a_text_inside_another_is_found(before: str, gone: str, after: str) -> None:
    whole = f"{before} {gone} {after}"
    assert forgotten_of([gone], [], []).tells(whole) == (
        bool(gone) and ForgottenTexts((gone,)).tells(whole)
    )


def test_marks_spare_the_long_look() -> None:
    """Else each of thousands of sentences would be taken apart."""
    gone = MarkedTexts(["Always send the ledger to Xylander before noon."])
    others = [f"We decided to keep module {n}, because the parser needs it." for n in range(50)]
    assert not [n for other in others for n in (*gone.told_by(other), *gone.echoed_by(other))]


@given(st.lists(texts, max_size=5), texts)
def test_marks_of_many_find_what_those_of_each_find(gone: list[str], text: str) -> None:
    marked, each = MarkedTexts(gone), [MarkedTexts([one]) for one in gone]
    assert marked.echoed_by(text) == [n for n, one in enumerate(each) if one.echoed_by(text)]
    assert [*marked.told_by(text)] == [n for n, one in enumerate(each) if [*one.told_by(text)]]


def test_a_memory_is_folded_once_whatever_number_of_versions_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a statement that changed every night would be forgotten for hours."""

    def made(n: int, text: str) -> Memory:
        return new_memory(n.to_bytes(16, "big"), text, kind="fact", origin="user", now=1)

    versions = [made(n, f"The report of day {n} tells of {37 * n} records") for n in range(90)]
    others = [made(n, f"Customer {n} prefers the lorry of day {n}") for n in range(100, 130)]
    others.append(made(200, "Remember: the report of day 7 tells of 259 records, says Ann"))
    going, wide = Statement(versions), Restatements(versions)
    real, folded = marks.fold_case, list[str]()

    def watched(text: str) -> str:
        folded.append(text)
        return real(text)

    monkeypatch.setattr(marks, "fold_case", watched)
    quoted = [one.text for other in others for one in going.quoted_by(other)]
    assert (quoted, len(folded)) == ([versions[7].text], len(others))
    assert not [one for other in others for one in going.said_by(other)]
    assert not any(map(wide.persons, others))
    assert len(folded) == 3 * len(others)


# ---- things that many digests carry


def point(text: str, *sources: bytes, kind: str = "decision", pinned: bool = False) -> Point:
    return Point(kind, text, sources, "user", 1_700_000_000_000, 0.5, True, pinned)


def trace(text: str, *sources: bytes, kind: str = "file", note: str = "") -> Trace:
    return Trace(kind, text, note, sources, 1_700_000_000_000, 2, 0.25)


KEYS = [bytes([n]) * 16 for n in range(1, 9)]
some = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True).map(tuple)


def _point(
    text: str, keys: tuple[bytes, ...], stands: RequestStanding | None, *, pinned: bool
) -> Point:
    return point(text or "x", *keys, pinned=pinned)._replace(stands=stands)


def _trace(text: str, note: str, keys: tuple[bytes, ...], kind: str) -> Trace:
    return trace(text or "x", *keys, note=note, kind=kind)


def _digest(points: Sequence[Point], ledger: Sequence[Trace]) -> Digest:
    return Digest(tuple(points), tuple(ledger), 7, 1_700_000_000_000, 1_700_000_100_000)


stands = st.sampled_from([None, RequestStanding(3, "begun")])
points = st.builds(_point, texts, some, stands, pinned=st.booleans())
kinds = st.sampled_from(["file", "command", "number", "url"])
traces = st.builds(_trace, texts, texts, some, kinds)
digests = st.builds(
    _digest,
    st.lists(points, max_size=6, unique=True),
    st.lists(traces, max_size=6, unique=True),
)


@given(st.lists(digests, max_size=4))
def test_what_is_made_once_is_what_is_made_each_time(several: Sequence[Digest]) -> None:
    told: dict[object, str] = {}
    made: dict[object, object] = {}
    for digest in (*several, *several):
        text = digest_text(digest)
        assert digest_text(digest, told) == text == _dumped(digest)
        assert read_digest(text, made) == read_digest(text) == digest


def _dumped(digest: Digest) -> str:
    """As it was always stored."""
    row = json.loads(digest_text(digest))
    return json.dumps(row, ensure_ascii=True, separators=(",", ":"))


def test_what_two_digests_carry_is_one_object_and_what_changed_is_not() -> None:
    made: dict[object, object] = {}
    one = Digest((point("We moved it.", KEYS[0]),), (trace("src/a.py", KEYS[0]),), 1)
    two = one._replace(ledger=(one.ledger[0]._replace(times=3),))
    first, again, other = (read_digest(digest_text(d), made) for d in (one, one, two))
    assert first.points[0] is again.points[0] is other.points[0]
    assert first.ledger[0] is again.ledger[0] and other.ledger[0] == two.ledger[0]


# ---- lines taken out


def heard(text: str) -> Message:
    blank = summary_message(text, 3)
    return blank._replace(key=secrets.token_bytes(16), kind="said", origin="user")


def stored(digest: Digest, tokens: int = 10_000) -> StoredSummary:
    shown = render(digest, number=1, tokens=tokens, count=lambda text: len(text) // 4)
    items = [*shown.points, *shown.traces]
    sentences = [
        sentence(n, "Evidence" if isinstance(item, Trace) else item.section, line, keys, "", shown=True)
        for n, (item, (line, keys)) in enumerate(zip(items, shown.lines, strict=True), 1)
    ]  # fmt: skip
    return StoredSummary(shown.text, digest, sentences)


def without(
    digest: Digest, gone: ForgottenTexts, held: StoredSummary | None = None
) -> PrunedSummary | None:
    less, became = Sieve(gone, lambda _: []).parted(digest)
    return prune_summary(held or stored(digest), less, became, gone, 1)


@given(digests, st.sets(st.sampled_from(KEYS), min_size=1, max_size=2), said)
def test_taken_out_lines_leave_what_writing_anew_would_tell(
    digest: Digest, keys: set[bytes], gone_text: str
) -> None:
    """Of the digest without it, and with nothing of it: each line stands where it stood."""
    gone = forgotten_of([gone_text], [], sorted(keys))
    held = stored(digest)
    found = without(digest, gone, held)
    if found is None:
        return  # then it is written anew
    less = Sieve(gone, lambda _: []).without(digest)
    anew = stored(less)
    old, left = held.text.split("\n"), found.text.split("\n")
    shown = [s for s in found.sentences if s.shown]
    assert left == [line for line in old if line in left], "nothing is added or moved"
    assert {s.text for s in shown} == {line for line in left if line.startswith("- ")}
    assert {s.text for s in shown} <= {s.text for s in anew.sentences}
    assert not any(gone.names(s.sources_json) or gone.tells(s.text) for s in shown)
    assert {line for line in left if not line.startswith("- ")} <= set(anew.text.split("\n"))
    assert [s.n for s in found.sentences] == list(range(1, len(found.sentences) + 1))


def test_an_answer_whose_question_is_forgotten_is_written_anew() -> None:
    """`2` alone tells nobody anything; a name does, and stays. Both lines that go need no writing anew."""
    asked, other = point("Which of the two?", KEYS[0]), point("We moved it.", KEYS[2])
    for answer, stays in ((point("2", KEYS[1]), False), (point("The gasket", KEYS[1]), True)):
        digest = Digest((asked, answer, other), (), 3)
        gone = forgotten_of([], [], [KEYS[0]])
        assert without(digest, gone) is None
        less = Sieve(gone, lambda _: []).without(digest)
        assert (f'"{answer.text}"' in stored(less).text) is stays
        both = without(digest, forgotten_of([], [], KEYS[:2]))
        assert both is not None and "We moved it." in both.text


def test_a_line_goes_with_its_heading_and_the_rest_stays_to_the_letter() -> None:
    gone, other = KEYS[0], KEYS[1]
    digest = Digest(
        (point("Never deploy on a friday.", gone, kind="rule", pinned=True),
         point("We moved the ledger to port 8081.", other)),
        (trace("src/gone.py", gone), trace("pytest -k ledger", other, kind="command")),
        9, 1_700_000_000_000, 1_700_000_100_000,
    )  # fmt: skip
    before = stored(digest).text
    found = without(digest, forgotten_of(["Has a ledger of his own"], [], [gone]))
    assert found is not None
    assert "## Task Context" in before and "Files:" in before
    wanted = [
        line
        for line in before.split("\n")
        if line not in ("## Task Context", "Files:")
        and "friday" not in line
        and "gone.py" not in line
    ]
    assert found.text.split("\n") == wanted
    assert "## Evidence" in wanted and "Commands:" in wanted


def test_what_is_left_of_a_line_names_the_other_message_alone() -> None:
    one, same = heard("We moved the ledger to port 8081."), heard("The ledger has port 8081.")
    fact = point("The ledger has port 8081.", one.key, same.key, kind="fact")
    digest = Digest((fact,), (), 2, 1_700_000_000_000, 1_700_000_100_000)
    gone = forgotten_of(["Has a friend"], [one], [])
    less, became = Sieve(gone, lambda _: [same]).parted(digest)
    found = prune_summary(stored(digest), less, became, gone, 1)
    assert found is not None and found.text == stored(digest).text
    assert [s.sources for s in found.sentences] == [(same.key,)]


@pytest.mark.parametrize("how", ["cut", "style", "number", "twice", "said"])
def test_what_cannot_be_sorted_line_by_line_is_written_anew(how: str) -> None:
    gone, other = KEYS[0], KEYS[1]
    digest = Digest(
        (point("Never deploy the quorum on a friday, nor on the day before.", gone, kind="rule"),
         point("We moved the ledger to port 8081.", other)),
        (trace("/home/a/x.py", gone), trace("/home/a/y.py", gone), trace("/srv/z.py", other)),
        9, 1_700_000_000_000, 1_700_000_100_000,
    )  # fmt: skip
    if how != "style":
        digest = digest._replace(ledger=())
    held = stored(digest)
    first = held.sentences[0]
    changed: dict[str, tuple[str, Sentence]] = {
        "cut": (first.text[:40] + " …", first._replace(text=first.text[:40] + " …")),
        "twice": (f"{first.text}\n{first.text}", first),
        "said": (first.text, first._replace(sources_json=json.dumps([other.hex()]))),
    }
    if how in changed:
        line, one = changed[how]
        held = StoredSummary(
            held.text.replace(first.text, line), digest, [one, *held.sentences[1:]]
        )
    if how == "number":
        held = held._replace(text=held.text.replace("#1)", "#2)"))
    assert without(digest, forgotten_of(["Has a friend"], [], [gone]), held) is None


# ---- what is on offer


def test_a_list_to_choose_from_goes_with_its_message_or_its_words() -> None:
    kept = Offer(KEYS[2], 1, True, True, True, "Which?", (Item("option", "a", "Use the parser."),))
    by_source = kept._replace(source=KEYS[0])
    by_words = kept._replace(items=(Item("", "2", "Send the ledger to Xylander."),))
    digest = Digest((), (), 1, choosing=ChoiceState((kept, by_source, by_words), KEYS[2]))
    gone = forgotten_of(["Send the ledger to Xylander"], [], [KEYS[0]])
    left, became = Sieve(gone, lambda _: []).parted(digest)
    assert left.choosing == ChoiceState((kept,), KEYS[2]) and became == {}
    assert Sieve(forgotten_of(["Likes tea"], [], []), lambda _: []).parted(digest)[0] is digest


# ---- around it


def test_forgetting_loads_nothing_that_reads_speech() -> None:
    """A daemon that forgets for the first time would spend more on that than on forgetting."""
    script = (
        "import sys, everthread.wiring, everthread.services.forgetting.forget\n"
        "wrong = 'acts.sentence_forms', 'text.pasted_text', 'gleaning.gleaner', 'distilling.compose'\n"
        "print([m for m in sys.modules if m.startswith('everthread') and m.endswith(wrong)])"
    )
    done = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_postgresql_is_told_no_index() -> None:
    assert "INDEXED" in ENTRIES_ABOUT and "INDEXED" not in rewrite_parameters(ENTRIES_ABOUT)
    assert "timeline" in rewrite_parameters(ENTRIES_ABOUT)


def test_an_entry_is_looked_up_by_its_subject(tmp_path: Path) -> None:
    """Not by reading all that ever happened to the agent."""
    settings = everthread.Settings(home=tmp_path / "home", embedder="off")
    with everthread.connect(tmp_path / "s.db", background=False, settings=settings) as et:
        et.agent("ada")
    db = sqlite3.connect(tmp_path / "s.db")
    plan = db.execute(
        f"EXPLAIN QUERY PLAN {ENTRIES_ABOUT}", {"agent": 1, "subject": b"x"}
    ).fetchall()
    db.close()
    assert "timeline_subjects (agent_id=? AND subject=?)" in plan[0][3]
