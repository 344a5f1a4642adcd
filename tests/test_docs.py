"""The documentation is true: its code runs, its links lead somewhere, and nothing is left out."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import click
import pytest

import everthread
from everthread import settings
from everthread.domain import errors
from support import postgres
from support.born import Born, mother
from support.docs import (
    HERE,
    ROOT,
    RUN,
    SHOWN,
    Stage,
    anchor,
    blocks,
    broken_links,
    like,
    links,
    pages,
    reachable,
)
from support.model_server import ModelServer, Reply, Say, ToolCall
from support.skips import needs
from support.task_played import check_played

README = ROOT / "README.md"
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
DECISIONS = sorted((DOCS / "decisions").glob("0*.md"))

LONGEST_README = 120
LONGEST_GUIDE = 80
LONGEST_DECISION = 420  # words: a page

# Every block that is shown and not run, by page. To add one is a decision, so it is made here.
NOT_RUN = {
    "README.md": [
        "changes the settings of the harnesses on this machine",
        "installs packages",
        "fetches the repository and runs these very tests",
    ],
    "docs/tutorial.md": ["needs an account with the provider"] * 2,
    "docs/howto/recall.md": ["installs packages"],
    "docs/howto/postgresql.md": ["installs packages and needs your server", "needs your server"],
    "docs/howto/use-with-anthropic.md": ["installs packages"],
    "docs/howto/use-with-openai.md": ["installs packages"],
}


def reference_tool() -> ModuleType:
    """tools/reference.py, which is a program and not part of a package."""
    place = ROOT / "tools" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCE_TOOL = reference_tool()


# ---- the code in it runs


def taught() -> list[Path]:
    """The pages whose code is run, in the order in which people meet them."""
    return [README, DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]


def short(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


WEATHER = Say("Let me look.", calls=[ToolCall("weather", {"city": "Oslo"})])
REPLIES: dict[str, Sequence[Reply]] = {
    "asyncio": ["Spaces, please."],
    "use-with-anthropic": [
        *("Spaces.", WEATHER, "Yes, take one.", "One word at a time.", "Much.", "I am."),
    ],
    "use-with-openai": ["Spaces.", WEATHER, "Yes, take one.", "One word at a time."],
}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder and a home of its own, and nothing of ours in the environment."""
    for name in [name for name in os.environ if name.startswith(("EVERTHREAD_", "SESSION_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EVERTHREAD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def models(page: Path, monkeypatch: pytest.MonkeyPatch, stack: ExitStack) -> ModelServer | None:
    """The scripted server behind both SDKs, for the pages that ask a model."""
    if page.stem not in REPLIES:
        return None
    server = stack.enter_context(ModelServer(REPLIES[page.stem]))
    for name in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", "test")
        monkeypatch.setenv(f"{name}_BASE_URL", server.url)
    return server


def database(page: Path, monkeypatch: pytest.MonkeyPatch, stack: ExitStack) -> None:
    """A real server, for the page about it."""
    if page.stem == "postgresql":
        needs("postgresql")
        server = stack.enter_context(postgres.start())
        monkeypatch.setenv("EVERTHREAD_STORE", server.create("everthread"))


def by_words(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever installed us without the extra `embed`, but for the pages on which much is recalled."""
    if page.stem not in {"README", "tutorial", "recall"}:
        monkeypatch.setenv("EVERTHREAD_EMBEDDER", "off")


def person(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody with a home folder of their own, for the pages that change or read what is in it."""
    if page.stem == "tasks":
        # The folder is the project here, and what we keep is no part of it.
        monkeypatch.setenv("EVERTHREAD_HOME", str(Path.cwd().parent / f"{Path.cwd().name}-home"))
    if page.stem in {"install", "histories", "distill"}:
        monkeypatch.setenv("HOME", str(Path.cwd()))
        config = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
        for name in (*config, "OPENCLAW_STATE_DIR", "GEMINI_CLI_HOME"):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def typed() -> Born:
    return mother()


@pytest.mark.slow
@pytest.mark.parametrize("page", taught(), ids=short)
def test_the_code_of_a_page_does_what_the_page_says(
    page: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, typed: Born
) -> None:
    with ExitStack() as stack:
        server = models(page, monkeypatch, stack)
        database(page, monkeypatch, stack)
        by_words(page, monkeypatch)
        person(page, monkeypatch)
        stage = Stage(stack.enter_context(typed.folder()))
        stack.callback(stage.close)
        for block in blocks(page):
            if block.language in RUN and block.excuse is None:
                stage.play(block)
        if page.stem == "tasks":
            check_played(Path.cwd())
        if server is not None:
            assert len(server.requests) == len(REPLIES[page.stem])
            assert [request.problems for request in server.requests if request.problems] == []


@pytest.mark.slow
def test_whoever_types_a_command_gets_its_answer_and_its_exit_code(
    elsewhere: Path, typed: Born
) -> None:
    """The first is the installed command, the next a fork: none can be told from the other."""
    (elsewhere / "below").mkdir()
    script = "cd below; {} remember --agent ada --json - ; {} nonsense || echo $?; {} --version"
    told: list[str] = []  # the first of them makes the store and says so
    with typed.folder() as folder:
        for places in ((HERE,), (HERE,), (folder, HERE), (folder, HERE)):
            done = subprocess.run(
                ["sh", "-c", script.replace("{}", "everthread")],
                env={
                    **os.environ,
                    "PATH": os.pathsep.join([*map(str, places), os.environ["PATH"]]),
                },
                input="Prefers tabs",
                capture_output=True,
                text=True,
                check=True,
            )
            told.append(re.sub(r'"(id|\w*at)": .*', "", done.stdout + done.stderr))
        assert not (folder / "first").exists()
    assert "\n2\n" in told[1] and f"everthread {everthread.__version__}\n" in told[1]
    assert told[1] == told[2] == told[3], told


def test_what_is_shown_and_not_run_is_listed_and_little() -> None:
    found = {
        short(page): excuses
        for page in taught()
        if (excuses := [block.excuse for block in blocks(page) if block.excuse])
    }
    assert found == NOT_RUN
    shown = [block for page in taught() for block in blocks(page) if block.language in RUN]
    assert sum(map(len, found.values())) < len(shown) / 5


def test_every_block_says_what_it_is() -> None:
    strange = [
        block.where
        for page in pages()
        for block in blocks(page)
        if block.language not in RUN | SHOWN
    ]
    assert strange == []


def test_code_is_shown_only_where_it_is_run() -> None:
    run = set(taught())
    unrun = [
        block.where
        for page in pages()
        if page not in run
        for block in blocks(page)
        if block.language in RUN
    ]
    assert unrun == []


# ---- nothing is left out


def commands() -> Iterator[str]:
    """Every command by its whole name, found without the tool that documents it."""

    def below(command: click.Command, name: str) -> Iterator[str]:
        yield name
        if isinstance(command, click.Group):
            for child in command.commands.values():
                yield from below(child, f"{name} {child.name}")

    yield from below(REFERENCE_TOOL.root(), "everthread")


def test_the_reference_says_what_the_code_says() -> None:
    assert REFERENCE_TOOL.stale() == [], "make docs"


def test_a_page_of_the_reference_that_is_out_of_date_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(REFERENCE_TOOL, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["reference.py"])
    assert REFERENCE_TOOL.main() == 0
    monkeypatch.setattr(sys, "argv", ["reference.py", "--check"])
    assert REFERENCE_TOOL.main() == 0
    (tmp_path / "errors.md").write_text("# Errors\n")
    (tmp_path / "cli.md").unlink()
    assert REFERENCE_TOOL.main() == 1
    told = capsys.readouterr().err
    assert "cli.md is out of date" in told and "errors.md is out of date" in told


def test_every_command_is_documented() -> None:
    page = (REFERENCE / "cli.md").read_text()
    assert [name for name in commands() if f"\n## {name}\n" not in page] == []


def test_every_setting_is_documented_with_its_variables() -> None:
    """R-36."""
    page = (REFERENCE / "settings.md").read_text()
    wanted = [
        *settings.names(),
        *(v for name in settings.names() for v in settings.variables(name)),
    ]
    assert [name for name in wanted if f"`{name}`" not in page] == []


def test_the_boundary_of_a_session_is_described_as_it_is_in_force() -> None:
    """D-18: the pages that teach it give the hours that are the default."""
    hours = settings.facts("inactivity_hours")["default"]
    assert hours == 4
    taught_by = [README, DOCS / "tutorial.md"]
    assert [short(page) for page in taught_by if "four hours" not in page.read_text().lower()] == []
    assert f"| {hours} | `EVERTHREAD_INACTIVITY_HOURS`" in (REFERENCE / "settings.md").read_text()


def test_every_error_is_documented_in_words_of_its_own() -> None:
    page = (REFERENCE / "errors.md").read_text()
    assert [name for name in errors.__all__ if f"| `{name}` |" not in page] == []
    kinds = [getattr(errors, name) for name in errors.__all__]
    assert len({kind.__doc__ for kind in kinds}) == len(kinds)


def test_every_call_of_the_library_is_documented() -> None:
    page = (REFERENCE / "library.md").read_text()
    faces = [REFERENCE_TOOL.of(*where) for where in REFERENCE_TOOL.FACE]
    assert {kind.__name__ for kind in faces} | {"Settings", "connect", "errors"} == set(
        everthread.__all__
    )
    missing = [
        f"{kind.__name__}.{name}"
        for kind in faces
        for name, value in REFERENCE_TOOL.inherited(kind).items()
        if callable(value) and not name.startswith("_")
        if name not in REFERENCE_TOOL.INSIDE[kind.__name__]
        if f"{kind.__name__}.{name}(" not in page or not value.__doc__
    ]
    assert missing == []


def test_every_exit_code_is_documented() -> None:
    from everthread.edges.cli.base.exits import EXIT_CODES

    page = (REFERENCE / "cli.md").read_text()
    assert [row.code for row in EXIT_CODES if f"| {row.code} | {row.meaning} |" not in page] == []


# ---- it can be read


@pytest.mark.parametrize("page", pages(), ids=short)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    assert {short(page) for page in pages()} - {short(page) for page in reachable(README)} == set()


def test_the_readme_is_short_and_begins_with_the_two_commands() -> None:
    lines = README.read_text().splitlines()
    assert len(lines) <= LONGEST_README
    first_screen = "\n".join(lines[:16])
    assert "make run " in first_screen and "make test " in first_screen


def test_the_readme_names_the_platforms_that_the_code_asks_for() -> None:
    """R-41, R-50."""
    from everthread.store.postgres.pool import OLDEST_SERVER
    from everthread.store.sqlite.schema import OLDEST_SQLITE

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    versions = [c.rpartition(" ")[2] for c in project["classifiers"] if "Python :: 3." in c]
    assert versions == ["3.11", "3.12", "3.13"]
    told = README.read_text().partition("## Platforms")[2].partition("## ")[0]
    assert "Linux, x86-64 and arm64, Python 3.11 to 3.13" in told
    # What nobody has tested is told as that, in both places.
    assert [c for c in project["classifiers"] if c.startswith("Operating System")] == [
        "Operating System :: POSIX :: Linux"
    ]
    assert "We have tested Linux only." in told
    assert f"SQLite {'.'.join(map(str, OLDEST_SQLITE))} or newer" in told
    assert f"PostgreSQL {OLDEST_SERVER // 10_000} or newer" in told


def test_the_guide_for_agents_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text().splitlines()) <= LONGEST_GUIDE


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_its_five_parts_on_one_page(page: Path) -> None:
    text = page.read_text()
    parts = ["Status", "Context", "Decision", "Consequences", "What would change our mind"]
    places = [text.find(f"\n**{part}") for part in parts]
    assert -1 not in places and places == sorted(places)
    assert len(text.split()) <= LONGEST_DECISION


def test_every_decision_is_in_the_index() -> None:
    index = links(DOCS / "decisions" / "README.md")
    assert [page.name for page in DECISIONS if page.name not in index] == []


def test_every_requirement_has_one_of_three_states() -> None:
    rows = [
        line.split("|")
        for line in (DOCS / "requirements.md").read_text().splitlines()
        if re.match(r"\| [A-Z]{1,2}-\d+ \|", line)
    ]
    assert len(rows) > 100
    states = {cells[-2].strip().strip("`") for cells in rows}
    assert states <= {"built", "partly", "planned"}


def test_the_changelog_knows_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert "## [Unreleased]" in text
    assert everthread.__version__ in text


# ---- the tools of these tests


def test_blocks_are_found_with_what_they_print_and_why_they_do_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(1)\n```\n\n```text\n1\n```\n\nWords.\n\n```text\nonly shown\n```\n\n"
        "<!-- not run: too dear -->\n```sh\nmake gold\n```\n"
    )
    first, second, third, fourth = blocks(page)
    assert (first.language, first.text, first.printed, first.excuse) == (
        "python",
        "print(1)",
        "1",
        None,
    )
    assert (second.text, third.text, third.line) == ("1", "only shown", 11)
    assert (fourth.language, fourth.excuse, fourth.printed) == ("sh", "too dear", None)


@pytest.mark.parametrize(
    ("output", "printed", "fits"),
    [
        ("one\ntwo\n", "one\ntwo", True),
        ("one\ntwo\n", "one", False),
        ("one  \n", "one", True),
        ("took 12 ms\n", "took … ms", True),
        ("took 12 s\n", "took … ms", False),
        ("a\nb\nc\nd\n", "a\n…\nd", True),
        ("a\nd\n", "a\n…\nd", True),
        ("a.c\n", "abc", False),
    ],
)
def test_output_is_held_against_what_the_page_shows(
    output: str, printed: str, *, fits: bool
) -> None:
    assert like(output, printed) is fits


def test_a_block_that_fails_or_prints_something_else_is_named_by_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.docs.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\nprint(x)\n```\n```text\n2\n```\n")
    stage = Stage()
    first, second, _ = blocks(page)
    stage.play(first)
    with pytest.raises(AssertionError, match=r"page\.md:5 prints\s+1\s+and not\s+2"):
        stage.play(second)
    page.write_text("```sh\nexit 3\n```\n")
    with pytest.raises(AssertionError, match=r"page\.md:1: exit code 3"):
        stage.play(blocks(page)[0])


def test_links_to_missing_pages_and_headings_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One thing: `first`\n[ok](#one-thing-first) [gone](other.md) [no](#two) `[code](x.md)`\n"
    )
    assert list(broken_links(page)) == ["other.md: no such file", "#two: no such heading"]
    assert anchor("What it does *not* do (yet)") == "what-it-does-not-do-yet"
