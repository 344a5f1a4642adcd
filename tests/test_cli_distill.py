"""`distill`, `receipts`, `undo`, `redo`, `context` and `doctor`, through the door."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import everthread
from everthread.domain.agents import Scope
from everthread.domain.errors import StoreReadOnly
from everthread.edges.cli import distill
from everthread.ports import Records, Store
from everthread.services.distilling.lease import closed_receipt
from everthread.services.distilling.review import ask_score, run_score_job
from everthread.services.upkeep.diagnose import diagnose
from everthread.services.upkeep.purge import purge
from support.commands import Answer, Cli, Here, Terminal

TOKEN = "ghp_" + "Zk3vQ9x7Lm2Tn8Rb4Wd6Yc1Hs5Jf0Gp2Ae7U"

# Only whole is it known for what it is: line by line it is just letters.
KEY = "\n".join(
    [
        "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
        *["c3NoLWVkMjU1MTkAAAAgb2YgdGhpcyBrZXkgbm90aGluZyBpcyB0cnVl"] * 3,
        "-----END OPENSSH " + "PRIVATE KEY-----",
    ]
)

A_41 = (
    "thread",
    "agent",
    "timestamp",
    "messages_before",
    "messages_after",
    "tokens_before",
    "tokens_after",
    "facts_extracted",
    "decisions_extracted",
    "open_items_extracted",
    "flush_succeeded",
    "errors",
)


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    return Here(tmp_path, monkeypatch, capsys)


def connected(cli: Cli, **changes: object) -> everthread.Everthread:
    home = cli.home / "data"
    settings = everthread.Settings.load().with_(home=home, **changes)
    return everthread.connect(home / "everthread.db", background=False, settings=settings)


def talk(cli: Cli, turns: int = 15, *, first: int = 1) -> None:
    """A conversation about a parser, long enough to be worth distilling."""
    with connected(cli) as engine:
        ada = engine.agent("ada", system="You are Ada.", window=200_000)
        for n in range(first, first + turns):
            asked = f"Please move step {n} of the importer into src/steps/step_{n}.py and test it."
            with ada.turn(asked, channel="webchat", name="Mel") as turn:
                turn.done(
                    f"We decided to keep step {n} apart. src/steps/step_{n}.py now holds it; "
                    f"pytest tests/test_step_{n}.py passed with {n + 40} tests in {n + 2} seconds."
                )


UNHURRIED = {"EVERTHREAD_SCORE_SECONDS": "60"}
"""Time for vectors and questions on the busiest machine."""

UNSCORED = {"EVERTHREAD_SCORE_SECONDS": "0"}
"""To ask for all that is left out takes longer than to distill: not where nobody looks at the score."""

BY_WORDS = {"EVERTHREAD_EMBEDDER": "off"}
"""For programs of their own, which would load the model."""


def distilled(cli: Cli, env: Mapping[str, str] = UNHURRIED) -> str:
    """Distill; the receipt's id."""
    answer = cli("distill", "--json", env=env)
    assert answer.code == 0, answer.err
    return answer.json["id"]


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with fifteen turns, for all who begin with them."""
    home = tmp_path_factory.mktemp("talked")
    talk(Cli(home))
    return home


@pytest.fixture
def _talked(cli: Cli, talked: Path) -> None:
    shutil.copytree(talked, cli.home, dirs_exist_ok=True)


after_fifteen_turns = pytest.mark.usefixtures("_talked")


@pytest.fixture(scope="module")
def summed(talked: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    """The same once it was distilled through the door, and what that answered."""
    home = tmp_path_factory.mktemp("summed")
    shutil.copytree(talked, home, dirs_exist_ok=True)
    answer = Cli(home)("distill", "--json", env=UNHURRIED)
    assert answer.code == 0, answer.err
    return home, answer


@pytest.fixture
def done(cli: Cli, summed: tuple[Path, Answer]) -> tuple[Cli, str]:
    """The command in a copy of that home, and the receipt's id."""
    shutil.copytree(summed[0], cli.home, dirs_exist_ok=True)
    return cli, summed[1].json["id"]


Done = tuple[Cli, str]


