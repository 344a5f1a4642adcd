"""Whose memory and whose task is meant, here and at another daemon; and what every door says of a session."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread import Settings, connect
from everthread.edges.http import task_shapes
from everthread.wiring import project_agent
from support.born import lived
from support.commands import Cli, Here
from support.daemon import Daemon, daemon, house, short_home  # noqa: F401 - fixtures
from support.http_server import TOKEN, Server, serving
from support.mcp import answer, by_command, said, settled
from support.tasking import Site, work
from test_task_doors import a_project, fine
from test_task_fork import raw_in, talk_of

SLUG = "parser-rewrite"
GOAL = ("--goal", "Parse in one pass")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Here:
    found = Here(tmp_path, monkeypatch, capsys)
    found.env["EVERTHREAD_EMBEDDER"] = "off"
    return found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "far", embedder="off") as found:
        found.engine.agent("ada")
        yield found


def made(cli: Cli, *names: str) -> None:
    settings = Settings(home=Path(cli.env["EVERTHREAD_HOME"]), worker="off", embedder="off")
    with connect(settings=settings, background=False) as engine:
        for name in names:
            engine.agent(name).remember(f"This is the memory of {name}.")


def bound(cli: Cli, folder: Path, agent: str) -> None:
    home = Path(cli.env["EVERTHREAD_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    (home / "projects.toml").write_text(
        f"[{json.dumps(str(folder))}]\nagent = {json.dumps(agent)}\n"
    )


def whose(answer: Any) -> str:
    assert answer.code == 0, answer.err
    return answer.json["agent"]


# Here


@pytest.mark.req("R-48")
def test_a_binding_of_the_user_says_whose_memory_is_meant(here: Here, tmp_path: Path) -> None:
    """--agent, then the environment, then the project as projects.toml binds it, then the only one."""
    shop = a_project(tmp_path / "shop")
    made(here, "ada", "bob")
    told = here("memories", "list", "--json", cwd=shop)
    assert told.code == 2 and "ada, bob" in told.err
    bound(here, shop, "bob")
    assert whose(here("memories", "list", "--json", cwd=shop)) == "bob"
    env = {"EVERTHREAD_AGENT": "ada"}
    assert whose(here("memories", "list", "--json", cwd=shop, env=env)) == "ada"
    told = here("memories", "list", "--json", "--agent", "bob", cwd=shop, env=env)
    assert whose(told) == "bob"
    # As words of the text: the digits of an id may hold `ada`.
    recalled = here("recall", "whose memory is this?", cwd=shop).out
    assert "the memory of bob" in recalled and "the memory of ada" not in recalled


@pytest.mark.req("R-48", "R-27")
def test_a_file_that_came_with_a_project_claims_nobody(here: Here, tmp_path: Path) -> None:
    """.everthread.toml names a new agent, or one that has worked there; no other."""
    shop = a_project(tmp_path / "shop")
    made(here, "ada", "bob")
    (shop / ".everthread.toml").write_text('agent = "ada"\n')
    assert here("memories", "list", "--json", cwd=shop).code == 2
    settings = Settings(home=Path(here.env["EVERTHREAD_HOME"]), worker="off", embedder="off")
    with connect(settings=settings, background=False) as engine:
        engine.agent("ada").new_task(SLUG, goal="g", project=str(shop)).start()
    assert whose(here("memories", "list", "--json", cwd=shop)) == "ada"


@pytest.mark.req("R-48")
def test_the_first_memory_of_a_bound_folder_is_its_agents(here: Here, tmp_path: Path) -> None:
    shop = a_project(tmp_path / "shop")
    bound(here, shop, "bob")
    told = here("remember", "Mel prefers tabs.", "--json", cwd=shop)
    assert told.code == 0 and "bob is the first agent" in told.err


# At another daemon


@pytest.mark.req("R-48", "C-1")
def test_a_task_at_another_daemon_is_this_projects_agents(
    server: Server, here: Here, tmp_path: Path
) -> None:
    """Never just the only one's: the project's agent is made there, as it is here."""
    shop = a_project(tmp_path / "shop")
    there = {"EVERTHREAD_URL": server.url, "EVERTHREAD_TOKEN": TOKEN}
    done = here("task", "new", SLUG, *GOAL, "--json", cwd=shop, env=there)
    assert done.code == 0, done.err
    own = project_agent(shop)
    assert whose(done) == own != "ada"
    assert server.engine.agent("ada").tasks() == []
    told = here("task", "status", "--json", cwd=shop, env=there)
    assert (whose(told), told.json["task"]) == (own, SLUG)
    [row] = here("task", "list", "--json", cwd=shop, env=there).json["tasks"]
    assert (row["agent"], row["task"]) == (own, SLUG)
    assert whose(here("task", "start", "--json", cwd=shop, env=there)) == own


@pytest.mark.req("R-48")
def test_a_task_of_another_agent_of_the_project_is_found_there(
    server: Server, here: Here, tmp_path: Path
) -> None:
    shop = a_project(tmp_path / "shop")
    there = {"EVERTHREAD_URL": server.url, "EVERTHREAD_TOKEN": TOKEN}
    server.engine.agent("ada").new_task(SLUG, goal="g", project=str(shop))
    assert whose(here("task", "status", "--json", cwd=shop, env=there)) == "ada"
    server.engine.agent("bob").new_task("other", goal="g", project=str(shop))
    told = here("task", "status", "--json", cwd=shop, env=there)
    assert told.code != 0 and f"{SLUG} of ada" in told.err and "other of bob" in told.err
    assert whose(here("task", "status", "other", "--json", cwd=shop, env=there)) == "bob"


@pytest.mark.req("R-48")
def test_a_binding_of_the_user_counts_at_another_daemon_too(
    server: Server, here: Here, tmp_path: Path
) -> None:
    """What a file of the project says alone does not: nobody sees from here whether it worked there."""
    shop = a_project(tmp_path / "shop")
    server.engine.agent("bob")
    there = {"EVERTHREAD_URL": server.url, "EVERTHREAD_TOKEN": TOKEN}
    (shop / ".everthread.toml").write_text('agent = "bob"\n')
    assert here("memories", "list", "--json", cwd=shop, env=there).code == 2
    bound(here, shop, "bob")
    assert whose(here("memories", "list", "--json", cwd=shop, env=there)) == "bob"


@pytest.mark.req("C-1")
def test_a_task_over_http_makes_its_agent_where_the_token_may(
    server: Server, tmp_path: Path
) -> None:
    shop = a_project(tmp_path / "shop")
    body = {"project": str(shop), "slug": SLUG, "goal": "g"}
    writer = server.engine.create_token("w", scopes=("read", "write"))
    assert server.post("/api/agents/eve/tasks", body, token=writer.secret).status == 404
    assert [agent.name for agent in server.engine.agents()] == ["ada"]
    told = fine(server.post("/api/agents/eve/tasks", body), task_shapes.TaskSeen)
    assert (told["agent"], told["task"]) == ("eve", SLUG)
    bound = server.engine.create_token("b", scopes=("admin",), agents=("ada",))
    assert server.post("/api/agents/mallory/tasks", body, token=bound.secret).status == 404


# What every door says


@pytest.mark.slow
@pytest.mark.req("C-53", "C-46", "C-48")
def test_http_says_who_works_how_far_and_takes_the_size_of_a_context(
    server: Server, tmp_path: Path
) -> None:
    here = {"project": str(a_project(tmp_path / "shop"))}
    server.post("/api/agents/ada/tasks", {**here, "slug": SLUG, "goal": "x"})
    at = f"/api/agents/ada/tasks/{SLUG}"
    begun = fine(server.post(f"{at}/start", here), task_shapes.TaskBegun)
    assert begun["owner"] is None or set(begun["owner"]) == {"pid", "name"}
    mark = {**here, "summary": "x", "questions": ["Which?", "Who?"], "next_steps": ["a"] * 7}
    told = fine(server.post(f"{at}/checkpoints", mark), task_shapes.TaskMarked)
    assert told["arc"] == {
        "steps": 1,
        "most_steps": 7,
        "questions": ["Which?", "Who?"],
        "most_questions": 3,
    }
    assert server.post(f"{at}/checkpoints", mark).status == 409, "four questions"
    refused = server.post(f"{at}/checkpoints", {**here, "summary": "x", "next_steps": ["a"] * 8})
    assert refused.status == 422 and "at most 7 steps" in refused.detail
    small = fine(server.post(f"{at}/used", {**here, "current": 127_999}), task_shapes.TaskReached)
    assert (small["reached"], small["context_tokens"]) == ("nothing", 127_999)
    full = fine(server.post(f"{at}/used", {**here, "current": 128_000}), task_shapes.TaskReached)
    assert full["reached"] == "fork" and full["checkpoint"] in full["context"]
    assert full["session"] != begun["session"]
    assert server.post(f"{at}/used", {**here, "current": -1}).status == 422


@pytest.mark.slow
@pytest.mark.req("C-53", "C-48")
def test_an_agent_hears_by_tools_who_works_and_how_far_it_went(
    house: Daemon,  # noqa: F811 - a fixture
    daemon: Daemon,  # noqa: F811 - a fixture
    tmp_path: Path,
) -> None:
    folder = a_project(tmp_path / "shop")

    async def play() -> None:
        async with by_command(daemon, folder) as client:
            await said(client, "task_new", slug=SLUG, goal="Parse in one pass")
            assert "0 of 7 steps, 0 of 3 questions" in await said(client, "task_start")
            assert "works at it: " in await said(client, "task_status")
            asked = await said(client, "task_checkpoint", summary="x", questions=["a?", "b?", "c?"])
            assert "1 of 7 steps, 3 of 3 questions" in asked
            told, wrong = await answer(client, "task_checkpoint", summary="x", questions=["d?"])
            assert wrong and "at most 3 clarifying questions" in told
            for _ in range(7):
                told = await said(client, "task_checkpoint", summary="x")
            assert "8 of 7 steps" in told and "Sum up now" in told
            assert "may go on growing" in await said(client, "task_used", current=127_999)
            forked = await said(client, "task_used", current=128_000)
            assert "goes on" in forked and "where it stood" in forked

    settled(play)


@pytest.mark.slow
@pytest.mark.req("C-48", "C-53")
def test_the_command_forks_and_starts_without_a_raw_line(tmp_path: Path) -> None:
    """3c.6: what `task used` and the next `task start` print, after a conversation of the session."""
    talk = [("I prefer short functions with long names.", "Noted."), *talk_of(11, 40)]
    site = Site(tmp_path)
    site.place = site.home / "everthread.db"
    at = work(site, smoke=None)
    with at.engine:
        key = at.task.start().at.session.alias
        ada = at.engine.agent("ada")
        for asked, told in talk:
            ada.turn(asked, session=key).done(told)
        ada.distill()
        assert ada.memories(), "of what was said, sentences are kept"
        at.task.checkpoint("explicit", "The parser is half done.")
    env = {
        **os.environ,
        "EVERTHREAD_HOME": str(site.home),
        "EVERTHREAD_STORE": str(site.place),
        "EVERTHREAD_EMBEDDER": "off",
    }

    def run(*words: str) -> str:
        done = lived("everthread", ["task", *words, "--agent", "ada"], env, site.project)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("used", "--current", "127999").strip() == "it may go on growing"
    told = run("used", "--current", "128000")
    assert "forked: go on in session-" in told and "The parser is half done." in told
    assert raw_in(told, talk) == []
    assert "1 of 3 questions" not in run("status")
    run("end", "--outcome", "partial", "--summary", "Half of it.")
    begun = run("start")
    assert "Half of it." in begun
    assert raw_in(begun, talk) == []


@pytest.mark.slow
@pytest.mark.req("C-53")
def test_the_command_counts_steps_and_questions(here: Here, tmp_path: Path) -> None:
    shop = a_project(tmp_path / "shop")

    def run(*words: str) -> Any:
        return here("task", *words, cwd=shop)

    assert run("new", SLUG, *GOAL).code == 0
    assert run("start").code == 0
    for number in range(3):
        assert run("checkpoint", "--summary", "x", "--question", f"{number}?").code == 0
    refused = run("checkpoint", "--summary", "x", "--question", "3?")
    assert refused.code != 0 and "at most 3 clarifying questions" in refused.err
    for _ in range(4):
        told = run("checkpoint", "--summary", "x")
    assert "!" not in told.out
    told = run("checkpoint", "--summary", "x")
    assert "! 8 of 7 steps, 3 of 3 questions" in told.out
    assert "8 of 7 steps, 3 of 3 questions since the last recap" in run("status").out
    many = [word for n in range(8) for word in ("--next", f"{n}")]
    assert "at most 7 steps" in run("end", *many).err
    assert run("end", *many[:14]).code == 0


@pytest.mark.slow
@pytest.mark.req("C-50", "R-32")
def test_doctor_says_that_a_project_is_in_a_sandbox_and_how_to_leave(tmp_path: Path) -> None:
    from test_task_safety import Stage

    stage = Stage(tmp_path)
    with stage.engine:
        stage.start()
        stage.say()
        stage.probe(0.0, "medium")
        found = [f for f in stage.engine.diagnose() if "is in a sandbox" in f.says]
        assert [f.fine for f in found] == [False]
        assert str(stage.site.project) in found[0].says
        assert "everthread task allow --task parser-rewrite" in found[0].advice
        stage.task.end("partial", summary="x")
        assert [f for f in stage.engine.diagnose() if "is in a sandbox" in f.says], (
            "held until allowed"
        )
        stage.task.allow("looked at it")
        assert not [f for f in stage.engine.diagnose() if "is in a sandbox" in f.says]


@pytest.mark.req("X-29")
def test_erasing_over_http_lists_what_stays_in_projects(server: Server, tmp_path: Path) -> None:
    shop = a_project(tmp_path / "shop")
    server.engine.agent("ada").new_task(SLUG, goal="g", project=str(shop)).start()
    done = server.post("/api/agents/ada/erase", {"agent": "ada"})
    assert done.status == 200, done.body
    assert f"{shop}/tasks/{SLUG}/logs/session.log" in done.json["files_left"]
