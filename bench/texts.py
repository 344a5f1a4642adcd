"""Messages that look like talk: varied, the same in every process, of any size."""

from __future__ import annotations

import random
import re

ROLES = ("user", "assistant")

_WORDS = re.findall(
    r"\S+",
    """
the a we it that this which their our some every no one two both because so but and or if when
while until after before with without from into over under between through about of to in on for
by at as is are was were be been has have had does did can could will would should may must not
also only still again never always often already yet soon now then here there build test deploy
review merge branch commit release roll back retry timeout latency queue worker index query
migration schema column table row cache token session thread message agent tool call result reply
context window prompt model server client request response header cookie socket process memory
disk file folder path line function module class value parameter argument default setting option
flag error warning failure cause fix patch log metric alert dashboard customer invoice order price
discount address contract meeting calendar Tuesday Thursday March October morning evening week
month quarter budget team manager designer engineer analyst garden kitchen train station bicycle
coffee weather rain sunshine mountain river holiday ticket hotel passport airport quickly slowly
carefully exactly roughly probably certainly usually rarely together apart large small short long
early late simple careful broken stable strange familiar expensive cheap green blue quiet loud
think remember decide prefer suggest explain compare measure count write read send receive open
close start stop change keep remove replace improve expect wonder promise forget agree disagree
notice
""",
)
_ODD = (
    "`SELECT id FROM orders WHERE state = 'open'`",
    "https://example.org/docs/guide?page=3",
    "src/app/worker.py:118",
    "v2.14.0",
    "café",
    "Übergröße",
    "naïve",
    "3.1415",
    "€ 1,250.00",
    "2026-02-20T10:00:00Z",
    "KeyError: 'retries'",
    "{“quoted”}",
)


def text(number: int, size: int = 470) -> str:
    """About `size` bytes of text, always the same for the same number."""
    chance = random.Random(f"{number}/{size}")
    parts: list[str] = []
    length = 0
    while length < size:
        sentence = _sentence(chance)
        parts.append(sentence)
        length += len(sentence.encode()) + 1
    return " ".join(parts).encode()[:size].decode(errors="ignore")


def _sentence(chance: random.Random) -> str:
    words = chance.choices(_WORDS, k=chance.randint(5, 17))
    if chance.random() < 0.3:
        words[chance.randrange(len(words))] = chance.choice(_ODD)
    return " ".join(words).capitalize() + chance.choice(".....?!:")


def message(number: int, size: int = 470) -> dict[str, str]:
    """One message of a conversation: its role alternates."""
    return {"role": ROLES[number % 2], "content": text(number, size)}


def messages(first: int, count: int, size: int = 470) -> list[dict[str, str]]:
    return [message(n, size) for n in range(first, first + count)]