def lose(cli: Cli, receipt: str) -> None:
    """As if a fifth of what the receipt replaced were lost."""
    with connected(cli) as engine:
        ada = engine.known_agent("ada")
        row = ada.receipt(receipt).receipt
        score = json.loads(row.score_json or "") | {"kept": 0.5, "recoverable": 0.3, "lost": 0.2}
        engine.house.store.write(
            lambda r: r.receipts.change(
                Scope(row.agent_ref),
                row._replace(score_json=json.dumps(score)),
                "receipt.scored",
                now=engine.house.clock.now(),
            )
        )


# ---- distill, receipts


@pytest.mark.req("A-41", "A-42", "R-20")
def test_the_receipt_carries_every_field_that_was_asked_for(
    done: Done, summed: tuple[Path, Answer]
):
    cli, told = done[0], summed[1].json
    assert [name for name in A_41 if name not in told] == []
    assert (told["agent"], told["thread"]) == ("ada", "agent:ada:main")
    assert told["outcome"] == "ok" and told["number"] == 1
    assert told["messages_before"] == 30 and told["messages_after"] == 10
    assert told["tokens_after"] < told["tokens_before"]
    assert told["flush_succeeded"] is True
    assert all(error.startswith("repaired: ") for error in told["errors"])
    assert told["fired"] == [{"name": "hand", "value": 30, "limit": 4}]
    score = told["score"]
    assert score["kept"] + score["recoverable"] + score["lost"] == pytest.approx(1, abs=0.001)
    assert score["by_kind"]["files"]["total"] > 0
    (listed,) = cli("receipts", "--json").json["receipts"]
    assert listed == told


@after_fifteen_turns
def test_distill_tells_people_what_it_did_and_what_they_can_do(cli: Cli):
    code, out, _ = cli("distill", env=UNHURRIED)
    assert code == 0
    assert re.search(r"receipt [0-9a-f]{8}  number 1  ok", out)
    assert re.search(r"why +by hand", out) and "30 → 10" in out and "% saved)" in out
    assert re.search(r"score +[█▓░]{20} kept \d+ %, recoverable \d+ %, lost \d+ %", out)
    name = re.search(r"everthread undo ([0-9a-f]{8})", out)
    assert name is not None and cli("undo", name[1]).code == 0


@pytest.mark.req("X-26")
def test_a_distillation_that_gains_nothing_is_refused_and_says_why(cli: Cli):
    talk(cli, 1)
    code, out, err = cli("distill")
    assert (code, err) == (6, "")
    assert "refused" in out and "at least 4" in out
    assert cli("distill", "--json").json["outcome"] == "refused"
    assert [r["outcome"] for r in cli("receipts", "--json").json["receipts"]] == ["refused"] * 2


def test_wrong_threads_and_wrong_use_are_named(cli: Cli):
    talk(cli, 1)
    assert cli("distill", "--thread", "nowhere").code == 3
    assert cli("receipts", "--thread", "nowhere").code == 3
    assert cli("receipts", "--limit", "5", "show", "1a2b3c4d").code == 2
    assert cli("receipts", "--limit", "0").code == 2
    assert cli("receipts").out.startswith("nothing was distilled yet")
    with connected(cli) as engine:
        engine.known_agent("ada").thread("errand:1", kind="ephemeral")
    code, _, err = cli("distill", "--thread", "errand:1")
    assert code == 2 and "never distilled" in err


def test_background_threads_do_not_bury_the_primary_in_receipts(done: Done):
    """A-42, A-58: it is told how often they were distilled; `--all` and `--json` list them."""
    cli, first = done
    with connected(cli) as engine:
        beat = engine.known_agent("ada").thread("heartbeat:beds", kind="background")
        for _ in range(3):
            for n in range(15):
                with beat.turn(f"beat {n}") as turn:
                    turn.done("fine")
            assert beat.distill().outcome == "ok"
    out = cli("receipts", "--limit", "2").out
    assert first[-8:] in out and "50 → 20" not in out
    assert "other threads: heartbeat:beds 3; `everthread receipts --all` lists them" in out
    every = cli("receipts", "--all", "--limit", "4").out
    assert every.count("heartbeat:beds") == 3 and every.count("agent:ada:main") == 1
    assert "other threads" not in every
    assert len(cli("receipts", "--json").json["receipts"]) == 4
    alone = cli("receipts", "--thread", "heartbeat:beds").out
    assert first[-8:] not in alone and "other threads" not in alone
    assert cli("receipts", "--thread", "heartbeat:beds", "--all").code == 2
    assert cli("receipts", "--all", "show", first).code == 2
    # In a copy of a home the agent has a folder beside that of the first.
    days = (cli.home / "data" / "agents").glob("ada*/memory/*.md")
    lines = [line for day in days for line in day.read_text().splitlines()]
    assert len([line for line in lines if "Distilled heartbeat session." in line]) == 3
    assert sum(line.startswith("## ") for line in lines) == 1


