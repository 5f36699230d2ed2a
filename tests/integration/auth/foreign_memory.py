"""A tenant with every kind of element, its ids by kind, and random ids to compare with."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from graph_service.app.services import Services
from graph_service.memory.export_import.service import ExportFormat
from graph_service.memory.ingest.episode_writer import spool_episode
from graph_service.memory.ingest.validation import RememberRequest, check_request
from graph_service.memory.items.writes import ItemWrite
from schema.ids import TenantId
from tests.support.builders import a_message, a_worker

USER, SESSION, AGENT, MESSAGE = "usr-kxq", "ses-kxq", "agt-kxq", "msg-kxq"
# Words of the tenant's messages and facts; no other tenant may see any of them.
WORDS = ("quokka", "jasmine", "lisbon", "ximena", "袋鼠")
SAID = (
    "I love jasmine tea with my friend Ximena in Lisbon.",
    "My sister Ximena loves quokkas. I hate the rain in Lisbon.",
    "I moved to Lisbon in May 2025. I work at Quokka Labs as a baker.",
    "我喜欢袋鼠。",
)
_THINGS = """
MATCH (n {tenant: $tenant}) WHERE n.id IS NOT NULL
RETURN labels(n)[-1] AS sort, n.id AS id, n.uri AS uri ORDER BY sort, id
"""
_FACTS = """
MATCH (a {tenant: $tenant})-[r]->() WHERE r.id IS NOT NULL
RETURN type(r) AS sort, r.id AS id, null AS uri ORDER BY sort, id
"""
_BURY = """
MATCH (j:Job {tenant: $tenant}) WITH j ORDER BY j.id LIMIT 1
SET j.state = 'dead', j.open = null, j.due_ms = 0, j.error = 'quokka', j.failed_ms = 1, j.attempts = 4
"""


@dataclass(frozen=True)
class Foreign:
    """Ids and contents of another tenant that a caller could name.

    Attributes:
        things: an id or URI for each kind of node and edge.
        export: the exported tenant.
    """

    tenant: str
    things: tuple[str, ...]
    export: str
    number: int
    epoch: str
    seq: int

    def filled(self, case: Any) -> Iterator[tuple[Any, Any, tuple[str, ...]]]:
        """Return the case with existing ids, the case with random ids, and the names that may occur in responses."""
        sorts = sorted(_sorts_in(case))
        values = {sort: self._values(sort) for sort in sorts}
        for chosen in product(*(values[sort] for sort in sorts)):
            real = dict(zip(sorts, chosen, strict=True))
            never = {sort: self._never(value) for sort, value in real.items()}
            names = tuple(str(value) for value in [*real.values(), *never.values()])
            yield _with(case, real), _with(case, never), names

    def _values(self, sort: str) -> list[Any]:
        return {
            "$user": [USER],
            "$session": [SESSION],
            "$agent": [AGENT],
            "$message": [MESSAGE],
            "$thing": list(self.things),
            "$id": [thing for thing in self.things if "://" not in thing],
            "$other": [self.things[0]],
            "$export": [self.export],
            "$number": [self.number],
            "$tenant": [self.tenant],
            "$epoch": [self.epoch],
            "$seq": [self.seq],
        }[sort]

    def _never(self, value: Any) -> Any:
        if isinstance(value, int):
            return value + 7_919
        if value == self.export:
            return value
        if "://" in value:
            return value.replace(self.tenant, f"{self.tenant}-never").replace("kxq", "nvr")
        if len(value) == 36 and value.count("-") == 4:
            return str(uuid5(NAMESPACE_URL, value))
        return value.replace("kxq", "nvr") if "kxq" in value else f"{value}-never"


async def foreign_memory(parts: Services, tenant: str) -> Foreign:
    """Fill a tenant: scenes, open and closed facts, a merge, a dead letter, a refused episode."""
    whose = TenantId(tenant)
    messages = tuple(a_message(text, minute=i, id=f"{MESSAGE}{i or ''}") for i, text in enumerate(SAID))
    told = {"user_id": USER, "session_id": SESSION, "user_name": "Kxq", "agent_id": AGENT}
    await parts.memory.remember(whose, RememberRequest(**told, messages=messages))
    moved = a_message("I moved to Porto. I do not like jasmine tea any more.", minute=600)
    await parts.memory.remember(whose, RememberRequest(**{**told, "session_id": f"{SESSION}2"}, messages=(moved,)))
    await parts.memory.sessions.close(whose, USER, SESSION)
    value = {"who": "Ximena", "text": "Zanzibar quokkas"}
    items = [ItemWrite(namespace=("shelf",), key="zebra", value=value, user_id=user) for user in (None, USER)]
    await parts.memory.items.put(whose, items)
    await a_worker(parts.graph).drain()
    entities = [one for one in await parts.memory.entities.listed(whose, USER) if not one.merged]
    await parts.memory.merges.merge(whose, entities[0].id, entities[1].id, "they are one")
    await parts.spool.pause(True)
    waiting = RememberRequest(
        **{**told, "session_id": f"{SESSION}3"}, messages=(a_message("A quokka waits.", minute=900),)
    )
    await spool_episode(parts.spool, check_request(whose, waiting, now=datetime.now(UTC)))
    number = (await parts.spool.listed(whose))[0].number
    await parts.spool.refuse(number, "quokka")
    await parts.spool.pause(False)
    head = await parts.memory.changes.head(whose)
    things = tuple(await _things(parts, tenant))
    export = (await parts.memory.transfer.export_text(whose, ExportFormat.JSONL, vectors=False)).text
    return Foreign(tenant, things, export, number, head.epoch, head.seq)


async def _things(parts: Services, tenant: str) -> list[str]:
    async with parts.graph._driver.session() as session:
        await (await session.run(_BURY, tenant=tenant)).consume()
        rows = await (await session.run(_THINGS, tenant=tenant)).data()
        rows += await (await session.run(_FACTS, tenant=tenant)).data()
    by_sort: dict[str, list[str]] = {}
    for row in rows:
        for sort, value in ((row["sort"], row["id"]), (f"{row['sort']} uri", row["uri"])):
            if value is not None:
                by_sort.setdefault(sort, []).append(value)
    assert {"Message", "Scene", "Entity", "MemberEntity", "Job", "SessionLifecycle uri", "PREFERS"} <= set(by_sort), (
        by_sort
    )
    return [values[0] for values in by_sort.values()]


def _sorts_in(case: Any) -> set[str]:
    match case:
        case dict():
            return {sort for value in case.values() for sort in _sorts_in(value)}
        case list():
            return {sort for value in case for sort in _sorts_in(value)}
        case str() if case.startswith("$"):
            return {case}
        case _:
            return set()


def _with(case: Any, values: dict[str, Any]) -> Any:
    match case:
        case dict():
            return {name: _with(value, values) for name, value in case.items()}
        case list():
            return [_with(value, values) for value in case]
        case str() if case in values:
            return values[case]
        case _:
            return case
