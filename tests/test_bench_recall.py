"""The recall bench: what it loads, what it asks, how it counts. On small made-up data."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "recall"
MODULES = ("beam", "changes", "coding", "daily", "locomo", "measure", "probes", "talks")


@pytest.fixture(scope="module")
def bench() -> Any:
    """The bench's modules, which are scripts beside each other and no package."""
    # Another bench has modules of the same names, and its tests may have come before.
    names = {path.stem for path in BENCH.glob("*.py")}
    others = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    sys.path.insert(0, str(BENCH))
    try:
        return SimpleNamespace(**{name: __import__(name) for name in MODULES})
    finally:
        sys.path.remove(str(BENCH))
        for name in names & sys.modules.keys():
            del sys.modules[name]
        sys.modules.update(others)


def written(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


# Metrics


def test_recall_is_the_share_of_the_evidence_among_the_first_messages(bench: Any) -> None:
    found = ["a", "x", "b", "y", "z", "c"]
    assert bench.measure.recall(found, {"a", "b", "c"}, 5) == pytest.approx(2 / 3)
    assert bench.measure.recall(found, {"a", "b", "c"}, 10) == 1
    assert bench.measure.recall([], {"a"}, 5) == 0


def test_ndcg_rewards_evidence_that_comes_early(bench: Any) -> None:
    ndcg = bench.measure.ndcg
    assert ndcg(["a", "b"], {"a", "b"}) == pytest.approx(1)
    assert ndcg(["x", "a"], {"a"}) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg(["x"] * 10 + ["a"], {"a"}) == 0


def test_a_budget_ends_at_the_first_message_that_does_not_fit_or_passes_over_it(bench: Any) -> None:
    tokens = {"a": 600, "long": 500, "b": 400, "c": 1}
    found = ["a", "long", "b", "c"]
    within = bench.measure.within
    assert within(found, {"a", "b"}, tokens, skip=False) == 0.5
    assert within(found, {"a", "b"}, tokens, skip=True) == 1
    assert within(found, {"c"}, tokens, skip=True) == 0  # 600 and 400 are the whole budget


def test_what_no_longer_holds_comes_first_if_nothing_that_does_stands_before_it(bench: Any) -> None:
    stale = bench.measure.stale
    assert stale(["x", "old", "new"], {"new"}, {"old"})
    assert not stale(["x", "new", "old"], {"new"}, {"old"})
    assert not stale(["x"] * 20 + ["old"], {"new"}, {"old"})
    assert not stale([], {"new"}, {"old"})


# Our own talks


def test_questions_about_our_own_talks_name_messages_that_are_there(bench: Any) -> None:
    talks = bench.daily.load()
    assert {len({said.at.date() for said in talk.said}) for talk in talks} == {bench.daily.TOGETHER}
    asked = [question for talk in talks for question in talk.questions]
    assert {question.part for question in asked} == {"dev", "held"} and len(asked) == 372
    for talk in talks:
        known = {said.id for said in talk.said}
        for question in talk.questions:
            assert question.gold and question.gold | question.outdated <= known
            assert not question.gold & question.outdated


# LoCoMo


@pytest.fixture
def people(tmp_path: Path) -> Path:
    record = {
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Mel",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!"},
                {"speaker": "Mel", "dia_id": "D1:2", "text": "Look", "blip_caption": "a cat"},
            ],
            "session_2_date_time": "9:00 am on 1 June, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Bye"}],
        },
        "qa": [
            {"question": "Who?", "evidence": ["D1:1; D2:1"], "category": 1},
            {"question": "When?", "evidence": ["D1:1"], "category": 2},
            {"question": "Nothing?", "evidence": [], "category": 5},
            {"question": "Wrong?", "evidence": ["D9:9"], "category": 5},
        ],
    }
    written(tmp_path / "locomo" / "conv-1.json", record)
    fixes = [{"qa": 1, "correct_evidence": ["D1:02"]}]
    written(tmp_path / "locomo" / "corrections" / "conv-1.json", fixes)
    return tmp_path


