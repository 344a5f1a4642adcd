"""What only an admin may do: tokens, erasure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everthread.edges.documents.rows import tombstone_document
from everthread.edges.documents.tokens import token_document
from everthread.edges.http import inputs
from everthread.edges.http.problems import Refused

if TYPE_CHECKING:
    from everthread.edges.http.call import Call

Document = dict[str, Any]


def list_tokens(call: Call, _asked: inputs.Asked) -> Document:
    """All tokens, newest first, revoked ones too; never a secret."""
    _must_rule(call)
    return {"tokens": [token_document(each) for each in call.engine.tokens()]}


def create_token(call: Call, wanted: inputs.NewToken) -> Document:
    """Make a token. Its secret is in this answer and nowhere else."""
    _must_rule(call)
    minted = call.engine.create_token(wanted.name, scopes=wanted.scopes, agents=wanted.agents)
    return {**token_document(minted.token), "secret": minted.secret}


def revoke_token(call: Call, _asked: inputs.Asked) -> Document:
    """Revoke a token, by its id or its name: from now on it opens nothing."""
    _must_rule(call)
    return token_document(call.engine.revoke_token(call.path["token"]))


def erase(call: Call, wanted: inputs.Erase) -> Document:
    """Remove for good what was said, on one thread or on all of the agent's. Cannot be undone."""
    agent = call.agent
    if wanted.agent != agent.name:
        raise Refused(422, "`agent` in the body must repeat the agent's name; nothing was erased")
    stones = call.engine.erase(agent, thread=wanted.thread, reason=wanted.reason)
    left = agent.task_files() if any(s.what.startswith("primary") for s in stones) else []
    erased = [tombstone_document(each) for each in stones]
    return {"agent": agent.name, "erased": erased, "files_left": left}


def _must_rule(call: Call) -> None:
    if not call.key.rules:
        raise Refused(403, "tokens are managed with an admin token that is not bound to agents")
