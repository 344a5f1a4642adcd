"""What `compactions` tells of a harness's own compaction is so: given back, found, lost, declined.

Requirements: R-16, R-21.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.harness.compaction_loss import whole_percents
from everthread.edges.harnesses.claude_code_transcript import line_of
from support.commands import Cli, Here
from support.harness import Bench, Window, bench

RULES = 'Always answer in British English; never use the word "leverage".'


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def q(cli: Cli) -> Iterator[Bench]:
    """A harness on the store that the command opens."""
    place = cli.home / "data"
    place.mkdir(parents=True, exist_ok=True)
    with bench(cli.home, str(place / "everthread.db")) as made:
        yield made


def looked_at(q: Bench, number: int = 24) -> Window:
    """So many commands that what is given back has no room for the first of them."""
    w = q.window()
    w.start()
    w.turn(RULES, "I keep to that.")
    for n in range(1, number):
        q.clock.forward(minutes=1)
        w.prompt(f"Step {n}: look at mod_{n}.py line {37 * n} and tell me what K{7919 * n} is.")
        w.tool(f"grep -n K{7919 * n} mod_{n}.py", f"{37 * n}: K{7919 * n} = 0x{104729 * n:x}")
        w.reply(f"mod_{n}.py:{37 * n} sets K{7919 * n} to 0x{104729 * n:x}.")
    w.compact("We looked at modules.")
    q.work()
    return w


def missing(q: Bench) -> dict[str, bool]:
    (one,) = q.agent.compactions()
    outcome = q.agent.compaction_outcome(one)
    assert outcome is not None
    return {each.line: each.found for each in outcome.missing}


def test_two_rules_of_one_sentence_are_given_back_one_by_one(q: Bench):
    looked_at(q, 3)
    assert f"(rules) {RULES}" not in missing(q)


def test_half_of_such_a_sentence_is_not_the_whole(q: Bench):
    w = q.window()
    w.start()
    w.turn(RULES, "I keep to that.")
    w.tell("compacting", trigger="manual")
    w.tell("compacted", text="The user said: always answer in British English.")
    q.work()
    assert f"(rules) {RULES}" in missing(q)


@pytest.mark.req("R-16")
def test_a_command_alone_on_its_line_is_asked_for_by_the_line_before(q: Bench):
    """And not by the name of the tool, which is that of every other command."""
    looked_at(q)
    told = {line: found for line, found in missing(q).items() if line.startswith("(commands)")}
    assert len(told) > 5 and all(told.values())


@pytest.mark.req("R-21")
def test_what_came_with_the_next_prompt_is_given_back_and_not_lost(cli: Cli, q: Bench):
    w = looked_at(q)
    before = missing(q)
    given = w.prompt("go on with the next module")
    q.work()
    followed = [line for line in before if f"- {line}" in given]
    assert len(followed) > 5 and not {*followed} & {*missing(q)}
    (told,) = cli("compactions", "list", "--json").json["compactions"]
    assert told["lost"] == 0
    # Its room is used up, but for a short line that may still fit in.
    assert told["waiting"] <= 1


def test_the_shares_add_up_to_the_whole(cli: Cli, q: Bench):
    looked_at(q, 3)
    (one,) = q.agent.compactions()
    outcome = q.agent.compaction_outcome(one)
    assert outcome is not None
    shares = {"harness": 0.016, "given": 0.826, "recoverable": 0.072, "lost": 0.086}
    told = one._replace(score_json=outcome._replace(**shares).text())
    scope, now = q.agent.scope, q.clock.now()
    q.et.house.store.write(lambda r: r.compactions.change(scope, told, now=now))
    said = " ".join(cli("compactions", "list").out.split())
    assert "kept 2%, Everthread gave back 82%, 7% one recall away, 9% lost" in said


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ([0.016, 0.826, 0.072, 0.086], [2, 82, 7, 9]),
        ([0.015, 0.815, 0.085, 0.085], [2, 82, 8, 8]),
        ([1 / 3, 1 / 3, 1 / 3], [34, 33, 33]),
        ([1.0, 0.0, 0.0, 0.0], [100, 0, 0, 0]),
        ([0.0, 0.0], [0, 0]),
    ],
)
def test_whole_per_cents(shares: list[float], told: list[int]):
    assert whole_percents(shares) == told


def test_what_nobody_asked_recall_for_is_not_said_to_be_beyond_it(cli: Cli, q: Bench):
    """A rule is in view or it is lost: nobody asks for it."""
    w = q.window()
    w.start()
    w.turn(RULES, "I keep to that.")
    w.tell("compacting", trigger="manual")
    w.tell("compacted", text="We talked.")
    q.work()
    shown = cli("compactions", "show", q.agent.compactions()[0].id).out
    assert "not asked" in shown and "does not" not in shown


def test_a_compaction_that_the_harness_declined_is_told_as_such(cli: Cli, q: Bench):
    w = q.window()
    w.start()
    w.turn(RULES, "I keep to that.")
    w.tell("compacting", trigger="manual")  # and it answers: not enough messages to compact
    assert "did not happen: Claude Code announced it" in " ".join(
        cli("compactions", "list").out.split()
    )


DECLINED = {
    "type": "system",
    "subtype": "local_command",
    "content": "<local-command-stdout>Not enough messages to compact.</local-command-stdout>",
    "timestamp": "2026-02-20T10:01:10.413Z",
    "uuid": "e8eef5bc-aef0-4a04-8346-2278dccbeffb",
    "isMeta": False,
    "commandRun": {"command": "compact", "args": "keep drawers"},
}


def test_its_transcript_tells_why_it_was_declined(cli: Cli, q: Bench):
    """As Claude Code writes it."""
    w = q.window()
    w.start()
    w.turn(RULES, "I keep to that.")
    w.tell("compacting", trigger="manual")
    told = line_of(DECLINED)
    assert told is not None
    w.lines.append(told)
    w.turn("Then go on.", "I go on.")
    said = " ".join(cli("compactions", "list").out.split())
    assert "did not happen: Claude Code said “Not enough messages to compact.”" in said
    assert not any("Not enough" in text for text in q.words()), "nobody said that"
    w.compact("We talked.")
    q.work()
    assert [one.state for one in q.agent.compactions()] == ["scored", "failed"]


def test_a_transcript_that_is_read_again_declines_nothing_that_comes_later(q: Bench):
    w = q.window()
    w.start()
    w.turn(RULES, "I keep to that.")
    told = line_of(DECLINED)
    assert told is not None
    w.lines.append(told)
    q.clock.forward(minutes=30)
    w.tell("compacting", trigger="manual")
    assert [one.state for one in q.agent.compactions()] == ["open"]
    w.turn("Then go on.", "I go on.")
    assert [one.state for one in q.agent.compactions()] == ["open"]


@pytest.mark.parametrize(
    "other",
    [
        {"content": "<local-command-stdout>Compacted (ctrl+o for more)</local-command-stdout>"},
        {"content": "<local-command-stdout>\x1b[2mCompacted\x1b[22m</local-command-stdout>"},
        {"commandRun": {"command": "cost"}},
        {"content": "Conversation compacted"},
    ],
)
def test_other_words_of_the_harness_decline_nothing(other: dict[str, object]):
    assert line_of({**DECLINED, **other}) is None


def test_what_time_left_no_room_to_ask_for_is_neither_found_nor_lost(cli: Cli, q: Bench):
    with bench(cli.home, score_seconds=0.0) as made:
        looked_at(made)
        (one,) = made.agent.compactions()
        outcome = made.agent.compaction_outcome(one)
        assert outcome is not None
        assert outcome.recoverable == 0 and not any(each.found for each in outcome.missing)
        assert sum((outcome.harness, outcome.given, outcome.lost)) < 1
