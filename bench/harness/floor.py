"""The floor of an append: Starlette, served as the daemon is, and the library's own verb behind it."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import everthread
from everthread.settings import Settings

PATH, STORE, PROJECT = sys.argv[1:4]


def main() -> None:
    settings = Settings(home=Path(STORE).parent / "bare", embedder="off", worker="process")
    engine = everthread.connect(STORE, settings=settings)
    agent = engine.agent("bare")
    pool = ThreadPoolExecutor(8)

    def stored(body: bytes) -> None:
        told = msgspec.json.decode(body)
        entry = {"role": "assistant", "content": told["last_assistant_message"]}
        agent.record([entry], source="hook", session=told["session_id"], project=PROJECT)

    async def append(request: Request) -> Response:
        body = await request.body()
        await asyncio.get_running_loop().run_in_executor(pool, stored, body)
        return Response(b"", media_type="application/json")

    app = Starlette(routes=[Route("/append", append, methods=["POST"])])
    config = uvicorn.Config(
        app,
        uds=PATH,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
    )
    uvicorn.Server(config).run()
    engine.close()


if __name__ == "__main__":
    main()
