"""The description of the API, made from its table of routes: OpenAPI 3.1."""

from __future__ import annotations

import inspect
import re
from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec

from everthread import __version__

from . import answers
from .problems import PROBLEM
from .route import JSON
from .routes import ROUTES, Route

REF = "#/components/schemas/{name}"
PROBLEMS = (400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 429, 500, 503, 507)
Document = dict[str, Any]


@cache
def document() -> bytes:
    """The description as JSON."""
    return msgspec.json.encode(api_description())


def api_description() -> Document:
    """The whole API: paths, what they take and give, and how they fail."""
    bodies = [route.asks for route in ROUTES if not route.by_query and route.takes == JSON]
    shown = [route.answer for route in ROUTES]
    types = dict.fromkeys([*bodies, *shown, answers.Problem])
    _, components = msgspec.json.schema_components(list(types), ref_template=REF)
    paths: Document = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    paths["/api/openapi.json"] = {
        "get": _plain_operation("openapi", "This description.", "application/json")
    }
    paths["/api/events"] = {"get": _events()}
    paths["/api/agents/{agent}/export"] = {"get": _export()}
    paths["/api/backup"] = {"get": _backup()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Everthread",
            "version": __version__,
            "description": "Keeps an AI agent's conversation going for ever, and proves it. What comes "
            "back is data from earlier, without secrets: verify it before you rely on it.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route) -> Document:
    parameters = [_in_path(name) for name in re.findall(r"{(\w+)}", route.path)]
    operation: Document = {
        "operationId": route.name,
        "summary": about(route),
        "description": f"Scope: `{route.scope}`.",
        "tags": [route.name.partition("_")[0]],
        "responses": _responses(route.status, "application/json", _ref(route.answer)),
    }
    if route.by_query:
        parameters += _in_query(route)
    elif route.takes != JSON:
        lines = {"content": {route.takes: {"schema": {"type": "string"}}}}
        operation["requestBody"] = {"required": True, **lines}
    else:
        operation["requestBody"] = {
            "required": any(f.required for f in msgspec.structs.fields(route.asks)),
            "content": {"application/json": {"schema": _ref(route.asks)}},
        }
    return {**operation, "parameters": parameters} if parameters else operation


def about(route: Route) -> str:
    """What the verb's own docstring says."""
    return inspect.cleandoc(route.verb.__doc__ or "").partition("\n")[0]


def _ref(kind: type[msgspec.Struct]) -> Document:
    return {"$ref": REF.format(name=kind.__name__)}


def _in_path(name: str) -> Document:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    }


def _in_query(route: Route) -> list[Document]:
    schema = msgspec.json.schema(route.asks)
    own = schema["$defs"][route.asks.__name__]
    needed = own.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": _non_null_schema(part)}
        for name, part in own["properties"].items()
    ]


def _non_null_schema(schema: Document) -> Document:
    """The schema of something that is said or left out, and never null."""
    kinds = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(kinds) == 1:
        return kinds[0]
    if None in schema.get("enum", []):
        return {"enum": [each for each in schema["enum"] if each is not None]}
    return {name: value for name, value in schema.items() if value is not None}


def _responses(status: int, kind: str, schema: Document) -> Document:
    failing = {"content": {PROBLEM: {"schema": _ref(answers.Problem)}}}
    return {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "content": {kind: {"schema": schema}},
        },
        **{str(each): {"description": HTTPStatus(each).phrase, **failing} for each in PROBLEMS},
    }


def _plain_operation(name: str, summary: str, kind: str) -> Document:
    return {
        "operationId": name,
        "summary": summary,
        "description": "Scope: `read`.",
        "responses": _responses(200, kind, {"type": "object"}),
    }


def _export() -> Document:
    lines = _plain_operation(
        "export", "All of an agent as JSON lines, without secrets.", "application/x-ndjson"
    )
    lines["description"] = "Scope: `admin`."
    lines["responses"] = _responses(200, "application/x-ndjson", {"type": "string"})
    return {**lines, "parameters": [_in_path("agent")]}


def _backup() -> Document:
    kind = "application/octet-stream"
    copy = _plain_operation(
        "backup", "A consistent copy of the whole store, secrets and all.", kind
    )
    copy["description"] = "Scope: `admin`, for all agents. Of an embedded store only."
    copy["responses"] = _responses(200, kind, {"type": "string", "format": "binary"})
    return copy


def _events() -> Document:
    agent = {"name": "agent", "in": "query", "required": False, "schema": {"type": "string"}}
    last = {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "schema": {"type": "string"},
    }
    stream = _plain_operation(
        "events", "What happens, as it happens: server-sent events.", "text/event-stream"
    )
    stream["responses"] = _responses(200, "text/event-stream", {"type": "string"})
    return {**stream, "parameters": [agent, last]}
