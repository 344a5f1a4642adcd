"""What holds for good is a rule by its scope; what points at one thing is an order."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.text.acts.speech import parse_sentence, rules
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21", "LA-10")


@pytest.mark.parametrize(
    "text",
    [
        "Distances must be in miles in everything you send me.",
        "Every reply in Welsh, please.",
        "All dates in ISO format, please.",
        "Run the linter after every change.",
        "Put the ticket number into every commit message.",
        "Whatever you write must be in British English.",
        "Show me the diff every time you edit a file.",
        "Give me the price in pounds, always.",
        "I want every answer in French.",
        "I'd like the amounts in euros from now on, please.",
        "Everything has to be vegan.",
        "Each function must have a docstring.",
        "Use metric units at all times.",
        "Und niemals neu starten ohne Sicherung.",
        "Immer erst eine Sicherung machen.",
        "Vor jedem Löschen bitte fragen.",
        "Jede Antwort auf Deutsch bitte.",
        "Todas las respuestas en español, por favor.",
        "Responde siempre con el precio.",
        "Toutes les réponses en français.",
        "Utilise toujours des tabulations.",
        "Rispondi sempre in italiano.",
        "Responda sempre em português.",
        "Antwoord altijd in het Nederlands.",
        "每次回答都要用中文。",
        "一律用公制单位。",
        "毎回日本語で答えてください。",
        "모든 답변은 한국어로 해 주세요.",
        "Revenue must be net of VAT in everything you show me.",
        "Every answer in euros, please.",
        "All amounts in the same currency.",
        "Every summary without jargon.",
        "My sister is coeliac, so everything has to be gluten free.",
        "Everything has to be nut free, as I said.",
        "Everything has to go through me first.",
        "Nobody may touch the production database.",
        "Nobody is allowed to deploy on Fridays.",
        "Nothing may be deleted.",
        "Every commit gets a ticket number.",
        "All endpoints must be documented.",
        "Create a branch for every change.",
        "Und niemals apt upgrade ohne Snapshot.",
        "Niemals direkt die Datenbank ändern.",
        "Passwörter nie wiederverwenden.",
        "Toujours répondre en français.",
        "Every time a build fails, send me a message.",
        "Each time we deploy, ping me.",
        "Whenever possible, use metric units.",
        "Starting today, answer in French.",
        "Answer in French, starting today.",
        "As of today, you write in British English.",
        "As of now, no emojis.",
        "I want to see the diff from now on.",
        "D'ora in poi rispondi in italiano.",
        "D'ora in poi tutto in euro.",
        "A partir de hoje responde em português.",
        "De ahora en adelante responde en español.",
        "Vanaf nu wil ik alles in het Nederlands.",
        "Od teraz odpowiadaj po polsku.",
        "Впредь отвечай по-русски.",
    ],
)
def test_what_holds_for_good_is_a_rule(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Rename every file in src.",
        "Delete all the logs.",
        "Check all the prices in the table.",
        "All prices in the table are wrong.",
        "Explain the purpose of each change.",
        "Every test fails.",
        "It crashes, every time.",
        "Show me everything you changed.",
        "Tell me everything you know about bees.",
        "All of them must have left by then.",
        "Everything must be ready by Friday.",
        "We have to finish all of this.",
        "I've set it up to run the tests on every pull request.",
        "The driver needs to be loaded on every connection you create.",
        "Send a mail every time a customer signs up.",
        "Are all answers in euros?",
        "Never saw this coming.",
        "We can always count on them.",
        "It's important to support each other when times are hard.",
        "Nie habe ich so gelacht.",
        "Immer noch kaputt.",
        "Immer dieselben Fragen.",
        "Siempre me pasa lo mismo.",
        "Nunca he estado en Roma.",
        "Toujours pas.",
        "Toujours la même erreur.",
        "Jamais vu ça.",
        "我不知道要不要去。",
        "每次都失败。",
        "Every baker has to get up early.",
        "Every loaf gets a cross on top.",
        "Each child gets a present.",
        "Nobody may enter the bakery at night, by law.",
        "All deliveries must be inspected in 5 days under the old contract, which is why we lost the case.",
        "I read that all reports must be in English there.",
        "Everything has to end some day.",
        "Everything may change.",
        "Nothing needs to be done.",
        "A potter has to be good at everything.",
        "A nurse has to stay calm at all times.",
        "You're there for me no matter what.",
        "Every message in the group annoys me.",
        "Every email with an attachment bounces.",
        "All the numbers in column B.",
        "All messages with photos.",
        "Alle Preise in der Tabelle sind falsch.",
        "Todos los precios en la tabla están mal.",
        "Starting today, I'm on holiday.",
        "Starting today, I'm on holiday, so please water the plants.",
        "As of today, the shop is closed.",
        "As of today, you have three points left.",
        "I want to eat less from now on.",
        "A partir de hoje estou de férias.",
        "A partir de hoje a loja está fechada.",
        "A partir de ahora estoy de vacaciones.",
        "D'ora in poi lavoro da casa.",
        "Vanaf nu werk ik thuis.",
        "Od teraz jestem na urlopie.",
        "Отныне я в отпуске.",
        "Every time I go there it rains.",
        "Every time I open it I need to restart.",
        "Each time it rains, the roof leaks.",
        "Set up an action to deploy the site whenever you push to main.",
        "Configure the webhook to trigger deployments on every push.",
        "Nie klappt etwas.",
        "Nie hört er zu.",
        "Immer muss ich alles machen.",
        "Bei jedem Besuch gab es Blumen.",
        "Toujours en retard.",
        "Jamais personne ne m'écoute.",
        "Piove sempre qui.",
        "Siempre pasa lo mismo.",
        "Siempre llego tarde.",
        "Nunca lo uso.",
        "Nunca fui a Roma.",
        "Siempre comía allí.",
        "Siempre que voy a Roma llueve.",
        "You can never be sure.",
        "You can never tell.",
        "Don't let it get you down.",
        "分别发给三个人。",
    ],
)
def test_what_is_done_once_or_only_told_is_none(text: str) -> None:
    assert not rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Don't touch that.",
        "Remove those, don't archive.",
        "Drop those, don't impute.",
        "Don't mess with that.",
        "Don't open it please.",
        "Don't move those, they're fine.",
        "Don't take it away, don't move it.",
        "不要动那个。",
    ],
)
def test_a_ban_on_one_thing_is_an_order(text: str) -> None:
    assert not rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Don't ever touch that.",
        "Don't do that again.",
        "Don't send it without asking me.",
        "Don't use semicolons in this project.",
        "When I paste a table, don't read it out.",
        "Don't touch the generated files.",
        "Stop doing that.",
        "以后不要动那个。",
    ],
)
def test_a_ban_that_lasts_is_a_rule_whatever_it_points_at(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Don't share this with the press: we lost 40,000 euros.",
        "Don't delete those backups.",
        "Don't delete that.",
        "Don't tell her.",
        "Don't push it.",
        "Keep it quiet, don't tell.",
        "Don't show it to Peter.",
        "Don't feed the dog that.",
        "Don't talk to them.",
        "Don't commit to this branch.",
        "Don't send emails to that address.",
        "Please don't contact him directly.",
        "Ask him, don't guess.",
        "Don't resize it in the file, only in the preview.",
        "Don't use a mock in these tests.",
        "Don't use semicolons, and don't touch that.",
        "You can never give the dog chocolate.",
        "You may never tell the client about it.",
        "They may never be shared.",
        "Nunca pases la contraseña por correo.",
        "Nunca me pases llamadas.",
        "Nunca lo hagas sin avisar.",
        "Nunca pescado crudo para Ana.",
        "Siempre que escribas código, usa tipos.",
        "Siempre pasa los tests antes de subir.",
        "Siempre es obligatorio pedir permiso.",
        "不要动这个文件。",
        "不要删这个。",
        "别告诉他这个。",
        "以后再也别删文件。",
        "لا تحذف هذا",
        "لا تلمس هذا الملف",
    ],
)
def test_a_ban_that_names_something_or_is_grave_stays_a_rule(text: str) -> None:
    """One thing is a pronoun and no more; what is told, sent, deleted or pushed cannot be taken back."""
    assert rules(parse_sentence(text))


def test_an_order_on_one_thing_is_carried_with_what_it_points_at() -> None:
    gleaner = Gleaner(EMPTY)
    said = "The bay in the second verse is lovely. Don't touch that."
    for n, text in enumerate(("Hello there.", said), start=1):
        gleaner.read(spoken(text, "user", n=n))
    points = gleaner.digest().points
    assert not [p for p in points if p.kind == "rule"]
    assert said in [p.text for p in points if p.kind == "open_item"]


@pytest.mark.parametrize(
    "text",
    [
        "Can you always name the chapter when you quote from a book?",
        "and could you please never sign with my first name?",
        "Can we from now on put the date on every receipt, no exceptions?",
        "No shoes in the hall, that's non-negotiable.",
        "Nobody sleeps on the boat, and that is not negotiable.",
    ],
)
def test_a_rule_put_as_a_polite_question_or_with_its_weight_behind_it(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Can you check the page number of that quote?",
        "Could we ever move the date?",
        "Do you always quote from that book?",
        "Is the price non-negotiable?",
        "Non negotiable, I've already told them.",
    ],
)
def test_a_question_is_no_rule_however_it_is_put(text: str) -> None:
    assert not rules(parse_sentence(text))


def _points(kind: str, *texts: str) -> list[str]:
    gleaner = Gleaner(EMPTY)
    for n, text in enumerate(("Hello there.", *texts), start=1):
        gleaner.read(spoken(text, "user", n=n))
    return [p.text for p in gleaner.digest().points if p.kind == kind]


def test_an_order_holds_for_good_by_the_few_words_after_it() -> None:
    said = "Run the linter before you push. Every time."
    assert _points("rule", said) == [said]
    assert not _points("rule", "Run the linter before you push. Thanks.")


def test_what_holds_from_now_on_is_no_correction_though_it_names_what_shall_not_be() -> None:
    said = "And sign everything that leaves the house with my full name, Maria Lund, not Mia."
    assert not _points("correction", said)
    assert _points("preference", said) == [said]
