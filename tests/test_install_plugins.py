"""The plugins in JavaScript, run by Node against a daemon that answers as it is told."""

from __future__ import annotations

import json
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from everthread.edges.daemon.events import TICKET
from everthread.edges.install.machine import installer
from everthread.edges.install.parts import Machine, OwnFile
from support.clients import node
from support.daemon import wait_for
from support.installing import machine

CLIENT = """
import json, pathlib, sys
said = sys.stdin.read()
place = pathlib.Path(sys.argv[1])
with (place / "tickets").open("a") as file:
    file.write(sys.argv[-1] + "\\n")
with (place / "carried").open("a") as file:
    file.write(json.dumps([sys.argv[2], json.loads(said)]) + "\\n")
print(json.dumps({"context": "by the client"}))
"""


class Desk:
    """A daemon that keeps what it is told and answers by event."""

    def __init__(self, socket: Path) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, bytes] = {}
        self.status = 200
        self.tickets: list[str] = []
        self.slow = threading.Event()
        self.slow.set()
        desk = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                event = self.path.rpartition("/")[2].replace("%3A", ":")
                desk.told.append((event, json.loads(body)))
                desk.tickets.append(self.headers["x-everthread-ticket"])
                desk.slow.wait(90)
                answer = desk.answers.get(event, b"")
                self.send_response(desk.status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

            def address_string(self) -> str:
                return "here"

        class Server(socketserver.ThreadingUnixStreamServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # a client that gave up

        self.server = Server(str(socket), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.slow.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def events(self) -> list[str]:
        return [event for event, _ in self.told]


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder whose socket has a short name."""
    folder = Path(tempfile.mkdtemp(prefix="et-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def around(root: Path) -> Machine:
    (root / "client.py").write_text(CLIENT)

    def hook(_harness: str, event: str) -> list[str]:
        return [sys.executable, str(root / "client.py"), str(root), event]

    # Long: no answer comes late because this machine is busy.
    around = machine(root, hook=hook, limit=lambda _event: 60_000)
    around.socket.parent.mkdir(parents=True)
    return around


@pytest.fixture
def hasty(around: Machine) -> Machine:
    """Where nobody waits for long."""
    return replace(around, limit=lambda _event: 1_000)


@pytest.fixture
def desk(around: Machine) -> Iterator[Desk]:
    desk = Desk(around.socket)
    yield desk
    desk.close()


def module(name: str, around: Machine, ending: str) -> str:
    """The text of a plugin, as a file that Node can load."""
    part = next(p for p in installer(name).parts(around) if p.path.name.endswith(ending))
    assert isinstance(part, OwnFile)
    place = around.user / f"{name}.mjs"
    place.write_bytes(part.data)
    return place.as_uri()


def run(script: str, root: Path, env: Mapping[str, str] | None = None) -> Any:
    """What a script prints, as JSON."""
    done = subprocess.run(
        [node(), "--input-type=module", "-e", script],
        cwd=root,
        env={"PATH": "/usr/bin:/bin", "HOME": str(root), **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(done.stdout)


OPENCODE = """
const {{ Everthread }} = await import({url!r});
const hooks = await Everthread({{ directory: "/work", worktree: "/work" }});
const system = async (first = "You are a coder") => {{
  const output = {{ system: [first] }};
  await hooks["experimental.chat.system.transform"]({{ sessionID: "s" }}, output);
  return output.system.slice(1);
}};
const say = (text, more = []) => {{
  const parts = [{{ type: "text", text }}, ...more];
  return hooks["chat.message"]({{ sessionID: "s", messageID: "m" }}, {{ parts }});
}};
const seen = [];
{body}
console.log(JSON.stringify(seen));
"""


def opencode(around: Machine, body: str, **env: str) -> Any:
    url = module("opencode", around, "everthread.js")
    return run(OPENCODE.format(url=url, body=body), around.user, env)


def test_opencode_is_told_and_gives_again_what_it_was_given(around: Machine, desk: Desk) -> None:
    desk.answers = {
        "session.created": b'{"context":"start"}',
        "chat.message": b'{"context":"recalled"}',
        "experimental.session.compacting": b'{"instructions":"keep 8080"}',
        "session.compacted": b'{"context":"back"}',
    }
    seen = opencode(
        around,
        """
        await hooks.event({ event: { type: "session.created", properties: { info: { id: "s" } } } });
        await say("hello", [{ type: "text", text: "not said", synthetic: true }]);
        seen.push(await system(), await system("You are a title generator."));
        await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
        await hooks.event({ event: { type: "plugin.added", properties: {} } });
        const output = { context: [] };
        await hooks["experimental.session.compacting"]({ sessionID: "s" }, output);
        seen.push(output.context, await system());
        await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } });
        seen.push(await system());
        await hooks.dispose();
        """,
    )
    assert seen == [["start", "recalled"], [], ["keep 8080"], [], ["back"]]
    assert desk.events() == [
        "session.created",
        "chat.message",
        "session.idle",
        "experimental.session.compacting",
        "session.compacted",
        "dispose",
    ]
    prompt = desk.told[1][1]
    assert prompt["prompt"] == "hello" and prompt["sessionID"] == "s"
    assert prompt["directory"] == "/work" and prompt["database"].endswith("/opencode/opencode.db")


def test_a_session_of_opencode_that_goes_on_is_begun_with_its_first_prompt(
    around: Machine, desk: Desk
) -> None:
    desk.answers = {"session.resumed": b'{"context":"again"}'}
    seen = opencode(around, 'await say("hi"); await say("ho"); seen.push(await system());')
    assert seen == [["again"]]
    assert desk.events() == ["session.resumed", "chat.message", "chat.message"]


def test_a_subagent_of_opencode_is_given_nothing_and_heard_at_its_end(
    around: Machine, desk: Desk
) -> None:
    desk.answers = {"session.created": b'{"context":"start"}'}
    info = '{ info: { id: "s", parentID: "p" } }'
    seen = opencode(
        around,
        f"""
        await hooks.event({{ event: {{ type: "session.created", properties: {info} }} }});
        await say("task");
        seen.push(await system());
        await hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "s" }} }} }});
        """,
    )
    assert seen == [[]]
    assert desk.events() == ["session.idle"] and desk.told[0][1]["parentID"] == "p"


def test_without_a_daemon_the_client_carries_what_is_told(around: Machine) -> None:
    seen = opencode(around, 'await say("hi"); seen.push(await system());')
    assert seen == [["by the client", "by the client"]]
    told = carried(around, 2)
    assert [event for event, _ in told] == ["session.resumed", "chat.message"]
    assert told[1][1]["prompt"] == "hi"


def test_another_daemon_is_reached_by_the_client_alone(around: Machine, desk: Desk) -> None:
    opencode(around, 'await say("hi");', EVERTHREAD_URL="http://elsewhere:1")
    assert desk.told == []
    assert (around.user / "carried").exists()


def test_a_client_that_is_gone_does_no_harm(around: Machine) -> None:
    (around.user / "client.py").unlink()
    assert opencode(around, 'await say("hi"); seen.push(await system());') == [[]]


@pytest.mark.slow
def test_a_daemon_that_does_not_answer_holds_nobody_up(hasty: Machine, desk: Desk) -> None:
    desk.slow.clear()
    assert opencode(hasty, IDLE) == [True]


def carried(around: Machine, number: int) -> list[Any]:
    """What was handed to the client, which nobody waits for."""
    place = around.user / "carried"
    wait_for(
        lambda: place.exists() and place.read_bytes().count(b"\n") >= number, "nothing is carried"
    )
    return [json.loads(line) for line in place.read_text().splitlines()]


IDLE = """
const begun = performance.now();
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
seen.push(performance.now() - begun < 30_000);
"""


@pytest.mark.parametrize("status", [503, 413, 401, 500])
def test_what_the_daemon_did_not_take_is_kept_by_the_client(
    around: Machine, desk: Desk, status: int
) -> None:
    """R-45. With the same ticket, so that it is taken once."""
    desk.status = status
    assert opencode(around, IDLE) == [True]
    [[event, _]] = carried(around, 1)
    assert event == "session.idle"
    [ticket] = desk.tickets
    assert TICKET.fullmatch(ticket)
    assert (around.user / "tickets").read_text().split() == [ticket]


@pytest.mark.slow
def test_what_the_daemon_did_not_take_in_time_is_kept_by_the_client(
    hasty: Machine, desk: Desk
) -> None:
    desk.slow.clear()
    assert opencode(hasty, IDLE) == [True]
    assert [event for event, _ in carried(hasty, 1)] == ["session.idle"]
    wait_for(lambda: len(desk.tickets) > 0, "it never came")
    assert (hasty.user / "tickets").read_text().split() == desk.tickets


def test_what_the_daemon_took_is_not_told_again(around: Machine, desk: Desk) -> None:
    opencode(around, 'await say("hi");' + IDLE)
    assert len(set(desk.tickets)) == 3
    assert not (around.user / "carried").exists()


def test_a_large_event_is_cut_by_its_bytes(around: Machine, desk: Desk) -> None:
    """Ten million bytes in four million letters: the daemon would not take them."""
    body = """
    const content = "\u20ac".repeat(1_000_000);
    const messages = [1, 2, 3, 4].map((number) => ({ role: "user", content: number + content }));
    await on.agent_end({ messages, success: true }, ctx);
    seen.push(1);
    """
    url = module("openclaw", around, "index.js")
    assert run(OPENCLAW.format(url=url, body=body), around.user) == [1]
    [(event, told)] = desk.told
    assert event == "agent_end"
    assert [each["content"][0] for each in told["event"]["messages"]] == ["4"]


def test_an_answer_that_is_no_answer_is_nothing(around: Machine, desk: Desk) -> None:
    for answer in (b"half a {", b"[]", b"7", b"null", b"\xff\xfe"):
        desk.answers = dict.fromkeys(("session.resumed", "chat.message"), answer)
        assert opencode(around, 'await say("hi"); seen.push(await system());') == [[]]


OPENCLAW = """
const {{ default: plugin }} = await import({url!r});
const on = {{}};
const config = {{ agents: {{ defaults: {{ workspace: "/ws" }} }} }};
plugin.register({{ config, on: (name, heard) => (on[name] = heard) }});
const ctx = {{ sessionId: "s", sessionKey: "agent:main:main", workspaceDir: "/work" }};
const seen = [];
{body}
console.log(JSON.stringify(seen));
"""


def test_openclaw_is_told_and_gives_again_what_it_was_given(around: Machine, desk: Desk) -> None:
    desk.answers = {
        "session_start": b'{"context":"start"}',
        "before_prompt_build": b'{"context":"recalled"}',
        "after_compaction": b'{"context":"back"}',
    }
    body = """
    const messages = [{ role: "user", content: "hi" }];
    await on.session_start({ sessionId: "s" }, { sessionId: "s" });
    seen.push(await on.before_prompt_build({ prompt: "hi", messages }, ctx));
    await on.agent_end({ messages, success: true }, ctx);
    await on.before_compaction({ messageCount: 1 }, ctx);
    await on.after_compaction({ compactedCount: 1 }, ctx);
    seen.push(await on.before_prompt_build({ prompt: "ho", messages }, ctx));
    await on.before_reset({ messages, reason: "reset" }, ctx);
    await on.session_end({ sessionId: "s", reason: "reset" }, ctx);
    seen.push(Object.keys(on).sort());
    """
    url = module("openclaw", around, "index.js")
    first, second, heard = run(OPENCLAW.format(url=url, body=body), around.user)
    assert first == {"appendSystemContext": "start", "prependContext": "recalled"}
    assert second == {"appendSystemContext": "back", "prependContext": "recalled"}
    assert heard == sorted(set(desk.events()))
    told = dict(desk.told)
    assert told["session_start"]["workspaceDir"] == "/ws"
    assert told["agent_end"]["event"]["messages"] == [{"role": "user", "content": "hi"}]
    assert "messages" not in told["before_prompt_build"]["event"]


def test_openclaw_without_a_gateway_begins_with_the_first_prompt(
    around: Machine, desk: Desk
) -> None:
    desk.answers = {"session_start": b'{"context":"start"}'}
    url = module("openclaw", around, "index.js")
    body = 'seen.push(await on.before_prompt_build({ prompt: "hi" }, ctx));'
    (given,) = run(OPENCLAW.format(url=url, body=body), around.user)
    assert given == {"appendSystemContext": "start"}
    assert desk.events() == ["session_start", "before_prompt_build"]


def test_the_older_hooks_of_openclaw_put_a_file_into_the_prompt(
    around: Machine, desk: Desk
) -> None:
    desk.answers = {"agent:bootstrap": b'{"context":"start"}'}
    url = module("openclaw-legacy", around, "handler.js")
    script = f"""
    const {{ default: handler }} = await import({url!r});
    const bootstrapFiles = [];
    const context = {{ workspaceDir: "/work", sessionId: "s", bootstrapFiles, cfg: {{ secret: 1 }} }};
    await handler({{ type: "agent", action: "bootstrap", sessionKey: "k", context }});
    await handler({{ type: "session", action: "compact:before", sessionKey: "k", context: {{}} }});
    await handler({{}});
    console.log(JSON.stringify(bootstrapFiles));
    """
    (file,) = run(script, around.user)
    assert file == {
        "name": "EVERTHREAD.md",
        "path": "EVERTHREAD.md",
        "content": "start",
        "missing": False,
    }
    told = dict(desk.told)
    assert told["agent:bootstrap"]["sessionId"] == "s" and "secret" not in json.dumps(told)
    assert "session:compact:before" in told


# ---- the tool gate


GATED = """
    const write = () => hooks["tool.execute.before"]({ tool: "write", sessionID: "s" }, { args: {} });
    await write().then(() => seen.push("ran"), (error) => seen.push(error.message));
