"""Whose memory a folder is: its project's agent, a named one, or nobody's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from everthread.edges.harnesses.binding import binding_of
from everthread.wiring import project_agent


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "everthread"
    place.mkdir()
    return place


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with git."""
    place = tmp_path / "shop"
    place.mkdir()
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    return place


@pytest.mark.req("R-27")
def test_a_project_is_an_agent(home: Path, shop: Path):
    binding = binding_of(str(shop), home)
    assert binding.agent == project_agent(shop) and binding.agent.startswith("shop-")
    assert binding.folder == str(shop.resolve())
    deep = shop / "src" / "cart"
    deep.mkdir(parents=True)
    assert binding_of(str(deep), home) == binding


@pytest.mark.req("R-27")
def test_worktrees_and_symbolic_links_are_one_project(home: Path, shop: Path, tmp_path: Path):
    git = ["git", "-C", str(shop), "-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    other = tmp_path / "elsewhere"
    subprocess.run([*git, "worktree", "add", "-q", str(other)], check=True, capture_output=True)
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert (
        binding_of(str(other), home) == binding_of(str(shop), home) == binding_of(str(link), home)
    )


@pytest.mark.req("R-27")
def test_the_root_and_the_home_folder_are_no_projects(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in ("/", str(tmp_path)):
        binding = binding_of(folder, home)
        assert binding.agent is None and "no projects" in binding.reason
    assert binding_of("", home).agent is None
    (home / "projects.toml").write_text('["~"]\nagent = "ada"\n')
    assert binding_of(str(tmp_path), home).agent == "ada", "unless the user says so"


def test_a_project_names_its_agent(home: Path, shop: Path):
    (shop / ".everthread.toml").write_text('agent = "ada"\n')
    deep = shop / "src"
    deep.mkdir()
    assert binding_of(str(deep), home).agent == "ada"
    assert str(shop / ".everthread.toml") in binding_of(str(deep), home).reason


def test_a_project_is_switched_off(home: Path, shop: Path):
    (shop / ".everthread.toml").write_text('agent = "ada"\ncapture = false\n')
    binding = binding_of(str(shop), home)
    assert binding.agent is None and "switched off" in binding.reason


def test_the_users_own_file_has_the_last_word(home: Path, shop: Path, tmp_path: Path):
    (shop / ".everthread.toml").write_text('agent = "mallory"\n')
    link = tmp_path / "link"
    link.symlink_to(shop)
    (home / "projects.toml").write_text(f'["{link}"]\nagent = "ada"\n')
    assert binding_of(str(shop), home).agent == "ada"
    (home / "projects.toml").write_text(f'["{shop}"]\ncapture = false\n')
    assert binding_of(str(shop), home).agent is None


def test_what_is_no_key_of_ours_is_named_and_does_nothing(home: Path, shop: Path):
    (shop / ".everthread.toml").write_text('agent = "ada"\ncommand = "rm -rf /"\nagnet = "x"\n')
    binding = binding_of(str(shop), home)
    assert binding.agent == "ada"
    assert [w.rpartition(": ")[2] for w in binding.warnings] == [
        "'command' is nothing we know",
        "'agnet' is nothing we know",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "capture = ",
        'capture = "no"',
        'agent = "a\ncapture = false',
        "a = 1\n" * 20_000,
        "\xff\xfec\0a\0p\0t\0u\0r\0e\0",
    ],
    ids=["half", "no switch", "torn name", "too large", "another encoding"],
)
def test_where_it_is_not_clear_that_something_may_be_kept_it_is_not(
    home: Path, shop: Path, text: str
):
    (shop / ".everthread.toml").write_bytes(text.encode("latin-1"))
    binding = binding_of(str(shop), home)
    assert binding.agent is None
    assert ".everthread.toml" in binding.reason
    (shop / ".everthread.toml").unlink()
    (home / "projects.toml").write_text(f'"{shop}" = 3\n')
    assert "needs a table" in binding_of(str(shop), home).reason


@pytest.mark.parametrize(
    "text",
    ["agent = 7", 'agent = ""', 'agent = "Ada Lovelace ü"', 'agent = "ada', "\xff\xfe"],
    ids=["no text", "empty", "no name", "half", "no TOML"],
)
def test_a_file_that_is_wrong_is_told_of_and_the_project_goes_by_its_own_name(
    home: Path, shop: Path, text: str
):
    (shop / ".everthread.toml").write_bytes(text.encode("latin-1"))
    binding = binding_of(str(shop), home)
    assert binding.agent == project_agent(shop)
    (told,) = binding.warnings
    assert str(shop / ".everthread.toml") in told and "its own name" in told


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder without git, and one in it."""
    place = tmp_path / "desk" / "deep" / "deeper"
    place.mkdir(parents=True)
    return tmp_path / "desk"


@pytest.mark.parametrize("where", ["project", "home"])
def test_what_is_switched_off_is_so_for_all_folders_below(
    home: Path, desk: Path, shop: Path, where: str
):
    inside = desk / "shop"
    shop.rename(inside)
    if where == "project":
        (desk / ".everthread.toml").write_text("capture = false\n")
    else:
        (home / "projects.toml").write_text(f'["{desk}"]\ncapture = false\n')
    for folder in (desk, desk / "deep", desk / "deep" / "deeper", inside):
        binding = binding_of(str(folder), home)
        assert binding.agent is None and binding.off, folder
    (inside / ".everthread.toml").write_text('agent = "mallory"\n')
    assert binding_of(str(inside), home).off, "a name does not open what is shut"
    (inside / ".everthread.toml").write_text("capture = true\n")
    assert binding_of(str(inside), home).off is (where == "home"), "the user has the last word"


@pytest.mark.parametrize("word", ["capture = true", 'agent = "ada"'])
def test_what_the_user_says_of_folders_around_opens_none_that_shuts_itself(
    home: Path, desk: Path, word: str
):
    """The nearest counts; of one folder the user has the last word."""
    deep, deeper = desk / "deep", desk / "deep" / "deeper"
    (deep / ".everthread.toml").write_text("capture = false\n")
    for place, off in ((desk, True), (deep, "agent" in word), (deeper, False)):
        (home / "projects.toml").write_text(f'["{place}"]\n{word}\n')
        assert binding_of(str(deeper), home).off is off, place


def test_a_name_holds_for_the_folders_below_that_are_no_projects_of_their_own(
    home: Path, desk: Path, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inside = desk / "shop"
    shop.rename(inside)
    (desk / ".everthread.toml").write_text('agent = "ada"\n')
    found = binding_of(str(desk / "deep" / "deeper"), home)
    assert (found.agent, found.around) == ("ada", str(desk)) and found.claimed
    assert binding_of(str(inside), home).agent == project_agent(inside)
    (desk / "deep" / ".everthread.toml").write_text('agent = "bea"\n')
    assert binding_of(str(desk / "deep" / "deeper"), home).agent == "bea", "the nearest counts"
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "other").mkdir()
    (home / "projects.toml").write_text('["~"]\nagent = "cleo"\n')
    assert binding_of(str(tmp_path), home).agent == "cleo"
    assert binding_of(str(tmp_path / "other"), home).agent == project_agent(tmp_path / "other")
