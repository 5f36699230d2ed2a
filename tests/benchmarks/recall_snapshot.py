"""Record answers to fixed questions, to compare two versions of the code to the last digit.

    python -m tests.benchmarks.recall_snapshot FILE                   writes every answer to FILE
    python -m tests.benchmarks.recall_snapshot FILE --against OTHER   also fails if an answer differs from OTHER's

Uses its own Neo4j, extraction by rules, the hashed-words embedder, a fixed clock and a fixed tenant: equal code gives
equal files. Covers recall in every mode (with scores and score parts), recall without an embedder, follow-up pages,
contexts, node search, fact history, profiles and the map.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, astuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import platformdirs

from extraction.embeddings.embedder import Embedder
from graph_service.evaluation.dataset import Conversation, read_all
from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from graph_service.memory.context_builder.builder import ContextRequest
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.query import HitKind, Mode, QueryFilters, Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from schema.labels import Role
from tests.support.builders import a_worker, no_spool
from tests.support.embedders import HashedWords
from tests.support.neo4j_server import start_local_server

ROOT = Path(__file__).parents[1]
FILES = [
    *(ROOT / "evaluation_sets" / f"{name}.json" for name in ("idris-and-keiko", "linxiao", "nora-and-ben", "wulei")),
    *(ROOT / "benchmarks" / "conversations" / f"{name}.json" for name in ("en-a-01", "zh-a-01")),
]
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TENANT = TenantId("snapshot")
# Properties with the time at which a run wrote them.
_CLOCK = re.compile(r"\b(?:closing_)?known_at='[^']*'")
MORE = (
    "Where does my sister's employer sell its things?",
    "What did you recommend to me last week?",
    "What did I tell you about my job?",
    "我姐姐的公司是做什么的？",
    "你上次给我推荐了什么？",
    "我什么时候搬家的？",
    "How many books did I read in 2023?",
    "??",
)


def memory_with(graph: Graph, embedder: Embedder | None) -> Memory:
    """Return a memory with a fixed clock."""
    return Memory(
        graph=graph,
        embedder=embedder,
        worker=a_worker(graph),
        clock=lambda: NOW,
        notify=lambda _tenant: None,
        spool=no_spool(),
    )


async def fill(memory: Memory, graph: Graph, conversation: Conversation) -> None:
    """Store a conversation session by session and read all of it."""
    for session in conversation.sessions:
        messages = tuple(
            IncomingMessage(
                role="user" if turn.speaker == conversation.user_id else "assistant",
                text=turn.text,
                time=turn.time + timedelta(minutes=at),
                speaker=turn.speaker,
            )
            for at, turn in enumerate(session.messages)
        )
        incoming = RememberRequest(user_id=conversation.id, session_id=session.id, messages=messages)
        await memory.remember(TENANT, incoming)
    await a_worker(graph).drain()


def questions(conversation: Conversation) -> Iterator[tuple[str, Question]]:
    """Yield questions with a label of their options."""
    user, asked_at = conversation.id, conversation.asked_at
    texts = [question.question for question in conversation.questions[:12]] + [*MORE, conversation.user_id]
    for at, text in enumerate(texts):
        yield f"{at} best", Question(user_id=user, text=text, limit=20, evidence=2, asked_at=asked_at)
        if at % 3 == 0:
            for mode in (Mode.LAYERED, Mode.SIMILARITY_IMPORTANCE):
                yield f"{at} {mode}", Question(user_id=user, text=text, mode=mode, asked_at=asked_at)
            yield f"{at} facts", Question(user_id=user, text=text, kinds=(HitKind.FACT,), valid_at=asked_at)
            yield f"{at} past", Question(user_id=user, text=text, as_of=NOW - timedelta(days=1), asked_at=asked_at)
            only = QueryFilters(session_id=conversation.sessions[0].id, roles=(Role.USER,), score_min=0.05)
            yield f"{at} narrowed", Question(user_id=user, text=text, filters=only, asked_at=asked_at)
    yield "long", Question(user_id=user, text=" ".join(texts)[:900], limit=20)


async def answers(graph: Graph, conversations: list[Conversation]) -> AsyncIterator[tuple[str, Any]]:
    """Yield every answer with its name."""
    memory, bare = memory_with(graph, HashedWords()), memory_with(graph, None)
    for conversation in conversations:
        await fill(memory, graph, conversation)
    for conversation in conversations:
        for name, question in questions(conversation):
            for kind, one in (("", memory), ("no embedder ", bare)):
                answer = await one.recall(TENANT, question)
                yield (
                    f"{conversation.id} {kind}{name}",
                    {**asdict(answer), "features": answer.features and astuple(answer.features)},
                )
                if answer.next_cursor is not None and name == "0 best":
                    only = QueryFilters(after=answer.next_cursor)
                    again = Question(**{**vars_of(question), "filters": only})
                    yield f"{conversation.id} {kind}{name} next", asdict(await one.recall(TENANT, again))
            wanted = ContextRequest(user_id=conversation.id, query=question.text, tokens_max=600, with_uris=True)
            yield f"{conversation.id} context {name}", asdict(await memory.context(TENANT, wanted))
        profile = await memory.facts.profile(TENANT, conversation.id)
        yield f"{conversation.id} profile", [asdict(part) for part in profile]
        found = await memory.nodes.named(TENANT, conversation.id, None, limit=50)
        yield f"{conversation.id} nodes", [asdict(node) for node in found]
        searched = await memory.nodes.search(TENANT, conversation.id, conversation.questions[0].question)
        yield f"{conversation.id} searched", [asdict(node) for node in searched]
        for fact in [fact.id for node in found for fact in node.facts][:10]:
            history = await memory.facts.history(TENANT, fact)
            yield f"{conversation.id} history {fact}", [without_clock(asdict(version)) for version in history]
        snapshot = await memory.mindmap.snapshot(TENANT, user_id=conversation.id, budget=300)
        yield f"{conversation.id} map", [_CLOCK.sub("", str(one)) for one in (*snapshot.nodes, *snapshot.edges)]


def vars_of(question: Question) -> dict[str, Any]:
    """Return the arguments of a question."""
    return {name: getattr(question, name) for name in Question.__slots__}


def without_clock(version: dict[str, Any]) -> dict[str, Any]:
    """Return a version without the times at which this run wrote it."""
    fact = {name: value for name, value in version["fact"].items() if name != "closing_known_at"}
    fact["told"] = [{**one, "heard_at": None} for one in fact["told"]]
    return {**version, "fact": fact, "known_at": None}


async def recorded() -> dict[str, Any]:
    """Start a Neo4j, fill it, and return its answers."""
    with tempfile.TemporaryDirectory(prefix="recall-snapshot-") as folder:
        server = await start_local_server(
            data_dir=Path(folder), cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")), start_timeout_s=240
        )
        try:
            graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
            embedder = HashedWords()
            await prepare_vectors(graph, model=embedder.name, dim=embedder.dim, token_model=embedder.token_model)
            found = {name: answer async for name, answer in answers(graph, read_all(FILES).conversations)}
            await graph.close()
        finally:
            await server.stop()
    return json.loads(json.dumps(found, default=str, ensure_ascii=False, sort_keys=True))  # type: ignore[no-any-return]


def main() -> None:
    """Write the answers, and compare them on request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="where to write the answers")
    parser.add_argument("--against", type=Path, help="answers to compare with")
    given = parser.parse_args()
    found = asyncio.run(recorded())
    given.file.write_text(json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True), encoding="utf-8")
    print(f"{len(found)} answers")
    if given.against is not None:
        other = json.loads(given.against.read_text(encoding="utf-8"))
        differing = sorted(name for name in found.keys() | other.keys() if found.get(name) != other.get(name))
        print(f"{len(differing)} differ", *differing[:20], sep="\n  ")
        sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
