"""What a worker tells of each test: what somebody looks at, and no more.

It would tell that the test begins, how its set-up, the test and its clearing up went, and that it is over.
To send all that, and to take it in, takes as long as a short test. Where nobody asked what things cost,
who hears it only counts: a test that begins, or a set-up or clearing up that went well, is no news.
"""

from __future__ import annotations

from typing import Any

import pytest


def is_news(name: str, told: dict[str, Any]) -> bool:
    if name != "testreport":
        return name != "logstart"
    data = told["data"]
    return data["when"] == "call" or data["outcome"] != "passed" or bool(data["user_properties"])


def pytest_sessionstart(session: pytest.Session) -> None:
    if session.config.getoption("durations", None) is not None:
        return
    for plugin in session.config.pluginmanager.get_plugins():
        # By its name: a worker has its class by another way than an import.
        if type(plugin).__name__ == "WorkerInteractor":
            _be_brief(plugin)


def _be_brief(worker: Any) -> None:
    send = worker.sendevent

    def sendevent(name: str, **told: Any) -> None:
        if is_news(name, told):
            send(name, **told)

    worker.sendevent = sendevent
