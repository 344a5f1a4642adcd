"""What a person asks to be remembered is a memory, a heading is not; rules and figures elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.gleaning.agent_statements import from_agent
from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.remember_requests import refers_to_previous, text_to_remember
from support.desk import Desk, desk_in
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

BY = tuple[str, str]


def remembered(*said: BY) -> list[tuple[str, str]]:
    gleaner = Gleaner()
    for n, (who, text) in enumerate((("user", "Hello there, Ada."), *said), start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return [(fact.kind, fact.text) for fact in memories_of(EMPTY, gleaner.digest())]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Please remember that my therapist is Dr. Wu.", "my therapist is Dr. Wu."),
        ("Remember: the key rotates on the 3rd.", "the key rotates on the 3rd."),
        ("Remember, the shop closes at six.", "the shop closes at six."),
        ("Remember my sister is called Ann.", "my sister is called Ann."),
        ("Please keep in mind that Bob is away in May.", "Bob is away in May."),
        ("Don't forget that the gate code is 4411.", "the gate code is 4411."),
        ("Can you remember that I park in row C?", "I park in row C?"),
        ("Could you please remember that we ship on Fridays?", "we ship on Fridays?"),
        ("I'd like you to remember that Kim is vegan.", "Kim is vegan."),
        ("Make a note that the lift is broken.", "the lift is broken."),
        ("Save this to memory: the door is green.", "the door is green."),
        ("For future reference: the red box is mine.", "the red box is mine."),
        ("Merk dir bitte, dass der Kunde Müller heißt.", "der Kunde Müller heißt."),
        ("Vergiss nicht: der Kunde zahlt bar.", "der Kunde zahlt bar."),
        ("Souviens-toi que le client s'appelle Dupont.", "le client s'appelle Dupont."),
        ("N'oublie pas que je pars lundi.", "je pars lundi."),
        ("Recuerda que el servidor es db-7.", "el servidor es db-7."),
        ("Por favor, ten en cuenta que soy celíaco.", "soy celíaco."),
        ("Ricordati che il negozio chiude alle sei.", "il negozio chiude alle sei."),
        ("Lembre-se que a loja fecha às seis.", "a loja fecha às seis."),
        ("Onthoud dat de winkel om zes uur sluit.", "de winkel om zes uur sluit."),
        ("Запомни: сервер называется Байкал.", "сервер называется Байкал."),
        ("Пожалуйста, запомни, что я в отпуске.", "я в отпуске."),
        ("请记住我对花生过敏。", "我对花生过敏。"),
        ("请帮我记住：会议在三点。", "会议在三点。"),
        ("誕生日は四月三日だと覚えておいてください。", "誕生日は四月三日だ"),
        ("تذكر أن عيد ميلادي في أبريل.", "عيد ميلادي في أبريل."),
    ],
)
def test_what_is_asked_to_be_remembered_is_found_in_its_own_words(text: str, what: str) -> None:
    assert text_to_remember(parse_sentence(text)) == what
    assert what in text


@pytest.mark.parametrize(
    "text",
    [
        "Remember to run the tests.",
        "Don't forget to call Ann.",
        "Do you remember that Bob is away?",
        "Do you remember my name?",
        "I remember that it was cold.",
        "She remembers that I park in row C.",
        "Remember that time we went to Rome.",
        "Remember when we met?",
        "Remember that Bob was away?",
        "Remember, we met in Rome?",
        "Remember the milk.",
        "I don't remember that.",
        "What do you remember about me?",
        "The cache must remember the last value.",
        "A reminder: nothing.",
        "You should remember that by yourself, I think.",
        "Merkst du, dass es kalt ist?",
        "Ich habe vergessen, dass Montag ist.",
        "Te souviens-tu que Bob est parti ?",
        "Je me souviens que tu aimes le thé.",
        "¿Recuerdas que Bob no está?",
        "Recuerdo que hacía frío.",
        "Ты помнишь, что я в отпуске?",
        "你记得我的生日吗？",
        "我记住了。",
        "私の誕生日を覚えていますか？",
        "هل تذكر عيد ميلادي؟",
    ],
)
def test_who_orders_asks_or_remembers_herself_asks_for_no_memory(text: str) -> None:
    assert text_to_remember(parse_sentence(text)) == ""


@pytest.mark.parametrize(
    "text",
    ["Please remember that.", "Remember this.", "Bitte merk dir das.", "覚えておいてください。", "请记住。"],
)  # fmt: skip
def test_who_asks_to_remember_this_means_what_was_said_before(text: str) -> None:
    assert refers_to_previous(parse_sentence(text))
    assert text_to_remember(parse_sentence(text)) == ""
    assert not refers_to_previous(parse_sentence("Do you remember this?"))
    told = remembered(("user", f"My locker is the blue one. {text}"), ("agent", "Noted."))
    assert [what for _, what in told if "locker" in what] == ["My locker is the blue one."]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Please remember that my cat Tom is old.", "identity"),
        ("Please remember that Ann is away.", "fact"),
        ("Please remember that I prefer tea over coffee.", "preference"),
        ("Please remember: never push to main.", "rule"),
        ("请记住我对花生过敏。", "fact"),
    ],
)
def test_what_is_to_be_remembered_is_a_memory_of_its_kind_and_no_request(
    text: str, kind: str
) -> None:
    told = remembered(("user", text), ("agent", "Noted."))
    assert told[-1 if told[0][1].startswith("Hello") else 0] == (
        kind,
        text_to_remember(parse_sentence(text)),
    )
    assert [what for _, what in told if "emember" in what] == []


def test_beside_a_request_it_is_a_memory_too() -> None:
    told = remembered(("user", "Please fix the build. And remember that Ann is away."))
    assert ("fact", "Ann is away.") in told
    assert any(kind == "open_item" for kind, _ in told)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


def test_it_is_kept_with_its_message_and_undo_takes_it_back(desk: Desk) -> None:
    desk.turn("Please remember that Ann is away.", "Noted.")
    desk.talk(0, 15)
    before = desk.ada.memories(limit=99)
    receipt = desk.ada.distill()
    (memory,) = [m for m in desk.ada.memories(limit=99) if m.text == "Ann is away."]
    assert memory.origin == "user"
    assert memory.sources == (desk.ada.messages(limit=99)[0].key,)
    desk.et.undo(receipt.id)
    assert desk.ada.memories(limit=99) == before
    desk.et.redo(receipt.id)
    (again,) = [m for m in desk.ada.memories(limit=99) if m.text == "Ann is away."]
    apart = {"ref": 0, "entry": 0, "key_id": b""}
    assert again._replace(**apart) == memory._replace(**apart)


HEADINGS = (
    "### Responsive Layout with CSS Media Queries v3",
    "# Setting up PostgreSQL 16 on Ubuntu 24.04",
    "## Step 2: configure nginx.conf on port 8080",
    "#### Using `docker compose` with GPU 4090",
    "Responsive Layout with CSS Media Queries",
    "Deploying the App to AWS with Terraform 1.7",
    "Best Practices for JWT Tokens and OAuth 2.0",
    "Comparison of MySQL 8 and PostgreSQL 16",
    "Monitoring with Prometheus and Grafana v11",
    "Error Handling in FastAPI and Pydantic V2",
    "Getting Started with GitHub Actions CI",
    "API Keys, Tokens & Secrets in HashiCorp Vault",
    "**Responsive Layout with CSS Media Queries v3**",
    "**Step 2: configure nginx.conf on port 8080**",
    "1. **Check the value of `MAX_SIZE` in config.toml**:",
    "2. **Update requirements.txt to Django 5.1**",
    "**Install Node.js v20.11.1 with nvm 0.39**:",
    "### 4. Testen mit pytest 8 und PostgreSQL 16",
    "## Déployer sur AWS avec Terraform 1.7",
    "# 使用 PostgreSQL 16 与 Redis 7 部署 app_server",
)
STATED = (
    "The server runs PostgreSQL 16 on port 5433.",
    "Port 8080 is used by nginx 1.27 on host-a.",
    "The API limit is 4,000 requests in 60 seconds",
    "- The parser reads `config.toml` from /etc/app",
    "GitHub Actions runs Node.js v18.15.0 by default.",
    "Prometheus v3 keeps 15 days of data at /var/lib.",
    "Anna Berg lives in Berlin and works at ACME Corp.",
    "The Berlin Office opens on Monday at 09:00.",
    "PostgreSQL 16 needs 512 MB, MySQL 8 needs 1 GB",
    "**Port** 5433 is used by PostgreSQL 16 on db-prod-07.",
    "The file `src/app.py` has 412 lines and 14 tests.",
    "In v2.3 the flag `--fast` became the default.",
    "Terraform 1.7 writes its state to s3://state-prod.",
    "The build took 14 minutes on runner-7 yesterday.",
    "Version 5.1 of Django needs Python 3.10 or later.",
    "Der Server heißt db-prod-07 und läuft auf Port 5433.",
    "Le serveur db-prod-07 écoute sur le port 5433.",
    "El servidor db-prod-07 usa PostgreSQL 16.",
    "服务器 db-prod-07 使用 PostgreSQL 16，端口是 5433。",
    "NASA and ESA launched 14 probes from Kourou in 2019.",
)


def facts(text: str) -> list[str]:
    return [found.text for found in from_agent(take_apart(text)) if found.kind == "fact"]


@pytest.mark.parametrize("text", HEADINGS)
def test_a_heading_is_no_fact(text: str) -> None:
    told = facts(
        f"Let us see what there is to do here.\n\n{text}\n\nThat is all that I have for now."
    )
    assert told == []


@pytest.mark.parametrize("text", STATED)
def test_what_is_stated_is_a_fact(text: str) -> None:
    told = facts(f"Let us see what there is to know here.\n\n{text}\n\nThat is all I have for now.")
    assert len(told) == 1


@pytest.mark.parametrize(
    "text",
    [
        "لا تستخدم المنفذ 8080 أبداً.",
        "لا تحذف الجداول أبدا.",
        "لا تدفع إلى الفرع الرئيسي.",
        "لا ترسل البريد بدون إذني.",
        "من فضلك لا تستخدم الرموز التعبيرية.",
        "لا تغير ملف الإعدادات مطلقا.",
        "لا تشغل الاختبارات على الخادم إطلاقا.",
        "استخدم المنفذ 9090 ولا تستخدم المنفذ 8080 أبداً.",
        "يجب ألا تحذف أي ملف.",
        "يجب عدم نشر المفاتيح.",
        "ينبغي ألا تعدل قاعدة البيانات.",
        "يجب أن لا تنشر يوم الجمعة.",
        "ممنوع النشر يوم الجمعة.",
        "يمنع حذف النسخ الاحتياطية.",
        "لا يجوز استخدام كلمة المرور القديمة.",
        "الكتابة في المجلد الرئيسي محظور.",
        "تجنب الجمل الطويلة.",
        "إياك أن تحذف الجدول.",
        "من الآن فصاعدا أجب بالعربية.",
        "أجب دائما بالعربية.",
        "لا تسألني عن هذا بعد الآن.",
    ],
)
def test_what_is_forbidden_in_arabic_is_a_rule(text: str) -> None:
    assert speech.rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "لا تعمل الصفحة.",
        "لا توجد أخطاء في الملف.",
        "لا تظهر الصورة في المتصفح.",
        "لا تزال المشكلة موجودة.",
        "لا تحتوي القائمة على أسماء.",
        "لا تفتح النافذة.",
        "لا أعرف السبب.",
        "لا أستطيع الدخول.",
        "لا يعمل الزر.",
        "لا، شكرا.",
        "هل لا تستخدم المنفذ 8080؟",
        "الخادم لا يستجيب.",
        "أنا لا أحب القهوة.",
        "احذف الجدول القديم من فضلك.",
        "ما هو المنفذ؟",
        "المنفذ هو 8080.",
        "عيد ميلادي في أبريل.",
        "لا بأس.",
        "لا شيء.",
        "لماذا لا تعمل الاختبارات؟",
        "لا تقلق.",
    ],
)
def test_what_merely_denies_in_arabic_is_no_rule(text: str) -> None:
    assert not speech.rules(parse_sentence(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Der Port ist 8080", "Der Port ist 8081"),
        ("Das Limit beträgt 40 MB", "Das Limit beträgt 60 MB"),
        ("Die Frist ist der 03.04.2026", "Die Frist ist der 04.03.2026"),
        ("Die Hausnummer lautet 17", "Die Hausnummer lautet 19"),
        ("Le port est 8080", "Le port est 8081"),
        ("Le budget est de 4000 euros", "Le budget est de 5000 euros"),
        ("La limite est de 40", "La limite est de 60"),
        ("El puerto es 8080", "El puerto es 8081"),
        ("El límite es de 40 MB", "El límite es de 60 MB"),
        ("La porta è 8080", "La porta è 8081"),
        ("O limite é de 40 MB", "O limite é de 60 MB"),
        ("A porta é 8080", "A porta é 8081"),
        ("De limiet bedraagt 40 MB", "De limiet bedraagt 60 MB"),
        ("Порт это 8080", "Порт это 8081"),
        ("Лимит равен 40", "Лимит равен 60"),
        ("Аренда составляет 900 евро", "Аренда составляет 950 евро"),
        ("Der Stellplatz kostet 80 Euro", "Der Stellplatz kostet 95 Euro"),
        ("La place coûte 80 euros", "La place coûte 95 euros"),
        ("La plaza cuesta 80 euros", "La plaza cuesta 95 euros"),
        ("المنفذ هو 8080", "المنفذ هو 8081"),
        ("Zoe is 7 years old", "Zoe is 8 years old"),
        ("The tower is 30 metres high", "The tower is 40 metres high"),
        ("The wall is 2 metres thick", "The wall is 3 metres thick"),
        ("The river is 40 km long", "The river is 60 km long"),
        ("The port is 8080", "The port is 8081"),
    ],
)
def test_another_figure_takes_the_place_of_the_first(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Der Port ist 8080", "Der Port ist 8080"),
        ("Der Port ist 8080", "Der Host ist 8081"),
        ("Server 1 ist 8080", "Server 2 ist 8081"),
        ("Der Port ist nicht 8080", "Der Port ist 8081"),
        ("Der Port ist 8080 oder 9090", "Der Port ist 8081"),
        ("Kapitel 3 ist fertig", "Kapitel 4 ist fertig"),
        ("Anna ist müde", "Anna ist wach"),
        ("Kunde 17 zahlt 30 Tage", "Kunde 18 zahlt 14 Tage"),
        ("Le port est 8080", "Le prix est 8081"),
        ("Le chat est noir", "Le chat est grand"),
        ("Le port de A est 8080", "Le port de B est 8081"),
        ("El puerto de A es 8080", "El puerto de B es 8081"),
        ("El gato es negro", "El gato es grande"),
        ("La porta è aperta", "La porta è verde"),
        ("Порт А это 8080", "Порт Б это 8081"),
        ("المنفذ هو 8080", "السعر هو 8081"),
        ("Zoe is 7 years old", "Tom is 8 years old"),
        ("Zoe is 7 years old", "Zoe is happy"),
        ("Room 101 is booked by Kim", "Room 102 is booked by Lee"),
        ("Version 1.2 is out", "Version 1.3 is out"),
        ("The tower is 30 metres high", "The bridge is 40 metres high"),
    ],
)
def test_what_speaks_of_something_else_or_has_no_figure_stays(old: str, new: str) -> None:
    assert not contradicts(new, old)


@pytest.mark.parametrize(
    "text",
    [
        "Remember that I have to fetch the parcel tomorrow.",
        "Please remember: fetch the parcel on Friday.",
        "Don't forget: the parcel has to be fetched by Friday.",
        "I have to fetch the parcel tomorrow. Please remember that.",
    ],
)
def test_a_chore_that_is_to_be_remembered_is_open_and_no_fact(text: str) -> None:
    told = remembered(("user", text), ("agent", "Noted."))
    assert [kind for kind, what in told if "parcel" in what] == ["open_item"]


def test_what_holds_every_time_is_no_chore() -> None:
    told = remembered(("user", "Remember that we ship on Fridays."), ("agent", "Noted."))
    assert ("fact", "we ship on Fridays.") in told


@pytest.mark.parametrize(
    "text", ["send reports by 9.", "run backups at 2 am.", "use the side door until Monday."]
)
def test_a_time_of_the_day_or_a_period_makes_no_chore(text: str) -> None:
    told = remembered(("user", f"Remember: {text}"), ("agent", "Noted."))
    assert [kind for kind, what in told if text in what] == ["fact"]