@pytest.mark.slow
def test_receipts_are_listed_newest_first_with_a_trend(done: Done):
    cli, first = done
    talk(cli, first=16)
    second = distilled(cli)
    out = cli("receipts").out.splitlines()
    assert out[0].split()[:3] == ["id", "no", "at"] and "kept/rec./lost %" in out[0]
    assert out[1].startswith(second[-8:]) and out[2].startswith(first[-8:])
    assert re.search(r"oldest first: [▁-█]{2} \d+, \d+ % \(lowest", out[-1])
    lose(cli, second)
    assert cli("receipts").out.rstrip().endswith(", 80 % (lowest 80.0, alarm below 95)")
    assert len(cli("receipts", "--limit", "1", "--json").json["receipts"]) == 1
    assert (
        cli("receipts", "--thread", "agent:ada:main", "--json").json["receipts"][0]["number"] == 2
    )


@pytest.mark.req("A-43")
def test_what_nobody_asked_for_in_time_is_marked_wherever_shares_stand(cli: Cli):
    talk(cli)
    with connected(cli, score_seconds=0) as engine:
        score = engine.agent("ada").distill().score
    assert score is not None and score.unprobed and score.lost == 0
    late = f"{100 * score.unknown:.0f}"
    wide = {"COLUMNS": "400"}
    listed, told = cli("receipts", env=wide).out, cli("status", env=wide).out
    assert f"/ 0 +{late}?" in listed and "100? %" in listed
    assert "? not asked for in time" in listed
    assert f"0 % lost, {late} % not asked for in time" in told


def test_without_an_id_the_newest_receipt_is_shown(cli: Cli):
    talk(cli, 2)
    none = cli("receipts", "show")
    assert none.code == 3 and "nothing was distilled yet" in none.err
    talk(cli)
    first = distilled(cli)
    assert cli("receipts", "show", "--json").json["id"] == first
    assert cli("receipts", "show").out == cli("receipts", "show", first).out


def test_a_receipt_shows_every_sentence_with_where_it_came_from(done: Done):
    cli, receipt = done
    told = cli("receipts", "show", receipt[-8:], "--json").json
    shown = [each for each in told["sentences"] if each["shown"]]
    assert len(shown) > 5 and all(each["sources"] for each in shown)
    with connected(cli) as engine:
        said = {m.id: m for m in engine.known_agent("ada").messages(limit=100)}
    for each in shown:
        assert each["text"] in told["summary"]
        for source in each["sources"]:
            message = said[source["id"]]
            assert (source["seq"], source["name"]) == (message.seq, message.name)
    out = cli("receipts", "show", receipt).out
    assert re.search(r"    from [0-9a-f]{8} Mel \d{4}-\d\d-\d\d \d\d:\d\d", out)
    assert re.search(r"  files +[█▓░]{20} kept \d+, recoverable \d+(?:, lost \d+)? of \d+", out)
    assert re.search(r"timings +plan \d+, extract \d+.* ms in all", out)
    assert "no model was asked, cost 0" in out


def test_what_was_recoverable_is_not_promised_any_more_once_it_was_purged(cli: Cli):
    talk(cli, 20)
    receipt = distilled(cli)
    promise = "One recall brings each of them back"
    assert promise in cli("receipts", "show", receipt).out
    with connected(cli, primary_keep_days=0.000_001) as engine:
        assert purge(engine.house, lambda: None)
    for also in ([], ["--recoverable"]):
        out = " ".join(cli("receipts", "show", receipt, *also).out.split())
        assert promise not in out and 'recall "QUESTION"' not in out
        assert re.search(r"the messages of \d+ have gone, and nothing brings those back", out)


