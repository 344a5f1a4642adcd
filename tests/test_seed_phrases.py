"""A row of plain words that opens a wallet is a secret like any other; a list of words is not."""

from __future__ import annotations

import pytest

from everthread.domain.redaction.secrets import redact

pytestmark = pytest.mark.req("R-30")

# Drawn by lot from common words of three to eight letters; nobody's.
TWELVE = "orbit velvet maple tunnel crisp ladder ocean gravity pencil sunset meadow anchor"
MORE = f"{TWELVE} copper ribbon walnut harvest silent bridge lemon cabin arrow planet frost garden"
NUMBERED = "\n".join(f"{n}. {word}" for n, word in enumerate(TWELVE.split(), 1))


@pytest.mark.parametrize(
    "text",
    [
        f"My seed phrase is: {TWELVE}",
        f"PRIVATE_KEY={TWELVE}",
        f"The code takes both: a **mnemonic** — `{TWELVE}` — or a hex key.",
        f"write this down, it is the wallet's recovery phrase\n\n{NUMBERED}\n\nthanks",
        f"here is the backup phrase: {TWELVE.replace(' ', ', ')}.",
        f"Мнемоническая фраза: `{TWELVE}`",
        f"助记词：{TWELVE}",
        f'MNEMONIC="{MORE}"',
        f"{TWELVE.upper()}\nis what MetaMask shows me",
    ],
)
def test_a_seed_phrase_goes(text: str) -> None:
    """R-30"""
    found = redact(text)
    assert not any(pair in found.text.lower() for pair in ("velvet", "ladder", "sunset"))
    assert "[REDACTED: " in found.text
    assert redact(found.text).text == found.text


@pytest.mark.parametrize(
    "text",
    [
        # No word of a wallet near it.
        f"The list of our meeting rooms: {TWELVE}",
        # Too few, and prose.
        "The seed list of the garden club: maple walnut lemon meadow harvest",
        "The wallet of the app should never show more than what the person asked for when it opens",
        "we seed the test database with twelve users and then every one of them logs in once more",
        "Pick the seeds: run with seed 1, then seed 2, and compare how the loss falls over time",
        "wallet balance check swap route fee slippage token pair",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redact(text).text == text


def test_what_stands_round_it_is_kept() -> None:
    assert (
        redact(f"The wallet is `{TWELVE}`, keep it.").text
        == "The wallet is `[REDACTED: seed phrase]`, keep it."
    )
