"""Where a printing begins and ends: in the middle of a line, above the first line that is known."""

from __future__ import annotations

import pytest

from everthread.domain.text.pasted_text import blank_out, pasted_ranges


def own(text: str) -> str:
    return " ".join(blank_out(text, pasted_ranges(text, own=True)).split())


SERVED = '[03/Mar/2026 09:10:11] "GET /bikes/ HTTP/1.1" 500 912\n'


@pytest.mark.parametrize(
    ("lead", "printed"),
    [
        ("the list stays empty, this is in the terminal", SERVED),
        ("beim Start kommt das hier", "(env) PS C:\\Users\\Ada Byron\\bikes> python serve.py\n"),
        ("saving fails with", 'Traceback (most recent call last):\n  File "a.py", line 3\n'),
        (
            "al abrir la lista sale",
            "Uncaught TypeError: bikes.map is not a function\n    at List (a.js:3:4)\n",
        ),
    ],
)
def test_a_printing_begins_in_the_middle_of_her_line(lead: str, printed: str) -> None:
    assert own(f"{lead} {printed}") == lead


@pytest.mark.parametrize(
    "printed",
    [
        '[03/Mar/2026 09:10:11] "GET /bikes/ HTTP/1.1" 404 27',
        "TypeError: bikes.map is not a function\n    at List (http://localhost/a.js:3:4)",
        'Traceback (most recent call last):\n  File "a.py", line 3\nIntegrityError: (1048, "no \'id\'")',
    ],
)
def test_she_goes_on_in_the_last_line_of_a_printing(printed: str) -> None:
    assert own(f"{printed} todavía no puedo abrir la lista") == "todavía no puedo abrir la lista"


@pytest.mark.parametrize(
    "text",
    [
        "Built with problems:\n×\nERROR in ./src/Bikes.jsx\nSyntaxError: Missing bracket (3:4)\n  3 | a\n",
        "[lint]\nsrc\\Bikes.jsx\n  Line 12:3:  'Bell' is not defined  no-undef\n",
        "Compiler Version 19.4 for x64\nBikes.cpp\nBell.cpp\nBikes.obj : error LNK2019: unresolved symbol\n"
        "Bell.obj : error LNK2019: unresolved symbol\nError: Process completed with exit code 1.\n",
        "kind: Garage\nmetadata:\n  name: bikes\n  labels:\n    app: bikes\nspec:\n  doors:\n"
        "    - name: front  # Replace with your own door\n      number: 3\n",
        'garage "bikes" {\n  label = "The place of all bikes"\n  doors = var.doors\n}\n',
        "acme/lockers: The key was used twice, after it had been copied. Disabling copies to be safe...\n"
        "To stop this warning, you can either:\n\t- Avoid using `copy` before it\n\t- Set KEYS=one\n",
        "VM12:6 picked: \n(2) [{…}, {…}]\n0\n: \n{id: 8, name: 'bell'}\nlength\n: \n2\n[[Prototype]]\n",
    ],
)
def test_all_of_it_is_the_programs(text: str) -> None:
    assert own(text) == ""
    assert own(f"why does it stop?\n\n{text}") == "why does it stop?"


@pytest.mark.parametrize(
    "lead",
    [
        "Build stops on the new machine",
        "the build stops",
        "Now I get this in the second run",
        "Never ship it like that.",
        "Der Start geht nicht und die Liste ist leer",
    ],
)
def test_her_words_right_above_a_printing_stay_hers(lead: str) -> None:
    assert own(f"{lead}\n{SERVED}{SERVED}") == lead


@pytest.mark.parametrize(
    "text",
    [
        "Garage:\n  doors: always paint them red\n  bikes: never lock two together",
        "Goals:\n- speed: under a second\n- size: as it is\nLater:\n- colour: red",
        "Please add {name} to the bell, and { } if there is none",
        "At [03/Mar/2026] we meet (all of us) and then we ride",
        "Rename bikes/list: it is too long",
        "bell  -> ring\nhorn  -> honk",
    ],
)
def test_what_people_write_in_such_a_manner_stays_theirs(text: str) -> None:
    assert own(text) == " ".join(text.split())


def test_words_in_her_language_within_a_printing_are_hers() -> None:
    words = ": con esto no se guarda la lista y el botón no hace nada en la página"
    assert own(f"{SERVED}{words}\n{SERVED}") == words
