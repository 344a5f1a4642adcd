"""What an agent says that alone tells nobody anything, or not for long, is no memory."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")


def remembered(*texts: str) -> list[str]:
    gleaner = Gleaner()
    gleaner.read(spoken("Tell me about the mill at Oberau and its meter.", n=1))
    for n, text in enumerate(texts, start=2):
        gleaner.read(spoken(text, "agent", n=n))
    return [fact.text for fact in memories_of(EMPTY, gleaner.digest()) if fact.by == "agent"]


LOOSE = [
    "This ensures that `meter_7` at Oberau is read 12 times an hour by the mill.",
    "It is a separate register of the meter `meter_7` in the basement of the mill.",
    "She ran the mill at Oberau with 4 hands from 1911 to 1934.",
    "Dies gilt für die Zähler `meter_7` und `meter_8` der Mühle in Oberau.",
    "Esto evita que el contador `meter_7` del molino de Oberau se lea 12 veces.",
    "Это важно для счётчика `meter_7` на мельнице в Оберау с 4 жерновами.",
    "The problem is in `meter.py`: it reads the register 40 of the mill as text.",
    "The previous error happened because `meter.py` read register 40 of the mill as text.",
    "El problema es que `meter.py` lee el registro 40 del molino como texto.",
    "Ursache: `meter.py` las das Register 40 der Mühle als Text.",
    "There are three concrete issues: the mill reads register 40 of `meter.py` as text.",
    "The reader `meter.py` of the mill at Oberau should provide good values in the basement.",
    "El lector `meter.py` del molino de Oberau debería leer bien los registros del sótano.",
]
HOLDS = [
    "The meter `meter_7` of the mill at Oberau is read 12 times an hour.",
    "It takes 40 minutes by bus from Oberau to the mill at Unterau.",
    "The cause is a fault in the driver `mill.sys` 2.1 of the mill at Oberau, and there is no fix for it.",
    "The mill at Oberau has 4 stones and a wheel of 3.60 m.",
    "Das Mühlrad in Oberau hat 3,60 m Durchmesser und 24 Schaufeln.",
    "The parcel with the meter `meter_7` should arrive on 14 May at the mill.",
    "El molino de Oberau tiene 4 piedras y una rueda de 3,60 m.",
    "This Friday the mill at Oberau grinds 4 t of rye for Lukas Berg.",
    "Diese Woche mahlt die Mühle in Oberau 4 t Roggen.",
    "Each error of `meter_7` is logged to `/var/log/mill.log` at Oberau.",
    "The errors of `meter_7` are kept for 30 days in `/var/log/mill.log` at Oberau.",
    "On failure the job `mill_sync` of Oberau is repeated 3 times.",
    "The meter API of the mill returns an error: 404 for `meter_9` at Oberau.",
    "Errors of the meter `meter_7` go to the log `/var/log/mill.log` at Oberau.",
]


@pytest.mark.parametrize("text", LOOSE)
def test_what_leans_on_something_names_a_cause_or_hopes_is_not_kept(text: str) -> None:
    assert not any(text in kept for kept in remembered(text))


@pytest.mark.parametrize("text", HOLDS)
def test_what_stands_for_itself_is_kept(text: str) -> None:
    assert any(text in kept for kept in remembered(text))


@pytest.mark.parametrize(
    "text",
    [
        "现在整个水磨坊的页面看起来更加统一，同时也保持了极简的整体美感。",
        "Ahora toda la página del Molino de Oberau parece más equilibrada y mucho más elegante.",
    ],
)
def test_praise_at_the_end_of_a_report_is_not_kept(text: str) -> None:
    assert not remembered(text)


def test_how_it_is_now_with_its_figures_is_kept() -> None:
    assert remembered("Ahora el contador `meter_7` del molino de Oberau se lee 12 veces por hora.")


@pytest.mark.parametrize(
    "lead", ["Bitte kurz testen:", "Was du jetzt bitte machst:", "Por favor, comprueba esto:"]
)
def test_what_she_is_asked_to_test_is_not_so(lead: str) -> None:
    listed = "- `meter_7` zeigt 420 kWh im Keller der Mühle\n- `meter_8` zeigt 480 kWh in Oberau"
    assert not remembered(f"{lead}\n{listed}")
    assert remembered(f"Werte der Zähler:\n{listed}")
