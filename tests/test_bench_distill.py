"""The bench of distillation: what it reads off, how it matches, what it compares with. Made-up data."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.skips import needs

BENCH = Path(__file__).parents[1] / "bench"
MODULES = (
    *("aside", "baselines", "endless", "gold", "items", "ledger", "llm", "matching"),
    *("ours", "product", "rolling", "steps", "tables"),
)
START = datetime(2026, 2, 23, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def bench() -> Any:
    """The bench's modules, which are scripts beside each other and no package."""
    places = [str(BENCH / "distill"), str(BENCH / "recall")]
    sys.path[:0] = places
    try:
        return SimpleNamespace(**{name: __import__(name) for name in MODULES})
    finally:
        for place in places:
            sys.path.remove(place)


def said(bench: Any, *texts: str) -> list[Any]:
    """A talk: the person and the agent in turn, a minute apart."""
    return [
        bench.steps.Step(str(n), ("user", "assistant")[n % 2], text, START + timedelta(minutes=n))
        for n, text in enumerate(texts)
    ]


# Loading

SUMMARY = """1. Primary Request and Intent:
   The user asked for a faster spinner in app.py and for tests of it.
2. Files and Code Sections:
   - `src/app.py`: the delay of the spinner is now a constant of its own.
   - `tests/test_app.py`: two tests for the delay and for its end were added.
3. Pending Tasks: none that the user has asked for explicitly so far."""

CLAUDE = f"""# A session

_**User (2026-02-23 12:05:09Z)**_

Make the spinner in app.py turn faster, please

---

_**Agent (claude-x 2026-02-23 12:05:14Z)**_

<think><details><summary>Thought Process</summary>
A secret thought.
</details></think>

_**Agent (claude-x 2026-02-23 12:05:15Z)**_

Shortening the delay of the spinner now.

_**Agent (claude-x 2026-02-23 12:05:16Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit**</summary>

```text
The file /home/a/src/app.py has been updated successfully.
```
</details></tool-use>

_**Agent (claude-x 2026-02-23 12:05:20Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
Run the tests of the spinner

`pytest tests -q`

```text
Exit code 1
E   ValueError: delay of 250ms is too short
```
</details></tool-use>

_**Agent - sidechain (2026-02-23 12:06:00Z)**_

Your task is to create a detailed summary of the conversation so far.

_**Agent - sidechain (claude-x 2026-02-23 12:06:10Z)**_

<summary>
{SUMMARY}
</summary>

_**User (2026-02-23 12:06:11Z)**_

This session is being continued from a previous conversation that ran out of context.

Analysis:
Let me look.

Summary:
{SUMMARY}

_**User (2026-02-23 12:07:00Z)**_

<command-message>review</command-message>

_**User (2026-02-23 12:07:00Z)**_

Review everything that has been changed on this branch.

_**User (2026-02-23 12:08:00Z)**_

Now write the notes for the release
"""


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    path = tmp_path / "transcripts" / "specstory" / "2026-02-23_12-05-09Z.md"
    path.parent.mkdir(parents=True)
    path.write_text(CLAUDE, "utf-8")
    return tmp_path


def test_a_tool_call_is_read_as_a_call(bench: Any, claude: Path) -> None:
    (thread,) = bench.steps.threads(claude)
    calls = [(step.tool, dict(step.call)) for step in thread.steps if step.role == "tool"]
    assert calls == [
        ("Edit", {"file_path": "/home/a/src/app.py"}),
        ("Bash", {"command": "pytest tests -q", "description": "Run the tests of the spinner"}),
    ]
    assert not any("secret thought" in step.text for step in thread.steps)


def test_the_loader_stops_before_the_request_to_compact_and_its_draft(
    bench: Any, claude: Path
) -> None:
    (session,) = bench.steps.compacted(claude)
    assert session.summary == SUMMARY
    assert [step.role for step in session.steps] == ["user", "assistant", "tool", "tool"]
    (thread,) = bench.steps.threads(claude)
    assert not any("Primary Request" in step.text for step in thread.steps)


@pytest.mark.parametrize(
    "leak", [SUMMARY, "Your task is to create a detailed summary of the conversation so far."]
)
def test_a_transcript_that_holds_the_reference_is_refused(bench: Any, leak: str) -> None:
    step = bench.steps.Step("s/0", "assistant", leak, START)
    with pytest.raises(AssertionError, match="s/0 holds"):
        bench.steps.unleaked([step], SUMMARY)


# Items


