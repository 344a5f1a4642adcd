"""How each client is pointed at the scripted model, and how it is given a turn."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from .client_runs import Place, Ran
from .client_terminal import Terminal, terminal
from .clients import Client
from .shapes import Json

KEY = "sk-scripted-model-key-for-tests-only"

# A turn is over before code that is compiled again, and better, has paid for itself, and before there is
# so much garbage that it had to be looked for.
BUN = {
    "BUN_JSC_useDFGJIT": "0",
    "BUN_JSC_thresholdForJITAfterWarmUp": "2000",
    "BUN_JSC_useGC": "0",
}
"""Both clients that are one file are Bun with their code in it."""


class ClaudeCode:
    """`claude -p`, one process for each turn."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client
        self.config = place.home / ".claude"
        self.config.mkdir()

    @property
    def environ(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.place.model.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CONFIG_DIR": str(self.config),
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
            **BUN,
        }

    def command(self, prompt: str, *options: str) -> list[str]:
        always = ["--output-format", "json", "--dangerously-skip-permissions"]
        return [*self.client.command, "-p", prompt, *always, *options]

    def say(
        self,
        prompt: str,
        *options: str,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> str:
        """One turn; the session's id."""
        more = self.environ | dict(environ or {})
        ran = self.place.run(self.command(prompt, *options), cwd=cwd, environ=more)
        assert ran.code == 0, f"{ran.out}\n{ran.err}"
        return str(ran.json["session_id"])

    def start(self, prompt: str, *options: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        return self.place.start(self.command(prompt, *options), cwd=cwd, environ=self.environ)

    def window(self) -> contextlib.AbstractContextManager[Terminal]:
        """A window of it, past the questions that it asks a new user."""
        settings: Json = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.place.project): {"hasTrustDialogAccepted": True}},
        }
        (self.config / ".claude.json").write_text(json.dumps(settings))
        return terminal(self.client.command, self.place.project, self.place.environ | self.environ)

    def known(self) -> Json:
        """What a session says at its start: its plugins, servers, commands and skills."""
        streamed = ["--output-format", "stream-json", "--verbose"]
        ran = self.place.run(
            [*self.client.command, "-p", "Somebody listens.", *streamed], environ=self.environ
        )
        records = [json.loads(line) for line in ran.out.splitlines()]
        return next(record for record in records if record.get("subtype") == "init")

    def plain(self, *words: str, code: int = 0) -> str:
        """A subcommand such as `plugin validate`."""
        ran = self.place.run([*self.client.command, *words], environ=self.environ)
        assert ran.code == code, f"{ran.out}\n{ran.err}"
        return ran.out


class Turns:
    """A client that is started anew for each turn."""

    place: Place

    @property
    def environ(self) -> dict[str, str]:
        raise NotImplementedError

    def command(self, prompt: str, *words: str) -> list[str]:
        raise NotImplementedError

    def say(self, prompt: str, *words: str, cwd: Path | None = None) -> Ran:
        ran = self.place.run(self.command(prompt, *words), cwd=cwd, environ=self.environ)
        assert ran.code == 0, f"{ran.out}\n{ran.err}"
        return ran

    def start(self, prompt: str, *words: str) -> subprocess.Popen[str]:
        return self.place.start(self.command(prompt, *words), environ=self.environ)


class Codex(Turns):
    """`codex exec`; its hooks run as if somebody had approved them."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.trusting = True
        self.client = client
        self.config = place.home / ".codex"
        self.config.mkdir()
        (self.config / "config.toml").write_text(
            f"""model = "scripted"
model_provider = "scripted"
model_context_window = 200000
model_auto_compact_token_limit = 100000
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.scripted]
name = "scripted"
base_url = "{place.model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
supports_websockets = false
"""
        )

    @property
    def environ(self) -> dict[str, str]:
        return {"CODEX_HOME": str(self.config), "SCRIPTED_KEY": KEY}

    def command(self, prompt: str, *words: str) -> list[str]:
        trust = ["--dangerously-bypass-hook-trust"] if self.trusting else []
        return [*self.client.command, "exec", "--skip-git-repo-check", *trust, *words, prompt]


class Gemini(Turns):
    """`gemini -p`."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client
        self.config = place.home / ".gemini"
        self.config.mkdir()
        self.settings: Json = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        }
        (self.config / "settings.json").write_text(json.dumps(self.settings, indent=2))

    @property
    def environ(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": self.place.model.url,
            "GEMINI_CLI_HOME": str(self.place.home),
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            # It is large: what was compiled once is not compiled again.
            "NODE_COMPILE_CACHE": str(self.client.folder / "compiled"),
        }

    def command(self, prompt: str, *words: str) -> list[str]:
        always = ["--yolo", "-m", "gemini-2.5-pro"]
        return [*self.client.command, *always, *words, "-p", prompt]


