"""A fork: the session that goes on has the summary and no raw line of the one before."""

from __future__ import annotations

import json
import os
import random
import re
import timeit
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

import everthread
import everthread.services.distilling.distill
from everthread.domain.agents import Scope
from everthread.domain.conversation.views import Span
from everthread.domain.ending.retelling import LEAST_WORDS, RawLines, statement
from everthread.domain.errors import StoreFailed
from everthread.domain.gleaning.digest import Digest, Point
from everthread.engine.tasking import Task
from everthread.services.archive.forks import MOST_OF_ONE, MOST_READ, Fork, before_fork
from support.chance import SOAK
from support.sitting import work_off
from support.skips import needs
from support.tasking import Site, work

RULE = "Always run the tests before you commit anything here."
SUMMARY = "The parser is half done; the lexer works."


class Forking:
    """A task in whose session a conversation is held."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.site = Site(root, **settings)
        self.work = work(self.site, smoke=None)
        self.engine = self.work.engine
        self.agent = self.engine.agent("ada", model="a-model", window=200_000)
        self.task: Task = self.agent.task(project=str(self.site.project))
        self.key = self.task.start().at.session.alias

    def hold(self, talk: Sequence[tuple[str, str]]) -> None:
        for asked, said in talk:
            self.agent.turn(asked, session=self.key).done(said)

    def fork(self) -> str:
        """What the child is told."""
        reached = self.task.used(current=160_000)
        assert reached is not None
        assert reached.forked
        return reached.context

    def first_request(self, words: str = "Go on.") -> str:
        turn = self.agent.turn(words, session=self.key)
        sent = json.dumps([turn.system, turn.messages], ensure_ascii=False)
        turn.done("Yes.")
        return json.loads(json.dumps(sent)).replace("\\n", "\n").replace('\\"', '"')

    def shown(self) -> str:
        """What the view has now."""
        return "\n".join(message.text for message in self.agent.context().history)


RECALLED_RULE = re.compile(r"^\[\d+\] .* user · rule · .*\n(?:\| .*\n?)+", re.MULTILINE)


def raw_in(text: str, talk: Sequence[tuple[str, str]]) -> list[str]:
    """The whole lines and sentences of five words or more that the text repeats, as a reader sees it.

    Rules of the user are not looked at: they are laid down for all that follows.
    """
    text = RECALLED_RULE.sub("", text)
    rules = "- Rule of the user"
    flat = " ".join(" ".join(line for line in text.splitlines() if rules not in line).split())
    lines = {
        " ".join(part.split()).strip()
        for said in (each for pair in talk for each in pair)
        for line in said.splitlines()
        for part in (line, *re.split(r"(?<=[.!?])\s+", line))
    }
    long = [line for line in lines if len(re.findall(r"\w+", line)) >= LEAST_WORDS]
    return [line for line in long if line in flat]


SUBJECTS = ["the parser", "the lexer", "our build", "the importer", "src/io/reader.py", "the cache"]
DEEDS = [
    "reads twice",
    "fails on empty input",
    "is slow at 40,000 rows",
    "needs a lock",
    "leaks files",
]
ASKS = [
    "Please fix {0}, it {1}.",
    "Let's use SQLite for {0}, because it {1}.",
    "Why is it that {0} {1}?",
    "I prefer short functions in {0} whatever it does.",
    "No, that is wrong: {0} no longer {1} since yesterday.",
    "We decided that {0} {1} and nobody is to touch it before Monday.",
    "Könntest du bitte nachsehen, warum {0} so oft {1}?",
    "Remember to tell Mrs Sanchez at 14:30 that {0} {1}.",
    "请把 {0} 改成一次读取并且不要复制数据。",
]
ANSWERS = [
    "I changed {0} so that it reads once.\nThe tests pass: 412 passed in 31 s.",
    "I will look at {0} next, then at the documents.\n\n- {0} {1}\n- nothing else was touched by this",
    "Done. `make test` failed with exit 2 because {0} {1} under load.",
    "We should keep {0} as it is and write a decision about why it {1}.",
    "TODO: measure {0} once more before the release on Friday.",
]


def talk_of(seed: int, turns: int) -> list[tuple[str, str]]:
    """A conversation as people have it about their work."""
    dice = random.Random(seed)

    def words(forms: list[str]) -> str:
        said = dice.choice(forms).format(dice.choice(SUBJECTS), dice.choice(DEEDS))
        return f"{said} See ticket {dice.randrange(1_000, 9_999)} for what it is about."

    return [(words(ASKS), words(ANSWERS)) for _ in range(turns)]


# ---- what a raw line is


@pytest.mark.req("C-48")
@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("one two three four", False),
        ("one two three four five", True),
        ("One two, three four: FIVE!", True),
        ("Before it. One two three four five. After it.", True),
        ("one two three.\nfour five", False),
        ("one two three four five six", False),
    ],
)
def test_a_raw_line_is_a_whole_line_of_five_words_or_more(said: str, *, held: bool) -> None:
    """Just below, at and above five words; however it is set; a part of a longer line is none."""
    assert RawLines([said]).held_in('It said: "one two three four five", and more.') is held


def test_thousands_of_lines_that_begin_alike_are_looked_up_at_once() -> None:
    """A log, of which every line begins with the same words."""
    text = "line of tool output number " * 200
    few, many = (
        RawLines(f"line of tool output number {n}" for n in range(lines)) for lines in (50, 20_000)
    )

    def seconds(raw: RawLines) -> float:
        return min(timeit.repeat(lambda: raw.held_in(text), number=1, repeat=3))

    assert seconds(many) < 40 * seconds(few)
    assert many.held_in("line of tool output number 19999")
    assert not many.held_in("line of tool output number 20000")


def test_what_has_no_form_of_its_own_is_told_by_what_it_was_about() -> None:
    raw = RawLines(["Why is it that the parser of Mrs Sanchez reads twice?"])
    told = statement(
        "Why is it that the parser of Mrs Sanchez reads twice?", "user", "request", raw
    )
    assert told == "The user asked for something on: parser, Mrs, Sanchez, reads, twice"


def test_what_can_be_told_as_others_would_is() -> None:
    said = "Let's use SQLite for the store from now on."
    told = statement(said, "user", "decision", RawLines([said]))
    assert told == "The user decided to use SQLite for the store from now on."


# ---- the child


@pytest.mark.slow
@pytest.mark.req("C-48")
@pytest.mark.parametrize("seed", range(6))
def test_the_first_request_of_the_child_has_no_raw_line(tmp_path: Path, seed: int) -> None:
    """3c.6: over many conversations, one of them very short, whatever its first message asks for."""
    talk = talk_of(seed, [1, 2, 5, 12, 25, 40][seed])
    at = Forking(tmp_path)
    with at.engine:
        at.hold(talk)
        at.task.checkpoint("explicit", SUMMARY)
        told = at.fork()
        assert SUMMARY in told
        assert raw_in(told, talk) == []
        asks = " ".join(talk[0][0].split()[:4])
        sent = at.first_request(f"What about this: {asks}")
        assert raw_in(sent, talk) == []
        assert SUMMARY in sent, "where the task stood is part of it"
        work_off(at.engine)  # the score, and what it mends
        assert raw_in(at.shown(), talk) == []
        assert at.engine.verify("ada").sound


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("C-48")
@pytest.mark.parametrize("name", ["100k-01", "100k-02", "100k-03"] if SOAK else ["100k-01"])
def test_no_raw_line_of_a_long_real_conversation_is_left(tmp_path: Path, name: str) -> None:
    needs("test-data")
    chat = Path(os.environ["EVERTHREAD_TEST_DATA"]) / "beam_100k" / name / "chat.json"
    turns = 30 if SOAK else 20
    talk = list(islice(pairs(json.loads(chat.read_text())), turns))
    assert len(talk) == turns
    at = Forking(tmp_path)
    with at.engine:
        at.hold(talk)
        at.fork()
        sent = at.first_request(talk[3][0][:200])
        assert raw_in(sent, [*talk[:3], *talk[4:]]) == []
        assert "Conversation Summary" in sent
        assert len(sent) > 2_000, "it still tells what it was about"


def pairs(chat: Any):
    """What one side asked and the other answered, however deep it lies."""
    said = list(_said(chat))
    for (one, asked), (other, answer) in pairwise(said):
        if (one, other) == ("user", "assistant"):
            yield asked, answer


def _said(node: Any):
    if isinstance(node, dict):
        if "role" in node and "content" in node:
            yield node["role"], node["content"]
        else:
            for value in node.values():
                yield from _said(value)
    elif isinstance(node, list):
        for value in node:
            yield from _said(value)


@pytest.mark.slow
def test_a_rule_of_the_user_stands_as_it_was_said(tmp_path: Path) -> None:
    """C-48: what is laid down for all that follows is no raw line."""
    at = Forking(tmp_path)
    with at.engine:
        at.hold([(RULE, "Understood."), *talk_of(1, 10)])
        at.fork()
        assert RULE in at.first_request()


@pytest.mark.slow
def test_a_summary_that_quotes_is_told_anew_though_nothing_was_said_since(tmp_path: Path) -> None:
    """C-48: an earlier distillation quotes; the fork does not leave it as it is."""
    talk = talk_of(3, 20)
    at = Forking(tmp_path)
    with at.engine:
        at.hold(talk)
        at.agent.distill()
        assert raw_in(at.shown(), talk)
        at.fork()
        assert raw_in(at.first_request(), talk) == []


@pytest.mark.slow
def test_what_was_said_before_the_fork_is_not_quoted_by_a_later_summary(tmp_path: Path) -> None:
    """C-48: what the child says is quoted again; what its parent said is not."""
    talk, later = talk_of(4, 12), talk_of(5, 14)
    at = Forking(tmp_path)
    with at.engine:
        at.hold(talk)
        at.fork()
        at.hold(later)
        at.agent.distill()
        shown = at.shown()
        assert set(raw_in(shown, talk)) <= set(raw_in(shown, later))
        assert raw_in(shown, later)


@pytest.mark.slow
def test_from_the_second_turn_on_recall_answers(tmp_path: Path) -> None:
    at = Forking(tmp_path)
    with at.engine:
        at.hold([("The staging password hint is a purple heron.", "Noted."), *talk_of(6, 12)])
        at.fork()
        at.first_request("What was the hint about the heron?")
        turn = at.agent.turn("What was the staging hint about the purple heron?", session=at.key)
        assert "purple heron" in json.dumps(turn.messages)
        turn.done("A heron.")


@pytest.mark.slow
def test_a_fork_whose_summary_fails_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-48: the fork stands; that the child holds raw lines is an incident."""
    at = Forking(tmp_path)
    with at.engine:
        at.hold(talk_of(7, 3))

        def broken(*_given: Any, **_named: Any) -> None:
            raise StoreFailed("the disk is full")

        monkeypatch.setattr(everthread.services.distilling.distill, "distill", broken)
        at.fork()
        found = [one for one in at.task.status().incidents if one.kind == "context"]
        assert len(found) == 1
        assert "the disk is full" in found[0].summary


