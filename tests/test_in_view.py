"""A recall beside a context brings what the context does not show: what a summary quotes counts too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everthread.domain.given.packing import TAG
from support.desk import Desk, desk_in
from support.stores import ABOVE, fresh

pytestmark = pytest.mark.req("B-12", "S-17")

ROOF = "Always write that the roof of the chapel was mended by Odile Marchand in 1987."
"""A rule, which every summary quotes."""

ASKED = "Who mended the roof of the chapel?"


@pytest.fixture(params=ABOVE)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with fresh(request.param, tmp_path) as place, desk_in(tmp_path, place.target) as found:
        found.turn(ROOF, "I will keep to that.")
        found.turn("What do slates weigh?", "A slate of the chapel's roof weighs about two kilos.")
        found.talk(0, 14)
        yield found


def words_of(messages: list[dict[str, Any]]) -> list[str]:
    """The texts of a request, one after the other."""
    texts: list[str] = []
    for content in (message["content"] for message in messages):
        blocks = [{"text": content}] if isinstance(content, str) else content
        texts += [block["text"] for block in blocks if "text" in block]
    return texts


def found(desk: Desk, **options: bool) -> list[str]:
    return [hit.text for hit in desk.ada.recall(ASKED, limit=20, **options)]


def test_what_the_summary_quotes_whole_is_not_recalled_beside_it(desk: Desk) -> None:
    assert desk.ada.distill().outcome == "ok"
    assert ROOF in desk.ada.context().text
    assert ROOF in found(desk)
    beside = found(desk, unseen=True)
    assert ROOF not in beside
    assert beside
    assert not any(text in desk.ada.context().text for text in beside if len(text) >= 20)


def test_before_a_distillation_everything_is_in_view(desk: Desk) -> None:
    assert ROOF in found(desk)
    assert not [text for text in found(desk, unseen=True) if text in desk.said]


def test_a_turn_is_not_given_what_its_summary_quotes(desk: Desk) -> None:
    desk.ada.distill()
    desk.turn("Let us go on.", "Gladly.")  # what was just learnt is told once, whatever is asked
    desk.turn("And on.", "Yes.")
    turn = desk.ada.turn(ASKED)
    given = words_of(turn.messages)
    turn.done("Odile Marchand did.")
    summary, beside = given[0], given[1:]
    assert ROOF in summary
    assert not [text for text in beside if ROOF in text]
    assert [text for text in beside if TAG in text and "two kilos" in text]


def test_what_was_undone_is_recalled_by_its_place_again(desk: Desk) -> None:
    receipt = desk.ada.distill()
    desk.et.undo(receipt.id)
    assert ROOF in found(desk)
    assert ROOF not in found(desk, unseen=True)
