"""Test that an exported tenant imports unchanged under another name, and that damaged files are refused."""

import hashlib
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import networkx
import pytest
import pytest_asyncio

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.entity_resolution.resolver import Owner, form_tokens
from graph_service.memory.export_import.exporter import export_graphml, export_rows
from graph_service.memory.export_import.importer import ImportResult, import_rows
from graph_service.memory.items.store import ItemSearch
from graph_service.memory.recall.query import Question
from graph_service.memory.worker.item_upkeep import ItemUpkeep
from schema.entity import an_entity
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import TenantId, UserId, scope_token
from schema.message import ProvidedFact
from tests.integration.memory.export_import.bilingual_memory import ITEMS, TENANT, bilingual, fill_bilingual
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords
from tests.support.slow import slow_but

__all__ = ["bilingual"]

NOW = datetime(2026, 6, 1, tzinfo=UTC)
_ALL_OF = (
    "MATCH (n {tenant: $tenant}) RETURN labels(n) AS l, properties(n) AS p "
    "UNION ALL MATCH ({tenant: $tenant})-[r]->() RETURN [type(r)] AS l, properties(r) AS p"
)
# Properties that depend on the time of the run or on the tenant, or are about the last reading only.
_PASSING = {"fact_events", "lease", "lease_until_ms", "touched_ms", "claims", "locked", "call"}


async def exported(graph: Graph, tenant: str, *, vectors: bool = True) -> bytes:
    out = io.BytesIO()
    await export_rows(graph, TenantId(tenant), out, vectors=vectors)
    return out.getvalue()


async def imported(graph: Graph, tenant: str, text: bytes, folder: Path) -> ImportResult:
    file = folder / f"{uuid4().hex}.jsonl"
    file.write_bytes(text)
    return await import_rows(graph, TenantId(tenant), file, now=NOW)


async def counts(graph: Graph, tenant: str) -> dict[str, dict[str, int]]:
    """Return how many elements of each label have each property."""
    found: dict[str, dict[str, int]] = {}
    async with graph._driver.session() as session:
        for row in await (await session.run(_ALL_OF, tenant=tenant)).data():
            of_label = found.setdefault("+".join(sorted(row["l"])), {})
            for name in set(row["p"]) - _PASSING:
                of_label[name] = of_label.get(name, 0) + 1
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def file(bilingual: Graph) -> bytes:
    """Return one export of the bilingual memory, for tests that change a copy of its lines."""
    return await exported(bilingual, TENANT)


