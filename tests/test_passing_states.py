"""What an agent says of how things are just then is told in the summary and becomes no memory."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest, Point
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.passing_states import is_listing, is_passing_state

pytestmark = pytest.mark.req("A-13", "LA-10", "B-16")

KEY = b"1" * 16


def kept(text: str, kind: str = "fact", by: str = "agent") -> list[str]:
    point = Point(kind, text, (KEY,), by, 1, weight=0.7, verbatim=by == "user")  # pyright: ignore[reportArgumentType]
    return [fact.text for fact in memories_of(EMPTY, Digest((point,), (), 1, 1, 1))]


@pytest.mark.parametrize(
    "text",
    [
        "But `kiln/probe.py` reads channel 4 of the TX-300 driver.",
        "The folder `kiln/logs` does not exist yet on the TX-300.",
        "The `readProbe` function of `kiln/probe.py` looks correct.",
        "I'm not 100% sure that `readProbe` opens channel 4 of the TX-300.",
        "Found the problem: `readProbe` opens channel 4 twice in `kiln/probe.py`.",
        "`kiln/probe.py` needs to open channel 4 of the TX-300.",
        "The log of the TX-300 holds 15 errors of `readProbe`.",
        "My recommendation is the TX-300 driver in `kiln/probe.py`.",
        "Perfecto, `kiln/probe.py` usa el canal 4 del TX-300.",
        "Necesito modificar `kiln/probe.py` para el canal 4 del TX-300.",
        "`kiln/probe.py` opens channel 4 (before: channel 3 of the TX-300)",
        "问题在于 `kiln/probe.py` 目前打开 TX-300 的通道 4。",
        "export KILN_PORT=4100 && python kiln/probe.py --driver TX-300",
        "(important) before the classes of `kiln/probe.py` and the TX-300 driver",
        "Kiln Probe `kiln/probe.py` 100 % of TX-300 matched!**",
    ],
)
def test_what_its_next_step_may_change_is_no_memory(text: str) -> None:
    assert is_passing_state(text)
    assert not kept(text)


@pytest.mark.parametrize(
    "text",
    [
        "**Cell 0 (update):** imports of `kiln/probe.py` and the TX-300 driver",
        "What I changed: - `kiln/probe.py` reads channel 4 - **`kiln/log.py`** needs to write it",
        "Changes made: … `kiln/probe.py` reads channel 4 of the TX-300",
    ],
)
def test_a_list_tells_more_than_the_moment(text: str) -> None:
    assert is_listing(text)
    assert kept(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "The TX-300 driver reads the probe on channel 4 of `kiln/probe.py`.",
        "`readProbe` takes a `mode` and returns degrees in Celsius.",
        "Werte der Zähler: - `meter_7` zeigt 420 kWh - `meter_8` zeigt 480 kWh",
        "The API of the TX-300 (version 2) allows 60 calls a minute.",
    ],
)
def test_how_a_thing_is_is_kept(text: str) -> None:
    assert kept(text) == [text]


def test_a_person_may_say_so_all_the_same() -> None:
    text = "Currently I work at Mercer & Daughters in Oberau, 3 days a week."
    assert kept(text, by="user") == [text]


def test_what_an_agent_asked_in_passing_is_not_kept_as_open() -> None:
    assert not kept("Which of the two drivers of the TX-300 would you prefer?", "open_item")
    left = "The alarm of the TX-300 is still to be wired to port 4100."
    assert kept(left, "open_item") == [left]
