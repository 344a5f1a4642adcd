"""A real model, far too small to be of use, shows that the plumbing holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everthread.domain.distilling.drafts import Material, ModelFailed, Passage
from everthread.domain.distilling.prompts import Prompt
from everthread.domain.gleaning.digest import EMPTY, SECTION_OF
from everthread.providers.models.distiller import ModelDistiller
from everthread.providers.models.openai import OpenAi
from support.local_model import serving, weights
from support.skips import needs

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("local-model")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    needs("registry")
    with serving(weights()) as address:
        yield f"{address}/v1"


def nothing() -> None:
    return None


def test_a_real_server_streams_in_the_form_that_was_asked_for_and_reports_its_usage(address: str):
    asked = Prompt("Answer in JSON.", "We chose SQLite. Write one point about it.", {}, 20)
    reply = OpenAi("local", url=address, seconds=180).ask(asked, most=60, pause=nothing)
    assert reply.text.lstrip().startswith("{")
    assert '"points"' in reply.text
    assert reply.spent.calls == 1
    assert reply.spent.input_tokens > 10
    assert 0 < reply.spent.output_tokens <= 60


def test_a_real_model_ends_in_points_with_sources_or_in_a_refusal(
    address: str, monkeypatch: pytest.MonkeyPatch
):
    """It may not talk for long: what it says after its first words is more of the same."""
    monkeypatch.setattr("everthread.providers.models.distiller.LEAST_ANSWER", 100)
    passages = [
        Passage(1, b"a" * 16, "user", "", 1000, "Please never deploy on a Friday."),
        Passage(2, b"b" * 16, "agent", "", 2000, "I moved the service to port 8081."),
    ]
    model = OpenAi("local", url=address, seconds=30)
    distiller = ModelDistiller(model, count=len, allowed=lambda _: True)
    try:
        drafted = distiller.distill(Material(EMPTY, EMPTY, passages, 200), pause=nothing)
    except ModelFailed as failed:
        assert failed.cause in ("nonsense", "timeout", "refused")
        assert failed.spent.calls >= 1
        return
    assert drafted.points
    assert all({*point.sources} <= {b"a" * 16, b"b" * 16} for point in drafted.points)
    assert all(point.kind in SECTION_OF for point in drafted.points)