def test_a_fork_whose_view_was_changed_meanwhile_is_summed_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-48: refused once is not done; the child has no raw line all the same."""
    at = Forking(tmp_path)
    talk = talk_of(7, 3)
    with at.engine:
        at.hold(talk)
        module = everthread.services.distilling.distill
        commit, tries = module._Run._commit, list[int]()

        def changed(*given: Any) -> Any:
            tries.append(1)
            if len(tries) == 1:
                raise module.Changed("the view was changed by someone else meanwhile")
            return commit(*given)

        monkeypatch.setattr(module._Run, "_commit", changed)
        at.fork()
        assert raw_in(at.shown(), talk) == []
        assert len(tries) == 2


@pytest.mark.slow
def test_what_is_forgotten_is_not_told_after_a_fork_either(tmp_path: Path) -> None:
    """R-43: the block of the first turn loses its text with the checkpoint that it quotes."""
    at = Forking(tmp_path)
    with at.engine:
        at.hold(talk_of(8, 4))
        kept = at.agent.remember("The staging host is heron-17.example.org.")
        at.task.checkpoint("explicit", "The staging host is heron-17.example.org.")
        at.fork()
        assert "heron-17" in at.first_request()
        at.agent.forget(kept.id)
        work_off(at.engine)
        given = at.agent.injections()
        assert not any("heron-17" in (one.text or "") for one in given)


# ---- how much of it is read


@pytest.mark.req("C-48")
def test_lines_are_made_of_so_much_and_of_what_is_carried_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tools print megabytes: what is told, and of the rest the newest; an end however much there is."""
    noise = "\n".join(f"this line of noise has number {n}" for n in range(20_000))
    words = "the carried message said exactly this"
    read: list[int] = []
    plain = RawLines.add
    monkeypatch.setattr(
        RawLines, "add", lambda raw, text: (read.append(len(text)), plain(raw, text))
    )
    with everthread.connect("memory://", background=False) as et:
        ada = et.agent("ada", window=2_000_000)
        ada.turn(words).done("an answer of more than five words")
        for n in range(12):
            ada.turn(f"the newest words of turn number {n}").done(noise)
        said = ada.messages(limit=99)
        point = Point("fact", words, (said[0].key,), "user", 0)
        fork = Fork(said[-1].seq, [Span(1, said[-1].seq)])
        scope, thread = Scope(ada.row.ref), ada.primary.row.ref
        found = et.house.store.read(
            lambda r: before_fork(r, scope, thread, fork, Digest(points=(point,)))
        )
    assert found is not None
    assert sum(read) <= MOST_READ < 12 * len(noise)
    assert max(read) <= MOST_OF_ONE
    assert found.raw.held_in(words), "the oldest, but it is told"
    assert found.raw.held_in("the newest words of turn number 11")
    assert not found.raw.held_in("the newest words of turn number 0")
