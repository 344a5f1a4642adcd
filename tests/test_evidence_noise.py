"""What of a session of an editor's agent is no evidence, and what of it was read wrongly."""

from __future__ import annotations

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.summaries import Summary, render
from everthread.domain.distilling.summaries_lines import point_line
from everthread.domain.gleaning.digest import Digest, Point, Trace
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.ledger import BESIDE, Ledger, words_around
from everthread.domain.text.local_links import LocalLink, local_links, without_targets
from everthread.domain.text.specifics import Specific, specifics
from everthread.domain.text.specifics_fence import open_quote
from everthread.domain.text.specifics_reader import Reader
from support.spoken import spoken


def found(text: str, kind: str, *, output: bool = False) -> list[str]:
    reader = Reader(output=output)
    reader.read(text)
    return [each.text for each in reader.found() if each.kind == kind]


def digest_of(*messages: Message) -> Digest:
    gleaner = Gleaner()
    for message in messages:
        gleaner.read(message)
    return gleaner.digest()


def traces_of(kind: str, *messages: Message) -> list[str]:
    return [each.text for each in digest_of(*messages).ledger if each.kind == kind]


def shown(*traces: Trace, tokens: int = 2_000) -> Summary:
    digest = Digest((), traces, 4, 1, 9)
    return render(digest, number=1, tokens=tokens, count=lambda text: len(text) // 4 + 1)


def trace(kind: str, text: str, at: int, **more: object) -> Trace:
    return Trace(kind, text, "", (bytes(15) + bytes([at]),), at, 1, 0.8)._replace(**more)


# Links to places in files


LINKED = (
    "I changed [press.py](cci:7://file:///home/mia/wine%20cellar/src/press.py:12:0-40:3) today."
)


def test_a_link_to_a_file_names_the_file_and_reads_as_its_label():
    assert local_links(LINKED) == [LocalLink("press.py", "/home/mia/wine cellar/src/press.py")]
    assert without_targets(LINKED) == "I changed press.py today."
    assert found(LINKED, "file") == ["/home/mia/wine cellar/src/press.py"]
    assert found(LINKED, "identifier") == []


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("[Tank.cs](file:///d:/cellar/Tank.cs#L4-L9)", "d:/cellar/Tank.cs"),
        ("[a](file:///srv/%28own%29/a.ts)", "/srv/(own)/a.ts"),
        ("[`a.ts`](file:///srv/(own)/a.ts)", "/srv/(own)/a.ts"),
        ("[app/[id]/a.ts](file:///srv/app/%5Bid%5D/a.ts:0:0-0:0)", "/srv/app/[id]/a.ts"),
    ],
)
def test_a_links_path_is_as_the_machine_has_it(link: str, path: str):
    assert [each.path for each in local_links(link)] == [path]
    assert found(link, "file") == [path]


def test_a_link_to_a_folder_is_no_file_and_one_to_a_page_stays():
    assert found("*Listed [press](file:///srv/cellar/press)*", "file") == []
    page = "See [the guide](https://guide.example/press)."
    assert without_targets(page) == page


def test_an_agents_line_tells_the_label_and_a_persons_words_stay():
    said = Point("done", LINKED, (bytes(16),), "agent", 0)
    assert point_line(said, years=False).endswith(": I changed press.py today.")
    own = said._replace(by="user", verbatim=True)
    assert "cci:7" in point_line(own, years=False)


# Paths


@pytest.mark.parametrize(
    "path",
    ["app/barrels/[id]/page.tsx", "src/app/(inside)/press/page.tsx", "app/[...all]/route.ts"],
)
def test_a_folder_in_brackets_is_part_of_the_path(path: str):
    assert found(f"Then I wrote {path} anew.", "file") == [path]
    assert traces_of("file", spoken(f"Then I wrote `{path}` anew.", "agent")) == [path]


def test_a_windows_path_is_whole_though_its_folders_have_several_words():
    path = r"D:\My Cellar (old)\press\tank.dll"
    text = f"It could not load {path} today"
    assert found(text, "file") == [path]
    assert found(text, "identifier") == []


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("link it with /out:bin/press.exe", ["bin/press.exe"]),
        ("it is built with Node.js/Vue.js", []),
        ("we speak V2/V3/V4 with it", []),
        ("it answers at /barrels/full now", []),
        ("it lies in /srv/barrels now", ["/srv/barrels"]),
        ("copy cellar/.env.local first", ["cellar/.env.local"]),
    ],
)
def test_what_is_a_file_and_what_only_looks_like_one(text: str, files: list[str]):
    assert found(text, "file") == files


def test_slashes_of_either_kind_make_one_file():
    messages = (
        spoken(f"Look at {path} please.", "user") for path in (r"src\tank.py", "src/tank.py")
    )
    assert len(traces_of("file", *messages)) == 1


