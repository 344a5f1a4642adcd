"""After the play: the start is asked for, and one distillation is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.redaction.secrets import strip_secrets

from . import script
from .play import Life, Room, as_json, retry_while_busy

if TYPE_CHECKING:
    from everthread.domain.conversation.messages import Message
    from everthread.engine import Agent, Everthread
    from everthread.services.distilling.undo import Reversal

LEAST_TELLING = 20
"""Characters of a sentence that nobody else would have said."""

MOST_FOUND = 3


class Line(NamedTuple):
    """A line of what the agent was given, and in which part of it."""

    place: str
    text: str


class Answer(NamedTuple):
    """What a turn was given about the start of the conversation."""

    turn: int
    oldest: int
    """The oldest message that it was sent word for word, by its place in the thread."""
    lines: Sequence[Line]
    reply: str

    @property
    def from_memory(self) -> bool:
        """Was the start told without any of its messages in the tail?"""
        return bool(self.lines) and all(line.place != "tail" for line in self.lines)


class UndoResult(NamedTuple):
    """A distillation that was taken back, and whether the context is as it was before."""

    room: Room
    reversal: Reversal
    tokens: int
    """The size of the context after it."""
    same: bool
    """Does it begin, byte for byte, with what the agent was given before?"""


def ask_about_the_start(ada: Agent) -> Answer:
    """Mel asks, in a turn like any other; Ada, who is no model here, quotes what she was given."""
    with ada.turn(script.START, channel="webchat", name="Mel") as turn:
        history = ada.context(turn.number).history
        lines = [line for message in history for line in _lines_from_start(message)]
        told = " ".join(line.text.lstrip("-| ") for line in lines[:1])
        reply = f"From what I was given: {told}" if told else "That is not in what I was given."
        turn.done(reply)
    said = [message.seq for message in history if message.seq]
    return Answer(turn.number, min(said, default=0), lines[:MOST_FOUND], reply)


def _lines_from_start(message: Message) -> list[Line]:
    """The lines that hold a sentence from the start of the conversation."""
    place = "summary" if message.kind == "summary" else "tail" if message.seq else "recalled"
    lines = (line.strip() for line in message.text.splitlines())
    return [
        Line(place, strip_secrets(line))
        for line in lines
        if any(s in line for s in _early_sentences())
    ]


def _early_sentences() -> list[str]:
    """What was said first, sentence by sentence."""
    texts = (said for _, said in script.EARLIER)
    found = (part.strip(" .!?") for said in texts for part in said.split(". "))
    return [sentence for sentence in found if len(sentence) >= LEAST_TELLING]


def take_back(engine: Everthread, life: Life) -> UndoResult | None:
    """Undo the newest distillation that was made by hand; None if none came about."""
    standing = [room for room in life.rooms if room.receipt.standing]
    if not standing:
        return None
    room = standing[-1]
    reversal = retry_while_busy(lambda: engine.undo(room.receipt.id))
    context = life.agent.context()
    same = as_json(context, room.messages) == room.before
    return UndoResult(room, reversal, context.tokens, same)
