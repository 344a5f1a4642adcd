"""The whole API against its own description: whatever is sent, the answer is one that it promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import checks as kinds
from schemathesis.core.parameters import ParameterLocation

from everthread.edges.http.openapi import api_description
from support.chance import SOAK
from support.http_server import TOKEN, Server, serving

pytestmark = pytest.mark.slow

EXAMPLES = 100 if SOAK else 3
KNOWN = ["ada", "bob", "..", "a%2fb"]
BAD = 300
TELL_PLACES = ("/api/status", "/api/doctor")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("api")
    with serving(place, api_rate=1_000_000, turn_wait_seconds=0.01) as found:
        for name in ("ada", "bob"):
            agent = found.engine.agent(name)
            agent.record([{"role": "user", "content": "the port is 8123"}], session="s1")
            agent.remember("Prefers tabs over spaces")
            agent.note("Ask Mel")
        yield found


@pytest.fixture(scope="module")
def line() -> Iterator[requests.Session]:
    """One for all requests: to prepare one for each takes as long as the answer."""
    with requests.Session() as made:
        made.trust_env = False  # whatever proxies somebody has
        yield made


@pytest.fixture(scope="module")
def guarded() -> set[str]:
    """The operations that were seen to refuse whoever has no token, or a wrong one.

    That is asked with two more requests for each that succeeds. It hangs on the operation alone, so one
    answer is enough; in `make soak` it is asked again each time.
    """
    return set()


def prepared() -> dict[str, Any]:
    """The description, with names that exist among those that are tried."""
    told = api_description()
    del told["paths"]["/api/events"]  # an answer that never ends
    for path in told["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    known = KNOWN if parameter["name"] == "agent" else ["s1", "0", "1"]
                    parameter["schema"] = {"anyOf": [{"enum": known}, parameter["schema"]]}
    return told


@schemathesis.serializer("application/x-ndjson")
def as_lines(_context: object, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


PREPARED = prepared()


@pytest.fixture(params=PREPARED["paths"])
def api(request: pytest.FixtureRequest) -> Any:
    """One path of it. To think up requests takes seconds: only where they are sent, not at collection."""
    path = request.param
    found = schemathesis.openapi.from_dict({**PREPARED, "paths": {path: PREPARED["paths"][path]}})
    rejected = found.config.checks.negative_data_rejection
    rejected.expected_statuses = [*rejected.expected_statuses, "413"]  # of a body that is too long
    return found


HELD = (
    kinds.not_a_server_error,
    kinds.status_code_conformance,
    kinds.content_type_conformance,
    kinds.response_headers_conformance,
    kinds.response_schema_conformance,
    kinds.negative_data_rejection,
    kinds.unsupported_method,
)


def is_meant(case: schemathesis.Case) -> bool:
    """Does its path lead to the operation? Of one that does not, nobody asks who may use it."""
    return case.meta is None or not case.meta.is_negative_at(ParameterLocation.PATH)


@pytest.mark.soak
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@schemathesis.pytest.from_fixture("api").parametrize()
def test_every_route_keeps_what_it_promises(
    case: schemathesis.Case, server: Server, line: requests.Session, guarded: set[str]
) -> None:
    """Valid and invalid requests by the hundred: no fault of ours, no answer of another shape."""
    allowed = {"Authorization": f"Bearer {TOKEN}"}
    answer = case.call(base_url=server.url, headers=allowed, session=line)
    known = case.operation.label in guarded
    case.validate_response(answer, checks=[*HELD] if known else [*HELD, kinds.ignored_auth])
    if answer.status_code < BAD and is_meant(case) and not SOAK:
        guarded.add(case.operation.label)
    assert answer.headers["cache-control"] == ["no-store"]
    if case.path not in TELL_PLACES:
        assert str(server.served.settings.home).encode() not in answer.content


def test_after_all_of_it_the_store_is_sound(server: Server, tmp_path: Path) -> None:
    for agent in server.engine.agents():
        assert server.engine.verify(agent).sound, agent.name
