"""What a program printed inside of a person's message is not taken for her words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.text.pasted import pasted, without
from everthread.domain.text.printouts import printouts
from everthread.domain.text.sentences import stretches

NODE = """\
➜  api git:(main) ✗ npm run dev

> api@0.1.0 dev
> nodemon --exec tsx src/index.ts

[nodemon] 3.1.10
[nodemon] watching path(s): src/**/*
node:internal/modules/run_main:123
    triggerUncaughtException(
    ^

Error: Cannot find module 'express'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15)
    at Object.<anonymous> (/app/src/index.ts:1:1)

Node.js v22.17.0
[nodemon] app crashed - waiting for file changes before starting...
"""
PYTHON = """\
Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    run()
  File "/app/main.py", line 8, in run
    raise ValueError("no config")
ValueError: no config
"""
DOCKER = """\
[+] Building 12.1s (19/24)
 => [base 1/2] FROM docker.io/library/node:22
 => => transferring context: 241B   0.0s
 => ERROR [build 4/6] RUN npm ci
------
 > [build 4/6] RUN npm ci:
8.019 npm ERR! code ENOENT
8.020 npm ERR! A complete log of this run can be found in: /home/ada/.npm/_logs
"""
LOGS = """\
2026-02-20T10:00:00Z INFO  server  listening on 8080
2026-02-20T10:00:01Z WARN  pool    slow query 312ms
2026-02-20T10:00:02Z ERROR pool    connection refused
"""
GO = """\
./main.go:12:5: undefined: parse
./main.go:19:2: declared and not used: n
FAIL	example.org/app [build failed]
"""
SERVER = """\
 ✓ Compiled /documents in 461ms
 GET /documents 500 in 2164ms
 ⨯ TypeError: handle.doc is not a function
    at CollaborativeEditor (components/Editor.tsx:31:22)
  29 |   const handle = useHandle(url);
> 31 |   const doc = handle.doc();
     |                      ^
"""
pytestmark = pytest.mark.req("A-13", "LA-10")

PASTED = pytest.mark.parametrize("printed", [NODE, PYTHON, DOCKER, LOGS, GO, SERVER])


def shown(text: str) -> str:
    return "".join(text[start:end] for start, end in printouts(text))


def own(text: str) -> str:
    return " ".join(without(text, pasted(text, own=True)).split())


@PASTED
def test_what_was_printed_is_not_hers_and_all_that_she_says_is(printed: str) -> None:
    """Before it, after it, and between two printings."""
    before = "still broken, why does it do that?"
    between = "and when I run it again I get this"
    after = "can you fix it please, and keep the old name?"
    assert own(f"{before}\n\n{printed}\n{between}\n\n{printed}\n{after}") == (
        f"{before} {between} {after}"
    )


@PASTED
def test_words_right_after_the_last_line_are_hers(printed: str) -> None:
    assert own(f"{printed}why is that?") == "why is that?"


@pytest.mark.parametrize(
    "text",
    [
        "[Backend] use one queue for all jobs\n[Frontend] show a spinner\n[Docs] describe both",
        "[backend] use one queue\n[frontend] show a spinner",
        "CRITICAL: always run the tests first\nWARNING: never push to main\nNOTICE: do not deploy",
        "note: use tabs\nnote: keep functions short",
        "Backend: use FastAPI,\nFrontend: use React,\nDatabase: use postgres,",
        "1. parse the config (config.go:12)\n2. add a flag\n3. write tests",
        "- error handling: return a 404\n- logging: use the shared logger\n- tests: add some",
        "✅ login works\n❌ logout does not\n✅ the report is fine",
        "● first the report\n● then the export\n● then we are done",
        "Hallo,\nbitte ändere das:\n- Fehler: der Knopf tut nichts\n- Wunsch: größerer Text",
        "请修复这个错误。\n然后运行测试。\n不要修改数据库。",
        "Steps:\n1) open the page\n2) click twice\n3) it says error: not found\nWhat I expect: a list.",
        "I met Anna (my sister) at 10:30.\nWe talked about the parser(s).\nThen she left.",
        "error: the button does nothing",
        "Use {braces} here;\nand keep my semicolons;",
        "> you said it works\nIt does not.",
        "from tomorrow on we deploy daily\nimport the contacts first\nreturn to this later",
    ],
)
def test_what_people_write_stays_theirs(text: str) -> None:
    """Lists, tags, headings and shouted rules look a little like a log."""
    assert shown(text) == ""


def test_rules_beside_a_log_are_heard() -> None:
    text = f"{LOGS}\nNever restart the pool by hand."
    said = [text[each.start : each.end] for each in stretches(text, own=True)]
    assert said == ["Never restart the pool by hand."]


@given(st.text(alphabet="ab [](){}:;=>#$|.~^\n\t➜✓0123456789AE/@", max_size=600))
def test_stretches_are_whole_lines_in_order(text: str) -> None:
    found = list(printouts(text))
    ends = [0, *(end for _, end in found)]
    assert all(start >= end for (start, _), end in zip(found, ends, strict=False))
    for start, end in found:
        assert 0 <= start < end <= len(text)
        assert start == 0 or text[start - 1] in "\n"


@pytest.mark.parametrize(
    "line",
    ["a" * 400, "at " * 200, "x=" * 300, "[a " * 100, "(((((" * 80, '"a" ' * 100, "a.b." * 100],
)
def test_hostile_lines_cost_little(line: str) -> None:
    """No line makes the reading quadratic: twice as many take about twice as long."""

    def took(count: int) -> float:
        text = f"{line}\n" * count
        start = time.perf_counter()
        list(printouts(text))
        return time.perf_counter() - start

    took(10)
    few, many = min(took(100) for _ in range(3)), min(took(400) for _ in range(3))
    assert many < 16 * few + 0.05
