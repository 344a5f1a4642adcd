"""Every word that a person typed is kept, whatever it looks like; and whatever is not kept is told of."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.errors import BadInput
from everthread.edges.harnesses import event_desk, history_import
from everthread.wiring import project_agent
from support.commands import Cli, Here

TYPED = (
    "My HTML has <system-reminder>keep the header blue</system-reminder> inside, why?",
    "<system-reminder>\nkeep it blue\n</system-reminder>\nwhere does this come from?",
    "<system-reminder>only that</system-reminder>",
    "<everthread-session>what is this block that I found in my file?</everthread-session>",
    "<everthread-session>\nand what is this one?\n</everthread-session>",
    "why is <hook_context>foo</hook_context> in my log?",
    "<hook_context>foo</hook_context>",
    "In my page:\n<ide_selection>a list</ide_selection>\nmakes no sense.",
    "The end is <user-prompt-submit-hook>mine</user-prompt-submit-hook>",
)


class House:
    """An engine, and harnesses that tell it of what is said in a folder."""

    def __init__(self, engine: Everthread, settings: Settings) -> None:
        self.engine, self.settings = engine, settings

    def tell(self, folder: Path, event: str, *, harness: str = "claude-code", **more: Any) -> bytes:
        told = {"session_id": f"session-of-{folder.name}", "cwd": str(folder), **more}
        body = json.dumps(told).encode()
        return event_desk.answer(self.engine, self.settings, harness, event, body, {})

    def said(self) -> list[str]:
        agents = self.engine.agents()
        return [m.text for agent in agents for m in agent.messages(limit=1_000) if m.text]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


@pytest.fixture
def house(cli: Cli) -> Iterator[House]:
    settings = Settings.load(environ=cli.env).with_(durability="process", embedder="off")
    place = settings.store_target
    with everthread.connect(place, background=False, settings=settings) as engine:
        yield House(engine, settings)


def project(cli: Cli, name: str, *, git: bool = False) -> Path:
    place = cli.home / name
    place.mkdir(parents=True)
    if git:
        subprocess.run(["git", "init", "-q", str(place)], check=True)
    return place


def claude_line(number: int, content: object) -> str:
    now = datetime.now(UTC).isoformat()
    row = {"type": "user", "uuid": f"u{number}", "timestamp": now}
    return json.dumps({**row, "message": {"role": "user", "content": content}}) + "\n"


@pytest.mark.req("LB-16")
@pytest.mark.parametrize("carried", ["event", "transcript", "both"])
def test_what_a_person_types_about_tags_is_kept_to_the_letter(
    house: House, cli: Cli, carried: str
) -> None:
    shop, place = project(cli, "shop"), cli.home / "t.jsonl"
    place.touch()
    more = {} if carried == "event" else {"transcript_path": str(place)}
    for number, words in enumerate(TYPED):
        if carried != "transcript":
            house.tell(shop, "UserPromptSubmit", prompt=words, **more)
        with place.open("a") as file:
            file.write(claude_line(number, words))
        house.tell(shop, "Stop", **more)
    assert house.said() == list(TYPED)


@pytest.mark.req("LB-16")
def test_gemini_keeps_them_too_and_what_hooks_gave_stays_out(house: House, cli: Cli) -> None:
    shop, place = project(cli, "shop"), cli.home / "session-1.jsonl"
    place.touch()
    given, more = "<hook_context>GIVEN</hook_context>", {"transcript_path": str(place)}
    for number, words in enumerate(TYPED):
        before = f"{given}\n\n{words}" if number % 2 else words
        house.tell(shop, "BeforeAgent", harness="gemini", prompt=before, **more)
        now = datetime.now(UTC).isoformat()
        row = {"id": f"m{number}", "timestamp": now, "type": "user"}
        row["content"] = [{"text": before}, {"text": given}]
        with place.open("a") as file:
            file.write(json.dumps(row) + "\n")
        house.tell(shop, "AfterAgent", harness="gemini", **more)
    assert house.said() == list(TYPED)


@pytest.mark.req("LB-16")
def test_what_a_tool_read_is_kept_and_what_hangs_on_its_end_is_not(house: House, cli: Cli) -> None:
    shop, place = project(cli, "shop"), cli.home / "t.jsonl"
    read = "a <system-reminder>x</system-reminder> in a page\n<system-reminder>y</system-reminder>\nend"
    hung = f"{read}\n\n<system-reminder>\nTake care.\n</system-reminder>\n"
    block = {"type": "tool_result", "tool_use_id": "t1", "content": hung}
    place.write_text(claude_line(1, [block]))
    house.tell(shop, "Stop", transcript_path=str(place))
    (agent,) = house.engine.agents()
    (message,) = agent.messages(limit=9)
    told = json.loads(message.content)
    assert told[0]["content"].rstrip() == read


@pytest.mark.parametrize("git", [False, True], ids=["plain", "git"])
def test_private_is_private_in_every_folder_below(house: House, cli: Cli, *, git: bool) -> None:
    secret = project(cli, "secret", git=git)
    inner = project(cli, "secret/in/deep")
    assert "nothing of it is kept" in cli("private", "on", cwd=secret).out
    house.tell(inner, "SessionStart", source="startup")
    house.tell(inner, "UserPromptSubmit", prompt="The word is PPWORD.")
    assert house.engine.agents() == [] or house.said() == []
    house.engine.agent("other")  # so that there is a store to ask
    here = cli("status", cwd=inner).out
    assert f"nothing is kept: {secret} is private" in " ".join(here.split())
    assert "is private" in cli("doctor", cwd=inner).out
    told = cli("private", "off", cwd=inner).out
    if git:
        assert "no longer private" in told, "it is the same project"
    else:
        assert f"stays private, for {secret} is" in told
        assert cli("private", "off", cwd=inner, env={}).code == 0
        assert "no longer private" in cli("private", "off", cwd=secret).out
    house.tell(inner, "UserPromptSubmit", prompt="And now it is open.")
    assert house.said() == ["And now it is open."]


def test_a_file_names_the_agent_of_folders_below_and_they_are_private_for_themselves(
    house: House, cli: Cli
) -> None:
    desk, inner = project(cli, "desk"), project(cli, "desk/in")
    (desk / ".everthread.toml").write_text('agent = "ada"\n')
    house.tell(desk, "UserPromptSubmit", prompt="We begin.")
    house.tell(inner, "UserPromptSubmit", prompt="We go on further in.")
    assert [agent.name for agent in house.engine.agents()] == ["ada"], "it has worked around there"
    assert cli("private", "on", cwd=inner).code == 0
    house.tell(inner, "UserPromptSubmit", prompt="Not this.")
    house.tell(desk, "UserPromptSubmit", prompt="But this.")
    assert sorted(house.said()) == ["But this.", "We begin.", "We go on further in."]


@pytest.mark.parametrize(
    "text", ['agent = "Ada Lovelace ü"\n', 'agent = "ada\n'], ids=["no name", "no TOML"]
)
def test_a_file_that_is_wrong_loses_no_word_and_is_told_of(
    house: House, cli: Cli, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    shop, other = project(cli, "shop"), project(cli, "other")
    (shop / ".everthread.toml").write_text(text)
    with caplog.at_level("WARNING"):
        house.tell(shop, "SessionStart", source="startup")
    assert ".everthread.toml" in caplog.text
    house.tell(shop, "UserPromptSubmit", prompt="The port is 8443.")
    assert [a.name for a in house.engine.agents()] == [project_agent(shop)]
    assert house.said() == ["The port is 8443."]
    here = " ".join(cli("status", cwd=shop).out.split())
    assert f"agent {project_agent(shop)}" in here and ".everthread.toml" in here
    for folder in (shop, other):
        found = cli("doctor", "--json", cwd=folder).json["checks"]
        wrong = [each for each in found if ".everthread.toml" in each["says"]]
        assert [each["fine"] for each in wrong] == [False], folder


def test_an_import_goes_on_beside_a_project_whose_file_is_wrong(cli: Cli) -> None:
    kept = cli.home / ".claude" / "projects" / "all"
    kept.mkdir(parents=True)
    for number, name in enumerate(("shop", "bank")):
        folder = project(cli, name)
        line = json.loads(claude_line(number, f"We work in {name}."))
        line |= {"cwd": str(folder), "sessionId": f"session-{name}"}
        (kept / f"session-{name}.jsonl").write_text(json.dumps(line) + "\n")
    (cli.home / "shop" / ".everthread.toml").write_text('agent = "Ada Lovelace ü"\n')
    done = cli("import", kept, "--json")
    assert done.code == 0 and done.json["messages"] == 2 and done.json["left_out"] == []
    refused = cli("import", kept, "--agent", "Ada ü")
    assert refused.code == 2 and "cannot name an agent" in refused.err


def test_what_is_wrong_with_one_history_keeps_no_other_out(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, take = cli.home / "kept", history_import.take
    kept.mkdir()
    for number, name in enumerate(("shop", "bank")):
        line = json.loads(claude_line(number, f"We work in {name}."))
        line |= {"cwd": str(project(cli, name)), "sessionId": f"session-{name}"}
        (kept / f"session-{name}.jsonl").write_text(json.dumps(line) + "\n")

    def failing(engine: Everthread, history: Any, *more: Any) -> Any:
        if "shop" in history.place:
            raise BadInput("this one is wrong")
        return take(engine, history, *more)

    monkeypatch.setattr(history_import, "take", failing)
    done = cli("import", kept, "--json").json
    assert done["messages"] == 1
    assert done["left_out"] == [{"reason": "this one is wrong", "sessions": 1}]


AIDER_LOG = """
# aider chat started at 2026-11-10 09:00:00