"""


def gated(around: Machine) -> Machine:
    """A task is open, and the project in this folder is in a sandbox."""
    project = str(around.user.resolve())
    folder = around.home / "run" / "sandbox"
    folder.mkdir(parents=True)
    (folder / "mark").write_text(f"{project.encode().hex()}\nagent\nsession\n")
    return replace(around, gate=True)


def test_the_plugins_ask_about_tools_only_while_a_task_is_open(around: Machine, desk: Desk) -> None:
    """R-32."""
    assert opencode(around, 'seen.push("tool.execute.before" in hooks);') == [False]
    assert opencode(replace(around, gate=True), GATED) == ["ran"]
    assert desk.told == [], "without a sandbox nobody is asked"
    url = module("openclaw", around, "index.js")
    asked = 'seen.push("before_tool_call" in on);'
    assert run(OPENCLAW.format(url=url, body=asked), around.user) == [False]


def asked_openclaw(around: Machine, place: Path) -> Any:
    """What OpenClaw is told about a tool in that folder."""
    url = module("openclaw", around, "index.js")
    where = json.dumps({"workspaceDir": str(place)})
    call = '{ toolName: "write", params: {} }'
    body = f"seen.push((await on.before_tool_call({call}, {where})) ?? null);"
    return run(OPENCLAW.format(url=url, body=body), around.user)[0]


def test_in_a_sandbox_the_plugins_do_as_the_daemon_says(around: Machine, desk: Desk) -> None:
    """R-32: an answer that says neither is none, and nothing runs."""
    there = gated(around)
    desk.answers = {"tool.execute.before": b'{"allow": true}'}
    assert opencode(there, GATED) == ["ran"]
    desk.answers = {"tool.execute.before": b'{"allow": false, "reason": "only reading"}'}
    assert opencode(there, GATED) == ["only reading"]
    desk.answers = {"before_tool_call": b'{"allow": false, "reason": "only reading"}'}
    told = asked_openclaw(there, around.user)
    assert told == {"block": True, "blockReason": "only reading"}
    for answer in (b"{}", b""):
        desk.answers = {"before_tool_call": answer}
        assert asked_openclaw(there, around.user)["block"]


def test_in_a_sandbox_and_without_a_daemon_the_plugins_let_nothing_run(around: Machine) -> None:
    """R-32: the one case that fails closed; the sandbox of another project holds nobody up."""
    there = gated(around)
    below, beside = around.user / "below", around.user.with_name(around.user.name + "-two")
    below.mkdir()
    beside.mkdir()
    for place in (around.user, below, around.user.parent, Path("/")):
        told = asked_openclaw(there, place)
        assert told["block"]
        assert "does not answer" in told["blockReason"]
    assert asked_openclaw(there, beside) is None
