"""A command that a file names runs only after the user trusted it, by the file's hash (R-31)."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from everthread.domain.errors import BadInput, CommandRefused
from everthread.domain.tasks.commands import NamedCommand, command_line, named_command
from everthread.providers.trust_file import TrustedFile

pytestmark = pytest.mark.req("R-31")

CONFIG = b'{"session": {"smokeCommand": "make test"}}'


class Scene:
    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir()
        self.config = self.project / "config.json"
        self.config.write_bytes(CONFIG)
        self.trusted = TrustedFile(self.home)

    def asked(self, command: str | list[str] = "make test") -> NamedCommand:
        source = self.trusted.read(str(self.project), "config.json")
        assert source is not None
        return named_command(source.path, source.content, command)

    @property
    def file(self) -> Path:
        return self.home / "trusted.json"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_nothing_is_trusted_until_the_user_says_so(scene: Scene) -> None:
    assert "is not trusted; read it, then trust it" in (scene.trusted.why_not(scene.asked()) or "")
    scene.trusted.trust(scene.asked(), now=1)
    assert scene.trusted.why_not(scene.asked()) is None
    assert [(grant.command, grant.at) for grant in scene.trusted.all()] == [("make test", 1)]
    assert TrustedFile(scene.home).why_not(scene.asked()) is None, "and it is on disk"


def test_a_changed_file_loses_its_trust_also_when_it_changes_back(scene: Scene) -> None:
    scene.trusted.trust(scene.asked(), now=1)
    scene.config.write_bytes(CONFIG + b" ")
    assert "changed since its command was trusted" in (scene.trusted.why_not(scene.asked()) or "")
    scene.trusted.trust(scene.asked(), now=2)
    scene.config.write_bytes(CONFIG)
    assert scene.trusted.why_not(scene.asked()) is not None, "one content at a time"


def test_trust_is_for_one_command_of_one_file(scene: Scene) -> None:
    scene.trusted.trust(scene.asked(), now=1)
    assert scene.trusted.why_not(scene.asked("make clean")) is not None
    assert scene.trusted.why_not(scene.asked(["make", "test"])) is not None
    other = scene.project / "other.json"
    other.write_bytes(CONFIG)
    assert scene.trusted.why_not(named_command(str(other), CONFIG, "make test")) is not None
    scene.trusted.trust(scene.asked(["make", "test"]), now=2)
    assert scene.trusted.why_not(scene.asked()) is None, "a file may name several"
    assert len(scene.trusted.all()) == 2


def test_trust_can_be_revoked(scene: Scene) -> None:
    scene.trusted.trust(scene.asked(), now=1)
    scene.trusted.trust(scene.asked("other"), now=1)
    assert scene.trusted.revoke(str(scene.config)) == 2
    assert scene.trusted.revoke(str(scene.config)) == 0
    assert scene.trusted.why_not(scene.asked()) is not None and scene.trusted.all() == []


def test_the_list_is_the_users_alone_and_holds_no_secret(scene: Scene) -> None:
    line = "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' example.org"
    scene.trusted.trust(scene.asked(line), now=1)
    assert stat.S_IMODE(scene.file.stat().st_mode) == 0o600
    assert "ghp_0123" not in scene.file.read_text()
    assert scene.trusted.why_not(scene.asked(line)) is None


@pytest.mark.parametrize(
    "text",
    [
        *["", "{", "[]", '{"version": 1}', '{"version": 1, "trusted": [{}]}', "[" * 100_000],
        *['{"version": 1, "trusted": 3}', '{"version": 1, "trusted": [["a"]]}'],
        '{"version": 2, "trusted": []}',
    ],
    ids=lambda text: text[:40],
)
def test_a_list_that_cannot_be_read_grants_nothing_and_is_not_overwritten(
    scene: Scene, text: str
) -> None:
    scene.home.mkdir()
    scene.file.write_text(text)
    scene.file.chmod(0o600)
    assert scene.trusted.why_not(scene.asked()) is not None
    if text:
        with pytest.raises(CommandRefused, match="remove it"):
            scene.trusted.trust(scene.asked(), now=1)
        assert scene.file.read_text() == text


def test_a_list_that_others_could_write_grants_nothing(scene: Scene, tmp_path: Path) -> None:
    scene.trusted.trust(scene.asked(), now=1)
    scene.file.chmod(0o660)
    assert "can be written by others" in (scene.trusted.why_not(scene.asked()) or "")
    scene.file.chmod(0o600)
    assert scene.trusted.why_not(scene.asked()) is None
    moved = scene.file.rename(scene.project / "planted.json")
    scene.file.symlink_to(moved)
    assert scene.trusted.why_not(scene.asked()) is not None, (
        "a project's file is no list of the user's"
    )


def test_a_file_outside_of_the_project_is_refused(scene: Scene, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_bytes(CONFIG)
    (scene.project / "link.json").symlink_to(outside)
    (scene.project / "inner.json").symlink_to("config.json")
    (scene.project / "folder").symlink_to(tmp_path)
    for name in ("link.json", "../outside.json", str(outside), "folder/outside.json", ".", "a\0b"):
        with pytest.raises(CommandRefused):
            scene.trusted.read(str(scene.project), name)
    found = scene.trusted.read(str(scene.project), "inner.json")
    assert found is not None and found.path == os.path.realpath(scene.config)


def test_what_is_no_plain_file_is_refused_at_once(scene: Scene) -> None:
    os.mkfifo(scene.project / "pipe")
    (scene.project / "folder").mkdir()
    (scene.project / "huge").write_bytes(b"x" * 1_000_001)
    for name in ("pipe", "folder", "huge"):
        with pytest.raises(CommandRefused):
            scene.trusted.read(str(scene.project), name)
    assert scene.trusted.read(str(scene.project), "missing/file") is None
    assert scene.trusted.read(str(scene.project), "config.json/file") is None


def test_grants_at_the_same_time_are_all_kept(scene: Scene) -> None:
    def grant(n: int) -> None:
        TrustedFile(scene.home).trust(scene.asked(f"make {n}"), now=n)

    people = [threading.Thread(target=grant, args=(n,)) for n in range(8)]
    for each in people:
        each.start()
    for each in people:
        each.join()
    assert sorted(grant.at for grant in scene.trusted.all()) == list(range(8))


def test_a_home_that_cannot_be_written_is_told(scene: Scene) -> None:
    scene.home.write_text("a file where the folder should be")
    with pytest.raises(CommandRefused, match="cannot be written"):
        scene.trusted.trust(scene.asked(), now=1)


def test_an_empty_command_can_not_be_trusted(scene: Scene) -> None:
    with pytest.raises(BadInput):
        scene.asked("  ")


def test_the_list_is_plain_json(scene: Scene) -> None:
    scene.trusted.trust(scene.asked(), now=7)
    (row,) = json.loads(scene.file.read_text())["trusted"]
    assert row["file"] == os.path.realpath(scene.config) and row["at"] == 7


@pytest.mark.parametrize("command", ["a\rb", "a\x1b[2K", "a\nb", "a\u202eb", "a\x9bb", "a\u200bb"])
def test_a_command_that_is_not_what_it_looks_like_cannot_be_named(
    scene: Scene, command: str
) -> None:
    with pytest.raises(BadInput, match="cannot be seen"):
        scene.asked(command)
    if "\n" not in command:
        with pytest.raises(BadInput, match="cannot be seen"):
            scene.asked(["sh", "-c", command])


def test_an_end_of_a_line_within_a_list_is_shown_by_its_name(scene: Scene) -> None:
    assert command_line(scene.asked(["sh", "-c", "a\n\tb"]).command) == '["sh", "-c", "a\\n\\tb"]'
