"""`everthread private`: what is said meanwhile is kept nowhere."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

import everthread
from everthread.edges.harnesses.privacy import is_private_at, read_private, switch
from support.commands import Cli, Here


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Here(tmp_path, monkeypatch, capsys)


def test_a_project_is_made_private_and_public_again(cli: Cli):
    shop = cli.home / "shop"
    shop.mkdir()
    told = cli("private", "on", cwd=shop)
    assert told.code == 0 and str(shop) in told.out and "now private" in told.out
    assert "already private" in cli("private", "on", cwd=shop).out
    assert "no longer private" in cli("private", "off", cwd=shop).out
    (row,) = cli("private", "list", "--json").json["private"]
    assert row["kind"] == "project" and row["name"] == str(shop) and row["until"] is not None


def test_a_session_is_made_private_by_its_id(cli: Cli):
    one, other = "5b0c2a3e-7d54-4f0e-9d6a-3c1c8a2f9b10", "6b0c2a3e-7d54-4f0e-9d6a-3c1c8a2f9b10"
    assert cli("private", "on", "--session", one, "--json").json["changed"] is True
    assert cli("private", "on", "--session", one, "--json").json["changed"] is False
    assert one in cli("private", "list").out
    assert cli("private", "off", "--session", other, "--json").json["changed"] is False


def test_a_session_is_named_as_we_list_it_and_an_unknown_name_is_refused(cli: Cli):
    """Whoever thinks that it is private must not be wrong."""
    key = "5b0c2a3e-7d54-4f0e-9d6a-3c1c8a2f9b10"
    with everthread.connect(cli.home / "data" / "everthread.db", background=False) as et:
        et.agent("shop").record([{"role": "user", "content": "hello"}], session=key)
        ident = et.agent("shop").session(key).id
    told = cli("private", "on", "--session", ident[-8:], "--json").json
    assert told["session"] == key
    assert cli("private", "on", "--session", "5b0c2a", "--json").json["changed"] is False
    refused = cli("private", "on", "--session", "nope")
    assert refused.code == 3 and "no session 'nope'" in refused.err


def test_where_there_is_no_project_a_session_must_be_named(cli: Cli):
    refused = cli("private", "on", cwd=cli.home)
    assert refused.code == 2 and "--session" in refused.err
    assert cli("private", "on", "--session", "").code == 2


def _switch_many(home: str, first: int) -> None:
    for n in range(20):
        switch(Path(home), now=1, on=True, session=f"{first}-{n}")


def test_switches_at_the_same_time_lose_none(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_switch_many, args=(str(tmp_path), n)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert len(read_private(tmp_path).sessions) == 60
    assert (tmp_path / "private.json").stat().st_mode & 0o077 == 0


def test_times_are_told_apart(tmp_path: Path):
    switch(tmp_path, now=10, on=True, session="s")
    switch(tmp_path, now=20, on=False, session="s")
    switch(tmp_path, now=30, on=True, session="s")
    spans = read_private(tmp_path).spans("s", "")
    assert [is_private_at(spans, at) for at in (9, 10, 19, 20, 29, 30, 10**15)] == [
        *(False, True, True, False, False, True, True)
    ]
    assert json.loads((tmp_path / "private.json").read_text())["sessions"]["s"] == [
        [10, 20],
        [30, None],
    ]
