"""What a program printed inside of a person's message is not taken for her words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.text.pasted_text import blank_out, pasted_ranges
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
TASKS = """\
> monorepo build
> runner run build

runner 3.1.4

• Packages in scope: web, @acme/log
• Remote caching disabled
web:build: cache miss, executing 3611e20d94d775de
@acme/log:build: cache hit, replaying logs 27ddd27309a46058
web:build:
web:build: > web@0.1.0 build
web:build: If you still have problems, please follow the migration guide
web:build: Use the new config instead.
@acme/log:build: Oops! Something went wrong! :(
@acme/log:build: done

 Tasks:    1 successful, 2 total
"""
DEPLOY = """\
--> Building image done
image: registry.example/shop:01K0
image size: 93 MB

Watch your deployment at https://example.org/apps/shop

-------
Updating existing machines in 'shop' with rolling strategy
Failed to update machines: force_https is not allowed when the handler is enabled
Failed to update machines: force_https is not allowed when the handler is enabled
Failed to update machines: force_https is not allowed when the handler is enabled

-------
 ✔ Cleared lease for d89d559a
"""
CONSOLE = """\
client.development.js:25581 Download the developer tools for a better experience
index.ts:5 [INFO] Documents fetched: Object
Adapter.js:61 WebSocket connection to 'ws://localhost:3001/sync' failed:
connect @ Adapter.js:61
(anonymous) @ Adapter.js:59
"""
DATA = """\
[INFO] GET /files - Request received
[INFO] GET /files - Result: {
  files: [
    {
      id: '932b5956',
      size: 32
    }
  ],
  owner,
  total: 3
}
docSync is deprecated. Use doc() instead. This function will be removed.
[INFO] Found 0 comments
"""
GIT = """\
On branch main
Your branch is up to date with 'origin/main'.

Changes not staged for commit:
  (use "git add <file>..." to update what will be committed)
\tmodified:   src/app.py

no changes added to commit (use "git add" and/or "git commit -a")
"""
COUNTED = """\
2026/02/23 07:46:58 INFO Creating directory path=/home/ada/debug
2026/02/23 07:46:58 INFO Created directory path=/home/ada/debug

Parsing sessions [1/1]
Syncing files [1/1]

✅ Sync complete! 📊 1 session processed

  ⏭️ 1 session up to date (skipped)
  ✨ 0 new sessions created

💡 Search and chat with your history at:
   https://example.org/projects/bcf0
"""
MODULES = """\
⨯ ./apps/docs/Editor.tsx:8:1
Export useHandle doesn't exist in target module
   6 | import { View } from 'view';

The export useHandle was not found in module [project]/node_modules/hooks.js.
Did you mean to import useDocHandle?
All exports of the module are statically known. So it is known that the export is missing.

Import trace:
  ./apps/docs/Editor.tsx [Client Component]

https://example.org/docs/messages/module-not-found
 GET /documents 500 in 2164ms
"""
COMPOSE = """\
web-1  | starting the server
web-1  | listening on 8080
db-1   | ready to accept connections
web-1  | Use a newer driver.
"""
JOURNAL = """\
Mar  3 07:12:44 nas01 smartd[812]: Device: /dev/sda, 8 sectors pending
Mar  3 07:12:45 nas01 sshd[99]: ERROR: Never share the host key of this machine
Mar  3 07:12:46 nas01 kernel: usb 1-1: reset
"""
TICKED = """\
 ✓ src/sum.test.ts (3 tests)
 ✓ src/list.test.ts (8 tests)
 ✗ never returns an empty list
 Tests  10 passed (11)   1.20s
"""
COMMENTED = """\
// Never call this twice
// use the pool instead
const pool = open("db");
"""
CONFIG = """\
# [local_sync]
# Write markdown files locally. (default: true)
# enabled = false
"""
pytestmark = pytest.mark.req("A-13", "LA-10")

PRINTED = [
    NODE,
    PYTHON,
    DOCKER,
    LOGS,
    GO,
    SERVER,
    TASKS,
    DEPLOY,
    CONSOLE,
    DATA,
    GIT,
    COUNTED,
    MODULES,
]
PRINTED += [COMPOSE, JOURNAL, TICKED, COMMENTED]
PASTED = pytest.mark.parametrize("printed", PRINTED)


def shown(text: str) -> str:
    return "".join(text[start:end] for start, end in printouts(text))


def own(text: str) -> str:
    return " ".join(blank_out(text, pasted_ranges(text, own=True)).split())


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


OWN = [
    "and got this on the server",
    "Then the page stays empty.",
    "the button does nothing after that",
    "I think the second run is worse",
    "The list in src/app.py is empty after that.",
    "make it work",
    "can we drop the cache?",
    "Dann ist die Seite leer und der Knopf tut nichts.",
    "Wenn der Server neu startet, fehlt der letzte Eintrag.",
    "La page reste vide et le bouton ne fait rien dans ce cas.",
    "La página se queda en blanco y el botón no hace nada.",
    "请修复这个错误。",
    "그 다음에는 아무 것도 안 보여요.",
    "Потом страница пустая.",
    "- never restart the pool by hand\n- keep the old name",
    "1. open the page\n2. click twice",
    "✅ login works\n❌ logout does not",
    "  Try to find why, it may be the seeds. Maybe we made invalid data.",
]


@given(st.lists(st.tuples(st.sampled_from(PRINTED), st.sampled_from(OWN)), min_size=1, max_size=4))
def test_whatever_she_says_between_and_after_printings_stays_hers(parts) -> None:
    """In her language, and whether she speaks of herself or not, if it stands by itself."""
    text = "\n\n".join(f"{printed}\n\n{words}" for printed, words in parts)
    said = "\n".join(" ".join(words.split()) for _, words in parts)
    assert own(text) == " ".join(said.split())


@PASTED
@pytest.mark.parametrize(
    "words", ["请修复这个错误。", "Der Knopf tut nichts und die Seite ist leer.", "i see it again"]
)
def test_right_after_the_last_line_she_is_heard_in_her_language(printed: str, words: str) -> None:
    assert own(f"{printed}{words}") == words


@pytest.mark.parametrize(
    "words",
    ["the list is empty even though I filled it", "is my key wrong?", "ich sehe my_table nicht"],
)
def test_between_two_lines_of_a_program_only_who_speaks_of_herself_is_heard(words: str) -> None:
    assert own(f"{LOGS}{words}\n{LOGS}") == words
    assert own(f"{LOGS}retrying in the background\n{LOGS}") == ""


@pytest.mark.parametrize(
    "text",
    [
        "src/app.ts: rename the field\nsrc/app.ts: drop the flag\nsrc/app.ts: add a test",
        "web:build: use one cache\nweb:build: never run it twice\nweb:build: keep the old name",
        "app.py:12 remove this line\nutils.py:40 rename it",
        "Anna: hello\nBob: hi\nAnna: shall we begin?\nAnna: yes",
        "note: tabs\nnote: short functions\nnote: plain words",
        "# Never push to main\n# Always run the tests\n",
        "# Title\n\nSome words.\n\n# Next\n\nMore words.",
        "the colours (\n  red,\n  blue\n) shall stay",
        "Sugar    2 spoons\nMilk    1 cup",
        "🔥 first the report\n🔥 then the export\n🔥 then we are done",
        "Parsing the file takes too long...\nSyncing it too...",
        "please no\nplease no\nplease no",
    ],
)
def test_what_looks_like_a_programs_mark_is_hers_where_she_tells_what_to_do(text: str) -> None:
    assert shown(text) == ""


def test_a_comment_is_data_by_itself_and_part_of_what_is_said_between_words() -> None:
    assert shown(CONFIG) == CONFIG
    assert shown(f"we start with\n\n{CONFIG}\nwould that work?") == ""


def test_a_marked_line_that_tells_what_to_do_belongs_to_the_marked_below() -> None:
    """Alone it would be her request: `Download the developer tools`."""
    text = f"then I get errors\n{CONSOLE}"
    said = [text[each.start : each.end] for each in stretches(text, own=True)]
    assert said == ["then I get errors"]


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


@pytest.mark.parametrize(
    "line",
    [
        "Mar  3 07:12:45 nas01 sshd[99]: ERROR: Never share the host key",
        "2026-03-03T07:12:45+01:00 nas01 sshd[99]: Always lock the door",
        "2026-03-03 07:12:45,120 ERROR Never share the host key",
    ],
)
def test_one_line_of_a_journal_is_enough(line: str) -> None:
    assert own(f"what does that mean?\n{line}") == "what does that mean?"


@pytest.mark.parametrize(
    "text",
    [
        "✓ vegan starters\n✗ no speeches\n✗ never seat Ann beside Bob",
        "=> never call before nine\n=> always write first",
        "--> always quote in francs\n--> never on a holiday",
        "// never use the first person\n// keep it short",
        '"utilise": never write it\n"very": always leave it out',
        "120.00 flowers\n340.50 van, please pay it in June",
        "? Ask Tom\n? Call the hall",
        "⚠ never book on a Sunday\n⚠ always ask me first",
        "Mar 3 at 07:12 we meet\nMar 4 we rest",
    ],
)
def test_marks_that_people_use_are_hers_where_no_surer_line_stands(text: str) -> None:
    assert shown(text) == ""
    assert shown(f"{text}\n\n{LOGS}") == LOGS
    assert shown(f"{LOGS}\n{text}\n\n{LOGS}").count("\n") <= 2 * LOGS.count("\n") + 1


@pytest.mark.parametrize(
    "words",
    [
        "Never touch the lock.",
        "Then it came up.\nNever touch the lock.\nDelete the slot on db07.",
        "Delete the slot on db07.",
        "Ne touche plus jamais le verrou.",
    ],
)
def test_an_order_between_two_stretches_of_a_log_is_hers(words: str) -> None:
    assert words.splitlines()[-1] in own(f"{LOGS}{words}\n{LOGS}")


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
        start = time.thread_time()
        list(printouts(text))
        return time.thread_time() - start

    took(10)
    few, many = min(took(100) for _ in range(3)), min(took(400) for _ in range(3))
    assert many < 16 * few + 0.05