> aider --model gpt{end}
#### add a function that parses dates{end}
#### and test it{end}

I'll add it.

```python
#### not a prompt, a comment
> nor a tool
def parse(): ...
```
{heading}
That is all.

> Applied edit to kiwi.py{end}

#### thanks{end}

It began with

```python
def half(
{stop}
#### and now?{end}

Done.
"""


@pytest.mark.parametrize("end", ["  ", ""], ids=["as written", "without its spaces"])
def test_marks_inside_of_an_agents_reply_are_the_agents(cli: Cli, end: str) -> None:
    log = cli.home / ".aider.chat.history.md"
    heading, stop = ("#### A heading\n", "\n> ^C again to exit  \n") if end else ("", "")
    log.write_text(AIDER_LOG.format(end=end, heading=heading, stop=stop))
    assert cli("import", log, "--agent", "ada").code == 0
    with everthread.connect(
        Settings.load(environ=cli.env).store_target, background=False
    ) as engine:
        messages = engine.known_agent("ada").messages(limit=99)
    asked = [m.text for m in messages if m.role == "user"]
    assert asked == ["add a function that parses dates\nand test it", "thanks", "and now?"]
    replies = [m.text for m in messages if m.role == "assistant"]
    assert len(replies) == 3
    for words in (
        "I'll add it.",
        "#### not a prompt",
        "> nor a tool",
        "That is all.",
        heading.strip(),
    ):
        assert words in replies[0]