def test_items_are_read_off_by_rule(bench: Any, claude: Path) -> None:
    (session,) = bench.steps.compacted(claude)
    found = {item.kind: item for item in bench.items.read(session.steps)}
    assert {kind: item.text for kind, item in found.items()} == {
        "request": "Make the spinner in app.py turn faster, please",
        "file": "/home/a/src/app.py",
        "command": "pytest tests -q",
        "error": "ValueError: delay of 250ms is too short",
        "number": "250ms",
    }
    assert found["file"].names == ("app.py",)
    assert all("spinner" in item.request for kind, item in found.items() if kind != "request")


def test_what_a_slash_command_stands_for_is_no_request(bench: Any, claude: Path) -> None:
    (thread,) = bench.steps.threads(claude)
    asked = [bench.items.request_of(step) for step in thread.steps if step.role == "user"]
    assert asked == [
        "Make the spinner in app.py turn faster, please",
        "",
        "Now write the notes for the release",
    ]


def test_two_files_of_one_name_are_told_apart_by_their_folder(bench: Any) -> None:
    paths = ("/a/one/utils.py", "/a/two/utils.py", "/a/two/app.py")
    steps = [
        bench.steps.Step(str(n), "tool", "done", START, "Edit", {"file_path": path})
        for n, path in enumerate(paths)
    ]
    names = [item.names for item in bench.items.read(steps)]
    assert names == [("one/utils.py",), ("two/utils.py",), ("app.py",)]


def test_the_numbers_of_a_meter_are_no_items(bench: Any) -> None:
    said = [f"Tokens sent today: {n}345 by this session" for n in range(1, 6)]
    steps = [bench.steps.Step(str(n), "assistant", t, START) for n, t in enumerate(said)]
    steps.append(bench.steps.Step("x", "assistant", "The queue holds 4711 waiting jobs", START))
    assert [item.text for item in bench.items.read(steps)] == ["4711"]


def test_a_probe_never_holds_its_item(bench: Any) -> None:
    item = bench.items.Item
    number = item("number", "4711", "1", "The queue holds 4711 waiting jobs", "", "")
    assert number.probe == "The queue holds waiting jobs"
    file = item("file", "/a/app.py", "1", "", "I change src/app.py now", "", names=("app.py",))
    assert file.probe == "I change now file"
    alone = item("error", "ValueError: too short", "1", "", "Exit code 1", "")
    assert alone.probe == "Exit code 1 error"
    assert item("error", "ValueError: too short", "1", "", "", "").probe is None


def test_a_long_item_ends_with_a_whole_word_so_that_its_own_text_holds_it(bench: Any) -> None:
    long = "pytest " + " ".join(f"tests/test_number_{n}.py" for n in range(9))
    short = bench.items.cut(long)
    assert 40 < len(short) <= bench.items.LONGEST
    assert bench.matching.Page(long).holds(short)


def test_items_are_drawn_by_seed_and_at_most_so_many_of_a_kind(bench: Any) -> None:
    found = [bench.items.Item("command", f"run {n}", "1", "", "", "") for n in range(80)]
    drawn = bench.items.draw(found)
    assert len(drawn) == 50
    assert drawn == bench.items.draw(found)
    assert drawn != bench.items.draw(found, seed=5)


# Matching


def test_a_specific_must_stand_on_a_line_with_the_ends_of_a_word_round_it(bench: Any) -> None:
    page = bench.matching.Page("port 8080 is open\nran   pytest -q twice\nsrc/app.pyc")
    assert page.holds("8080")
    assert not page.holds("80")
    assert page.holds("pytest  -q")
    assert not page.holds("app.py")
    assert not page.holds("open ran")


def test_words_that_are_spread_over_a_text_keep_no_sentence(bench: Any) -> None:
    words = ["spinner", "delay", "window", "button"]
    assert bench.matching.Page("spinner delay\nwindow colours").holds_words(words)
    spread = "\nunrelated\n".join(words)
    assert not bench.matching.Page(spread).holds_words(words)


def test_a_number_counts_only_beside_words_of_its_sentence(bench: Any) -> None:
    near = ("queue", "holds", "waiting", "jobs")
    assert bench.matching.Page("jobs waiting: 4711").holds_number("4711", near)
    assert not bench.matching.Page("jobs waiting\nticket 4711").holds_number("4711", near)
    assert not bench.matching.Page("jobs waiting: 14711 or 4711.5").holds_number("4711", near)


# Baselines


def test_every_baseline_keeps_within_its_budget(bench: Any) -> None:
    units = [f"message {n} tells of thing number {n * 37} in plain words" for n in range(100)]
    for name, variants in bench.rolling.methods().items():
        for distil in variants:
            kept = distil(units, 200)
            assert 100 < bench.baselines.count("\n".join(kept)) <= 200, name


