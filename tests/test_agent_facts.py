"""What an agent says by the way is no fact: steps of an export, plans, guesses, talk of itself."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import Fact, memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.step_marks import without_steps
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")

FOLDED = """The kiln controller read the wrong probe.

<details><summary>Edit file: kiln/probe.py</summary>

**Chunk 1**
Lines added: 12, lines removed: 3

</details>

The probe is now read on channel 4 of `kiln/probe.py`."""

MARKED = """*Viewed [probe.py](file:///home/jo/kiln/probe.py) *

*Approved the command `python -c "
import kiln
print(kiln.probe(4))
"`*

*Opened the page http://localhost:4100 *

The probe reads 840 °C on channel 4 of [probe.py](cci:7://file:///home/jo/kiln/probe.py:3:0-9:1).
*Mind the gap: it stays hot.*"""

PLANNED = """I've written up the plan for the greenhouse dashboard v2.

### The Greenhouse Suite:
1. **Vent Panel**: I'll add a panel with one switch for each of the 12 vents.
2. **Soil Chart**: The chart will show the last 48 hours of `soil_probe` values.

Ready to build it?
Once you approve, I'll start with the vent panel."""

COMING = """The layout of the greenhouse dashboard v2:

### The Greenhouse Suite:
- **Vent Panel**: A panel for the 12 vents of `house_b` will open on the left.
- **Soil Chart**: A chart with 48 hours of `soil_probe` values.

Shall we go ahead?
I'll start with the vent panel then."""

BUILT = """### What was built:
1. **Vent Panel**: I added a panel with one switch for each of the 12 vents in `vents.tsx`.
2. **Soil Chart**: The chart shows the last 48 hours of `soil_probe` values.

Should I go on? I'll take the pumps next."""


def read(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner()
    for n, (who, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def told(text: str, asked: str = "How does it stand with the kiln?") -> list[str]:
    points = read(("user", asked), ("agent", text)).points
    return [p.text for p in points if p.by == "agent" and p.kind != "open_item"]


def kept(*said: tuple[str, str]) -> list[Fact]:
    return [fact for fact in memories_of(EMPTY, read(*said)) if fact.by == "agent"]


def test_what_an_export_folds_away_is_not_told():
    found = " ".join(told(FOLDED))
    assert "Lines added" not in found
    assert "channel 4" in found


def test_a_fold_within_another_goes_as_a_whole():
    text = "One.\n<details>a <details>b</details> c</details>\nTwo. </details> Three."
    assert without_steps(text).split() == ["One.", "Two.", "Three."]


def test_steps_in_italics_and_addresses_of_an_editor_go():
    rest = without_steps(MARKED).strip()
    assert rest.startswith("The probe reads 840 °C on channel 4 of probe.py.")
    assert rest.endswith("*Mind the gap: it stays hot.*")


def test_a_text_without_marks_stays_as_it_is():
    text = "* one\n* two *and* three\n\n**Bold line**\nA [link](https://example.org/a)."
    assert without_steps(text) == text


@pytest.mark.parametrize("text", [PLANNED, COMING])
def test_a_list_of_what_will_be_done_tells_nothing(text: str):
    found = " ".join(told(text, "Design the greenhouse dashboard."))
    assert "12 vents" not in found
    assert "48 hours" not in found


def test_a_list_of_what_was_done_is_told_whatever_comes_next():
    found = " ".join(told(BUILT, "Build the greenhouse dashboard."))
    assert "12 vents" in found
    assert "48 hours" in found


@pytest.mark.parametrize(
    "remark",
    [
        "Back to the TX-300 driver of `kiln/probe.py`!",
        "I mentioned the TX-300 driver in `kiln/probe.py` before.",
        "The user is showing me the TX-300 panel of `kiln/probe.py` with 3 lamps.",
        "You can look at the TX-300 lamp in `kiln/probe.py` for that.",
        "After that we'll port the TX-300 driver to `kiln/probe.py`.",
    ],
)
def test_what_is_said_by_the_way_is_no_fact(remark: str):
    assert told(remark) == []


def test_what_the_agent_found_is_one_whoever_is_its_subject():
    text = "I found that the TX-300 driver in `kiln/probe.py` polls every 250 ms."
    assert told(text) == [text]


def test_what_was_seen_before_the_next_step_gives_way_to_what_came_of_it():
    found = told(
        "The curve is at 612 °C after 40 minutes in `run_7`. Let me wait for the end.\n\n"
        "The curve of `run_7` ended at 840 °C after 95 minutes."
    )
    assert found == ["The curve of `run_7` ended at 840 °C after 95 minutes."]


def test_what_was_seen_last_stands_though_a_step_was_to_follow():
    found = told("The curve of `run_7` ended at 840 °C after 95 minutes. Let me plot it.")
    assert found == ["The curve of `run_7` ended at 840 °C after 95 minutes."]


def test_a_guess_is_no_memory_and_what_is_known_is():
    guess = "The relay K2 of `kiln/probe.py` is probably stuck at 5 V."
    known = "The relay K2 of `kiln/probe.py` is rated for 12 V and 8 A."
    assert not kept(("agent", guess))
    assert [fact.text for fact in kept(("agent", known))] == [known]


def test_what_may_be_either_is_not_told_as_so():
    found = " ".join(
        told(
            "This means either:\n1. The relay K2 gets 5 V from `board_a`\n"
            "2. The fuse F7 of `board_b` is gone"
        )
    )
    assert "F7" not in found


def test_of_what_is_told_anew_the_last_is_a_memory():
    found = kept(
        ("agent", "The error shows that the TX-300 takes `max_ramp_rate` instead of `ramp`."),
        ("user", "Go on."),
        ("agent", "The TX-300 takes `max_ramp_rate` instead of `ramp`, and no `soak` time."),
    )
    assert [fact.text for fact in found] == [
        "The TX-300 takes `max_ramp_rate` instead of `ramp`, and no `soak` time."
    ]
