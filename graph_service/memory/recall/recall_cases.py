"""Keep what people say should have been recalled, and what should not, as questions of `mnemoscene eval`.

A case is an item of the user whose memory was asked: it is listed, exported, imported and forgotten with the others. It
holds the question and ids; it is deleted when one of the elements, or a message that proves it, is forgotten.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.items.store import Items, ItemSearch
from graph_service.memory.items.writes import Item, ItemWrite
from graph_service.memory.messages.log import MessageFilter, MessageLog, StoredMessage
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.question_log import AskedQuestion, FoundElement
from schema.errors import InputError
from schema.ids import RECALL_CASES as NAMESPACE
from schema.ids import TenantId
from schema.timespan import iso

CASES_MAX: Final = 500
_JUDGED_MAX: Final = 50
# Messages of an exported memory, the newest.
_MESSAGES_MAX: Final = 1_000
# So much of a text recognises it; a pattern may have 500 characters, and escaping doubles them.
_PATTERN_CHARS: Final = 200


async def judge(
    items: Items, tenant: TenantId, question: AskedQuestion, hit: FoundElement, *, wanted: bool | None
) -> int:
    """Store whether a hit should be recalled for a question; None withdraws that. Return the number of judged hits.

    Raises:
        InputError: there are too many cases, or judged hits of this question.
        ConflictError: somebody else judged at the same time.
        UnavailableError: Neo4j does not answer.
    """
    user_id, key = question.user_id, _key(question.text)
    known = await items.get(tenant, user_id, NAMESPACE, key)
    judged = {one["id"]: one for one in (known.value["judged"] if known else ()) if one["id"] != hit.id}
    if wanted is not None:
        judged[hit.id] = {"kind": hit.kind.value, "id": hit.id, "wanted": wanted, "proofs": list(hit.proofs)}
    if len(judged) > _JUDGED_MAX:
        raise InputError(f"{_JUDGED_MAX} hits of this question are judged; withdraw one first")
    if known is None and len(await _cases(items, tenant, user_id)) >= CASES_MAX:
        raise InputError(f"there are {CASES_MAX} cases of {user_id!r}; delete some of the items under {NAMESPACE}")
    value = {"question": question.text, "askedAt": iso(question.asked_at), "judged": list(judged.values())}
    write = ItemWrite(
        user_id=user_id,
        namespace=NAMESPACE,
        key=key,
        value=value if judged else None,
        index=(),
        if_version=known.version if known else 0,
    )
    if known is not None or judged:
        await items.put(tenant, [write])
    return len(judged)


async def judged_hits(items: Items, tenant: TenantId, user_id: str, text: str) -> dict[str, bool]:
    """Return whether each judged hit of a question should be recalled, by element id; of no other user's questions.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    case = await items.get(tenant, user_id, NAMESPACE, _key(text))
    return {one["id"]: one["wanted"] for one in (case.value["judged"] if case else ())}


async def cases_document(graph: Graph, items: Items, log: MessageLog, tenant: TenantId, user_id: str) -> dict[str, Any]:
    """Return the cases about a user's memory as a file that `mnemoscene eval` reads, with its newest messages.

    Raises:
        InputError: the user id is malformed.
        UnavailableError: Neo4j does not answer.
    """
    cases = await _cases(items, tenant, user_id)
    page = await log.page(tenant, MessageFilter(user_id=user_id), first=_MESSAGES_MAX, newest_first=True)
    said = {message.id: message for message in reversed(page.messages)}
    judged = [one for case in cases for one in case.value["judged"]]
    parameters = {
        "tenant": tenant,
        **{f"{kind}s": sorted({one["id"] for one in judged if one["kind"] == kind}) for kind in HitKind},
        "users": [],
        "chars_max": _PATTERN_CHARS,
    }
    rows = await graph.read(statement("recall/question_hits"), parameters)
    texts = {row["id"]: row["text"] for row in rows if row["text"]}
    questions = [_question(case, texts, said) for case in cases]
    return {
        "id": user_id,
        "lang": "en",
        "user_id": user_id,
        "sessions": _sessions(said.values()),
        "questions": [one for one in questions if one["answer"] or one["stale"]],
    }


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


async def _cases(items: Items, tenant: TenantId, user_id: str) -> list[Item]:
    return await items.search(tenant, ItemSearch(user_id=user_id, namespace=NAMESPACE, first=CASES_MAX))


def _question(case: Item, texts: Mapping[str, str], said: Mapping[str, StoredMessage]) -> dict[str, Any]:
    wanted, unwanted, gold = list[str](), list[str](), list[str]()
    for one in case.value["judged"]:
        if one["id"] not in texts:
            continue
        (wanted if one["wanted"] else unwanted).append(re.escape(texts[one["id"]]))
        if one["wanted"]:
            proofs = [one["id"]] if one["kind"] == HitKind.MESSAGE else one["proofs"]
            gold += [name for name in proofs if name in said]
            # A fact is found, too, by a message that tells it.
            wanted += [re.escape(said[name].text[:_PATTERN_CHARS]) for name in proofs[:3] if name in said]
    return {
        "id": case.key,
        "category": "judged",
        "question": case.value["question"],
        "asked_at": case.value["askedAt"],
        "gold_messages": list(dict.fromkeys(gold)),
        "answer": list(dict.fromkeys(wanted)),
        "stale": list(dict.fromkeys(unwanted)),
        "answerable": bool(wanted),
    }


def _sessions(said: Iterable[StoredMessage]) -> list[dict[str, Any]]:
    sessions: dict[str, list[dict[str, Any]]] = {}
    for message in said:
        sessions.setdefault(message.session_id, []).append(
            {
                "id": message.id,
                "role": message.role.upper(),
                "speaker": message.speaker or "",
                "time": iso(message.said_at),
                "text": message.text,
            }
        )
    return [{"id": name, "messages": messages} for name, messages in sessions.items()]