def test_truncation_keeps_the_newest_and_cuts_the_one_that_does_not_fit(bench: Any) -> None:
    units = ["old words", "first line of many\nsecond line", "newest"]
    count = bench.baselines.count
    budget = count("newest") + count("second line") + 2
    assert bench.baselines.truncated(units, budget) == ["second line", "newest"]


def test_random_choice_is_the_same_for_the_same_seed(bench: Any) -> None:
    units = [f"message number {n}" for n in range(50)]
    chosen = bench.baselines.chosen
    assert chosen(1)(units, 60) == chosen(1)(units, 60)
    assert chosen(1)(units, 60) != chosen(2)(units, 60)


def test_lexrank_prefers_what_is_like_the_rest(bench: Any) -> None:
    sentences = ["the spinner turns fast", "a fast spinner turns", "spinner fast", "quite apart"]
    scores = bench.baselines.lexrank(sentences)
    assert scores.argmin() == 3
    assert scores[0] == pytest.approx(scores[1])


def test_a_conversation_is_cut_into_stretches_of_about_the_same_tokens(bench: Any) -> None:
    steps = [bench.steps.Step(str(n), "user", f"message {n} of many", START) for n in range(30)]
    parts = bench.rolling.parts(steps, 3)
    assert [len(part) for part in parts] == [10, 10, 10]
    assert [step for part in parts for step in part] == steps


def test_a_rolling_baseline_is_given_what_it_kept_and_what_came_since(bench: Any) -> None:
    given = list[list[str]]()

    def distil(units: list[str], budget: int) -> list[str]:
        given.append(units)
        return units[-1:]

    steps = [bench.steps.Step(str(n), "user", f"message {n}", START) for n in range(4)]
    assert bench.rolling.rolled(distil, steps, 2, 10) == "message 3"
    assert given == [["message 0", "message 1"], ["message 1", "message 2", "message 3"]]


# The figures


def test_each_method_is_shown_beside_its_chance_floor(bench: Any, claude: Path) -> None:
    other = CLAUDE.replace("app.py", "main.go").replace("spinner", "parser")
    path = claude / "transcripts" / "specstory" / "2026-03-01_09-00-00Z.md"
    path.write_text(other[: other.index("_**Agent - sidechain")], "utf-8")
    told = bench.llm.measure(claude, quick=True)
    assert told["items"] == dict.fromkeys(bench.llm.KINDS, 1)
    assert told["kept"]["the LLM's own summary"]["file"] == 1
    assert told["kept"]["the LLM's own summary"]["command"] == 0
    assert told["floor"]["the LLM's own summary"]["file"] == 0
    assert any("| LexRank |" in line for line in bench.tables.llm(told))


@pytest.mark.slow
def test_every_item_is_found_in_the_text_it_was_read_off(bench: Any) -> None:
    needs("test-data")
    for thread in bench.steps.threads(Path(os.environ["EVERTHREAD_TEST_DATA"])):
        page = bench.matching.Page("\n".join(step.shown for step in thread.steps))
        lost = [item.text for item in bench.llm.wanted(thread.steps) if not item.on(page)]
        assert not lost, thread.name


def test_an_item_counts_as_kept_recoverable_or_lost(bench: Any) -> None:
    found = [
        bench.items.Item("command", text, "1", "", "", "") for text in ("run a", "run b", "c d")
    ]
    tally = bench.ledger.Tally()
    tally.add(found, bench.matching.Page("they run a"), bench.ledger.Recalled({1}, set()))
    tally.chance(
        [bench.items.Item("command", "they", "1", "", "", "")], bench.matching.Page("they")
    )
    shares = tally.shares({"command": 2})["command"]
    assert shares["kept"] == pytest.approx(1 / 3)
    assert shares["kept or recoverable"] == pytest.approx(2 / 3)
    assert shares["by the request"] == pytest.approx(1 / 3)
    assert shares["floor"] == 0.5


def test_a_message_is_evidence_only_where_its_sentences_are_still_there(bench: Any) -> None:
    page = bench.matching.Page("Sam moved to Lisbon in spring.\nunrelated\nShe paints boats.")
    assert page.holds_message("Sam moved to Lisbon in spring. She paints boats.")
    assert not page.holds_message(
        "Sam moved to Lisbon in spring. Her brother repairs violins daily."
    )
    assert not page.holds_message("")


# The product, driven as its user would


