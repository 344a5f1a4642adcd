"""The sandbox: reading goes on, everything else is denied, also what is dressed up as reading."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.safety.sandbox import (
    HARNESSES,
    OUR_ENDING,
    OUR_READING,
    SANDBOXED,
    door_allowed,
    own_tool_allowed,
    tool_allowed,
)
from everthread.domain.safety.sandbox_commands import COMMANDS
from everthread.domain.safety.sandbox_places import is_within, places_named
from everthread.domain.safety.sandbox_shell import why_denied
from everthread.edges.http.routes import ROUTES
from everthread.edges.mcp.catalogue import TOOLS

pytestmark = pytest.mark.req("C-50", "R-32")

SHELLS = {"claude-code": "Bash", "codex": "Bash", "gemini": "run_shell_command", "opencode": "bash",
          "openclaw": "exec"}  # fmt: skip


def bash(command: str, **more: Any) -> bool:
    return tool_allowed("claude-code", "Bash", {"command": command, **more}).allow


# ---- tools


@pytest.mark.parametrize(
    ("harness", "tool"),
    [(name, tool) for name, known in HARNESSES.items() for tool in sorted(known.reading)],
)
def test_tools_that_read_go_on(harness: str, tool: str) -> None:
    assert tool_allowed(harness, tool, {"file_path": "/x", "command": "rm -rf /"}).allow


@pytest.mark.parametrize(
    ("harness", "tool"),
    [
        ("claude-code", "Write"), ("claude-code", "Edit"), ("claude-code", "MultiEdit"),
        ("claude-code", "NotebookEdit"), ("claude-code", "Task"), ("claude-code", "Agent"),
        ("claude-code", "WebFetch"), ("claude-code", "KillShell"), ("claude-code", "SlashCommand"),
        ("claude-code", "read"), ("claude-code", "Read "), ("claude-code", ""), ("claude-code", "Bash2"),
        ("claude-code", "mcp__other__read"), ("claude-code", "mcp__everthread__memory_store"),
        ("claude-code", "mcp__everthread__memory_search__x"), ("claude-code", "mcp__github__create_issue"),
        ("codex", "apply_patch"), ("codex", "Read"), ("codex", "exec_command"),
        ("gemini", "write_file"), ("gemini", "replace"), ("gemini", "web_fetch"), ("gemini", "save_memory"),
        ("opencode", "write"), ("opencode", "edit"), ("opencode", "patch"), ("opencode", "webfetch"),
        ("opencode", "task"), ("openclaw", "write"), ("openclaw", "edit"), ("openclaw", "process"),
        ("openclaw", "browser"), ("openclaw", "message"), ("unknown", "Read"), ("", "Read"),
    ],
)  # fmt: skip
def test_tools_that_are_not_known_to_read_are_denied(harness: str, tool: str) -> None:
    decision = tool_allowed(harness, tool, {})
    assert not decision.allow
    assert decision.reason.startswith(SANDBOXED)


@given(st.sampled_from([*HARNESSES, "other"]), st.text(max_size=30))
def test_a_tool_that_nobody_knows_is_denied(harness: str, tool: str) -> None:
    known = HARNESSES.get(harness)
    if known is not None and tool in known.reading | known.shells:
        return
    assert not tool_allowed(harness, tool, {"command": "ls"}).allow


@pytest.mark.parametrize(
    ("harness", "tool"),
    [
        ("claude-code", "mcp__everthread__memory_search"),
        ("claude-code", "mcp__plugin_everthread_everthread__thread_context"),
        ("codex", "mcp__everthread__checkpoint_list"),
        ("gemini", "mcp_everthread_memory_search"),
        ("opencode", "everthread_memory_search"),
    ],
)
def test_our_own_tools_that_read_go_on(harness: str, tool: str) -> None:
    assert tool_allowed(harness, tool, {}).allow


def test_what_we_call_reading_is_hinted_so() -> None:
    hinted = {str(tool["name"]): tool["annotations"]["readOnlyHint"] for tool in TOOLS}
    for name, reads in hinted.items():
        ends = name in OUR_ENDING
        assert own_tool_allowed(name, reads=reads).allow == (reads or ends)
        assert (name in OUR_READING) <= reads


# ---- doors


def test_the_api_answers_what_reads_and_refuses_what_writes() -> None:
    for route in ROUTES:
        decision = door_allowed(route.method, route.scope)
        assert decision.allow == (route.method == "GET" or route.scope == "read"), route.path
    assert not door_allowed("POST", "write").allow
    assert not door_allowed("DELETE", "admin").allow
    assert not door_allowed("PATCH", "").allow


# ---- shells


READING = [
    "ls", "ls -la src", "pwd", "cat README.md", "cat 'a file.txt' \"another one\"", "head -20 a.py",
    "head -n 5 a.py b.py", "tail -n 20 log.txt", "wc -l src/*.py", "grep -rn 'def main' src",
    "grep -E \"a|b\" x | sort | uniq -c | sort -rn | head -5", "rg -n --hidden 'x > y' src",
    "rg --files", "find . -name '*.py' -type f", "find src -maxdepth 2 -not -name x -print",
    "grep '^def ' a.py", "uniq a", "uniq 'a*'", "sed -n 5p src/*.py", "sed -n '10,20p' a.py",
    "sed -n 5p a.py", "date",
    "date +%F", "echo done", "diff -u a b", "sort -k2 -n a", "stat a", "du -sh .", "tree -L 2",
    "file a.bin", "ls; pwd", "cat a || true", "ls ~/project", "grep x a\tb", "sha256sum a",
    "cut -d, -f1 a.csv", "grep -rn x --include=*.py .", "ls src/*",
]  # fmt: skip


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(("harness", "tool"), SHELLS.items())
def test_commands_that_read_go_on(harness: str, tool: str, command: str) -> None:
    decision = tool_allowed(harness, tool, {"command": command})
    assert decision.allow, decision.reason


SNEAKING = [
    # plainly something else
    "rm -rf /", "touch x", "python -c 'x'", "make test", "npm install", "bash", "sh -c ls",
    "curl x", "vi a", "mv a b", "chmod +x a", "kill 1", "less a", "awk '{print}' a", "xargs rm",
    "tee out", "dd if=a of=b", "cd /",
    # redirections
    "cat a > b", "cat a >> b", "cat < a", "ls >x", "echo x >| y", "ls 2>/dev/null", "ls 2>&1",
    "cat <<EOF", "cat <<< x", "ls &> x", "echo x>y",
    # substitutions and variables
    "echo $(rm x)", "echo `rm x`", "echo \"$(rm x)\"", "echo \"`rm x`\"", "cat $HOME/x",
    "echo ${x}", "cat \"$X\"", "cat <(rm x)", "echo $((1))", "echo $'\\x3brm'", "echo \"a\\$(x)\"",
    # chains
    "ls; rm x", "ls && rm x", "ls || rm x", "ls | sh", "ls | tee x", "ls & rm x", "ls &",
    "ls |& sh", "ls\nrm x", "ls\r\nrm x", "ls;rm x", "ls&&rm x", "ls|sh", ";ls", "ls;;", "ls &&",
    "| ls", "&& ls",
    # other words before the command
    "X=1 ls", "PATH=. ls", "GIT_PAGER=x git log", "env ls", "command ls", "exec ls", "sudo ls",
    "nohup ls", "time ls", "! ls", "eval ls", "builtin ls", "timeout 5 ls", "./ls", "/bin/ls",
    "../ls", "l\\s", "'ls'", "\"ls\"", "l's'", "\\ls", "=ls", "(ls)", "{ ls; }",
    "if true; then ls; fi", "function x", "alias ls=rm", "ls() { rm x; }",
    # options that write or run
    "find . -delete", "find . -exec rm x",
    "find . -execdir x", "find . -ok rm", "find . -okdir rm", "find . -fprint x",
    "find . -fprintf x y", "find . -fls x", "find . -fprint0 x", "find -- -delete",
    "find . \"-delete\"", "find . '-exec' x", "sort -o x a", "sort --output=x a", "sort -ox a",
    "sort --compress-program=x a", "sort -T x a", "sort --outp=x a", "uniq a b", "uniq -- a b",
    "rg --pre x y", "rg --pre=x y", "rg -z x", "rg --hostname-bin=x y", "rg --search-zip x",
    "tree -o x", "tree -ox", "file -C -m x", "tail -f a", "tail --follow a", "sed -i s/a/b/ x",
    "sed s/a/b/w x", "sed -n 'w x' a", "sed -n 1p -i a", "sed -n '1e x' a", "sed -e 1p a",
    "sed -n '1p;w x' a", "date -s x", "date 0101", "diff -l a b", "diff --paginate a b", "sed",
    "sed -n",
    # git: its repository names programs (fsmonitor, diff.external, textconv, pager) that it runs
    "git", "git status", "git log --oneline -5", "git diff", "git show HEAD:README.md", "git ls-files",
    "git rev-parse HEAD", "git -c core.pager=x log", "git --no-pager log", "git commit", "ls; git log",
    # names like options
    "sort *", "rg x *", "cat ?x", "cat [a]x", "sort ''*", "rg \"\"*", "rg -*", "sort -?",
    "sort {-o,x}", "cat a{b,c}", "sort ^x", "cat x^",
    # patterns that become one argument more
    "uniq a*", "uniq a?", "uniq src/[ab]", "uniq -c a*", "uniq -- a*", "uniq 'a'*", "ls | uniq a*",
    # quotes, comments, invisible signs
    "cat 'a", "cat \"a", "ls # x", "ls #", "cat a\\ b", "ls \x00", "ls\x1b[2K", "ls\u2028rm",
    "ls\u00a0-l", "", "   ", "ls \\\nrm",
    "ls " + "a" * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("command", SNEAKING)
@pytest.mark.parametrize(("harness", "tool"), [("claude-code", "Bash"), ("openclaw", "exec")])
def test_commands_that_sneak_are_denied(harness: str, tool: str, command: str) -> None:
    decision = tool_allowed(harness, tool, {"command": command})
    assert not decision.allow
    assert decision.reason.startswith(SANDBOXED)


@pytest.mark.parametrize(
    "given_",
    [
        None, {}, {"command": None}, {"command": ["ls"]}, {"command": ["bash", "-lc", "rm x"]},
        {"command": 7},
        {"command": "ls", "cmd": "rm x"}, {"cmd": "rm x"}, {"command": {"x": 1}},
        {"command": "ls", "env": {"PATH": "."}}, {"command": "ls", "dangerouslyDisableSandbox": True},
        {"command": "ls", "elevated": True}, {"command": "ls", "run_in_background": True},
        {"command": "ls", "host": "node"}, {"command": "ls", "shell": "x"}, {"script": "ls"},
    ],
)  # fmt: skip
def test_a_shell_that_is_told_more_is_denied(given_: Any) -> None:
    assert not tool_allowed("claude-code", "Bash", given_).allow


def test_a_shell_may_be_told_how_long() -> None:
    assert bash("ls", description="look", timeout=1_000, run_in_background=False, cwd="")


@pytest.mark.parametrize("name", ["cwd", "workdir", "directory", "dir_path"])
def test_a_shell_runs_in_no_other_folder_than_the_projects(name: str) -> None:
    def inside(folder: str) -> bool:
        return is_within(folder, "/project")

    def shell(folder: Any) -> bool:
        given_ = {"command": "ls", name: folder}
        return tool_allowed("gemini", "run_shell_command", given_, inside=inside).allow

    assert shell("/project") and shell("/project/src")
    assert not shell("/other") and not shell("/project-two") and not shell("/")
    assert not shell(["/project"])
    assert not bash("ls", **{name: "/project"}), "who does not know the project allows no folder"


def test_the_places_of_a_call_are_found_wherever_they_stand() -> None:
    patch = "*** Begin Patch\n*** Update File: a/x.py\n*** Move to: b/y.py\n@@\n*** End Patch"
    given_ = {"file_path": "/p/x", "edits": [{"path": "z"}, 7, None], "input": patch, "none": ""}
    assert {"/p/x", "z", "a/x.py", "b/y.py"} <= set(places_named(given_))
    assert "" not in set(places_named(given_))


@given(st.text(max_size=60))
def test_a_command_that_begins_with_no_known_name_is_denied(line: str) -> None:
    if not why_denied(line.strip()):
        assert line.split(maxsplit=1)[0] in COMMANDS


@given(
    st.sampled_from(READING),
    st.sampled_from(
        ["; rm x", " && sh", " | sh", " > x", " $(x)", " `x`", " & x", "\nrm x", " >> x"]
    ),
)
def test_what_is_added_to_reading_is_seen(command: str, more: str) -> None:
    assert not bash(command + more)


words = st.text("abo-=*?;|&<>$`'\" \\{}()!#~/.\n", max_size=12)


@given(
    st.sampled_from(["ls", "sort a", "uniq a", "find .", "rg x", "cat"]),
    st.lists(words, max_size=4),
)
def test_no_word_makes_a_reading_command_write(start: str, more: list[str]) -> None:
    """What is let through holds no sign by which a shell does more, outside of quotes."""
    line = " ".join([start, *more])
    if why_denied(line):
        return
    bare = line
    for sign in ("'", '"'):
        while bare.count(sign) >= 2:
            first = min((bare.find(s) for s in ("'", '"') if s in bare), default=-1)
            end = bare.find(bare[first], first + 1)
            bare = bare[:first] + "q" + bare[end + 1 :]
    assert not set("<>$`\\(){}!#^\n") & set(bare)
    assert not (start == "uniq a" and set("*?[") & set(bare.partition("|")[0].partition(";")[0]))
    assert "-o" not in [word[:2] for word in bare.split()] or start not in ("sort a",)


@pytest.mark.slow
def test_what_is_let_through_changes_no_file(tmp_path: Path) -> None:
    """All of the reading ones, in a real shell, in a folder whose every file is compared afterwards."""
    for name in (
        "a",
        "b",
        "a.py",
        "b.py",
        "log.txt",
        "README.md",
        "a.csv",
        "x",
        "--output=y",
        "-o",
    ):
        (tmp_path / name).write_text(f"{name} 1\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "m.py").write_text("def main(): ...\n")

    def run(line: str) -> None:
        subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=60, check=False
        )

    def state() -> dict[str, bytes]:
        files = (p for p in tmp_path.rglob("*") if p.is_file())
        return {str(p.relative_to(tmp_path)): p.read_bytes() for p in files}

    before = state()
    for command in READING:
        if shutil.which(command.split()[0]):
            run(command)
    assert state() == before