def rows_of(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


async def test_export_import_export_gives_the_same_bytes(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    first = await exported(bilingual, TENANT)
    done = await imported(bilingual, tenant, first, tmp_path)
    assert (done.vectors, done.users) == (True, ("ana", "张曼婷"))
    assert await exported(bilingual, tenant) == first
    here, there = await counts(bilingual, tenant), await counts(bilingual, TENANT)
    # Jobs are not exported; import derives them from unread data, and here there is none.
    assert "open" not in here.pop("Job")
    assert there.pop("Job")
    # Records that tell the processes of a database what to drop from memory are not exported.
    assert there.pop("Forgetting")
    assert here == there
    assert TENANT.encode() not in b"".join(first.splitlines()[1:]), "a file belongs to no tenant"


def _as_told(text: bytes) -> set[str]:
    """Return the lines of a file without storage times and random values."""
    left = {"last_accessed", "error", "attempts", "enqueue_count", "sessions", "recorded_at"}
    found = set()
    for row in rows_of(text)[1:-1]:
        bilingual = {
            name: one
            for name, one in row.get("properties", {}).items()
            if not (isinstance(one, dict) and "$time" in one) and not name.endswith("_ms") and name not in left
        }
        bilingual["assertions"] = [one.rsplit("|", 3)[0] for one in bilingual.get("assertions", ())]
        if row.get("node") in ("Tombstone", "Change"):
            continue
        found.add(json.dumps({**row, "properties": bilingual}, sort_keys=True, ensure_ascii=False))
    return found


async def test_tenants_with_equal_messages_export_equal_bytes(bilingual: Graph, tenant: str) -> None:
    """An export contains nothing of the tenant's name: no id, no token, no order."""
    await fill_bilingual(bilingual, tenant)
    assert _as_told(await exported(bilingual, tenant, vectors=False)) == _as_told(
        await exported(bilingual, TENANT, vectors=False)
    )


async def test_import_equals_storing_the_messages_in_the_target(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    """Tokens of full-text indexes contain the tenant's name: copied ones would match nothing."""
    await imported(bilingual, tenant, await exported(bilingual, TENANT), tmp_path)
    owner = Owner(tenant=TenantId(tenant), user_id=UserId("ana"), user_names=(), agent_id=None)
    async with bilingual._driver.session() as session:
        query = "MATCH (e:Entity {tenant: $t, name: 'jasmine tea'}) RETURN e.form_tokens AS f, e.scope_user AS s"
        (row,) = await (await session.run(query, t=tenant)).data()
    assert row["f"] == form_tokens(owner, ["jasmine tea"])
    assert row["s"] == scope_token(tenant, "ana")


async def test_imported_items_are_found_by_namespace_field_and_words(
    bilingual: Graph, tenant: str, tmp_path: Path
) -> None:
    memory = a_memory(bilingual)
    await imported(bilingual, tenant, await exported(bilingual, TENANT, vectors=False), tmp_path)
    for search in (
        ItemSearch(user_id="ana", namespace=("settings",), where={"name": "dark"}),
        ItemSearch(namespace=("团队/一",), query="茉莉花茶"),
        ItemSearch(namespace=("numbers",)),
    ):
        there, here = [await memory.items.search(TenantId(name), search) for name in (TENANT, tenant)]
        assert [replace(one, score=None) for one in here] == [replace(one, score=None) for one in there]
        assert len(here) == 1
    put = [replace(ITEMS[0], value=1, if_version=1)]
    assert [one and one.version for one in await memory.items.put(TenantId(tenant), put)] == [2]


async def test_imported_tenant_gives_the_same_recall(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    memory = a_memory(bilingual)
    await imported(bilingual, tenant, await exported(bilingual, TENANT), tmp_path)
    for user, text in (("ana", "Where does Ana live?"), ("张曼婷", "她对什么过敏？")):
        question = Question(user_id=user, text=text, evidence=2)
        there, here = [await memory.recall(TenantId(name), question) for name in (TENANT, tenant)]
        assert [(hit.candidate.text, round(hit.score, 6)) for hit in here.hits] == [
            (hit.candidate.text, round(hit.score, 6)) for hit in there.hits
        ]
    again = await memory.remember(TenantId(tenant), an_incoming("我对花生过敏。", user="张曼婷", session="诊所"))
    assert (again.stored, again.repeated) == (0, 1), "ids follow from the new tenant's addresses"
    merged = an_entity(TenantId(tenant), UserId("ana"), "Bobby").id
    assert (await memory.merges.split(TenantId(tenant), merged)).merged == merged


async def test_tombstones_apply_in_the_imported_tenant(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    """Tombstones are hashed with the first tenant's name; they apply under the second, and in its export."""
    third = f"{tenant}-third"
    await imported(bilingual, tenant, await exported(bilingual, TENANT), tmp_path)
    await imported(bilingual, third, await exported(bilingual, tenant), tmp_path)
    memory = a_memory(bilingual)
    for name in (tenant, third):
        await memory.forgetting.entity(TenantId(name), an_entity(TenantId(name), UserId("ana"), "storm").id)
        await a_worker(bilingual).drain()
        left = {one.name for one in await memory.entities.listed(TenantId(name), "ana")}
        assert not left & {"Acme", "storm"}, "the sentences that name them were read again"
        assert "delay" in left
    assert "storm" in {one.name for one in await memory.entities.listed(TenantId(TENANT), "ana")}, (
        "the first is untouched"
    )


async def test_import_without_vectors_embeds_everything_anew(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    text = await exported(bilingual, TENANT, vectors=False)
    assert b"$f32" not in text
    assert not (await imported(bilingual, tenant, text, tmp_path)).vectors
    await a_worker(bilingual, embedder=HashedWords()).drain()
    await ItemUpkeep(bilingual, embedder=HashedWords(), clock=lambda: datetime.now(UTC)).embed_some()
    with_vectors = [json.loads(line) for line in (await exported(bilingual, tenant)).splitlines()]
    before = [json.loads(line) for line in (await exported(bilingual, TENANT)).splitlines()]
    embedded = [
        sum("$f32" in str(row.get("properties", {}).values()) for row in rows) for rows in (with_vectors, before)
    ]
    assert embedded[0] == embedded[1] > 0


async def test_full_target_and_missing_source_are_refused(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nothing is stored"):
        await exported(bilingual, tenant)
    text = await exported(bilingual, TENANT)
    await imported(bilingual, tenant, text, tmp_path)
    with pytest.raises(ConflictError, match="is not empty"):
        await imported(bilingual, tenant, text, tmp_path)


async def test_interrupted_import_resumes_with_the_same_file(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    text = await exported(bilingual, TENANT)
    await imported(bilingual, tenant, text, tmp_path)
    async with bilingual._driver.session() as session:
        await session.run("MATCH (m:Message {tenant: $t}) DETACH DELETE m", t=tenant)
        digest = hashlib.sha256(b"".join(text.splitlines(keepends=True)[:-1])).hexdigest()
        await session.run("MATCH (t:Tenant {id: $t}) SET t.importing = $d", t=tenant, d=digest)
    other = await exported(bilingual, TENANT, vectors=False)
    with pytest.raises(ConflictError, match="interrupted"):
        await imported(bilingual, tenant, other, tmp_path)
    await imported(bilingual, tenant, text, tmp_path)
    assert await exported(bilingual, tenant) == text


async def test_message_stored_during_an_import_keeps_its_changes(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    text = await exported(bilingual, TENANT)
    digest = hashlib.sha256(b"".join(text.splitlines(keepends=True)[:-1])).hexdigest()
    begin = {"tenant": tenant, "file": digest, "seq": rows_of(text)[0]["tenant"]["seq"], "epoch": "begun", "now": NOW}
    await bilingual.run(statement("export_import/begin_import"), begin)
    await a_memory(bilingual).remember(TenantId(tenant), an_incoming("I live in Oslo.", user="guest"))
    await imported(bilingual, tenant, text, tmp_path)
    before, after = (
        [row["properties"] for row in rows_of(one) if row.get("node") == "Change"]
        for one in (text, await exported(bilingual, tenant))
    )
    assert after[: len(before)] == before
    assert [(change["seq"], change["user_id"]) for change in after[len(before) :]] == [(len(before) + 1, "guest")]
    head = await ChangeLog(bilingual).head(TenantId(tenant))
    assert (head.seq, head.epoch == "begun") == (len(before) + 1, False)


def _changed(rows: list[dict[str, Any]], place: int, **more: Any) -> list[dict[str, Any]]:
    return [*rows[:place], {**rows[place], **more}, *rows[place + 1 :]]


async def test_invalid_file_is_refused_completely_with_places(bilingual: Graph, tenant: str, tmp_path: Path) -> None:
    rows = rows_of(await exported(bilingual, TENANT, vectors=False))
    edge = next(place for place, row in enumerate(rows) if "edge" in row)
    node = next(place for place, row in enumerate(rows) if row.get("node") == "Message")
    found = rows[node]["properties"]
    wrong = {
        "truncated": rows[:-1],
        "changed or damaged": [*rows[:3], *rows[4:]],
        "unknown kind": _changed(rows, edge, edge="HATES"),
        f"line {node + 1}: said_at must be a time": _changed(rows, node, properties={**found, "said_at": "noon"}),
        f"line {node + 1}: has the property tenant, which exports do not contain": _changed(
            rows, node, properties={**found, "tenant": "other"}
        ),
        f"line {node + 1}: lacks the required property uri": _changed(
            rows, node, properties={name: one for name, one in found.items() if name != "uri"}
        ),
        "is not an export": rows[1:],
        "version 4": _changed(rows, 0, version=4),
        "version '3'": _changed(rows, 0, version="3"),
        "version True": _changed(rows, 0, version=True),
    }
    for why, lines in wrong.items():
        text = b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in lines)
        with pytest.raises(InputError, match=why):
            await imported(bilingual, tenant, text, tmp_path)
    assert await counts(bilingual, tenant) == {}


def written(rows: list[dict[str, Any]]) -> bytes:
    """Return a file of these rows with a matching last line, so that only its content can be invalid."""
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows]
    nodes = sum("node" in row for row in rows)
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    end = {"end": {"nodes": nodes, "edges": len(rows) - 1 - nodes, "sha256": digest}}
    return b"".join([*lines, json.dumps(end).encode() + b"\n"])


WRONG_VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 7, 2**63, 2**70, 1.5, -0.5, 1e308, "", " ", "x", "\u0000", "\ud800", "1-2-3", "x" * 1_500,
    [],     ["x"], [1, "x"], [[1]], [None], {}, {"$time": "noon"}, {"$time": "0001-01-01T00:00:00+14:00"},
    {"$time": "9999-12-31T23:59:59-14:00"}, {"$time": 5}, {"$f32": "AAAA"}, {"$f32": ""}, {"$f32": "AADAfw=="},
    {"$bytes": "AAAA"}, {"$bytes": "?"}, {"$nothing": 1}, {"a": {"b": 1}}, [{"$time": "2026-01-01T00:00:00Z"}],
)  # fmt: skip


def damaged(rows: list[dict[str, Any]], dice: Random) -> tuple[list[dict[str, Any]], str]:
    """Damage one of the rows; return the rows and a description of the damage."""
    kinds: dict[str, list[int]] = {}
    for place, row in enumerate(rows[1:], start=1):
        kinds.setdefault(row.get("node") or ("edge" if "edge" in row else row["link"]), []).append(place)
    kind = dice.choice(sorted(kinds))
    place = dice.choice(kinds[kind])
    row = json.loads(json.dumps(rows[place]))
    inside = row["properties"] if "properties" in row and dice.random() < 0.9 else row
    name = dice.choice(sorted(inside))
    how = dice.choice(["drop", "value", "value", "value", "other", "twice", "more"])
    if how == "drop":
        del inside[name]
    elif how == "value":
        inside[name] = dice.choice(WRONG_VALUES)
    elif how == "other":
        other = rows[dice.choice(kinds[dice.choice(sorted(kinds))])]
        inside[name] = dice.choice(list((other.get("properties") or other).values()))
    elif how == "more":
        inside[dice.choice(["stray", "tenant", "lease", "a b", "ünï"])] = dice.choice(WRONG_VALUES)
    changed = [*rows[:place], row, *rows[place + 1 :], *([row] if how == "twice" else [])]
    return changed, f"{how} {kind}.{name} -> {str(inside.get(name))[:60]}"


@pytest.mark.parametrize("damages", slow_but([20], [20, 300]))
async def test_damaged_field_is_refused_or_gives_a_working_memory(
    bilingual: Graph, tenant: str, tmp_path: Path, damages: int
) -> None:
    """Either refused with nothing written, or imported into a memory whose jobs finish and which answers."""
    rows = rows_of(await exported(bilingual, TENANT))[:-1]
    dice = Random(20_261_123)
    taken: list[str] = []
    for number in range(damages):
        changed, what = damaged(rows, dice)
        there = f"{tenant}-{number}"
        try:
            text = written(changed)
        except UnicodeEncodeError:
            text = written(json.loads(json.dumps(changed).replace("\\ud800", "\\u0000")))
        try:
            await imported(bilingual, there, text, tmp_path)
        except InputError:
            pass
        else:
            taken.append(f"{there}: {what}")
    assert len(taken) < damages / 2, "most damages are seen"
    refused = [f"{tenant}-{number}" for number in range(damages) if f"{tenant}-{number}:" not in " ".join(taken)]
    async with bilingual._driver.session() as session:
        query = "MATCH (n) WHERE n.tenant IN $refused OR (n:Tenant AND n.id IN $refused) RETURN count(n) AS n"
        (row,) = await (await session.run(query, refused=refused)).data()
    assert row["n"] == 0
    memory = a_memory(bilingual)
    for one in taken:
        there = TenantId(one.partition(":")[0])
        await memory.remember(there, an_incoming("I moved to Porto. I like green tea.", user="ana", session="first"))
    await a_worker(bilingual, embedder=HashedWords()).drain()
    async with bilingual._driver.session() as session:
        query = (
            "MATCH (j:Job) WHERE j.tenant STARTS WITH $t AND (j.open OR j.state = 'dead') "
            "RETURN j.tenant + ' ' + coalesce(j.error, '') AS e"
        )
        left = await (await session.run(query, t=f"{tenant}-")).data()
    assert left == [], [one for one in taken if any(one.startswith(row["e"][:20]) for row in left)]
    for one in taken:
        there = TenantId(one.partition(":")[0])
        try:
            await memory.recall(there, Question(user_id="ana", text="Where does Ana live?", evidence=2))
            await exported(bilingual, there)
        except Exception as error:
            raise AssertionError(one) from error


@pytest.mark.parametrize(
    ("kind", "name", "value", "why"),
    [
        ("Message", "role", None, "lacks the required property role"),
        ("Message", "role", "god", "role is 'god'; it must be one of"),
        ("Message", "text", 5, "text must be a string"),
        ("Message", "text", "x" * 100_001, "text has 100,001 characters"),
        ("Message", "said_at", {"$time": "0001-01-01T00:00:00+14:00"}, "said_at cannot be decoded"),
        ("Message", "said_ms", 5, "said_ms must be the same time as said_at"),
        ("Message", "embedding", {"$f32": "AAAAAA=="}, "embedding has 1 numbers; the first line says 64"),
        ("Message", "token_vectors", {"$bytes": "AAAA"}, "token_vectors must be packed token vectors"),
        ("Message", "session_id", "00000000-0000-5000-8000-000000000000", "in session_id, which is not in the file"),
        ("Message", "id", "00000000-0000-5000-8000-000000000000", "id does not match uri"),
        (
            "Session",
            "user_node_id",
            "00000000-0000-5000-8000-000000000000",
            "in user_node_id, which is not in the file",
        ),
        ("SessionLifecycle", "state", "asleep", "state is 'asleep'"),
        ("Episode", "facts", '[{"subject": 1}]', "facts must be a JSON array of facts"),
        ("Change", "seq", 10**9, "higher than the tenant's last sequence number"),
        ("Change", "body", "[" * 5_000, "body must be a JSON object"),
        ("MemberFact", "predicate", "HATES", "predicate is 'HATES'"),
        ("Entity", "stray", "x", "has the property 'stray', which Entity does not have"),
        ("Usage", "day", "2026-13-01", "day must be a day"),
        ("edge", "strength", 1.5, "strength is 1.5; it must be from 0 to 1"),
        ("edge", "assertions", ["x|y"], "assertions must have the format"),
        ("edge", "evidence", ["x"], "evidence must be a UUID"),
    ],
)
async def test_invalid_field_is_reported_with_its_line(
    bilingual: Graph, file: bytes, tenant: str, tmp_path: Path, kind: str, name: str, value: Any, why: str
) -> None:
    rows = rows_of(file)[:-1]
    place = next(n for n, row in enumerate(rows) if row.get("node") == kind or kind in row)
    if value is None:
        del rows[place]["properties"][name]
    else:
        rows[place]["properties"][name] = value
    with pytest.raises(InputError, match=re.escape(why)) as refused:
        await imported(bilingual, tenant, written(rows), tmp_path)
    assert f"line {place + 1}:" in refused.value.message or "in the file" in why or "sequence number" in why
    assert await counts(bilingual, tenant) == {}


async def test_nan_and_deep_nesting_are_refused(bilingual: Graph, file: bytes, tenant: str, tmp_path: Path) -> None:
    rows = rows_of(file)[:-1]
    place = next(n for n, row in enumerate(rows) if "edge" in row)
    rows[place]["properties"]["strength"] = "HERE"
    for bad in (b"NaN", b"Infinity", b"9" * 5_000, b"[" * 100_000):
        with pytest.raises(InputError, match=f"line {place + 1}: not JSON"):
            await imported(bilingual, tenant, written(rows).replace(b'"HERE"', bad), tmp_path)
    assert await counts(bilingual, tenant) == {}


async def test_import_enqueues_jobs_for_unread_scenes_and_closing_sessions(
    bilingual: Graph, tenant: str, tmp_path: Path
) -> None:
    rows = rows_of(await exported(bilingual, TENANT))[:-1]
    life = next(row for row in rows if row.get("node") == "SessionLifecycle")["properties"]
    life["state"] = "closing"
    waiting = next(row for row in rows if row.get("node") == "Scene")["properties"]
    waiting["unextracted"] = True
    await imported(bilingual, tenant, written(rows), tmp_path)
    other = TenantId(f"{tenant}-other")
    await a_memory(bilingual).remember(other, an_incoming("I live in Lisbon.", user="ana"))
    await a_worker(bilingual, embedder=HashedWords()).drain()
    async with bilingual._driver.session() as read:
        query = "MATCH (j:Job {tenant: $t}) RETURN j.kind AS kind, j.state AS state, j.attempts AS attempts"
        jobs = await (await read.run(query, t=tenant)).data()
        lives = await (
            await read.run("MATCH (l:SessionLifecycle {tenant: $t, state: 'closed'}) RETURN l.id", t=tenant)
        ).data()
    assert {"extract", "close"} <= {job["kind"] for job in jobs}
    assert {(job["state"], job["attempts"]) for job in jobs} == {("done", 0)}
    assert lives
    assert await a_memory(bilingual).entities.listed(other, "ana")


async def test_jobs_are_not_importable_and_an_unfinished_forgetting_blocks_the_export(
    bilingual: Graph, tenant: str, tmp_path: Path
) -> None:
    rows = rows_of(await exported(bilingual, TENANT))[:-1]
    user = next(row["properties"]["id"] for row in rows if row.get("node") == "User")
    job = {"node": "Job", "properties": {"id": f"{user}/forget", "kind": "forget", "state": "open"}}
    with pytest.raises(InputError, match="unknown kind 'Job'"):
        await imported(bilingual, tenant, written([*rows, job]), tmp_path)
    await imported(bilingual, tenant, written(rows), tmp_path)
    async with bilingual._driver.session() as session:
        await session.run("CREATE (:Job {tenant: $t, id: 'x/forget', kind: 'forget', state: 'open'})", t=tenant)
    with pytest.raises(ConflictError, match="being forgotten"):
        await exported(bilingual, tenant)
    async with bilingual._driver.session() as session:
        await session.run("MATCH (j:Job {tenant: $t, id: 'x/forget'}) DELETE j", t=tenant)


async def test_export_keeps_self_declared_names_of_the_user(graph: Graph, tenant: str, tmp_path: Path) -> None:
    """They are stored with the times since when they apply; a list of times is not JSON."""
    await a_memory(graph).remember(TenantId(tenant), an_incoming("My name is Anabel."))
    await a_worker(graph, embedder=HashedWords()).drain()
    first = await exported(graph, tenant)
    assert b'"declared_since":[{"$time":' in first
    await imported(graph, f"{tenant}-copy", first, tmp_path)
    assert await exported(graph, f"{tenant}-copy") == first


async def test_graphml_opens_in_networkx_with_every_name_as_it_is(bilingual: Graph) -> None:
    out = io.BytesIO()
    written = await export_graphml(bilingual, TenantId(TENANT), out)
    out.seek(0)
    opened = networkx.read_graphml(out, force_multigraph=True)
    assert (opened.number_of_nodes(), opened.number_of_edges()) == (written.nodes, written.edges)
    names = {data["label"]: data for _, data in opened.nodes(data=True)}
    assert (names["花生"]["kind"], names["Bob"]["merged"]) == ("Entity", True)
    tea = next(data for _, _, data in opened.edges(data=True) if data.get("statement") == "user prefers jasmine tea")
    assert (tea["predicate"], tea["weight"]) == ("PREFERS", tea["strength"])
    assert json.loads(tea["evidence"])
    # Gephi accepts these types only.
    types = set(re.findall(r'attr\.type="(\w+)"', out.getvalue().decode()))
    assert types <= {"string", "long", "double", "boolean", "int", "float"}


async def test_graphml_survives_what_xml_cannot_hold(graph: Graph, tenant: str) -> None:
    name = "a <b> & \"c\" 'd' 🦉"
    fact = ProvidedFact(subject="user", predicate="PREFERS", object=name, statement="x\u000by ]]> z", relation="\ud7ff")
    await a_memory(graph).remember(TenantId(tenant), an_incoming("I like it.", facts=(fact,)))
    await a_worker(graph).drain()
    out = io.BytesIO()
    await export_graphml(graph, TenantId(tenant), out)
    out.seek(0)
    opened = networkx.read_graphml(out, force_multigraph=True)
    assert name in {data["label"] for _, data in opened.nodes(data=True)}