@pytest.mark.slow
def test_the_product_is_driven_through_its_library(bench: Any, tmp_path: Path) -> None:
    talk = said(
        bench,
        *(
            f"Please note that shelf {n} of the archive holds {n * 311} letters"
            if n % 2 == 0
            else "It is noted, and the list of the shelves now says so in its own line."
            for n in range(160)
        ),
    )
    shell = bench.steps.Step("t", "tool", "4 passed", START, "Bash", {"command": "pytest -q"})
    with bench.product.Product(tmp_path, START, 400, embedder="off") as product:
        product.distil([*talk[:20], shell, *talk[20:]], 2)
        assert [receipt.outcome for receipt in product.receipts] == ["ok", "ok"]
        text = product.context()
        assert "Conversation Summary (Distillation #2)" in text
        assert bench.baselines.count(text) < 800
        assert product.found("which command ran the tests").holds("pytest -q")
        assert not product.found(None).lines
        brought = product.beside_view("letters on shelf 12", 100)
        assert 0 < bench.baselines.count(brought) <= 110
        already = bench.product.ContextText(text.partition("</summary>")[0])
        assert not any(already.says(line) for line in brought.splitlines())
        hits = product.ranked("letters on shelf 12")
        everything = "\n".join(hit.text for hit in hits)
        assert bench.product.beside(hits, everything, "", 100) == "4 passed"  # too short to be told
        assert bench.baselines.count(bench.product.beside(hits, "", "", 100)) <= 110


def test_the_oracle_keeps_what_recall_misses_and_no_more_than_its_tokens(bench: Any) -> None:
    talks = bench.gold
    said = [
        talks.Said(str(n), "user", None, f"The {word} door leads to room {n}.", START)
        for n, word in enumerate(("red", "green", "blue"))
    ]
    asked = [talks.Question("q", "any", "Which doors?", frozenset({"0", "2"}))]
    talk = talks.Talk("doors", said, asked)
    assert bench.gold.oracle(talk, [(asked[0], said[0].content)], 100) == said[2].content
    assert bench.gold.oracle(talk, [(asked[0], "")], 100) == f"{said[0].content}\n{said[2].content}"
    assert bench.gold.oracle(talk, [(asked[0], "")], 3) == ""


def test_the_second_rule_leaves_out_fenced_code(bench: Any) -> None:
    talks = bench.gold
    text = "Why does it fail?\n```python\nprint(1)\n```\nThanks.\n```\nno end"
    said = talks.Said("1", "user", None, text, START)
    assert bench.gold.whole(said) == text
    assert bench.gold.prose(said).split() == ["Why", "does", "it", "fail?", "Thanks."]


# The endless thread


def test_the_endless_thread_never_says_the_same_specific_twice(bench: Any) -> None:
    text = "edit parse_config in app.py, line 120"
    rounds = {bench.endless.changed(text, n) for n in range(20)}
    assert len(rounds) == 20
    assert bench.endless.changed(text, 0) == text
    assert "app3.py" in bench.endless.changed(text, 3)


def test_the_endless_thread_ends_at_its_tokens_and_moves_on_in_time(bench: Any) -> None:
    later = START + timedelta(minutes=5)
    steps = [
        bench.steps.Step("a", "user", "make it faster please", START),
        bench.steps.Step("b", "assistant", "it is faster by 30 percent now", later),
    ]
    told = list(bench.endless.endless(steps, 200))
    assert 200 <= sum(size for _, size in told) < 220
    moments = [step.at for step, _ in told]
    assert moments == sorted(set(moments))


def test_a_step_of_a_tool_is_a_call_and_its_result(bench: Any) -> None:
    step = bench.steps.Step("a", "tool", "", START, "Bash", {"command": "ls"})
    call, result = bench.ours.messages_of([step])
    assert (call.origin, result.origin) == ("agent", "tool")
    assert call.blocks[0]["id"] == result.blocks[0]["tool_use_id"]


def test_a_turn_waits_for_the_work_that_it_meets_and_for_no_rest(bench: Any) -> None:
    """Ten milliseconds of work in fifty, and a turn of six: sixteen in fifty meet work, none more of it."""
    spells = [bench.aside.Spell(10.0, 40.0)] * 100
    waits = bench.aside._waits(spells)
    assert max(waits) == pytest.approx(10.0, abs=0.1)
    met = sum(wait > 0 for wait in waits) / len(waits)
    assert met == pytest.approx((10 + bench.aside.OWN) / 50, abs=0.01)
    mean = sum(waits) / len(waits)
    assert mean == pytest.approx((10 * 5 + bench.aside.OWN * 10) / 50, abs=0.1)