class OpenCode(Turns):
    """`opencode run`."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client
        self.config = place.home / ".config" / "opencode"
        self.config.mkdir(parents=True)
        model: Json = {"tool_call": True, "limit": {"context": 200000, "output": 8000}}
        options = {"baseURL": f"{place.model.url}/v1", "apiKey": KEY}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options}
        settings: Json = {
            "model": "scripted/scripted-model",
            "small_model": "scripted/scripted-model",
            "enabled_providers": ["scripted"],
            "provider": {"scripted": provider | {"models": {"scripted-model": model}}},
            "permission": {"bash": "allow"},
        }
        (self.config / "opencode.json").write_text(json.dumps(settings, indent=2))
        # With a plugin it would install this package first, which takes longer than all the rest.
        for name in ("package.json", "package-lock.json"):
            shutil.copy(client.besides / name, self.config / name)
        (self.config / "node_modules").symlink_to(client.besides / "node_modules")
        # Its own catalogue has thousands of models, and is read through at every start.
        self.catalogue = place.root / "models.json"
        self.catalogue.write_text("{}")

    @property
    def environ(self) -> dict[str, str]:
        home = self.place.home
        return {
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "OPENCODE_MODELS_PATH": str(self.catalogue),
            **BUN,
        }

    def command(self, prompt: str, *words: str) -> list[str]:
        return [*self.client.command, "run", *words, prompt]


class OpenClaw:
    """`openclaw agent`, in one process (`local`) or through a Gateway."""

    TOKEN = "scripted-gateway-token"

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client
        self.state = place.home / ".openclaw"
        self.state.mkdir()
        self.port = free_port()
        model: Json = {
            "id": "scripted-model",
            "name": "scripted",
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 200000,
            "maxTokens": 8000,
        }
        provider: Json = {
            "baseUrl": f"{place.model.url}/v1",
            "apiKey": KEY,
            "api": "openai-completions",
            "models": [model],
        }
        settings: Json = {
            "models": {"providers": {"scripted": provider}},
            "agents": {
                "defaults": {
                    "workspace": str(place.project),
                    "model": {"primary": "scripted/scripted-model"},
                    "skipBootstrap": True,
                    "compaction": {"mode": "default"},
                }
            },
            "gateway": {"mode": "local", "auth": {"mode": "token", "token": self.TOKEN}},
        }
        self.settings = self.state / "openclaw.json"
        self.settings.write_text(json.dumps(settings, indent=2))

    @property
    def environ(self) -> dict[str, str]:
        return {
            "OPENCLAW_STATE_DIR": str(self.state),
            "OPENCLAW_CONFIG_PATH": str(self.settings),
            "OPENCLAW_GATEWAY_TOKEN": self.TOKEN,
            "OPENCLAW_GATEWAY_PORT": str(self.port),
        }

    def call(self, *words: str, seconds: float = 240) -> Ran:
        ran = self.place.run([*self.client.command, *words], environ=self.environ, seconds=seconds)
        assert ran.code == 0, f"{ran.out}\n{ran.err}"
        return ran

    def say_alone(self, prompt: str, session: str) -> Ran:
        return self.call("agent", "--local", "--session-id", session, "--message", prompt)

    def say(self, prompt: str) -> Ran:
        return self.call("agent", "--session-key", "agent:main:main", "--message", prompt)

    @contextlib.contextmanager
    def gateway(self) -> Iterator[None]:
        words = ["gateway", "run", "--port", str(self.port), "--bind", "loopback"]
        log = (self.place.root / "gateway.log").open("w")
        process = subprocess.Popen(
            [*self.client.command, *words],
            cwd=self.place.project,
            env=self.place.environ | self.environ,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_for_port(self.port, process)
            yield
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            log.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes], seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, "it ended before it listened"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.5)
    raise AssertionError(f"nothing listens on port {port} after {seconds} s")