def test_of_many_files_of_one_name_the_bare_name_is_not_told():
    paths = [trace("file", f"app/{name}/page.tsx", n) for n, name in enumerate("abc", start=1)]
    summary = shown(*paths, trace("file", "page.tsx", 9), trace("file", "tank.ts", 9))
    told = [each.text for each in summary.traces]
    assert told == ["app/a/page.tsx", "app/b/page.tsx", "app/c/page.tsx", "tank.ts"]


def test_files_of_a_drive_are_told_below_their_folder():
    paths = [trace("file", f"d:/cellar one/{name}.py", n) for n, name in enumerate("abc", start=1)]
    assert "Files below d:/cellar one/:\n- a.py\n- b.py\n- c.py" in shown(*paths).text


def test_a_folder_that_saves_more_is_named_before_a_longer_one():
    paths = [f"/home/mia/{name}.py" for name in ("old/a", "old/b", "old/c", "new/a", "new/b")]
    text = shown(*(trace("file", path, n) for n, path in enumerate(paths, start=1))).text
    assert "Files below /home/mia/:\n- old/a.py" in text


# Commands


@pytest.mark.parametrize(
    ("block", "commands"),
    [
        (
            'git commit -m "press: one\n\n- two\n- three"\ngit push',
            ['git commit -m "press: one', "git push"],
        ),
        ("press make \\\n  --red \\\n  --dry\nls", ["press make --red --dry", "ls"]),
        ("psql cellar\nCREATE TABLE wine;\n\\q", ["psql cellar"]),
        ("echo it's ripe\nls", ["echo it's ripe", "ls"]),
        ("ls # it's all\nmake", ["ls # it's all", "make"]),
    ],
)
def test_a_block_of_commands_is_read_as_a_shell_reads_it(block: str, commands: list[str]):
    assert found(f"Run this:\n```bash\n{block}\n```\n", "command") == commands


def test_a_quote_stays_open_until_its_own_sign():
    assert open_quote("say \"it's") == '"'
    assert open_quote("more' of it", '"') == '"'
    assert open_quote('end" here', '"') == ""
    assert open_quote(r"say \" twice") == ""


def test_a_command_keeps_the_quote_that_ends_it():
    text = 'Then `find . -name "tank.toml"` and `"make all"` ran.'
    assert found(text, "command") == ['find . -name "tank.toml"', "make all"]


def test_what_a_program_proposes_in_its_output_was_not_run():
    printed = "added 3 packages\n  run `npm fund` for details\n"
    assert found(f"I ran it:\n```\n{printed}```\n", "command") == []
    assert found(printed, "command", output=True) == []
    assert found("Please run `npm fund` once.", "command") == ["npm fund"]


def test_what_a_command_is_given_is_told_by_the_command_alone():
    text = "I ran `./press test --dry 0.75` and it went well."
    assert found(text, "command") == ["./press test --dry 0.75"]
    assert [*found(text, "file"), *found(text, "number"), *found(text, "identifier")] == []


@pytest.mark.parametrize(
    "prompt", ["mia@press cellar %", r"PS D:\wine cellar>", r"(venv) PS D:\wine>", "$"]
)
def test_what_stands_behind_a_prompt_was_typed(prompt: str):
    assert found(f"```\n{prompt} make press\n```", "command") == ["make press"]


def test_a_tag_does_not_end_a_block():
    text = "```diff\n ```bash\n+make press\n ```\n```\nrun `make all` then\n"
    assert found(text, "command") == []


def test_runs_that_show_more_or_less_are_told_once():
    runs = ("make test 2>&1 | tail -5", "make test 2>&1 | tail -20", "make press")
    told = shown(*(trace("command", run, n) for n, run in enumerate(runs, start=1))).traces
    assert [each.text for each in told] == ["make test 2>&1 | tail -20", "make press"]


# Numbers


@pytest.mark.parametrize(
    "line",
    ["### Section 3: The press", "**Step 2 – Tanks**", "✅ Question 4: is it full?", "Part 1"],
)
def test_the_number_of_a_part_is_no_figure(line: str):
    assert found(line, "number") == []


def test_a_row_of_figures_is_data():
    row = ", ".join(f"{n}.5" for n in range(20, 40))
    assert found(f"The tanks have [{row}] now", "number") == []
    assert found("The tanks have 20.5 and 21.5 litres", "number") == ["20.5", "21.5"]


def test_counts_above_a_diff_are_its_own():
    counted = "Rows added: 14, rows removed: 3"
    assert found(f"{counted}\n\n```diff\n+ a\n```", "number") == []
    assert found(counted, "number") == ["14", "3"]


