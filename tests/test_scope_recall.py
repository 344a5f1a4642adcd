"""Ten thousand scopes: whoever recalls sees what its scope may see, and nothing of any other."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.recall.hits import Hit
from everthread.services.memory.index import follow
from support.stores import EACH, fresh
from support.toys import ToyEmbedder

SOAK = bool(os.environ.get("EVERTHREAD_SOAK"))
WORDS = (
    "river",
    "stone",
    "lamp",
    "window",
    "paper",
    "garden",
    "engine",
    "pencil",
    "mirror",
    "carpet",
)
EVERYTHING = 1_000


class Said(NamedTuple):
    """Where something was said: by which agent, in which project, to whom."""

    agent: str
    project: str | None
    principal: str | None

    @property
    def secret(self) -> str:
        """A word that nothing else has."""
        return "zq" + "x".join(str(part).replace("/", "y") for part in self if part is not None)


def seen_from(scope: Said, said: Said) -> bool:
    """The rule, as short as it can be put."""
    return (
        said.agent == scope.agent
        and scope.project in (None, said.project)
        and (scope.principal is None or said.principal in (None, scope.principal))
    )


def tell(agent: Agent, said: Said, text: str) -> None:
    entry = {"id": f"m-{said.secret}", "role": "user", "content": f"{text} {said.secret} common"}
    if said.principal is not None:
        entry["principal"] = said.principal
    agent.record([entry], session=f"s-{said.secret}", project=said.project)


def recalled(agent: Agent, scope: Said, query: str) -> list[Hit]:
    return agent.recall(query, limit=EVERYTHING, project=scope.project, principal=scope.principal)


def all_seen(told: Mapping[str, Said], hits: Sequence[Hit]) -> set[Said]:
    """Whose secrets are in these hits."""
    words = {word.strip(".,") for hit in hits for word in hit.text.split()}
    return {told[word] for word in words if word in told}


def by_secret(told: Sequence[Said]) -> dict[str, Said]:
    return {said.secret: said for said in told}


def connect(target: str) -> Everthread:
    return everthread.connect(target, background=False, settings=Settings(embedder="off"))


# ---- any talk, any question

NAMES = st.sampled_from(["ada", "bob", "eve"])
PROJECTS = st.sampled_from([None, "/src/red", "/src/blue"])
PEOPLE = st.sampled_from([None, "mel", "kim"])
PLACES = st.builds(Said, NAMES, PROJECTS, PEOPLE)


@pytest.mark.slow
@pytest.mark.req("R-44")
@settings(max_examples=300 if SOAK else 25, deadline=None)
@given(st.lists(PLACES, min_size=1, max_size=12, unique=True), st.data())
def test_whatever_is_said_wherever_only_the_scope_sees_it(
    told: list[Said], data: st.DataObject
) -> None:
    with connect("memory://") as et:
        agents = {name: et.agent(name) for name in ("ada", "bob", "eve")}
        for said in told:
            tell(agents[said.agent], said, data.draw(st.sampled_from(WORDS)))
        for scope in data.draw(st.lists(PLACES, min_size=1, max_size=4)):
            seen = all_seen(by_secret(told), recalled(agents[scope.agent], scope, "common"))
            assert seen == {said for said in told if seen_from(scope, said)}


# ---- very many


def furnished(et: Everthread, agents: int, projects: int, people: int) -> list[Said]:
    """One message and one memory in each scope, of chance words."""
    chance = random.Random(agents)
    told = [
        Said(f"a{a}", f"/src/p{p}", f"h{h}")
        for a, p, h in itertools.product(range(agents), range(projects), range(people))
    ]
    for said in told:
        agent = et.agent(said.agent)
        tell(agent, said, " ".join(chance.choices(WORDS, k=5)))
        agent.remember(
            f"The {chance.choice(WORDS)} of {said.secret} is {chance.choice(WORDS)}",
            scope="project",
            project=said.project,
            principal=said.principal,
        )
    return told


def check_scopes(et: Everthread, told: Sequence[Said]) -> None:
    """Each scope, and each wider one around it, sees its own and none of the others'."""
    secrets = by_secret(told)
    for said in told:
        agent = et.known_agent(said.agent)
        for scope in (said, said._replace(project=None), said._replace(principal=None)):
            seen = all_seen(secrets, recalled(agent, scope, "common"))
            assert said in seen
            assert all(seen_from(scope, each) for each in seen)
        kinds = {hit.kind for hit in recalled(agent, said, said.secret) if said.secret in hit.text}
        assert kinds == {"message", "fact"}


def check_others(et: Everthread, told: Sequence[Said]) -> None:
    """Asked for by its very word, from everywhere else: nothing."""
    chance = random.Random(len(told))
    for said in told:
        other = chance.choice(told)
        hits = recalled(et.known_agent(said.agent), said, other.secret)
        found = any(other.secret in hit.text for hit in hits)
        assert found == seen_from(said, other)


def check_indexes(et: Everthread, told: Sequence[Said]) -> None:
    """Nor does an index hold a word or a vector of another agent."""
    house = replace(et.house, embedder=ToyEmbedder())
    rows = {agent.name: agent.row for agent in et.agents()}
    cards: dict[str, set[int]] = {}
    for name, row in rows.items():
        follow(house, row)
        catalogue = house.index.of(row)
        found = {card for card, _ in catalogue.search(["common"], limit=10 * EVERYTHING)}
        assert len(found) == sum(said.agent == name for said in told)
        cards[name] = found | set(catalogue.memories())
        assert catalogue.counts("toy") == (len(cards[name]), len(cards[name]))
        near = catalogue.nearest(ToyEmbedder().ask("anything"), limit=10 * EVERYTHING)
        assert set(near) <= cards[name]
    for said in told:
        for name in random.Random(said.secret).sample(sorted(rows), k=min(3, len(rows))):
            hits = house.index.of(rows[name]).search([said.secret], limit=9)
            assert bool(hits) == (name == said.agent)


@pytest.mark.req("R-44")
@pytest.mark.slow
@pytest.mark.parametrize("engine", EACH)
def test_many_scopes_in_one_store_never_meet(engine: str, tmp_path: Path) -> None:
    with fresh(engine, tmp_path) as place, connect(place.target) as et:
        told = furnished(et, agents=5, projects=3, people=3)
        check_scopes(et, told)
        check_others(et, told)
        check_indexes(et, told)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.req("R-44")
def test_ten_thousand_scopes_never_meet(tmp_path: Path) -> None:
    """All of them where EVERTHREAD_SOAK=1; else as many as there is patience for."""
    with fresh("sqlite", tmp_path) as place, connect(place.target) as et:
        size = (100, 10, 10) if SOAK else (80, 2, 1)
        told = furnished(et, *size)
        check_scopes(et, told)
        check_others(et, told)
        check_indexes(et, told)
