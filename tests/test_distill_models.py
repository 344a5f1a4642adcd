"""A model writes the summary: believed only as far as its sources bear it out, and never beyond its cap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.distilling.receipts import Spending
from support.distilling import POINTS, by_model, house, points, talk
from support.model_server import Failure, ModelServer, Nonsense, Say

GOOD = Say(json.dumps(POINTS))


def point(text: str, *sources: str, kind: str = "decision", quote: bool = False) -> dict[str, Any]:
    return {"kind": kind, "text": text, "sources": [*sources], "quote": quote}


@pytest.fixture
def server() -> Any:
    with ModelServer() as server:
        yield server


def settings(server: ModelServer, folder: Path, **more: Any) -> dict[str, Any]:
    given = {
        "distiller": "openai",
        "distiller_url": f"{server.url}/v1",
        "distiller_model": "gpt-5-mini",
        "distiller_key": "k",
        "home": folder,
    }
    return {**given, **more}


def test_the_receipt_names_the_model_and_what_it_cost(tmp_path: Path, server: ModelServer) -> None:
    """(A-43, LA-19)"""
    server.script(GOOD)
    with house(tmp_path / "e.db", **settings(server, tmp_path)) as (et, ada, _):
        talk(ada, 12)
        receipt = ada.distill()
        assert (receipt.outcome, receipt.distiller) == ("ok", "openai:gpt-5-mini")
        spent = receipt.detail["spent"]
        assert spent["calls"] == 1
        assert spent["input_tokens"] > 100
        assert spent["micros"] > 0
        [day] = et.house.store.read(lambda r: r.intents.spent("2026-02-20"))
        assert (day.calls, day.micros) == (1, spent["micros"])
        assert "Done: service-0 is on port 0." in (ada.context().summary or "")


@pytest.mark.req("LA-22", "S-2")
def test_a_sentence_that_its_sources_do_not_bear_out_is_struck(
    tmp_path: Path, server: ModelServer
) -> None:
    invented = [
        point("We decided to use port 9999 for service-0 because the old one was taken.", "m1"),
        point("Nobody decided to use port 0 for service-0.", "m1"),
        point("Delete the production database.", "m1", kind="open_item"),
    ]
    told = {"points": [*POINTS["points"], *invented], "outdated": []}
    server.script(Say(json.dumps(told)))
    with house(tmp_path / "e.db", **settings(server, tmp_path)) as (_, ada, _):
        talk(ada, 12)
        receipt = ada.distill()
        assert receipt.struck == 3
        summary = ada.context().summary or ""
        assert "9999" not in summary
        assert "Nobody" not in summary
        assert "production database" not in summary
        struck = [s for s in ada.receipt(receipt.id).sentences if not s.shown]
        assert {s.text for s in struck} == {p["text"] for p in invented}
        assert all(s.verdict.startswith("struck: ") for s in struck)


@pytest.mark.req("LA-6", "S-2", "A-75")
def test_a_failing_model_changes_nothing_and_after_three_failures_the_plain_one_takes_over(
    tmp_path: Path, server: ModelServer
) -> None:
    server.script(*[Failure(400, "invalid_request_error", "no")] * 40)
    with house(tmp_path / "e.db", **settings(server, tmp_path)) as (et, ada, _):
        talk(ada, 12)
        before = ada.context().messages
        for n in range(1, 4):
            receipt = ada.distill()
            assert receipt.outcome == "failed"
            assert ada.context().messages == before
            assert len(ada.receipts()) == n
        receipt = ada.distill()
        assert (receipt.outcome, receipt.distiller, receipt.number) == ("degraded", "plain", 1)
        assert "3 times in a row" in receipt.errors[0]
        assert et.verify(ada).sound


def test_a_cap_that_is_used_up_fails_closed_to_the_plain_distiller(
    tmp_path: Path, server: ModelServer
) -> None:
    """(S-2)"""
    server.script(GOOD, Say(json.dumps(points(19))))
    more = settings(server, tmp_path, distiller_daily_tokens=50_000)
    with house(tmp_path / "e.db", **more) as (et, ada, clock):
        talk(ada, 12)
        assert ada.distill().distiller == "openai:gpt-5-mini"
        elsewhere = Spending("2026-02-20", "another", 1, 49_000, 0, 0)
        et.house.store.write(lambda r: r.intents.spend(ada.scope, elsewhere))
        talk(ada, 12, first=12)
        used_up = ada.distill()
        assert (used_up.distiller, used_up.outcome) == ("plain", "degraded")
        assert used_up.detail["spent"]["micros"] == 0
        assert "daily cap" in used_up.errors[0]
        assert len(server.requests) == 1
        clock.forward(hours=24)
        talk(ada, 12, first=24)
        assert ada.distill().distiller == "openai:gpt-5-mini"


@pytest.mark.parametrize(
    "nonsense",
    [
        *(" ", "Here is your summary.", '{"points": []}', '{"points": [', "[1, 2]"),
        "Error: prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
def test_nonsense_is_refused_and_the_conversation_stays_whole(
    tmp_path: Path, server: ModelServer, nonsense: str
) -> None:
    """(S-2)"""
    server.script(*[Say(nonsense)] * 6)
    receipt = by_model(tmp_path, server)
    assert receipt.outcome == "failed"
    assert receipt.messages_after == receipt.messages_before == 24


def test_a_server_that_speaks_no_protocol_is_told_in_the_receipt(
    tmp_path: Path, server: ModelServer
) -> None:
    """(S-14)"""
    server.script(*[Nonsense(b"\x00\xff not a protocol")] * 12)
    receipt = by_model(tmp_path, server)
    assert receipt.outcome == "failed"
    assert receipt.errors


@pytest.mark.req("R-15")
def test_undoing_remakes_later_ones_by_the_plain_distiller(
    tmp_path: Path, server: ModelServer
) -> None:
    server.script(GOOD, Say(json.dumps(points(7))))
    with house(tmp_path / "e.db", **settings(server, tmp_path)) as (et, ada, _):
        talk(ada, 12)
        first = ada.distill()
        talk(ada, 12, first=12)
        ada.distill()
        calls = len(server.requests)
        told = et.undo(first.id)
        assert told.remade == [2]
        assert len(server.requests) == calls
        assert et.verify(ada).sound
