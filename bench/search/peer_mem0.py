"""The peer's process: mem0 with its local store, in an environment of its own; no model, no network.

Its embedder is replaced, by a look-up of the given vectors where only the stores are compared, or by
the product's own, from the product's environment, where both are to have the same. It runs without
the extras for keyword search, which would add to what it costs.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import uuid
from importlib.metadata import version
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

from child import serve
from corpus import DIMENSIONS, Floats, chunks, queries

AGENT = {"agent_id": "ada"}
BEST = 20
FAST = Path("/dev/shm")


class Given:
    """An embedder that knows the vectors already."""

    def __init__(self) -> None:
        self.vectors: dict[str, Floats] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.vectors[text].tolist()

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text) for text in texts]


class Same:
    """The product's embedder, in the peer's process."""

    def __init__(self, packages: str) -> None:
        # Last, so that the peer keeps its own of what both have.
        sys.path += [str(Path(__file__).parents[2] / "src"), packages]
        from everthread.providers.embedder import MiniLm

        self._model = MiniLm(idle_seconds=600)
        self._model.embed(["The model loads before anything is measured."])

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._model.embed([text])[0].tolist()

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [row.tolist() for row in self._model.embed(texts)]


class Peer:
    def __init__(self, folder: Path, size: int, packages: str) -> None:
        self._folder = folder
        self._packages = packages
        self._size = size
        self._asked = 0
        self._given = Given()
        home = {"HOME": str(folder), "MEM0_DIR": str(folder / "mem0")}
        os.environ |= home | {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

    def _opened(self, place: Path) -> Any:
        from mem0 import Memory

        store = {"path": str(place), "embedding_model_dims": DIMENSIONS, "on_disk": True}
        memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(self._folder / "history.db"),
            }
        )
        memory.embedding_model = self._given
        return memory

    def fill(self, last: int) -> dict[str, Any]:
        """Seconds of wall time and of CPU for each of the last so many, as its users add them.

        It syncs every row. What comes before is put straight into its store while that lies in
        memory, or the filling alone would take minutes; then it is brought to the disk.
        """
        pairs = [
            pair for _, texts, rows in chunks(self._size) for pair in zip(texts, rows, strict=True)
        ]
        place = self._folder / "qdrant"
        with tempfile.TemporaryDirectory(dir=FAST if FAST.is_dir() else None) as fast:
            memory = self._opened(Path(fast) / "qdrant")
            _straight(memory, pairs[:-last])
            memory.vector_store.client.close()
            shutil.copytree(Path(fast) / "qdrant", place)
        self._memory = self._opened(place)
        self._given.vectors |= dict(pairs[-last:])
        taken = self._add([text for text, _ in pairs[-last:]])
        if self._held() != self._size:
            raise SystemExit(f"the peer holds {self._held()} of {self._size}")
        return {**taken, "version": version("mem0ai")}

    def embedded(self, last: int) -> dict[str, float]:
        """The same for so many more, each embedded by the product's model as it is added."""
        self._memory.embedding_model = Same(self._packages)
        _, texts, _ = next(iter(chunks(self._size)))
        taken = self._add([f"Again: {text}" for text in texts[:last]])
        self._memory.embedding_model = self._given
        return taken

    def _add(self, texts: list[str]) -> dict[str, float]:
        start, spent = perf_counter_ns(), process_time_ns()
        for text in texts:
            self._memory.add([{"role": "user", "content": text}], infer=False, **AGENT)
        wall, cpu = perf_counter_ns() - start, process_time_ns() - spent
        return {"wall": wall / 1e9 / len(texts), "cpu": cpu / 1e9 / len(texts)}

    def _held(self) -> int:
        store = self._memory.vector_store
        return store.client.count(store.collection_name).count

    def search(self, count: int) -> list[int]:
        given = queries(self._size, self._asked, count)
        self._asked += count
        taken: list[int] = []
        for query in given:
            self._given.vectors[query.text] = query.vector
            start = process_time_ns()
            found = self._memory.search(query.text, filters=AGENT, top_k=BEST)
            taken.append(process_time_ns() - start)
            assert found["results"], "the peer finds nothing"
        return taken

    def close(self) -> None:
        self._memory.vector_store.client.close()


def _straight(memory: Any, pairs: list[tuple[str, Floats]]) -> None:
    for first in range(0, len(pairs), 1_000):
        some = pairs[first : first + 1_000]
        memory.vector_store.insert(
            vectors=[row.tolist() for _, row in some],
            payloads=[{"data": text, "hash": "", "role": "user", **AGENT} for text, _ in some],
            ids=[str(uuid.UUID(int=first + n + 1)) for n in range(len(some))],
        )


if __name__ == "__main__":
    peer = Peer(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    logging.disable(logging.WARNING)  # it tells about each extra that it lacks
    serve({name: getattr(peer, name) for name in ("fill", "embedded", "search")})
    peer.close()