def test_what_was_struck_is_shown_with_the_reason(done: Done):
    """What a model makes up has no source, and is told as what it is."""
    cli, receipt = done
    with connected(cli) as engine:
        house, ada = engine.house, engine.known_agent("ada")
        shown = ada.receipt(receipt)
        made_up = shown.sentences[0]._replace(
            n=999, text="Mel was born in Oslo.", verdict="struck: 'Oslo' is not in it", shown=0
        )
        summary = house.store.read(lambda r: r.summaries.newest_of(ada.scope, shown.receipt.ref))
        assert summary is not None
        again = summary._replace(
            ref=0, key_id=house.ids.new(), until_version=summary.since_version + 1
        )
        house.store.write(
            lambda r: r.summaries.add(ada.scope, again, shown.text, "", [*shown.sentences, made_up])
        )
    out = cli("receipts", "show", receipt).out
    assert out.rstrip().endswith("struck: 'Oslo' is not in it")
    struck = [
        e for e in cli("receipts", "show", receipt, "--json").json["sentences"] if not e["shown"]
    ]
    assert [each["text"] for each in struck] == ["Mel was born in Oslo."]


@pytest.mark.slow
@pytest.mark.req("R-30")
@after_fifteen_turns
def test_no_secret_is_shown_in_receipts_and_contexts_unless_asked_for(cli: Cli):
    with connected(cli) as engine:
        turn = engine.agent("ada").turn(f"The token is {TOKEN} from now on. {KEY}", name="Mel")
        turn.done("I will use it.")
    receipt = distilled(cli)
    for words in (
        ["receipts", "show", receipt],
        ["receipts", "show", receipt, "--json"],
        ["context"],
        ["context", "--json"],
        ["context", "--diff", "1", "16"],
    ):
        out = cli(*words).out
        assert TOKEN not in out and "c3NoLWVkMjU1MTk" not in out, words
    assert "[REDACTED" in cli("context").out
    for words in (["context", "--raw"], ["context", "--raw", "--json"]):
        assert TOKEN in cli(*words).out, words


# ---- undo, redo


@pytest.mark.req("R-15")
@after_fifteen_turns
def test_undo_says_before_it_does_and_redo_brings_it_back(cli: Cli):
    before = cli("context", "--json").json["messages"]
    receipt = distilled(cli, UNSCORED)
    after = cli("context", "--json").json["messages"]
    code, out, _ = cli("undo", receipt[-8:], "--dry-run")
    assert code == 0
    assert f"receipt {receipt[-8:]} would be undone: 20 messages come back into the view" in out
    assert cli("context", "--json").json["messages"] == after
    done = cli("undo", receipt, "--json").json
    assert (done["outcome"], done["dry_run"], done["messages"]) == ("undone", False, 20)
    assert cli("context", "--json").json["messages"] == before
    again = cli("undo", receipt)
    assert again.code == 6 and "undone already" in again.err
    assert "redone: 20 messages leave the view" in cli("redo", receipt).out
    assert cli("context", "--json").json["messages"] == after
    refused = cli("redo", receipt)
    assert refused.code == 6 and "was not undone" in refused.err
    assert cli("verify").code == 0


@pytest.mark.req("R-15")
def test_redo_brings_nothing_back_that_was_undone_meanwhile(cli: Cli):
    talk(cli, 12)
    one = distilled(cli, UNSCORED)
    talk(cli, 12, first=20)
    two = distilled(cli, UNSCORED)
    assert "step_1.py" in cli("receipts", "show", two).out
    for name in (two, one):
        assert cli("undo", name).code == 0
    code, out, err = cli("redo", two)
    assert code == 0, err
    assert re.search(r"made anew +number 2\b", out)
    shown = cli("receipts", "show", two).out
    assert "step_20.py" in shown
    assert not re.search(r"step_[1-5]\.py", shown), "what the first one hid"


@pytest.mark.req("R-15")
def test_undo_says_which_memories_it_leaves_and_why(done: Done):
    cli, receipt = done
    drawn = next(m for m in cli("memories", "list", "--json").json["memories"] if m["sources"])
    assert cli("memories", "edit", drawn["id"], "The importer has one step.").code == 0
    out = cli("undo", receipt).out
    name = drawn["id"].replace("-", "")[-8:]
    assert re.search(rf"left alone +memory {name}: another took its place since", out)


