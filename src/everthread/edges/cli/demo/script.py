"""The words of the example: Mel keeps a greenhouse, and Ada keeps Mel company. Always the same ones.

The first hundred exchanges are a story, told in `story.toml`; in a longer conversation small matters of
every day follow, the same ones again and again with other plants and numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from importlib.resources import files
from typing import Any, NamedTuple

STORY: Mapping[str, Any] = tomllib.loads(
    files("everthread.edges.cli.demo").joinpath("story.toml").read_text("utf-8")
)
"""A hundred exchanges, and what was said before them."""

SYSTEM: str = STORY["system"]
MODEL = "claude-sonnet-4-5"
WINDOW = 200_000

BED: dict[str, Any] = {"bed": {"type": "integer", "minimum": 1, "maximum": 8}}
TEXT = {"type": "string"}


def _tool(name: str, about: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties), "required": [*properties]}
    return {"name": name, "description": about, "input_schema": schema}


TOOLS: tuple[dict[str, Any], ...] = (
    _tool("read_sensor", "Soil moisture and temperature of a bed.", BED),
    _tool("water", "Water a bed.", {**BED, "litres": {"type": "number"}}),
    _tool("open_vent", "Open the roof vents.", {"percent": {"type": "integer"}}),
    _tool("run_command", "Run a command on the greenhouse's computer.", {"command": TEXT}),
    _tool(
        "edit_file",
        "Replace a text in a file on the greenhouse's computer.",
        {"path": TEXT, "old": TEXT, "new": TEXT},
    ),
)


class Call(NamedTuple):
    """A tool call that Ada makes before she answers."""

    tool: str
    given: Mapping[str, Any]
    result: str


class Exchange(NamedTuple):
    """What Mel says, what Ada does, what she answers; or what kept her from answering."""

    say: str
    reply: str
    call: Call | None = None
    trouble: str | None = None


class Sitting(NamedTuple):
    """When a stretch of the conversation begins, counted back from now, and where it is held."""

    ago: timedelta
    channels: Sequence[str]
    share: int
    distills: bool = False
    """Is the thread distilled when it is over?"""


SITTINGS = (
    Sitting(timedelta(days=5, hours=4), ("webchat",), 20),
    Sitting(timedelta(days=4, hours=9), ("signal:+49-30-555-0142",), 12, distills=True),
    Sitting(timedelta(days=3, hours=22), ("webchat",), 18),
    Sitting(timedelta(days=2, hours=3), ("email:mel@greenhouse.example",), 10, distills=True),
    Sitting(timedelta(days=1, hours=2), ("signal:+49-30-555-0142", "webchat"), 20, distills=True),
    Sitting(timedelta(0), ("webchat",), 20),
)
"""The shares are turns in a hundred. Between any two lie more than four hours: a new session each."""

PLANTS = (
    "tomatoes", "beans", "chillies", "cucumbers", "lettuces", "strawberries", "aubergines",
    "radishes", "sweet peas", "figs", "leeks", "marigolds", "melons",
)  # fmt: skip
FRIENDS = ("Noor", "Tomasz", "Ines", "Grandpa", "the neighbour", "Yuki", "the school class")

SCENES: tuple[tuple[str, str], ...] = (
    (
        "Good morning, Ada. The {plant} in bed {bed} look a little pale today.",
        "Morning, Mel. Pale new leaves usually mean iron, not water. I would feed the {plant} once and "
        "look again in three days.",
    ),
    (
        "What did we decide about the vents when it gets above {degrees} degrees?",
        "That they open to {percent} percent above {degrees} degrees and close again two degrees lower.",
    ),
    (
        "{friend} wants to take some {plant} home on Saturday. Do we have enough?",
        "About {litres} handfuls are ripe in bed {bed}. That is plenty for {friend}, and for our soup.",
    ),
    (
        "Remind me why bed {bed} got the drip hose and the others did not.",
        "Because it lies behind the door, where the draught dries it first. You said so when we moved "
        "the {plant}.",
    ),
    (
        "I found tiny white flies under the leaves of the {plant}. Should I worry?",
        "Whitefly. Hang the yellow cards over bed {bed} today; soap water only if more than ten stick "
        "by evening.",
    ),
    (
        "Can you write a label for the {plant}? Short, the tag is tiny.",
        "“{plant} · bed {bed} · {litres} l a week”. It fits on a tag of four centimetres.",
    ),
    (
        "The forecast says {degrees} degrees tomorrow. Anything to prepare tonight?",
        "Shade cloth on the south side, and {litres} litres more for bed {bed} before nine. The {plant} "
        "will thank us.",
    ),
    (
        "How do you say “please do not touch the {plant}” in Chinese? For the school class.",
        "请不要碰这些植物。 That says “these plants”, which is safer than a name they may not know.",
    ),
    (
        "From {day} on I would rather plan in weeks than in days.",
        "Weeks it is. This week: thin the {plant}, mend the hose at bed {bed}, ask {friend} about the "
        "weekend.",
    ),
    (
        "Do you think the {plant} and the {other} get along in one bed?",
        "For a month, yes. Then the {plant} take the light; I would move the {other} to bed {bed} by "
        "then.",
    ),
    (
        "Which of our seeds should go into bed {bed} first?",
        "The {plant}: the packet is from three years ago. Sow them twice as thick in bed {bed}.",
    ),
    (
        "I turned the compost beside bed {bed}. It steams! Is that good?",
        "Very good. Around {percent} degrees inside means it works. Turn it again in ten days.",
    ),
    (
        "{friend} asked for our watering table. Can you put bed {bed} into one line of JSON?",
        'Of course: {{"bed": {bed}, "plant": "{plant}", "litres_per_week": {litres}}}',
    ),
    (
        "The left vent creaks when it opens to {percent} percent.",
        "A drop of oil on the hinge before the next hot day. I keep it at {percent} percent until then.",
    ),
    (
        "I read that music makes {plant} grow. Nonsense?",
        "The {plant} have no opinion, but you work longer when the radio is on, and bed {bed} shows it.",
    ),
    (
        "What was the best idea we have had since {day}?",
        "Giving bed {bed} to the {plant}. They have grown more in four days than in the two weeks "
        "before.",
    ),
    (
        "I am away on {day}. Who looks after the beds?",
        "{friend} has the key. I send a list in the morning: water bed {bed}, look at the {plant}, "
        "close the door.",
    ),
)

CALLS: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    (
        "How dry is bed {bed} just now?",
        "At {percent} percent it is fine until tomorrow. The {plant} can wait.",
        "read_sensor",
        ("bed",),
        '{{"bed": {bed}, "moisture_percent": {percent}, "celsius": {degrees}}}',
    ),
    (
        "Please give the {plant} in bed {bed} a good drink, {litres} litres.",
        "Done: {litres} litres for the {plant}. The tank still holds {percent} percent.",
        "water",
        ("bed", "litres"),
        '{{"poured_litres": {litres}, "tank_percent": {percent}}}',
    ),
    (
        "It feels stuffy above the {plant}. Open the roof?",
        "The vents stand at {percent} percent; you should feel the air move under the {plant} by now.",
        "open_vent",
        ("percent",),
        '{{"open_percent": {percent}, "wind_kmh": {litres}}}',
    ),
)

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TROUBLES = (
    "overloaded_error: the model's provider is overloaded; try again shortly",
    "connection lost: the reply never came",
)

CALL_EVERY = 5
TROUBLE_EVERY = 50
TROUBLE_AT = 33


def exchange(number: int) -> Exchange:
    """The exchange of that turn, counted from 1: the same whenever it is asked for."""
    told = STORY["exchange"]
    return _told(told[number - 1]) if number <= len(told) else _everyday(number)


def _told(row: Mapping[str, Any]) -> Exchange:
    call = Call(row["tool"], row["given"], row["result"]) if "tool" in row else None
    return Exchange(row["mel"], row["ada"], call, row.get("trouble"))


def _everyday(number: int) -> Exchange:
    slots = _slots(number)
    trouble = None
    if number % TROUBLE_EVERY == TROUBLE_AT:
        trouble = TROUBLES[number // TROUBLE_EVERY % len(TROUBLES)]
    if number % CALL_EVERY == 0:
        say, reply, tool, given, result = CALLS[number // CALL_EVERY % len(CALLS)]
        call = Call(tool, {name: slots[name] for name in given}, result.format(**slots))
        return Exchange(say.format(**slots), reply.format(**slots), call, trouble)
    # Every fifth turn is a call, so the scenes move on by the other four.
    say, reply = SCENES[(number - number // CALL_EVERY - 1) % len(SCENES)]
    return Exchange(say.format(**slots), reply.format(**slots), trouble=trouble)


def _slots(number: int) -> dict[str, Any]:
    """What fills the gaps. Steps that share no factor with the lists' lengths vary longest."""
    return {
        "plant": PLANTS[number * 5 % len(PLANTS)],
        "other": PLANTS[(number * 5 + 6) % len(PLANTS)],
        "friend": FRIENDS[number * 3 % len(FRIENDS)],
        "bed": 1 + number * 3 % 8,
        "degrees": 19 + number * 5 % 17,
        "litres": 2 + number * 4 % 9,
        "percent": 30 + number * 7 % 61,
        "day": DAYS[number * 2 % len(DAYS)],
    }


EARLIER = tuple((each["role"], each["say"]) for each in STORY["earlier"])
"""What was said elsewhere, weeks before Ada had a thread: recorded, not lived."""

START = "What did we discuss at the start?"
BEAT = (
    "Check: read every sensor and report only what needs a hand.",
    "Nothing that the sensors could tell me.",
)
SCRATCH = (
    "Draw a plan of the beds as text, for the door.",
    "        [1][2][3][4]\ndoor →  [5][6][7][8]",
)
