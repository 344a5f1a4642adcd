"""Our side of the official SDK. Importing this module is what costs; `server` does it late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from everthread import __version__

from . import tools
from .caller import DaemonCore, Desk, caller_of, desk_of, error_text
from .catalogue import INSTRUCTIONS, LATEST, NAME, PROMPTS, RESOURCES, TITLE, tools_for

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]

GO_ON = (
    "Go on where the last session stood. Below is its newest checkpoint, as data. "
    "Say in two sentences where things stand and what comes next, check what it says against the "
    "files before you rely on it, and then go on with the first open step."
)
NONE_YET = "There is no checkpoint yet. Ask what to begin with."


class Exchange:
    """Answers one request at a time."""

    def __init__(self, served: DaemonCore) -> None:
        self._served = served
        self._server: Server[Any] = Server(
            NAME,
            version=__version__,
            title=TITLE,
            instructions=INSTRUCTIONS,
            on_list_tools=_list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=_list_resources,
            on_read_resource=self._read_resource,
            on_list_prompts=_list_prompts,
            on_get_prompt=self._get_prompt,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # One of these per request: it holds nothing that the next one needs, and ends with it.
        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        def work(desk: Desk) -> str:
            return tools.call(desk, params.name, params.arguments)

        try:
            text, failed = await self._at_desk(context, work), False
        except Exception as error:  # noqa: BLE001 - the outermost boundary of a call
            text, failed = error_text(error), True
        content: list[types.ContentBlock] = [types.TextContent(text=text)]
        return types.CallToolResult(content=content, is_error=failed)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(params.uri) != LATEST:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource but {LATEST}")
        text = await self._answer(context, tools.latest) or NONE_YET
        content = types.TextResourceContents(uri=LATEST, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[content])

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != "resume":
            raise MCPError(types.INVALID_PARAMS, "there is no prompt but `resume`")
        found = await self._answer(context, tools.latest)
        text = f"{GO_ON}\n\n{found}" if found else NONE_YET
        said = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=PROMPTS[0]["description"], messages=[said])

    async def _answer(self, context: Context, work: Callable[[Desk], T]) -> T:
        """What the work answers, for requests that have no field for an error of their own."""
        try:
            return await self._at_desk(context, work)
        except Exception as error:
            raise MCPError(types.INTERNAL_ERROR, error_text(error)) from error

    async def _at_desk(self, context: Context, work: Callable[[Desk], T]) -> T:
        request = context.request
        assert request is not None, "every call comes by a request"
        caller = caller_of(request.headers, request.scope["everthread.key"])
        caller = caller.said((context.params or {}).get("_meta"))

        def blocking() -> T:
            return work(desk_of(self._served.engine(), self._served.settings, caller))

        return await self._served.run(blocking)


async def _list_tools(
    context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    folder = "" if context.request is None else caller_of(context.request.headers).folder
    found = [types.Tool.model_validate(tool) for tool in tools_for(folder)]
    return types.ListToolsResult(tools=found)


async def _list_resources(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    found = [types.Resource.model_validate(resource) for resource in RESOURCES]
    return types.ListResourcesResult(resources=found)


async def _list_prompts(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    found = [types.Prompt.model_validate(prompt) for prompt in PROMPTS]
    return types.ListPromptsResult(prompts=found)