@pytest.mark.req("R-15", "R-43")
def test_what_was_undone_and_redone_is_forgotten_by_the_id_of_before(cli: Cli):
    with connected(cli) as engine:
        engine.agent("ada").turn("I prefer tea from Xylander over coffee.").done("Noted.")
    talk(cli)
    receipt = distilled(cli, UNSCORED)

    def saying(state: str) -> list[str]:
        told = cli("memories", "list", "--state", state, "--limit", "999", "--json")
        return [m["id"] for m in told.json["memories"] if "Xylander" in m["text"]]

    (before,) = saying("kept")
    undone = cli("undo", receipt, "--json").json
    redone = cli("redo", receipt, "--json").json
    assert undone["memories"] == redone["memories"] > 0
    assert saying("all") == [before]
    assert cli("forget", before, "--yes").code == 0
    assert saying("all") == []
    assert "Xylander" not in cli("recall", "Which tea do I prefer?").out
    rows = [line for line in cli("export", "--raw").out.splitlines() if "Xylander" in line]
    assert len(rows) == 1 and json.loads(rows[0])["table"] == "messages"


def test_a_forged_receipt_and_another_agents_are_not_found(done: Done):
    cli, receipt = done
    with connected(cli) as engine:
        engine.agent("bob")
    for name in ("00000000-0000-7000-8000-000000000000", "no id at all", "'; drop table receipts"):
        for words in (["undo", name], ["redo", name], ["receipts", "show", name]):
            code, _, err = cli(*words, "--json")
            assert code == 3 and json.loads(err)["error"]["name"] == "ReceiptUnknown"
    assert cli("undo", receipt, "--agent", "bob").code == 3
    assert cli("receipts", "show", receipt, "--agent", "bob").code == 3
    assert cli("undo", receipt, "--agent", "ada").code == 0


@after_fifteen_turns
def test_a_receipt_says_why_a_summary_had_no_more_room(cli: Cli):
    """It is kept small beside a large window on purpose, and what it leaves out can be recalled."""
    small = {"EVERTHREAD_SUMMARY_TOKENS": "300"}
    answer = cli("distill", "--json", env=small)
    assert answer.code == 0 and answer.json["dropped"], answer
    out = " ".join(cli("receipts", "show", answer.json["id"]).out.split())
    assert "no room for" in out
    assert "a summary has 300 tokens here, what the setting summary_tokens allows" in out
    assert "`everthread recall` finds the rest" in out


def test_a_receipt_is_shown_by_its_id_alone_among_several_agents(done: Done):
    """As `undo` finds it; nobody need say whose it is."""
    cli, receipt = done
    with connected(cli) as engine:
        engine.agent("bob")
        assert engine.receipt_agent(receipt[-8:]).name == "ada"
    for name in (receipt, receipt[-8:]):
        shown = cli("receipts", "show", name, "--json")
        assert shown.code == 0, shown.err
        assert shown.json["agent"] == "ada"


# ---- context


@after_fifteen_turns
def test_the_context_of_a_turn_is_what_was_sent_then(cli: Cli):
    with connected(cli) as engine:
        ada = engine.known_agent("ada")
        sent = [ada.sent(n, call=1).messages for n in (3, 15)]
    distilled(cli, UNSCORED)
    for n, was in zip((3, 15), sent, strict=True):
        told = cli("context", "--at", str(n), "--json", "--raw").json
        assert told["messages"] == was and told["turn"] == n
        assert told["system"] and told["tokens"] > 0
    code, out, _ = cli("context", "--at", "3")
    assert code == 0 and "agent:ada:main  at turn 3, 5 messages" in out
    assert "system:\nYou are Ada." in out and "\nuser:\nMel: Please move step 3 of" in out
    assert "Please move step 4" not in out
    assert cli("context", "--at", "99").code == 3
    assert cli("context", "--at", "3", "--diff", "1", "2").code == 2


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("commit", "nothing was changed but for receipt"),
        ("score", "it is distilled all the same (40 → "),
    ],
)
def test_who_stops_it_is_told_what_was_done(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, stage: str, said: str
):
    """(R-20)"""
    with connected(cli) as et:
        for n in range(20):
            et.agent("ada").turn(f"We decided to use tool T{n} for part {n}.").done("Good. " * 40)

    @contextmanager
    def stopping() -> Generator[Callable[[str], None]]:
        def at(name: str) -> None:
            if name == stage:
                raise KeyboardInterrupt

        yield at

    monkeypatch.setattr(distill, "stages", stopping)
    answer = cli("distill")
    assert answer.code == 130
    assert f"everthread: stopped: {said}" in answer.err
    shown = cli("receipts", "--json").json["receipts"][0]
    assert shown["id"].replace("-", "")[-8:] in answer.err
    assert shown["outcome"] == ("ok" if stage == "score" else "failed")
    assert ("score is still to come" in answer.err) is (stage == "score")


