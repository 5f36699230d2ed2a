"""A tenant's memory becomes a file and comes back as it was, under another name. Requirements E7, F2, F8."""

import hashlib
import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import networkx
import pytest

from graph_service.graph.store import Graph
from graph_service.memory.beings import Owner, form_tokens
from graph_service.memory.exporting import export_rows
from graph_service.memory.graphml import export_graphml
from graph_service.memory.importing import Imported, import_rows
from graph_service.memory.question import Question
from schema.entity import an_entity
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import TenantId, UserId, scope_token
from schema.message import BroughtFact
from tests.builders import a_memory, a_worker, an_incoming
from tests.embedders import HashedWords
from tests.flows.told_in_two_languages import TENANT, tell, told

__all__ = ["told"]

NOW = datetime(2026, 6, 1, tzinfo=UTC)
_ALL_OF = (
    "MATCH (n {tenant: $tenant}) RETURN labels(n) AS l, properties(n) AS p "
    "UNION ALL MATCH ({tenant: $tenant})-[r]->() RETURN [type(r)] AS l, properties(r) AS p"
)
# What says something of this minute, or of whose it is.
_PASSING = {"lease", "lease_until_ms", "touched_ms", "claims", "locked"}


async def exported(graph: Graph, tenant: str, **how: Any) -> bytes:
    out = io.BytesIO()
    await export_rows(graph, TenantId(tenant), out, **how)
    return out.getvalue()


async def imported(graph: Graph, tenant: str, text: bytes, folder: Path) -> Imported:
    file = folder / f"{uuid4().hex}.jsonl"
    file.write_bytes(text)
    return await import_rows(graph, TenantId(tenant), file, now=NOW)


async def counts(graph: Graph, tenant: str) -> dict[str, dict[str, int]]:
    """How many elements of each label have each property."""
    found: dict[str, dict[str, int]] = {}
    async with graph._driver.session() as session:
        for row in await (await session.run(_ALL_OF, tenant=tenant)).data():
            of_label = found.setdefault("+".join(sorted(row["l"])), {})
            for name in set(row["p"]) - _PASSING:
                of_label[name] = of_label.get(name, 0) + 1
    return found


