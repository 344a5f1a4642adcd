"""`embed`: is the model there that lets recall go by meaning, and does it work?"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from everthread.domain.errors import EmbedderFailed

from .base.exits import NO
from .base.options import Choice, OrderedGroup, common, examples, help_if_alone, settings_of
from .base.terminal import pairs, say, show, show_json

if TYPE_CHECKING:
    from everthread.wiring import EmbedderFacts

SENTENCE = "We settled on indentation with tab characters."


@click.group(
    "embed",
    cls=OrderedGroup,
    invoke_without_command=True,
    short_help="The model that lets recall go by meaning.",
)
@common
def embed(_choice: Choice) -> None:
    """Recall goes by words, and by meaning too where the extra `embed` is installed: a small model
    that runs here, on the processor, without a network.
    """
    help_if_alone()


@embed.command(
    "setup",
    short_help="Try the model, or say how to install it.",
    epilog=examples("everthread embed setup", "everthread embed setup --json"),
)
@common
def setup_command(choice: Choice) -> None:
    """Check the model's files by their hashes, load it, and embed a sentence. Where it is not
    installed, say how; nothing is downloaded from here.

    Ends with 1 if recall cannot go by meaning.
    """
    facts = _facts(choice)
    problem = _problem(facts)
    took = None
    if problem is None:
        try:
            took = _time_embedding(choice)
        except EmbedderFailed as wrong:
            problem = str(wrong)
    if choice.as_json:
        show_json({**_document(facts, problem), **(took or {})})
    else:
        show(pairs(_lines(facts, problem)))
        if took is not None:
            say(
                f"\nworks: loaded in {took['load_ms']:,} ms, a sentence in {took['sentence_ms']} ms"
            )
    if problem is not None:
        click.get_current_context().exit(NO)


@embed.command("status", epilog=examples("everthread embed status"))
@common
def status_command(choice: Choice) -> None:
    """What is installed and whether its files are the right ones; the model is not loaded."""
    facts = _facts(choice)
    problem = _problem(facts)
    if choice.as_json:
        show_json(_document(facts, problem))
    else:
        show(pairs(_lines(facts, problem)))


def _facts(choice: Choice) -> EmbedderFacts:
    from everthread.wiring import embedder_facts

    return embedder_facts(settings_of(choice))


def _problem(facts: EmbedderFacts) -> str | None:
    """Why recall cannot go by meaning, and what to do about it."""
    from everthread.wiring import check_embedder

    if facts.missing:
        return f"not installed: {', '.join(facts.missing)}. Into {sys.prefix}: {facts.install}"
    try:
        check_embedder()
    except EmbedderFailed as wrong:
        return str(wrong)
    return "switched off: everthread config set embedder auto" if not facts.usable else None


def _time_embedding(choice: Choice) -> dict[str, Any]:
    """How long it takes to load the model, and then to embed a sentence."""
    from everthread.wiring import open_embedder

    embedder = open_embedder(settings_of(choice))
    assert embedder is not None
    began = time.perf_counter()
    embedder.embed([SENTENCE])
    loaded = time.perf_counter()
    embedder.embed([SENTENCE])
    done = time.perf_counter()
    return {
        "load_ms": round((loaded - began) * 1_000),
        "sentence_ms": round((done - loaded) * 1_000, 1),
    }


def _document(facts: EmbedderFacts, problem: str | None) -> dict[str, Any]:
    return {
        "usable": problem is None,
        "problem": problem,
        "setting": facts.setting,
        "model": facts.name,
        "dimensions": facts.dimensions,
        "missing": list(facts.missing),
        "install": facts.install,
    }


def _lines(facts: EmbedderFacts, problem: str | None) -> list[tuple[str, str]]:
    return [
        ("recall", "by words and by meaning" if problem is None else "by words alone"),
        ("model", f"{facts.name}, {facts.dimensions} dimensions"),
        ("files", "checked by their hashes") if problem is None else ("problem", problem),
        ("setting", f"embedder = {facts.setting}"),
    ]