def test_two_contexts_are_compared_line_by_line(done: Done):
    cli, _ = done
    talk(cli, 1, first=16)
    out = cli("context", "--diff", "15", "16").out
    assert out.startswith("--- turn 15\n+++ turn 16\n@@ ")
    assert "\n+Conversation Summary (Distillation #1)\n" in out
    assert "\n-Mel: Please move step 1 of the importer" in out
    told = cli("context", "--diff", "15", "16", "--json").json
    assert told["turns"] == [15, 16] and "\n".join(told["diff"]) == out.strip("\n")
    assert cli("context", "--diff", "15", "15").out == "the same was given at turn 15 and turn 15\n"


# ---- status, doctor


@after_fifteen_turns
def test_status_tells_how_the_distillations_stand(cli: Cli):
    assert "distilled  not yet" in cli("status").out
    receipt = distilled(cli)
    out = cli("status").out
    assert re.search(rf"distilled  number 1, .*receipt {receipt[-8:]}, .* % kept, ", out)
    assert "alarm" not in out
    (ada,) = cli("status", "--json").json["agents"]
    assert ada["distilled"]["receipt"] == receipt and ada["distilled"]["alarm"] is False
    assert ada["distilled"]["open_flushes"] == 0


@pytest.mark.req("LA-25")
@after_fifteen_turns
def test_status_tells_that_one_is_being_made(cli: Cli):
    seen: list[str] = []

    def look(stage: str) -> None:
        if stage in ("plan", "flush"):
            seen.append(cli("status").out)

    with connected(cli, score_seconds=0) as engine:
        receipt = engine.known_agent("ada").distill(progress=look)
    wanted = rf"distilled  not yet; one is being made since \d{{4}}-.*receipt {receipt.id[-8:]}"
    assert [bool(re.search(wanted, " ".join(out.split(" ")), re.S)) for out in seen] == [True] * 2
    assert "being made" not in cli("status").out


def test_doctor_finds_nothing_where_nothing_is_wrong(done: Done):
    cli, _ = done
    code, out, err = cli("doctor")
    assert (code, err) == (0, "")
    assert out.rstrip().endswith("everything is fine") and "look" not in out
    told = cli("doctor", "--json").json
    assert told["fine"] is True
    assert [each["check"] for each in told["checks"]] == [
        *("store", "disk", "space", "files", "distillations", "scores", "summaries", "jobs"),
        *("scorer", "tasks", "index", "damage", "embedder"),
    ]


def trouble(cli: Cli) -> list[dict[str, str]]:
    """What doctor finds, by way of JSON; its code must agree."""
    answer = cli("doctor", "--json")
    found = [each for each in answer.json["checks"] if not each["fine"]]
    assert answer.code == (1 if found else 0)
    assert all(each["advice"] for each in found)
    return found


def test_a_loss_is_an_alarm_in_status_and_doctor_until_it_is_undone(done: Done):
    cli, receipt = done
    lose(cli, receipt)
    assert "alarm      the last distillation lost more than it may" in cli("status").out
    assert cli("status", "--json").json["agents"][0]["distilled"]["alarm"] is True
    (found,) = trouble(cli)
    assert found["check"] == "scores" and "80.0 %" in found["says"]
    assert f"everthread undo {receipt[-8:]}" in found["advice"]
    assert cli("undo", receipt).code == 0
    assert trouble(cli) == []


def test_who_waits_for_a_score_is_told_who_gives_it(done: Done):
    """Who distilled may have ended before; then a dash alone would tell nothing."""
    cli, receipt = done
    with connected(cli) as engine:
        row = engine.known_agent("ada").receipt(receipt).receipt
        scope, now = Scope(row.agent_ref), engine.house.clock.now()

        def work(records: Records) -> None:
            records.receipts.change(scope, row._replace(score_json=None), "receipt.scored", now=now)
            ask_score(records, scope, row.ref, now=now, due_at=now)

        engine.house.store.write(work)
    who = "done by a program that uses the store, while it runs, or by `everthread up`"
    plain = {"COLUMNS": "400"}
    assert f"1 waits for its score: {who}" in cli("receipts", env=plain).out
    assert f"still to come: {who}" in cli("receipts", "show", receipt, env=plain).out
    assert f"waiting: {who}" in cli("status", env=plain).out
    assert f"none is below 95 %; 1 waits for its score: {who}" in cli("doctor", env=plain).out
    assert trouble(cli) == []
    with connected(cli) as engine:
        run_score_job(engine.house, scope.agent, row.ref, pause=lambda: None)
    for words in (["receipts"], ["receipts", "show", receipt], ["doctor"]):
        assert who not in cli(*words, env=plain).out