def rows_of(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


async def test_export_import_export_gives_the_same_bytes(told: Graph, tenant: str, tmp_path: Path) -> None:
    first = await exported(told, TENANT)
    done = await imported(told, tenant, first, tmp_path)
    assert (done.vectors, done.users) == (True, ("ana", "张曼婷"))
    assert await exported(told, tenant) == first
    assert await counts(told, tenant) == await counts(told, TENANT)
    assert TENANT.encode() not in b"".join(first.splitlines()[1:]), "a file belongs to no tenant"


def _as_told(text: bytes) -> set[str]:
    """The lines of a file without what says when something was stored, and what is random."""
    left = {"last_accessed", "error", "attempts", "wanted", "sessions", "recorded_at"}
    found = set()
    for row in rows_of(text)[1:-1]:
        told = {
            name: one
            for name, one in row.get("properties", {}).items()
            if not (isinstance(one, dict) and "$time" in one) and not name.endswith("_ms") and name not in left
        }
        told["told"] = [one.rsplit("|", 3)[0] for one in told.get("told", ())]
        if row.get("node") in ("Tombstone", "Change"):
            continue
        if "/ana/first/scene/" in told.get("uri", ""):
            # Facts that were brought and then refused are no part of it, and nobody can tell which.
            told.pop("layers_hash", None)
        found.add(json.dumps({**row, "properties": told}, sort_keys=True, ensure_ascii=False))
    return found


async def test_two_tenants_that_were_told_the_same_export_the_same(told: Graph, tenant: str) -> None:
    """Nothing of a tenant's name is left in an export: no id, no token, no order."""
    await tell(told, tenant)
    assert _as_told(await exported(told, tenant, vectors=False)) == _as_told(
        await exported(told, TENANT, vectors=False)
    )


async def test_an_import_is_what_telling_it_there_would_have_made(told: Graph, tenant: str, tmp_path: Path) -> None:
    """Tokens of full-text indexes are made of the tenant's name: a copied one would find nothing."""
    await imported(told, tenant, await exported(told, TENANT), tmp_path)
    owner = Owner(tenant=TenantId(tenant), user_id=UserId("ana"), user_names=(), agent_id=None)
    async with told._driver.session() as session:
        query = "MATCH (e:Entity {tenant: $t, name: 'jasmine tea'}) RETURN e.form_tokens AS f, e.scope_user AS s"
        (row,) = await (await session.run(query, t=tenant)).data()
    assert row["f"] == form_tokens(owner, ["jasmine tea"])
    assert row["s"] == scope_token(tenant, "ana")


async def test_what_came_back_answers_like_the_first(told: Graph, tenant: str, tmp_path: Path) -> None:
    memory = a_memory(told)
    await imported(told, tenant, await exported(told, TENANT), tmp_path)
    for user, text in (("ana", "Where does Ana live?"), ("张曼婷", "她对什么过敏？")):
        question = Question(user_id=user, text=text, evidence=2)
        there, here = [await memory.recall(TenantId(name), question) for name in (TENANT, tenant)]
        assert [(hit.text, round(hit.score, 6)) for hit in here.hits] == [
            (hit.text, round(hit.score, 6)) for hit in there.hits
        ]
    again = await memory.remember(TenantId(tenant), an_incoming("我对花生过敏。", user="张曼婷", session="诊所"))
    assert (again.stored, again.repeated) == (0, 1), "ids follow from the new tenant's addresses"
    merged = an_entity(TenantId(tenant), UserId("ana"), "Bobby").id
    assert (await memory.split_entity(TenantId(tenant), merged)).merged == merged


async def test_what_was_forgotten_is_not_learned_where_it_is_imported(told: Graph, tenant: str, tmp_path: Path) -> None:
    """Tombstones were made of the first tenant's names; they hold under the second, and in what it exports."""
    third = f"{tenant}-third"
    await imported(told, tenant, await exported(told, TENANT), tmp_path)
    await imported(told, third, await exported(told, tenant), tmp_path)
    memory = a_memory(told)
    for name in (tenant, third):
        await memory.forgetting.entity(TenantId(name), an_entity(TenantId(name), UserId("ana"), "storm").id)
        await a_worker(told).drain()
        left = {one.name for one in await memory.entities(TenantId(name), "ana")}
        assert not left & {"Acme", "storm"}, "the sentences that name them were read again"
        assert "delay" in left
    assert "storm" in {one.name for one in await memory.entities(TenantId(TENANT), "ana")}, "the first is untouched"


async def test_without_vectors_everything_is_embedded_anew(told: Graph, tenant: str, tmp_path: Path) -> None:
    text = await exported(told, TENANT, vectors=False)
    assert b"$f32" not in text
    assert not (await imported(told, tenant, text, tmp_path)).vectors
    await a_worker(told, embedder=HashedWords()).drain()
    with_vectors = [json.loads(line) for line in (await exported(told, tenant)).splitlines()]
    before = [json.loads(line) for line in (await exported(told, TENANT)).splitlines()]
    embedded = [
        sum("$f32" in str(row.get("properties", {}).values()) for row in rows) for rows in (with_vectors, before)
    ]
    assert embedded[0] == embedded[1] > 0


async def test_facts_of_an_older_file_get_the_vectors_it_has_not(told: Graph, tenant: str, tmp_path: Path) -> None:
    rows = rows_of(await exported(told, TENANT))
    ours = [row["properties"] for row in rows if "edge" in row and row["properties"].get("statement")]
    assert all("embedding" in fact for fact in ours)
    for fact in ours:
        del fact["embedding"]
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows[:-1]]
    rows[-1]["end"]["sha256"] = hashlib.sha256(b"".join(lines)).hexdigest()
    text = b"".join([*lines, json.dumps(rows[-1]).encode() + b"\n"])
    assert (await imported(told, tenant, text, tmp_path)).vectors, "all others are used"
    await a_worker(told, embedder=HashedWords()).drain()
    again = [row["properties"] for row in rows_of(await exported(told, tenant)) if "edge" in row]
    assert sum("embedding" in fact for fact in again) == len(ours) > 0


