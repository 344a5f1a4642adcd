"""What a competitor's process does: take orders from a pipe, time itself, answer.

Standard library only: the peers import it in an environment of their own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from time import process_time_ns
from typing import Any

Action = Callable[..., Any]


def serve(actions: Mapping[str, Action]) -> None:
    """Answer orders, one JSON line each, until the pipe closes."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # what a library prints must not end up among the replies
    for line in sys.stdin:
        order = json.loads(line)
        answer = actions[order["do"]](**order["with"])
        replies.write(json.dumps(answer) + "\n")
        replies.flush()


def timed(
    run: Callable[[Any], Any],
    inputs: Iterable[Any],
    after: Callable[[Any], object] | None = None,
) -> list[int]:
    """Nanoseconds of this process's CPU (all its threads) for each input; `after` is not counted."""
    taken: list[int] = []
    for given in inputs:
        start = process_time_ns()
        result = run(given)
        taken.append(process_time_ns() - start)
        if after is not None:
            after(result)
    return taken
