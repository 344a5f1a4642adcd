"""What was once left open and is settled: which module does what, who writes a summary, who checks types."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from everthread.domain.distilling.prompts import CHUNK_TOKENS
from everthread.domain.policy import Policy
from everthread.edges.mcp.catalogue import TOOLS
from everthread.services.distilling import plan
from everthread.services.distilling.plan import EXTRACT_TOKENS, USES_KEPT
from everthread.store.messages import MessageTable
from support.desk import Desk, answer, desk_in, question

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "everthread"

MODULES = {
    "key plumbing": ("edges/harnesses/binding.py", "domain/harness/projects.py"),
    "migration": ("store/migrations.py", "store/sqlite/migrations/0005_harness.sql"),
    "accumulator": ("domain/harness/activity.py", "services/harness/fold.py"),
    "checkpoints": ("domain/harness/checkpoints.py", "services/harness/checkpoint.py"),
    "flush queue": ("edges/daemon/spool.py", "jobs/line.py"),
    "hook handling": ("edges/hooks/client.py", "services/attending/attend.py"),
    "input parsing": ("edges/harnesses/dialect.py", "edges/harnesses/jsonl.py"),
    "redaction": ("domain/redaction/secrets.py", "domain/redaction/rules.py"),
    "settings": ("settings/values.py", "domain/policy.py"),
    "API": ("edges/http/routes.py", "edges/http/call.py"),
    "MCP tools": ("edges/mcp/catalogue.py", "edges/mcp/tools.py"),
    **{
        f"installer of {name}": (f"edges/install/{name}.py", f"edges/harnesses/{name}.py")
        for name in ("claude_code", "codex", "gemini", "opencode", "openclaw")
    },
}


@pytest.mark.req("B-81")
def test_each_part_of_continuity_has_modules_of_its_own() -> None:
    for part, names in MODULES.items():
        for name in names:
            assert (SRC / name).is_file(), f"{part}: {name} is not there"
    named = [name for names in MODULES.values() for name in names]
    assert len(named) == len(set(named)), "no module does two of these"


@pytest.mark.req("B-80", "S-7", "B-36", "R-28")
def test_what_was_left_open_is_decided() -> None:
    """The arguments of the digest, the pruning rule; the scorer's part in ranking is decision 0017."""
    digest = next(tool for tool in TOOLS if tool["name"] == "session_digest")
    taken = set(digest["inputSchema"]["properties"])
    assert {"summary", "decisions", "state", "blockers", "next_steps"} <= taken
    assert digest["inputSchema"]["required"] == ["summary"]
    assert Policy().checkpoint_days == 7.0
    decided = (ROOT / "docs/decisions/0017-learned-relevance.md").read_text()
    assert "Memories change places among themselves" in decided


# ---- one summary, one writer


@pytest.mark.req("LD-11")
@pytest.mark.parametrize(
    ("call", "writer"),
    [
        (r"\.summaries\.add\(", "services/distilling/swap.py"),
        (r"\.endings\.summarize\(", "services/ending/conclude.py"),
    ],
)
def test_each_kind_of_summary_has_one_writer(call: str, writer: str) -> None:
    """Of a thread, and of a session; there is no third kind."""
    rooms = [SRC / room for room in ("services", "engine", "jobs", "edges")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    found = {str(path.relative_to(SRC)) for path in files if re.search(call, path.read_text())}
    assert found == {writer}


@pytest.mark.req("LD-11")
def test_tool_output_but_for_that_of_the_newest_uses_is_collapsed(tmp_path: Path) -> None:
    """A turn may be a hundred uses long, so uses are counted, and not turns: the newest eight stay whole.

    Between two distillations nothing that was sent is changed (R-7), so it is done at these alone.
    """
    with desk_in(tmp_path, window=40_000) as desk:
        desk.tools(0, 1, output="word " * 15_000)
        desk.tools(1, 12, output="word " * 600)
        desk.work()
        assert [receipt.mode for receipt in desk.ada.receipts()] == ["shorten"]
        cut = ["characters cut by Everthread" in text for text in results(desk)]
        assert (len(cut), USES_KEPT) == (12, 8)
        assert cut == [True] * 4 + [False] * 8
        stored = [m.content for m in desk.ada.messages(limit=500)]
        assert "characters cut by Everthread" not in "".join(stored)


def results(desk: Desk) -> list[str]:
    blocks = [
        block
        for message in desk.ada.context().messages
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    return [str(block["content"]) for block in blocks if block["type"] == "tool_result"]


# ---- chunks


@pytest.mark.slow
@pytest.mark.req("LA-2")
def test_a_thread_of_400_000_tokens_is_distilled_in_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is extracted is read 80,000 tokens at a time at most; models get 30,000 at a time."""
    assert (EXTRACT_TOKENS, CHUNK_TOKENS) == (80_000, 30_000)
    read: list[int] = []
    plain = MessageTable.between

    def between(self: MessageTable, scope: object, thread: int, first: int, last: int) -> object:
        found = plain(self, scope, thread, first, last)  # pyright: ignore[reportArgumentType]
        read.append(sum(message.tokens for message in found))
        return found

    with desk_in(tmp_path, window=1_000_000) as desk:
        for n in range(51):
            desk.turn(f"{question(n)} {'word ' * 4_000}", f"{answer(n)} {'text ' * 4_000}")
        assert desk.ada.context().tokens > 400_000
        monkeypatch.setattr(MessageTable, "between", between)
        receipt = desk.ada.distill()
        assert receipt.outcome == "ok"
        assert receipt.tokens_after < receipt.tokens_before // 10
        # All of it was read, and more than once: to plan, to extract, to score.
        assert max(read) <= EXTRACT_TOKENS
        assert sum(read) > 800_000
    assert plan.PAGE == 100


# ---- types


@pytest.mark.req("B-72")
@pytest.mark.slow
def test_types_are_checked_strictly_and_a_planted_error_is_found(tmp_path: Path) -> None:
    """`make check` runs the checker over all of the code, and every test."""
    chosen = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["basedpyright"]
    assert chosen["typeCheckingMode"] == "strict"
    assert "basedpyright" in (ROOT / "Makefile").read_text()
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    (tmp_path / "src").mkdir()
    for text, code in (
        ("def one() -> int:\n    return 1\n", 0),
        ("def one() -> int:\n    return ''\n", 1),
    ):
        (tmp_path / "src" / "planted.py").write_text(text)
        done = subprocess.run(
            [Path(sys.executable).parent / "basedpyright", "src/planted.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stdout