async def test_a_full_tenant_and_a_missing_one_are_told_apart(told: Graph, tenant: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nothing is stored"):
        await exported(told, tenant)
    text = await exported(told, TENANT)
    await imported(told, tenant, text, tmp_path)
    with pytest.raises(ConflictError, match="holds something already"):
        await imported(told, tenant, text, tmp_path)


async def test_an_interrupted_import_goes_on_with_the_same_file(told: Graph, tenant: str, tmp_path: Path) -> None:
    text = await exported(told, TENANT)
    await imported(told, tenant, text, tmp_path)
    async with told._driver.session() as session:
        await session.run("MATCH (m:Message {tenant: $t}) DETACH DELETE m", t=tenant)
        digest = hashlib.sha256(b"".join(text.splitlines(keepends=True)[:-1])).hexdigest()
        await session.run("MATCH (t:Tenant {id: $t}) SET t.importing = $d", t=tenant, d=digest)
    other = await exported(told, TENANT, vectors=False)
    with pytest.raises(ConflictError, match="interrupted"):
        await imported(told, tenant, other, tmp_path)
    await imported(told, tenant, text, tmp_path)
    assert await exported(told, tenant) == text


def _changed(rows: list[dict[str, Any]], place: int, **more: Any) -> list[dict[str, Any]]:
    return [*rows[:place], {**rows[place], **more}, *rows[place + 1 :]]


async def test_a_bad_file_is_refused_as_a_whole_and_says_where(told: Graph, tenant: str, tmp_path: Path) -> None:
    rows = rows_of(await exported(told, TENANT, vectors=False))
    edge = next(place for place, row in enumerate(rows) if "edge" in row)
    node = next(place for place, row in enumerate(rows) if row.get("node") == "Message")
    found = rows[node]["properties"]
    wrong = {
        "cut short": rows[:-1],
        "changed or damaged": [*rows[:3], *rows[4:]],
        "unknown kind": _changed(rows, edge, edge="HATES"),
        f"line {node + 1}: said_at must be a time": _changed(rows, node, properties={**found, "said_at": "noon"}),
        f"line {node + 1}: tenant does not belong": _changed(rows, node, properties={**found, "tenant": "other"}),
        f"line {node + 1}: has no uri": _changed(
            rows, node, properties={name: one for name, one in found.items() if name != "uri"}
        ),
        "is no export": rows[1:],
        "version 2": _changed(rows, 0, version=2),
    }
    for why, lines in wrong.items():
        text = b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in lines)
        with pytest.raises(InputError, match=why):
            await imported(told, tenant, text, tmp_path)
    assert await counts(told, tenant) == {}


async def test_graphml_opens_in_networkx_with_every_name_as_it_is(told: Graph) -> None:
    out = io.BytesIO()
    written = await export_graphml(told, TenantId(TENANT), out)
    out.seek(0)
    opened = networkx.read_graphml(out, force_multigraph=True)
    assert (opened.number_of_nodes(), opened.number_of_edges()) == (written.nodes, written.edges)
    names = {data["label"]: data for _, data in opened.nodes(data=True)}
    assert (names["花生"]["kind"], names["Bob"]["merged"]) == ("Entity", True)
    tea = next(data for _, _, data in opened.edges(data=True) if data.get("statement") == "user prefers jasmine tea")
    assert (tea["predicate"], tea["weight"]) == ("PREFERS", tea["strength"])
    assert json.loads(tea["evidence"])
    # Gephi takes these types and no others.
    types = set(re.findall(r'attr\.type="(\w+)"', out.getvalue().decode()))
    assert types <= {"string", "long", "double", "boolean", "int", "float"}


async def test_graphml_survives_what_xml_cannot_hold(graph: Graph, tenant: str) -> None:
    name = "a <b> & \"c\" 'd' 🦉"
    fact = BroughtFact(subject="user", predicate="PREFERS", object=name, statement="x\u000by ]]> z", relation="\ud7ff")
    await a_memory(graph).remember(TenantId(tenant), an_incoming("I like it.", facts=(fact,)))
    await a_worker(graph).drain()
    out = io.BytesIO()
    await export_graphml(graph, TenantId(tenant), out)
    out.seek(0)
    opened = networkx.read_graphml(out, force_multigraph=True)
    assert name in {data["label"] for _, data in opened.nodes(data=True)}
