"""Specifics: paths, commands with their outcome, numbers, errors, names are read off a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.text.specifics import Specific, Specifics, outcome, specifics
from everthread.domain.text.specifics_reader import HEAD, MOST, TAIL, file_in, is_command
from support.processor import seconds_of
from support.spoken import called, resulted, spoken

pytestmark = pytest.mark.req("LD-17")


def of(kind: str, found: list[Specific]) -> dict[str, str]:
    """The specifics of one kind, each with its note."""
    return {each.text: each.note for each in found if each.kind == kind}


def in_text(kind: str, text: str, by: str = "user") -> dict[str, str]:
    return of(kind, specifics(spoken(text, by)))  # pyright: ignore[reportArgumentType]


# Tools


def test_a_command_gets_its_outcome_when_the_result_arrives():
    thread = Specifics()
    assert of("command", thread.read(called("Bash", command="make test"))) == {"make test": ""}
    assert of("command", thread.read(resulted("14 passed in 2.1s"))) == {"make test": "ok"}


@pytest.mark.parametrize(
    ("content", "fields", "note"),
    [
        ("all good", {}, "ok"),
        ("Exit code 1\nTypeError: x is not a list", {"is_error": True}, "exit 1: TypeError: x is not a list"),
        ("nothing to say", {"is_error": True}, "failed"),
        ('{"output":"","metadata":{"exit_code":0}}', {}, "ok"),
        ("bash: foo: command not found", {}, "bash: foo: command not found"),
        ([{"type": "text", "text": "exited with code 2"}], {}, "exit 2"),
        ("error: a word of the output", {"is_error": False}, "ok"),
    ],
)  # fmt: skip
def test_the_outcome_says_how_a_command_ended(content, fields, note):
    thread = Specifics()
    thread.read(called("shell", cmd="./build.sh all"))
    assert of("command", thread.read(resulted(content, **fields))) == {"./build.sh all": note}


def test_who_searches_for_errors_has_not_failed():
    found = "src/a.py:3:1: error: no\nValueError: in a log"
    assert outcome("grep -rn Error src", found) == "ok"
    assert outcome("pytest -q", found) == "src/a.py:3:1: error: no"


@pytest.mark.parametrize(
    ("command", "output", "note"),
    [
        ("pip install nope", "Looking\nERROR: No version of nope", "ERROR: No version of nope"),
        ("pytest -q", "..F.F\n2 failed, 17 passed in 1.2s", "failed"),
        ("npx mocha", "  12 passing (1s)\n  1 failing", "failed"),
        ("ping -c1 nas", "From 10.0.0.1 icmp_seq=1 Destination Host Unreachable", "failed"),
        ("dig nas.example.org", ";; ->>HEADER<<- opcode: QUERY, status: NXDOMAIN, id: 7", "failed"),
        ("python a.py", "Traceback (most recent call last):\n  ...", "failed"),
        ("pytest -q", "0 failed, 17 passed in 1.2s", "ok"),
        ("make", "built, 0 errors", "ok"),
        ("ansible all -m ping", "nas : ok=1 unreachable=0 failed=0", "ok"),
        ("cargo build", "warning: unreachable statement", "ok"),
        ("cd /srv && grep -c x log", "2 failed, 17 passed", "ok"),
        ("journalctl -u nas", "connection refused", "ok"),
        ("git log -3", "Fix the 2 failed tests", "ok"),
    ],
)  # fmt: skip
def test_where_nobody_says_how_it_ended_the_output_does(command, output, note):
    assert outcome(command, output) == note
    counted = "passed" in output or "passing" in output
    assert outcome(command, output, failed=False) == (note if counted else "ok")


@pytest.mark.parametrize(
    "output",
    [
        "2 failed, 3 passed in 0.31s",
        "test result: FAILED. 3 passed; 2 failed; 0 ignored",
        "Tests: 2 failed, 3 passed, 5 total",
        "  12 passing (1s)\n  1 failing",
    ],
)
def test_a_run_of_tests_that_counts_failures_did_not_go_well_though_its_pipe_did(output: str):
    """`pytest | tail` ends as `tail` does."""
    assert outcome("pytest -q | tail -3", output, failed=False) == "failed"
    assert outcome("pytest -q | tail -3", f"{output}\nexited with code 0") == "failed"
    assert outcome("tail -3 pytest.log", output, failed=False) == "ok"


def test_results_find_their_calls_in_any_order():
    thread = Specifics()
    thread.read(called("Bash", n=1, command="make one"))
    thread.read(called("Bash", n=2, command="make two"))
    assert of("command", thread.read(resulted("Exit code 3", n=2))) == {"make two": "exit 3"}
    assert of("command", thread.read(resulted("fine", n=1))) == {"make one": "ok"}
    assert of("command", thread.read(resulted("fine", n=1))) == {}


@pytest.mark.parametrize(
    ("name", "given", "deed"),
    [
        ("Edit", {"file_path": "src/a.py", "old_string": "x", "new_string": "y"}, "edited"),
        ("Write", {"file_path": "src/a.py", "content": "x"}, "created"),
        ("Read", {"file_path": "src/a.py"}, "read"),
        ("delete_file", {"path": "src/a.py"}, "deleted"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "src/a.py"}, "read"),
        ("str_replace_based_edit_tool", {"command": "create", "path": "src/a.py"}, "created"),
        ("editor", {"command": "str_replace", "path": "src/a.py", "old_str": "x"}, "edited"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/a.py\n@@"}, "edited"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: src/a.py\n"}, "deleted"),
    ],
)
def test_what_was_done_to_a_file_is_read_off_the_call(name, given, deed):
    found = specifics(called(name, **given))
    assert of("file", found) == {"src/a.py": deed}
    assert of("command", found) == {}


def test_an_edit_that_failed_is_told_as_failed_and_a_file_that_was_read_is_not_gone_through():
    thread = Specifics()
    thread.read(called("Edit", file_path="src/a.py", old_string="x", new_string="y"))
    failed = thread.read(resulted("String to replace not found", is_error=True))
    assert of("file", failed) == {"src/a.py": "failed: String to replace not found"}
    thread.read(called("Read", n=5, file_path="src/b.py"))
    assert thread.read(resulted("port = 8931\nValueError: no\nsome_name", n=5)) == []


def test_a_folder_that_was_searched_is_no_file_and_a_page_that_was_opened_is_a_link():
    assert specifics(called("Grep", pattern="x", path="src/lib")) == []
    found = specifics(called("WebFetch", url="https://example.org/a?b=1"))
    assert of("url", found) == {"https://example.org/a?b=1": ""}


def test_a_command_given_as_a_list_is_one_line():
    assert "git push" in of(
        "command", specifics(called("shell", command=["bash", "-lc", "git push"]))
    )
    assert "git push" in of("command", specifics(called("shell", command=["git", "push"])))


def test_calls_that_never_get_a_result_do_not_pile_up():
    thread = Specifics()
    for n in range(1_000):
        thread.read(called("Bash", n=n, command=f"make n{n}"))
    assert of("command", thread.read(resulted("fine", n=1))) == {}
    assert of("command", thread.read(resulted("fine", n=999))) == {"make n999": "ok"}


# Text


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("```bash\nnpm install\n# a remark\nnpm test -- -w\n```", ["npm install", "npm test -- -w"]),
        ("```console\n$ make all\nok 12\n$ ls -la\n```", ["make all", "ls -la"]),
        ("```sh\ncat > a.txt <<EOF\nrm -rf /\nEOF\nls\n```", ["cat > a.txt <<EOF", "ls"]),
        ("```sh\ndocker run \\\n-p 80:80 web\n```", ["docker run -p 80:80 web"]),
        ("$ git status", ["git status"]),
        ("Run `pytest -q tests/a.py` first.", ["pytest -q tests/a.py"]),
        ("```\npython run.py --fast\n```", ["python run.py --fast"]),
        ("The price is $ 40 and `tabs` it is.", []),
        ("```python\nmake = 3\n```", []),
        ("Let's make it git ready.", []),
    ],
)  # fmt: skip
def test_commands_are_known_by_where_they_stand(text, commands):
    assert list(in_text("command", text)) == commands


def test_what_a_tool_prints_tells_how_the_command_before_it_ended():
    thread = Specifics()
    thread.read(spoken("Let us see.\n\n```\npython run.py\n```", "agent"))
    printed = thread.read(
        spoken("Traceback (most recent call last):\nValueError: no such day", "tool")
    )
    assert of("command", printed) == {"python run.py": "ValueError: no such day"}
    assert of("command", thread.read(spoken("more of it", "tool"))) == {}


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Look at src/app/main.py:42 please.", ["src/app/main.py"]),
        ("It is in /etc/nginx/sites-enabled and ~/notes.", ["/etc/nginx/sites-enabled", "~/notes"]),
        ("See README.md, Makefile and .gitignore.", ["README.md", "Makefile", ".gitignore"]),
        ("Choose and/or read/write, 24/7, e.g. this.", []),
        ("Node.js at example.com costs 3.5 a day.", []),
        ("`src\\win\\a.cs` too", ["src\\win\\a.cs"]),
        ("请看 src/a.py 和 docs/b.md。", ["src/a.py", "docs/b.md"]),
        ("Call handle.doc() and docHandle.doc, not A.diff or process.env.", []),
        ("It prints by console.log, on node.js 22.", []),
        ("Keep notes.doc, my_patch.diff and prod.env.", ["notes.doc", "my_patch.diff", "prod.env"]),
        ("In main.c(12) and src/res.json() it goes wrong.", ["main.c", "src/res.json"]),
    ],
)
def test_files_are_known_by_their_spelling(text, files):
    assert list(in_text("file", text)) == files


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("I updated src/a.py.", "edited"),
        ("The file src/a.py has been updated successfully.", "edited"),
        ("Created src/a.py with two tests.", "created"),
        ("Added src/a.py to the chat.", "read"),
        ("Added two tests to src/a.py.", "edited"),
        ("src/a.py was removed.", "deleted"),
        ("I will change src/a.py, which was created by hand.", ""),
        ("src/a.py should be updated.", ""),
        ("I have not changed src/a.py.", ""),
        ("src/a.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```", "edited"),
    ],
)
def test_what_was_done_to_a_file_is_said_in_the_past(text, deed):
    assert in_text("file", text, "agent")["src/a.py"] == deed


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Port 8931 is taken.", {"8931": "Port"}),
        ("It took 3.5 seconds for 1,200 rows.", {"3.5": "seconds", "1,200": "rows"}),
        ("Coverage is 87% and costs $40.", {"87%": "", "$40": "costs"}),
        ("We use v3.12.1 since 2026-02-23.", {"v3.12.1": "use", "2026-02-23": ""}),
        ("1. First\n2. Second", {}),
        ("One of 5 tests fails.", {"5": "tests"}),
        ("端口8931被占用", {"8931": "端口"}),
    ],
)
def test_numbers_come_with_what_they_count(text, numbers):
    assert in_text("number", text) == numbers


@pytest.mark.parametrize(
    "error",
    [
        "TypeError: 'int' object is not iterable",
        "error: cannot find crate",
        "fatal: not a git repository",
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "--- FAIL: TestMerge (0.01s)",
        "npm ERR! missing script: build",
        "./main.go:435:4: declared and not used: x",
        "error TS2322: Type 'a' is not assignable",
        "ls: /tmp/x: No such file or directory",
    ],
)
def test_an_error_is_found_in_the_midst_of_output(error):
    text = "\n".join([*["compiling a module"] * 40, error, *["done with it"] * 40])
    (found,) = in_text("error", text, "tool")
    assert found in error
    assert len(found) > len(error) - len("--- ") - 1


def test_talk_of_errors_and_code_that_handles_them_is_no_error():
    assert in_text("error", "We need better error handling: 0 errors so far.") == {}
    assert in_text("error", "```python\nraise ValueError('x: y')\nexcept KeyError: pass\n```") == {}


@pytest.mark.parametrize(
    "line",
    [
        "npm error     at Module._compile (node:internal/modules/cjs/loader:1554:14)",
        "npm error path /app/node_modules/sharp",
        "npm error command sh -c node install.js",
        "npm error     ^^^^^^",
        "npm ERR! A complete log of this run can be found in: /home/ada/.npm/_logs/1.log",
        "npm error import pkg from './package.json';",
        "  error: string;",
        "{ error: 'Invalid request', details: errors },",
    ],
)
def test_what_stands_round_an_error_and_its_type_are_none(line):
    assert in_text("error", f"compiling\n{line}\ndone", "tool") == {}


def test_what_a_person_shows_of_a_program_is_read_as_its_output():
    """Its errors and files tell something, how long each step of a build took does not."""
    shown = "\n".join(
        [
            "[+] Building 12.1s (19/24)",
            " => [base 1/2] FROM docker.io/library/node:22   0.3s",
            " => => transferring context: 241B   0.0s",
            "error TS7030: Not all code paths return a value.",
            "    at run (/app/src/index.ts:12:5)",
        ]
    )
    found = specifics(spoken(f"It takes 40 minutes, why?\n\n{shown}\n\nWe have 3 servers."))
    assert list(of("number", found)) == ["40", "3"]
    assert list(of("error", found)) == ["error TS7030: Not all code paths return a value."]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Rename parseConfigFile to read_settings.", ["parseConfigFile", "read_settings"]),
        ("See PROJ-123, #45 and commit 0f8af81.", ["PROJ-123", "#45", "0f8af81"]),
        ("Pass --no-verify and set $API_HOST.", ["--no-verify", "$API_HOST"]),
        ("We moved it to Lisbon in May.", ["Lisbon"]),
        ("An ordinary sentence, nothing more. And one more.", []),
    ],
)
def test_identifiers_are_known_by_their_spelling(text, names):
    assert list(in_text("identifier", text)) == names


def test_people_are_taken_only_where_the_words_beside_say_so():
    assert list(in_text("person", "My sister Ana is here, and then Bob said no.")) == ["Ana", "Bob"]
    assert in_text("person", "We talked about Windows and Flask with Redis.") == {}
    assert in_text("person", "The customer in Zürich wants blue, not green.") == {}
    assert in_text("person", "The team at Lyon asked for it.") == {}
    for address in ("ana@example.org", "ana@163.com"):
        assert list(in_text("person", f"Write to {address}.")) == [address]
    assert in_text("person", "Then npm@11.4.2 made api2@0.1.0 of left-pad@v1.3.0.") == {}


def test_links_are_links_and_no_files():
    found = specifics(spoken("See https://example.org/a/b.html, or github.com/a/b/c."))
    assert list(of("url", found)) == [
        "https://example.org/a/b.html,".rstrip(","),
        "github.com/a/b/c",
    ]
    assert of("file", found) == {}


def test_each_specific_keeps_the_sentence_it_stands_in():
    text = (
        "The first sentence says nothing of interest to anybody at all. "
        "But the server listens on port 8931 for now. The last one is quiet again."
    )
    (port,) = [each for each in specifics(spoken(text)) if each.kind == "number"]
    assert port.line == "But the server listens on port 8931 for now."
    long = "word " * 200 + "port 8931 " + "word " * 200
    (port,) = [each for each in specifics(spoken(long)) if each.kind == "number"]
    assert "port 8931" in port.line
    assert len(port.line) <= 400


# Bounds


def test_a_message_of_a_megabyte_is_read_at_both_ends_within_a_moment():
    middle = "nothing_here at all\n" * 50_000
    text = f"first_name\n{middle}last_name"
    assert seconds_of(lambda: in_text("identifier", text)) < 1.0
    found = in_text("identifier", text)
    assert {"first_name", "last_name"} <= set(found)
    hidden = "x " * HEAD + "hidden_name" + " x" * TAIL
    assert in_text("identifier", hidden) == {}


def test_of_one_kind_only_so_many_are_taken_from_one_message():
    text = "\n".join(f"the name_{n}_of it" for n in range(500))
    assert len(in_text("identifier", text)) == MOST


@given(st.text(max_size=400), st.sampled_from(["user", "agent", "tool"]))
def test_any_text_can_be_read_and_what_is_found_stands_in_it(text, by):
    for each in specifics(spoken(text, by)):
        assert len(each.line) <= 400
        assert each.text
        assert each.kind == "command" or each.text in text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_any_input_and_any_output_of_a_tool_can_be_read(value):
    thread = Specifics()
    thread.read(called("tool", command=value, file_path=value, edits=value))
    thread.read(resulted(value))


def test_what_is_no_path_and_no_command_is_neither():
    assert file_in("") is file_in("a/b") is file_in("1/2") is file_in("user@host:/x/y.py") is None
    assert not is_command("", alone=True)
    assert not is_command("we do this", alone=True)
    assert is_command("make", alone=True)


@pytest.mark.parametrize(
    ("sentence", "kind", "name"),
    [
        ("Harbour Trust wants it in July.", "person", "Harbour Trust"),
        ("Ōkami Studio asked for a discount.", "person", "Ōkami Studio"),
        ("Then the clerk of Łódź Works said no to it.", "person", "Łódź Works"),
        ("Brandt & Söhne asked for it.", "person", "Brandt & Söhne"),
        ("Invoice 297 for Nordlicht GmbH", "identifier", "Nordlicht GmbH"),
        ("Nordlicht GmbH pays within 30 days.", "identifier", "Nordlicht GmbH"),
        ("Remind Nordlicht GmbH & Co. KG today.", "identifier", "Nordlicht GmbH & Co. KG"),
        ("They were bought by Acme Widgets Inc last year.", "identifier", "Acme Widgets Inc"),
        ("We wrote to the Royal Bank for Northern Trade there.", "identifier", "Royal Bank"),
    ],
)
def test_a_name_of_several_words_stays_whole_and_a_companys_form_is_part_of_it(
    sentence: str, kind: str, name: str
):
    found = [*in_text("person", sentence), *in_text("identifier", sentence)]
    assert name in list(in_text(kind, sentence))
    parts = {*name.split(), "GmbH", "KG", "Inc"}
    assert not parts & set(found), "no part of it is a name beside it"


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Ask Kim Lee said the note.", "Kim Lee"),
        ("Email Kim said so.", "Kim"),
        ("Then Bob said no.", "Bob"),
        ("Today Kim asked for it.", "Kim"),
    ],
)
def test_the_word_that_begins_a_sentence_is_no_part_of_the_name_after_it(sentence: str, name: str):
    assert list(in_text("person", sentence)) == [name]


def test_a_companys_form_without_its_name_is_nothing():
    assert in_text("identifier", "the GmbH is new, and so is the AG") == {}
    assert in_text("identifier", "The AG is closed.") == {}
    assert {*in_text("identifier", "The Meeting Room is booked.")} == {"Meeting Room"}


@pytest.mark.parametrize(
    ("sentence", "people"),
    [
        ("Yes please, to Mrs Pemberton, she runs the bookings.", ["Mrs Pemberton"]),
        ("Dear Mrs Pemberton, we would like to book the hall.", ["Mrs Pemberton"]),
        ("Aunt Carol! She took pictures all the time.", ["Aunt Carol"]),
        ("What is missing is Uncle Ray's, he moved to Portugal.", ["Uncle Ray"]),
        ("Good afternoon, Ms Lindqvist.", ["Ms Lindqvist"]),
        ("I'll ask Sophie.", ["Sophie"]),
        ("I'll have to tell Ines.", ["Ines"]),
        ("I just heard from Jonas that they call it.", ["Jonas"]),
        ("The merge was approved by Henrik.", ["Henrik"]),
        ("Hi, my name is Dorothea Lindqvist, I bought one.", ["Dorothea Lindqvist"]),
        ("Sophie sent me the address.", ["Sophie"]),
        ("Marta wrote: the old invoices can be corrected.", ["Marta"]),
        ("It is the service that Tomasz left behind.", ["Tomasz"]),
        ("Please remind Priya of it.", ["Priya"]),
    ],
)
def test_a_person_is_known_by_the_words_beside_the_name(sentence, people):
    assert list(in_text("person", sentence)) == people
    assert in_text("identifier", sentence).keys().isdisjoint(people)


@pytest.mark.parametrize(
    "sentence",
    [
        "It is pinned, and the Dockerfile says python:3.12-slim.",
        "We asked, and Legal says no new processors.",
        "Right now Sales wants 14 days.",
        "Then I'll ask Google about that.",
        "In the end Docker told us nothing.",
        "Everyone told me the same story.",
        "Neighbours told me about the noise.",
        "Screen says E14 and beeps twice.",
        "The Makefile wants a tab there.",
        "Somebody asked me for it again.",
        "Tell Everyone That We Moved",
        "You may meet Monday or Tuesday.",
    ],
)
def test_what_says_or_wants_something_is_not_always_a_person(sentence):
    assert in_text("person", sentence) == {}


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("It has 62 dB, about like a talk.", []),
        ("The pack holds 5000 mAh at 3.7 kWh.", []),
        ("TypeError: unsupported operand for 'NoneType' and 'int'", []),
        ("notAfter=May 29 23:59:59 2026 GMT", ["notAfter"]),
        ("It runs with MAX_RETRIES=5 by now.", ["MAX_RETRIES=5"]),
        ("Pinned to_cents and PgBouncer.", ["to_cents", "PgBouncer"]),
        ("It raises ValueError for that.", ["ValueError"]),
    ],
)
def test_a_unit_half_a_date_and_an_errors_class_are_no_names(sentence, names):
    assert list(in_text("identifier", sentence)) == names


def test_an_error_that_is_told_ends_where_the_teller_goes_on():
    """The same error is one line, printed by a tool or told with words round it."""
    printed = "ModuleNotFoundError: No module named 'pkg_resources'"
    told = f"Staging fails with {printed}. Python 3.12 no longer ships setuptools."
    assert list(in_text("error", told)) == [printed]
