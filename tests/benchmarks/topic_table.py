"""Measure topic segmentation: `python -m tests.benchmarks.topic_table FILE… [--json]`.

Joins pieces of 8 to 14 messages from different sessions of conversation files (see README) into streams without pauses,
and counts how often a scene ends at a joint, and how often elsewhere. Conversations also change topic within a session,
so not every other cut is wrong. Prints a table or JSON.
"""

import argparse
import asyncio
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import platformdirs

from extraction.embeddings.cache import CachedEmbedder
from extraction.embeddings.embedder import Embedder
from extraction.embeddings.local_embedder import load_local_embedder
from graph_service.memory.consolidation.segmentation import assign
from graph_service.memory.consolidation.session_input import topics_of
from schema.ids import memory_id, message_uri
from schema.labels import Role
from schema.message import Message

_SESSION = "memory://bench/session/u/s"
_STREAMS = 60
_NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = asyncio.run(_rows(given.files))
    if given.json:
        print(json.dumps(rows))
        return
    print("by       messages joints  found  cuts elsewhere in 100 scene size   <4")
    for row in rows:
        print(
            f"{row['by']:<8} {row['messages']:>8} {row['joints']:>6} {row['found']:>6.2f} {row['elsewhere']:>22.2f} "
            f"{row['size']:>10.1f} {row['fragments']:>4}"
        )


async def _rows(files: list[Path]) -> list[dict[str, float | str]]:
    local = await load_local_embedder(
        cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")), threads=2, on_progress=lambda _doing, _share: None
    )
    streams = _streams(_pieces(files))
    return [
        await _row("words", streams, None),
        await _row("both", streams, CachedEmbedder(local, entries_max=100_000)),
        await _row("neither", streams, None, topics=False),
    ]


def _pieces(files: list[Path]) -> list[list[tuple[str, str]]]:
    pieces = []
    for file in files:
        for session in json.loads(file.read_text(encoding="utf-8"))["sessions"]:
            turns = [(turn["speaker"], turn["text"]) for turn in session["turns"] if turn["text"].strip()]
            if len(turns) >= 8:
                pieces.append(turns)
    return pieces


def _streams(pieces: list[list[tuple[str, str]]]) -> list[tuple[list[Message], set[int]]]:
    chance = random.Random(3)
    streams = []
    for number in range(_STREAMS):
        turns: list[tuple[str, str]] = []
        joints = set()
        for _ in range(4):
            piece, size = chance.choice(pieces), chance.randint(8, 14)
            start = chance.randint(0, max(0, len(piece) - size))
            if turns:
                joints.add(len(turns))
            turns += piece[start : start + size]
        streams.append(([_message(number, place, *turn) for place, turn in enumerate(turns)], joints))
    return streams


def _message(stream: int, place: int, speaker: str, text: str) -> Message:
    uri = message_uri(_SESSION, f"{stream}-{place:03d}")
    # Speakers differ between pieces; their names would reveal the joints.
    role = Role.ASSISTANT if speaker == "AI" else Role.USER
    said_at = _NOON + timedelta(minutes=place)
    return Message(id=memory_id(uri), uri=uri, role=role, text=text, said_at=said_at, content_hash=uri, position=place)


async def _row(
    by: str, streams: list[tuple[list[Message], set[int]]], embedder: Embedder | None, *, topics: bool = True
) -> dict[str, float | str]:
    found = elsewhere = messages_n = joints_n = 0
    sizes: list[int] = []
    for messages, joints in streams:
        about = await topics_of(messages, embedder) if topics else {}
        scenes = assign(_SESSION, messages, [], about)
        place = {message.id: number for number, message in enumerate(messages)}
        cuts = {place[scene.messages[0].id] for scene in scenes} - {0}
        found += len(cuts & joints)
        elsewhere += len(cuts - joints)
        messages_n += len(messages)
        joints_n += len(joints)
        sizes += [len(scene.messages) for scene in scenes]
    return {
        "by": by,
        "messages": messages_n,
        "joints": joints_n,
        "found": found / joints_n,
        "elsewhere": 100 * elsewhere / (messages_n - joints_n),
        "size": sum(sizes) / len(sizes),
        "fragments": sum(size < 4 for size in sizes),
    }


if __name__ == "__main__":
    main()
