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
    ["capture = ", 'capture = "no"', "agent = 7", 'agent = ""', "a = 1\n" * 20_000, "\xff\xfe"],
    ids=["half", "no switch", "no name", "empty name", "too large", "no text"],
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