def test_a_figure_of_a_logged_line_is_not_kept():
    lines = ["[Info   : Press] tank is 417 wide", "[DEBUG] tank has childWidth=417"]
    ledger = Ledger()
    for n, line in enumerate(lines):
        for each in (
            Specific("number", "417", line),
            Specific("identifier", "childWidth=417", line),
        ):
            ledger.add(each, spoken(line, "user", n=n + 1))
    assert list(ledger) == []


def test_words_that_were_cut_are_marked_where_they_go_on():
    line = (
        "First we filled the cellar with barrels of oak, and each of them took 225 litres of the "
        "young wine that we had pressed in autumn."
    )
    told = words_around(line, "225")
    assert told.startswith("… ") and told.endswith(" …") and "225 litres" in told
    assert len(told) <= BESIDE and told.strip("… ") in line
    assert words_around("it took 225 litres", "225") == "it took 225 litres"


# Errors, names, links


def test_errors_that_differ_in_what_they_name_leave_room_for_another():
    errors = [f"error C2065: '{name}{name}': undeclared identifier" for name in "abcdefgh"]
    traces = [trace("error", "error: the tank leaks at its lower valve", 1)]
    traces += [trace("error", text, n) for n, text in enumerate(errors, start=2)]
    told = shown(*traces, tokens=110).traces
    assert traces[0] in told and 1 < len(told) < len(traces)


def test_that_a_process_ended_badly_tells_no_error():
    assert found("Error: Process completed with exit code 1.", "error", output=True) == []
    assert found("Error: tank 4 leaks, exit code 1", "error", output=True) != []


@pytest.mark.parametrize(
    "word", ["L12", "L12-40", "mia@PressBook", "WHere", "__Tanks", "Barrels__"]
)
def test_what_is_spelt_like_a_name_and_is_none(word: str):
    assert found(f"and so {word} it is", "identifier") == []


def test_a_link_in_backticks_is_no_name_and_a_key_of_a_file_is_no_link():
    assert found("It runs at `http://localhost:3000` now.", "identifier") == []
    assert found("press.cellar.io/scheme: open", "url") == []
    assert found("at open (http://localhost:3000/press.js:1681:38)", "url") == []
    assert found("It uses `0.2f` as its factor.", "identifier") == []


def test_a_link_with_its_scheme_and_without_it_is_one():
    said = "See press.io/help and https://press.io/help/ for that."
    assert traces_of("url", spoken(said, "agent")) == ["press.io/help"]


def test_a_name_like_any_words_is_told_once_it_comes_again_or_the_person_says_it():
    once = digest_of(spoken("It has a Liquid Glass look now.", "agent"))
    text = render(once, number=1, tokens=900, count=len).text
    assert "Liquid Glass" not in text
    twice = digest_of(
        spoken("It has a Liquid Glass look now.", "agent"),
        spoken("So the Liquid Glass look is done.", "agent", n=2),
    )
    assert "- Liquid Glass ×2" in render(twice, number=1, tokens=900, count=len).text
    assert [each.kind for each in specifics(spoken("I like the Liquid Glass look", "user"))] == [
        "identifier"
    ]


@pytest.mark.parametrize(("word", "told"), [("`.jar`", False), ("`useTank`", True)])
def test_of_what_an_agent_names_once_only_what_a_program_has_is_told(word: str, told: bool):
    digest = digest_of(spoken(f"It takes {word} from there.", "agent"))
    assert (word.strip("`") in render(digest, number=1, tokens=900, count=len).text) == told
    assert digest.ledger


def test_a_summary_says_how_its_lists_are_ordered():
    assert "ends with the newest" in shown(*(trace("file", f"a{n}.py", n) for n in range(12))).text
    assert "ends with the newest" not in shown(trace("file", "a.py", 1)).text


def test_a_rule_that_a_program_drew_is_no_name() -> None:
    drawn = "___________________________ test_nan_waters_nothing ____________________________"
    assert found(drawn, "identifier", output=True) == ["test_nan_waters_nothing"]


@pytest.mark.parametrize(
    ("line", "errors"),
    [
        ("error: str | None = None", []),
        ("error: Optional[str] = None", []),
        ("lastError: string;", []),
        ("Error: {err}", []),
        ("Error: no bed ${bed.name} is there", []),
        ("Error: no route /beds/{id} is there", ["Error: no route /beds/{id} is there"]),
        ("error: could not open the disk", ["error: could not open the disk"]),
        (
            "Error: any pump that is dry stops the others",
            ["Error: any pump that is dry stops the others"],
        ),
    ],
)
@pytest.mark.parametrize("output", [False, True])
def test_a_line_of_a_program_that_names_errors_is_none(
    line: str, errors: list[str], output: bool
) -> None:
    assert found(f"Two files were read:\n{line}\n", "error", output=output) == errors