@pytest.mark.slow
@pytest.mark.req("A-40", "R-17")
@after_fifteen_turns
def test_files_that_could_not_be_written_are_found(cli: Cli):
    blocked = cli.home / "data" / "agents"
    blocked.write_text("a file where a folder should be")
    code, out, err = Cli(cli.home)("distill", "--json", env=BY_WORDS)
    assert (code, err) == (0, "")  # all of it is in the receipt
    told = json.loads(out)
    assert told["outcome"] == "ok" and told["flush_succeeded"] is False
    assert any(error.startswith("flush: ") for error in told["errors"])
    (found,) = trouble(cli)
    assert found["check"] == "files" and found["says"].startswith("1 flush waits to be written: ")
    assert str(blocked) in found["advice"]
    assert "1 flush not written yet" in cli("status").out
    out = cli("receipts", "show", told["id"]).out
    assert "not written yet; to be written to" in out


@after_fifteen_turns
def test_files_that_nobody_tried_yet_are_told_as_such(cli: Cli):
    """Nothing was in the way: that is not said of the folder, nor of a failed distillation."""
    with connected(cli, score_seconds=0) as engine:
        house, ada = engine.house, engine.known_agent("ada")
        ok = ada.distill()
        row = ok._replace(
            ref=0, key_id=house.ids.new(), number=None, outcome="open", score_json=None,
            flush_succeeded=None, closed_ms=None,
        )  # fmt: skip
        added = house.store.write(lambda r: r.receipts.add(ada.scope, row))
        written = ada.receipt(ok.id).intents[0]
        intent = written._replace(
            ref=0, key_id=house.ids.new(), receipt_ref=added.ref, state="open", settled_ms=None,
            payload='{"receipt_id": "x", "day": "2026-01-01", "section": "x", "managed": null}',
        )  # fmt: skip
        house.store.write(lambda r: r.intents.add(ada.scope, intent))
        failed = closed_receipt(house, added, "failed", ["verify: ModelFailed: overloaded"])
        house.store.write(lambda r: r.receipts.close(ada.scope, failed))
    out = cli("receipts", "show", failed.id).out
    assert "what it wrote, if it did, is to be taken out of" in out
    assert "; not tried yet" in out and "None" not in out and "none was due" not in out
    found = next(each for each in trouble(cli) if each["check"] == "files")
    assert found["says"] == "1 flush waits to be written: it was not tried yet"
    assert (
        "by itself, within a minute" in found["advice"] and "can be written" not in found["advice"]
    )


def test_a_degraded_receipt_says_why(cli: Cli):
    with connected(cli) as engine:
        ada = engine.agent("ada", window=8_000)
        for n in range(40):
            ada.turn(f"Please move step {n} of the importer into src/steps/step_{n}.py.").done(
                f"Step {n} is in src/steps/step_{n}.py now; {n + 40} tests passed. {'It went well. ' * 9}"
            )
        ada.turn("word " * 5_300).done("That was long.")
        receipts = ada.receipts()
    # Where half of the time for it is over, room is made of the oldest messages first: then it takes two.
    assert {receipt.outcome for receipt in receipts} == {"degraded"}
    for receipt in receipts:
        out = cli("receipts", "show", receipt.id).out
        assert re.search(r"degraded +there was no room for the next request: made at once", out)


@after_fifteen_turns
def test_failures_and_what_a_dead_process_left_are_found(cli: Cli):
    with connected(cli, score_seconds=0) as engine:
        house = engine.house
        ada = engine.known_agent("ada")
        ok = ada.distill()
        for n in range(3):
            row = ok._replace(
                ref=0, key_id=house.ids.new(), number=None, outcome="open", score_json=None,
                opened_ms=ok.opened_ms + n + 1, closed_ms=None, lease_until=1,
            )  # fmt: skip
            added = house.store.write(lambda r, row=row: r.receipts.add(ada.scope, row))
            if n < 2:
                failed = closed_receipt(
                    house, added, "failed", ["summarize: ModelFailed: overloaded"]
                )
                house.store.write(lambda r, f=failed: r.receipts.close(ada.scope, f))
    left, failing = trouble(cli)
    assert "was left open by a process that is gone" in left["says"]
    assert "the last 2 distillations failed" in failing["says"]
    assert "overloaded" in failing["says"] and "after 2 more turns" in failing["advice"]
    assert "everthread distill --thread agent:ada:main" in failing["advice"]


