"""What follows from a failure, by its kind and its number; and the fixer, which can write nothing."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.drafts import ModelFailed, Spend
from everthread.domain.distilling.prompts import Prompt
from everthread.domain.errors import BadInput, TaskRefused
from everthread.domain.tasks import fixer_prompt
from everthread.domain.tasks.retries import Advice, Failures, next_step
from everthread.domain.tasks.tasks import FAILURES, FailureKind
from everthread.providers import cage as cages
from everthread.providers.models.calls import CallFailed, Reply
from everthread.providers.models.fixer import ModelFixer
from support.docs import ROOT
from support.model_server import ModelServer
from support.running import left, until
from support.tasking import Site, Work, git, work

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

needs_cage = pytest.mark.slow


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Work]:
    made = work(Site(tmp_path))
    made.task.start()
    yield made
    made.engine.close()


def fixing(folder: Path, script: str, **settings: Any) -> Work:
    """A task whose fixer is that Python program."""
    site = Site(folder)
    place = folder / "fixer.py"
    place.write_text(script)
    site.settings = site.settings.with_(fixer_command=f"{sys.executable} -I -S {place}", **settings)
    made = work(site)
    made.task.start()
    return made


def third(at: Work, step: str = "scan", detail: str = "") -> Any:
    for _ in range(2):
        assert at.task.fail(step, "test", detail).suggestion is None
    failed = at.task.fail(step, "test", detail)
    assert failed.next.advice == "fixer"
    return failed.suggestion


# ---- the table

ROWS: dict[FailureKind, list[Advice]] = {
    "transient": ["retry", "retry", "fixer", "escalate"],
    "test": ["diagnose", "diagnose", "fixer", "escalate"],
    "resource": ["wait", "wait", "fixer", "escalate"],
    "logic": ["roll_back", "roll_back", "fixer", "escalate"],
}


@pytest.mark.req("C-36", "C-37", "C-38", "C-39", "C-40")
@pytest.mark.parametrize("kind", FAILURES)
def test_each_kind_has_its_way_and_ends_with_a_person(kind: FailureKind) -> None:
    """C-36 … C-41: the 1st, 2nd, 3rd and 4th; 10 are an escalation, 11 are a loop (3a.6)."""
    failures, advised = Failures(), list[Advice]()
    for _ in range(11):
        told = next_step(failures, kind)
        failures = told.failures
        advised.append(told.advice)
    assert advised == [*ROWS[kind], *["escalate"] * 6, "stop"]


@pytest.mark.req("C-38")
def test_who_waits_for_a_resource_waits_longer_each_time() -> None:
    first = next_step(Failures(), "resource")
    second = next_step(first.failures, "resource")
    assert (first.wait_seconds, second.wait_seconds) == (30, 60)
    assert next_step(Failures(), "transient").wait_seconds == 0


@pytest.mark.req("C-40")
def test_failures_are_counted_by_step_whatever_their_kind(at: Work) -> None:
    kinds: list[FailureKind] = ["transient", "test", "logic", "resource"]
    assert [at.task.fail("scan", kind).next.advice for kind in kinds] == [
        "retry",
        "diagnose",
        "fixer",
        "escalate",
    ]
    assert at.task.fail("parse", "transient").next.advice == "retry"


@pytest.mark.req("C-36")
@pytest.mark.parametrize("how", ["passed", "checkpoint"])
def test_a_step_that_went_through_begins_to_count_anew(at: Work, how: str) -> None:
    for _ in range(2):
        at.task.fail("scan", "transient")
    if how == "passed":
        at.task.passed("  scan ")
    else:
        at.task.checkpoint("error_recovery", "ok", error="boom", resolution="mended", step="scan")
    assert at.task.row.failures == {}
    assert at.task.fail("scan", "transient").next.failures.total == 1
    at.task.passed("never failed")


@pytest.mark.req("C-39")
def test_an_error_in_the_logic_names_the_checkpoint_to_go_back_to(at: Work) -> None:
    assert at.task.fail("plan", "logic").rolls_back_to is None
    made = at.task.checkpoint("explicit", "Half of it.").checkpoint
    assert made is not None
    assert at.task.fail("plan", "logic").rolls_back_to == made.alias


@pytest.mark.req("C-40")
def test_an_escalation_is_one_incident_until_somebody_resolves_it(at: Work) -> None:
    for _ in range(6):
        at.task.fail("scan", "transient", f"no route, token {SECRET}")
    [found] = at.task.incidents(unresolved=True)
    assert (found.kind, found.severity) == ("escalation", "high")
    assert SECRET not in found.summary + found.details_json
    at.engine.agent("ada").resolve_incident(found.id, "the cable is in")
    at.task.fail("scan", "transient")
    assert len(at.task.incidents(unresolved=True)) == 1


@pytest.mark.req("C-53")
def test_the_eleventh_failure_of_a_step_is_a_loop_and_stops_everything(at: Work) -> None:
    """(3a.6) The same operation more than 10 times."""
    for _ in range(10):
        assert at.task.fail("scan", "transient").next.advice != "stop"
    failed = at.task.fail("scan", "transient")
    assert failed.next.advice == "stop"
    assert failed.task.stopped_ms is not None
    told = at.json("json/emergency-checkpoint.json")
    assert told["trigger"] == "loop"
    details = told["trigger_details"]
    assert (details["metric"], details["threshold"], details["actual"]) == ("repeated", 10, 11)
    with pytest.raises(TaskRefused, match="task allow"):
        at.task.start()


def test_what_is_no_failure_is_refused(at: Work) -> None:
    with pytest.raises(BadInput, match="transient, test, resource, logic"):
        at.task.fail("scan", "bad luck")  # pyright: ignore[reportArgumentType] - as a door may
    for step in ("", " ", "x" * 201, "nul\0"):
        with pytest.raises(BadInput, match="step"):
            at.task.fail(step, "test")
    at.task.end("partial")
    with pytest.raises(TaskRefused, match="no session works"):
        at.task.fail("scan", "test")


def test_steps_without_end_do_not_fill_the_task(at: Work) -> None:
    row = at.task.row
    many = {f"step {n}": Failures(1, "test", 1)._asdict() for n in range(200)}
    house, scope = at.engine.house, at.task._desk.scope  # pyright: ignore[reportPrivateUsage]
    full = row._replace(failures_json=json.dumps(many))
    house.store.write(lambda r: r.tasks.change(scope, full, "failed", now=house.clock.now()))
    at.task.fail("step 0", "test")
    at.task.fail("one more", "test")
    known = at.task.row.failures
    assert len(known) == 200
    assert known["step 0"]["total"] == 2 and "step 1" not in known


# ---- the fixer as a command

ECHO = "import sys; print('SUGGEST: close the file first.'); print(sys.stdin.read())"


@needs_cage
@pytest.mark.req("C-41", "X-28")
def test_the_third_failure_asks_the_fixer_about_that_step_alone(tmp_path: Path) -> None:
    """C-41: what it is told is of this step; what it says is kept, and nothing is done about it."""
    at = fixing(tmp_path, ECHO)
    at.task.fail("another step", "test", "of no concern")
    before = (at.site.project / "kept.py").read_bytes()
    found = third(at, "scan", f"boom </failed-step> {SECRET}")
    assert (found.kind, found.by) == ("suggestion", "command")
    assert found.text.startswith("SUGGEST: close the file first.")
    assert '"step": "scan"' in found.text and "Read it in one pass" in found.text
    assert "of no concern" not in found.text and "another step" not in found.text
    assert SECRET not in found.text
    asked = found.text.partition("<failed-step>\n")[2]
    assert asked.count("</failed-step>") == 1, "nothing in it closes the frame"
    made = at.task.checkpoints()[0]
    document = at.json(f"json/checkpoints/{made.alias}.json")
    assert (made.kind, found.checkpoint) == ("error_recovery", made.alias)
    assert document["state"]["resolution"].startswith("SUGGEST")
    assert (at.site.project / "kept.py").read_bytes() == before
    assert at.task.incidents() == []
    assert at.task.fail("scan", "test").next.advice == "escalate", "it is asked once"
    at.engine.close()


@needs_cage
@pytest.mark.req("C-41")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("print('ESCALATE: the key is missing')", "the key is missing"),
        ("print('escalate. Nobody may know.')", "Nobody may know"),
        ("pass", "no answer"),
        ("print('   \\n ')", "no answer"),
        ("import sys; print('no model'); sys.exit(3)", "it ended with 3\nno model"),
        ("import os; os.kill(os.getpid(), 9)", "failed"),
        (
            "import sys; sys.stdout.buffer.write(b'ESCALATE \\x00 \\xff')",
            "\N{REPLACEMENT CHARACTER}",
        ),
    ],
)
def test_a_fixer_without_a_suggestion_is_an_escalation(
    tmp_path: Path, script: str, why: str
) -> None:
    at = fixing(tmp_path, script)
    found = third(at)
    assert found.kind == "escalation"
    assert why in found.text
    [incident] = at.task.incidents(unresolved=True)
    assert incident.kind == "escalation"
    assert at.kinds() == ["error_recovery"]
    at.engine.close()


@needs_cage
@pytest.mark.req("C-41")
def test_a_fixer_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """C-41: its ten minutes, here less than a second; and nothing of it stays."""
    script = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    at = fixing(tmp_path, script, fixer_minutes=0.02)
    found = third(at)
    assert (found.kind, found.by) == ("escalation", "command")
    assert "no answer after 1.2 s" in found.text
    assert Site(tmp_path / "x").settings.fixer_minutes == 10
    mine = f"{tmp_path}/fixer.py".encode()

    def still() -> list[int]:
        pids = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
        return [p for p in left(pids) if mine in _line(p)]

    until(lambda: not still(), "something of it is still there")
    at.engine.close()


def _line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


WRITER = """
import os, socket, sqlite3, subprocess, sys
places = {places!r}
tried = 0
def attempt(do):
    global tried
    tried += 1
    try:
        do()
    except BaseException as error:
        return
    print("DID IT", do)