def test_locomo_is_loaded_with_its_corrections(bench: Any, people: Path) -> None:
    (talk,) = bench.locomo.load(people)
    assert [(q.kind, sorted(q.gold)) for q in talk.questions] == [
        ("multi-hop", ["D1:1", "D2:1"]),
        ("temporal", ["D1:2"]),
    ]
    assert [s.content for s in talk.said] == ["Hi!", "Look [shares a cat]", "Bye"]
    assert talk.said[1].at == datetime(2023, 5, 8, 13, 57, tzinfo=UTC)
    assert talk.end == datetime(2023, 6, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(("roles", "second"), [("people", "user"), ("assistant", "assistant")])
def test_locomo_can_be_recorded_in_two_ways(
    bench: Any, people: Path, roles: str, second: str
) -> None:
    (talk,) = bench.locomo.load(people, roles)
    assert [(s.role, s.name) for s in talk.said[:2]] == [("user", "Ann"), (second, "Mel")]


# BEAM


def test_beam_is_loaded_however_its_labels_are_nested(bench: Any, tmp_path: Path) -> None:
    folder = tmp_path / "beam_100k" / "c1"
    turn = [
        {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I use tabs"},
        {"role": "assistant", "id": 1, "content": "Fine"},
    ]
    written(folder / "chat.json", [{"time_anchor": None, "turns": [turn]}])
    asked = {
        "abstention": [{"question": "None?", "source_chat_ids": None}],
        "event_ordering": [{"question": "Order?", "source_chat_ids": [0, 0, 1, 77]}],
        "knowledge_update": [{"question": "Now?", "source_chat_ids": {"old": [0], "new": [[1]]}}],
    }
    written(folder / "probing_questions.json", asked)
    (talk,) = bench.beam.load(tmp_path, "100k")
    assert [(q.kind, sorted(q.gold)) for q in talk.questions] == [
        ("event_ordering", ["0", "1"]),
        ("knowledge_update", ["0", "1"]),
    ]
    assert [(s.role, s.name) for s in talk.said] == [("user", None), ("assistant", None)]


# Coding sessions

AIDER = """
# aider chat started at 2024-08-05 19:33:32

> Aider v0.47
> Added app.py to the chat.

#### make the spinner in app.py faster please

Certainly! Now it takes 125 ms:

app.py
```python
<<<<<<< SEARCH
slow
=======
fast
>>>>>>> REPLACE
```

> Applied edit to app.py
> Commit 1a2b3c4 feat: a faster spinner

#### /undo

> Removed: 1a2b3c4

# aider chat started at 2024-08-06 08:00:00

#### ok
"""

CLAUDE = """<!-- Generated -->

_**User (2026-07-20 15:13:10Z)**_

let us rename the redaction gate now

---

_**Agent (claude-x 2026-07-20 15:13:36Z)**_

I rename it in sync.go.

_**Agent (claude-x 2026-07-20 15:13:37Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit**</summary>

```text
The file /src/sync.go has been updated successfully.
```
</details></tool-use>

_**Agent (claude-x 2026-07-20 15:13:38Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
Run the tests

`go test ./pkg/cloud`

```text
--- FAIL: TestGate (0.00s)
```
</details></tool-use>
"""


@pytest.fixture
def work(tmp_path: Path, bench: Any) -> dict[str, Any]:
    place = tmp_path / "transcripts"
    written(place / "aider-chat-history.md", AIDER)
    written(place / "specstory" / "2026-07-20.md", CLAUDE)
    talks = {talk.name: talk for talk in bench.coding.load(tmp_path)}
    for talk in talks.values():
        bench.probes.ask(talk)
    return talks


def test_an_aider_log_is_read_by_who_speaks(work: dict[str, Any]) -> None:
    said = work["aider"].said
    assert [s.role for s in said] == ["tool", "user", "assistant", "tool", "user", "tool", "user"]
    assert ">>>>>>> REPLACE" in said[2].content
    assert said[6].id == "aider-1/0"


def test_claude_code_sessions_tell_tools_from_words(work: dict[str, Any]) -> None:
    assert [s.role for s in work["claude-code"].said] == ["user", "assistant", "tool", "tool"]


def test_probes_ask_in_the_words_of_the_request_for_what_came_of_it(work: dict[str, Any]) -> None:
    asked = {q.id.split("/", 1)[1]: q for q in work["aider"].questions}
    file = asked["aider-0/1/file/asked"]
    assert file.text == "Which file did we edit for this: make the spinner in app.py faster please"
    assert file.gold == {"aider-0/2"}
    assert asked["aider-0/1/number/asked"].gold == {"aider-0/2"}
    assert asked["aider-0/1/decision/asked"].gold == {"aider-0/3"}
    assert asked["aider-0/1/file/words"].text == "spinner app faster please"


def test_an_edit_that_a_tool_reports_is_gold_with_the_words_before_it(work: dict[str, Any]) -> None:
    gold = {q.kind: q.gold for q in work["claude-code"].questions}
    assert gold["file"] == {"2026-07-20/1", "2026-07-20/2"}
    assert gold["command"] == {"2026-07-20/3"}
    assert gold["error"] == {"2026-07-20/3"}


def test_the_request_itself_is_never_gold_and_commands_are_no_requests(
    work: dict[str, Any],
) -> None:
    for talk in work.values():
        requests = {s.id for s in talk.said if s.role == "user"}
        assert not any(q.gold & requests for q in talk.questions)
        assert not any("/undo" in q.text or q.text.endswith("ok") for q in talk.questions)


def test_sittings_are_for_development_and_for_the_test_in_turn(work: dict[str, Any]) -> None:
    assert {q.part for q in work["aider"].questions} == {"dev"}


# Facts that change


def test_every_history_has_a_fact_that_changed_and_one_that_did_not(bench: Any) -> None:
    talks = bench.changes.load()
    assert len(talks) == 60
    for talk in talks:
        said = {each.id: each for each in talk.said}
        now, was, still = talk.questions
        assert (now.kind, still.kind) == ("now", "still")
        assert was.kind in ("was", "change")
        assert max(said[each].at for each in now.outdated) < min(said[each].at for each in now.gold)
        assert was.gold & now.outdated
        assert not still.gold & now.gold
        assert (now.gold | now.outdated | was.gold | still.gold) <= said.keys()
    parts = [talk.questions[0].part for talk in talks]
    assert parts.count("held") == parts.count("dev") == 30


def test_all_histories_are_told_in_the_order_of_time(bench: Any) -> None:
    talks = bench.changes.load()
    one = bench.changes.together(talks)
    times = [said.at for said in one.said]
    assert times == sorted(times)
    assert len(times) == sum(len(talk.said) for talk in talks)
    sittings = list(bench.changes.sittings(one.said))
    assert [said for sitting in sittings for said in sitting] == one.said
    for before, after in pairwise(sittings):
        assert after[0].at - before[-1].at > bench.changes.SITTING


def test_what_is_told_of_a_question_about_a_fact_that_changed(bench: Any) -> None:
    asked = bench.talks.Question("a/now", "now", "?", frozenset({"new"}), "dev", frozenset({"old"}))
    told = {
        found: bench.changes.row_of(asked, list(found))
        for found in (("new", "old"), ("x", "old", "new"), ("x", "y", "z", "new"), ("old",), ())
    }
    signs = ("first", "stale", "near")
    assert [tuple(row[sign] for sign in signs) for row in told.values()] == [
        (True, False, True),
        (False, True, True),
        (False, False, False),
        (False, True, False),
        (False, False, False),
    ]