def test_work_that_was_given_up_is_found(cli: Cli):
    talk(cli, 1)
    with connected(cli) as engine:
        jobs = engine.house.store
        now = engine.house.clock.now()
        jobs.write(lambda r: r.jobs.add("files.flush", "{}", due_at=now, now=now))
        job = jobs.write(lambda r: r.jobs.claim("me", ["files.flush"], now=now, until=now + 1_000))
        assert job is not None
        jobs.write(lambda r: r.jobs.retry(job, error="disk on fire", due_at=None))
    (found,) = trouble(cli)
    assert found["check"] == "jobs" and "disk on fire" in found["says"]


@pytest.mark.slow
@after_fifteen_turns
def test_a_damaged_index_is_found_with_what_mends_it(cli: Cli):
    assert cli("recall", "step").code == 0
    (index,) = (cli.home / "data" / "everthread.db-index").glob("*.db")
    index.write_bytes(b"not a database" * 1_000)
    found = trouble(cli)
    assert [each["check"] for each in found] == ["index"]
    assert found[0]["advice"] == "everthread index --rebuild --agent ada"
    assert cli("index", "--rebuild", "--agent", "ada").code == 0
    assert trouble(cli) == []


class ReadOnly:
    """A store as a full or read-only disk leaves it: it can be read."""

    def __init__(self, store: Store) -> None:
        self.location = store.location
        self.read = store.read
        self.size, self.space = store.size, store.space

    def write(self, work: object) -> None:
        raise StoreReadOnly("the disk is read-only")


def test_a_store_that_cannot_be_written_is_found(cli: Cli):
    talk(cli, 1)
    with connected(cli) as engine:
        house = replace(engine.house, store=ReadOnly(engine.house.store))
        found = diagnose(house, [engine.known_agent("ada").row])
        assert [each.check for each in found if not each.fine] == ["store"]
        assert found[0].says == "the disk is read-only" and found[0].advice
        assert all(each.fine for each in engine.diagnose())


# ---- on a terminal


@pytest.mark.slow
@after_fifteen_turns
def test_on_a_terminal_nothing_is_wider_than_it(cli: Here):
    def fits(shown: tuple[int, str], width: int) -> bool:
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown[1])
        widest = max(len(line.rstrip()) for line in plain.splitlines())
        return shown[0] == 0 and widest <= width

    assert Terminal(["distill"], cli.env | BY_WORDS, cli.home, 40).end()[0] == 0
    name = cli("receipts", "--json").json["receipts"][0]["id"]
    installed = Terminal(["receipts"], cli.env, cli.home, 40).end()
    assert installed == cli.on_terminal(40, "receipts") != cli.on_terminal(80, "receipts")
    for words in (["receipts"], ["receipts", "show", name], ["doctor"]):
        for width in (40, 80, 120):
            shown = cli.on_terminal(width, *words)
            assert "\x1b[" in shown[1] and fits(shown, width), words


@pytest.mark.slow
@after_fifteen_turns
def test_colour_and_progress_are_for_terminals_only(cli: Here):
    code, shown = Terminal(["distill"], cli.env | BY_WORDS, cli.home, 80).end()
    assert code == 0 and "distilling" in shown and "\x1b[32m" in shown
    assert re.search(r"\x1b\[(\d+;)*3\dm", cli.on_terminal(80, "receipts")[1])
    cli.env["NO_COLOR"] = "1"
    code, shown = cli.on_terminal(80, "receipts")
    assert code == 0 and not re.search(r"\x1b\[(\d+;)*3\dm", shown)
    code, out, err = Cli(cli.home)("receipts")
    assert code == 0 and "\x1b" not in out and err == ""


@pytest.mark.slow
def test_streams_that_know_only_ascii_still_get_an_answer(done: Done):
    cli, receipt = done
    command, poor = Cli(cli.home), {"PYTHONIOENCODING": "ascii"}
    for words in (["receipts"], ["context"], ["context", "--raw"], ["context", "--raw", "--json"]):
        assert command(*words, env=poor)[::2] == (0, "")
    out = command("receipts", "show", receipt, env=poor).out
    assert re.search(r"score +[#=-]{20} kept", out)