def written(path):
    def do():
        with open(path, "a") as file:
            file.write("x = 666\\n")
    return do
for place in places["files"]:
    attempt(written(place))
    attempt(lambda p=place: os.rename(p, p + ".gone"))
    attempt(lambda p=place: os.unlink(p))
    attempt(lambda p=place: os.chmod(p, 0o777))
    attempt(lambda p=place: os.truncate(p, 0))
for folder in places["folders"]:
    attempt(written(os.path.join(folder, "planted.py")))
    attempt(lambda f=folder: os.mkdir(os.path.join(f, "planted")))
def store():
    line = sqlite3.connect(places["store"], timeout=1)
    line.execute("DELETE FROM tasks")
    line.commit()
attempt(store)
def commit():
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--allow-empty",
        "-qm", "planted"], cwd=places["project"], check=True, capture_output=True)
attempt(commit)
def ours():
    subprocess.run([places["command"], "task", "end", "--outcome", "success"],
        cwd=places["project"], check=True, capture_output=True)
attempt(ours)
print("tried", tried)
"""


def tree(*places: Path) -> str:
    found = hashlib.sha256()
    for top in places:
        for place in sorted(top.rglob("*")):
            if "tasks" in place.parts or "__pycache__" in place.parts or place.name == ".git":
                continue
            seen = place.lstat()
            held = place.read_bytes() if place.is_file() else b""
            found.update(repr((str(place), seen.st_mode, held)).encode())
    return found.hexdigest()


@needs_cage
@pytest.mark.req("C-41", "X-28")
def test_nothing_that_a_fixer_does_can_write(tmp_path: Path) -> None:
    """C-41, X-28: the project, its history, our home, the store, our own command."""
    at = fixing(tmp_path, "")
    task_file, elsewhere = at.folder / "meta" / "task.json", tmp_path / "elsewhere"
    elsewhere.mkdir()
    places = {
        "files": [str(at.site.project / "kept.py"), str(task_file), str(at.site.place)],
        "folders": [
            str(at.site.project),
            str(at.site.home),
            str(tmp_path),
            str(elsewhere),
        ],
        "store": str(at.site.place),
        "project": str(at.site.project),
        "command": str(Path(sys.executable).with_name("everthread")),
    }
    (tmp_path / "fixer.py").write_text(WRITER.replace("{places!r}", repr(places)))
    at.site.home.mkdir(exist_ok=True)
    before = tree(at.site.project, at.site.home)
    head, meta = git(at.site.project, "rev-parse", "HEAD"), task_file.read_bytes()
    found = third(at)
    assert found.text == "tried 26", found.text
    assert tree(at.site.project, at.site.home) == before
    assert git(at.site.project, "rev-parse", "HEAD") == head
    assert task_file.read_bytes() == meta
    assert [*elsewhere.iterdir()] == []
    assert at.kinds() == ["error_recovery"], "our own checkpoint of it, and nothing else"
    assert at.task.status().at is not None
    assert at.engine.verify("ada").sound
    at.engine.close()


@pytest.mark.req("C-41")
def test_without_a_cage_the_fixer_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    at = fixing(tmp_path, f"open({str(ran)!r}, 'w')")
    monkeypatch.setattr(cages, "landlock_version", lambda: -1)
    found = third(at)
    assert (found.kind, found.by) == ("escalation", "nobody")
    assert "may only run where it cannot write" in found.text
    assert not ran.exists()
    at.engine.close()


@pytest.mark.req("C-41")
def test_without_any_fixer_a_person_is_asked(at: Work) -> None:
    found = third(at)
    assert (found.kind, found.by) == ("escalation", "nobody")
    assert "fixer_command" in found.text
    assert len(at.task.incidents(unresolved=True)) == 1


@needs_cage
def test_what_a_fixer_said_is_told_though_the_task_was_stopped_meanwhile(tmp_path: Path) -> None:
    at = fixing(tmp_path, "print('SUGGEST: this')")
    for _ in range(2):
        at.task.fail("scan", "test")
    desk = at.task._desk  # pyright: ignore[reportPrivateUsage] - to stop it in the middle
    usual = desk.house.commands
    assert usual is not None

    class Stopping:
        def run(self, *words: Any, **more: Any) -> Any:
            ran = usual.run(*words, **more)
            other = at.site.open()
            other.agent("ada").task(project=str(at.site.project)).stop("meanwhile")
            other.close()
            return ran

    at.task._desk = desk._replace(house=replace(desk.house, commands=Stopping()))  # pyright: ignore[reportArgumentType, reportPrivateUsage]
    failed = at.task.fail("scan", "test")
    assert failed.suggestion is not None
    assert (failed.suggestion.text, failed.suggestion.checkpoint) == ("SUGGEST: this", None)
    at.engine.close()


# ---- the fixer as a model


class Scripted:
    name = "scripted"

    def __init__(self, answer: str | CallFailed) -> None:
        self.answer = answer
        self.asked: list[Prompt] = []

    def price(self, input_tokens: int, output_tokens: int) -> int:
        return input_tokens + output_tokens

    def ask(self, prompt: Prompt, *, most: int, pause: Any) -> Reply:
        self.asked.append(prompt)
        if isinstance(self.answer, CallFailed):
            raise self.answer
        return Reply(self.answer, Spend(1, 100, 20, 7))


def by_words(text: str) -> int:
    return len(text.split())


def said(kind: str, text: str) -> str:
    return json.dumps({"kind": kind, "text": text})


def test_a_model_is_asked_once_within_the_cap() -> None:
    model = Scripted(said("suggestion", "Close it."))
    advice = ModelFixer(model, count=by_words, allowed=lambda _: True).suggest("<failed-step>")
    assert advice == ("Close it.", Spend(1, 100, 20, 7))
    [prompt] = model.asked
    assert prompt.system == fixer_prompt.SYSTEM and prompt.schema == fixer_prompt.SCHEMA
    broke = ModelFixer(model, count=by_words, allowed=lambda _: False)
    with pytest.raises(ModelFailed, match="budget"):
        broke.suggest("<failed-step>")
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "answer", ["", "{}", "I think so", said("suggestion", " "), "[1]", "{" * 99]
)
def test_an_answer_of_a_model_that_cannot_be_read_is_an_error(answer: str) -> None:
    fixer = ModelFixer(Scripted(answer), count=by_words, allowed=lambda _: True)
    with pytest.raises(ModelFailed, match="nonsense") as failed:
        fixer.suggest("x")
    assert failed.value.spent == Spend(1, 100, 20, 7), "what it cost is told all the same"


@pytest.mark.req("C-41")
@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (said("suggestion", "Close the file."), "suggestion", "Close the file."),
        (said("escalation", "Who may deploy?"), "escalation", "ESCALATE Who may deploy?"),
        ("no idea", "escalation", "the model failed: nonsense"),
    ],
)
def test_the_model_that_distills_is_the_fixer_where_no_command_is(
    tmp_path: Path, answer: str, kind: str, text: str
) -> None:
    with ModelServer([answer]) as server:
        site = Site(
            tmp_path, distiller="openai", distiller_url=f"{server.url}/v1", distiller_key="k"
        )
        made = work(site)
        made.task.start()
        day = _today()
        found = third(made)
        assert found.kind == kind and found.by.startswith("openai:")
        assert found.text.startswith(text)
        assert len(server.requests) == 1
        assert "<failed-step>" in json.dumps(server.requests[0].body)
        # It may have been midnight meanwhile.
        read = made.engine.house.store.read
        spent = [*read(lambda r: r.intents.spent(day)), *read(lambda r: r.intents.spent(_today()))]
        assert [row for row in spent if row[1] == found.by]
        made.engine.close()


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def test_a_command_that_nobody_knows_is_no_fixer_outside_of_a_cage(tmp_path: Path) -> None:
    for command, there in (("claude", True), ("codex", True), ("/opt/summarize --fast", False)):
        site = Site(tmp_path / str(hash(command)), distiller="command", distiller_command=command)
        engine = site.open()
        assert (engine.house.fixer is not None) is there, command
        engine.close()


@pytest.mark.req("R-38")
def test_the_prompt_is_listed_word_for_word_with_its_version() -> None:
    page = (ROOT / "docs" / "prompts.md").read_text()
    for text in fixer_prompt.TEXTS:
        assert f"```text\n{text}\n```" in page
    assert f"fixer | {fixer_prompt.VERSION} |" in page
