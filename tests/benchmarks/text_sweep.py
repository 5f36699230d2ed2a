"""Read every text of some data sets, and mutations of them, with every text function: none may fail or take long.

    python -m tests.benchmarks.text_sweep [FOLDER_OR_FILE …] [--share SHARE] [--mutations N] [--seed SEED] [--tags]
                                      [--only NAME …]

Texts are all strings of JSON files, the cells of TSV files and the lines of text files in the folders, and always
those of the repository's own sets. Each text, and N mutations of it (numbers, dates and units put into it, words
between them, both languages, cut within a word or a combined character, joined, repeated, control characters), goes
through every function that takes text (`tests/support/text_functions.py`); as a message of the user and of the
assistant through the whole reader and the plan of a digest; and as a question through its analysis and the ranking.

Exits with 1 if a function failed, or took more CPU time than `MAX_S` and `MAX_S_PER_CHAR` allow. `--share` reads a
random share of the texts; `--only` runs the functions with such a word in their name; `--tags` adds the local models
that tag facts.
"""

import argparse
import asyncio
import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import platformdirs

from extraction.query_analysis import analyse
from extraction.reader import THE_AGENT, THE_USER, SceneLine, SceneText
from extraction.rules.scene_reader import read_scene
from extraction.rules.tags import Tag
from extraction.tagging.local_tagger import load_local_tagger
from extraction.temporal.question_time import event_range
from extraction.text.name_spotting import load_words
from extraction.text.sentences import has_cjk
from extraction.text.topic_shift import Topic, topic_words
from extraction.training.tag_samples import MESSAGES
from extraction.unreadable import UNREADABLE
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.consolidation.plan import SceneExtraction, names_of, plan_digest
from graph_service.memory.consolidation.segmentation import assign
from graph_service.memory.consolidation.session_input import SessionInput
from graph_service.memory.entity_resolution.resolver import Owner, resolve
from graph_service.memory.recall.ranking import CHINESE, ENGLISH, rank
from graph_service.memory.summaries.scene_summary import LayerBasis, layers_of
from schema.ids import MemoryId, TenantId, Uri, UserId
from schema.labels import Role
from schema.limits import LIMITS
from schema.message import Message
from tests.support.candidates import a_candidate, all_found
from tests.support.text_functions import reach_of, text_functions

OWN_SETS: Final = Path(__file__).parents[1]
CACHE: Final = Path(platformdirs.user_cache_dir("mnemoscene"))
# CPU time that one function may take for one text: so much in any case, and so much for each character.
MAX_S: Final = 1.0
MAX_S_PER_CHAR: Final = 0.000_5
TEXT_CHARS_MIN: Final = 4
# A slow text is read again before it counts, because another process may have taken the cache or the clock.
TRIES: Final = 3
# In a zone with changes of the clocks, an hour after one; and without.
ZONED: Final = datetime(2026, 3, 29, 3, 10, tzinfo=ZoneInfo("Europe/Berlin"))
PLAIN: Final = datetime(2024, 2, 29, 12, tzinfo=UTC)
# These refuse what is no number, URI, cursor, name of a tenant, file or predicate, as their callers expect; and the
# salt of a tombstone is none of a caller.
REFUSING: Final = (
    "graph_service.importers.",
    "graph_service.memory.consolidation.fact_judging.related_predicates",
    "graph_service.memory.ingest.spool.episode_from_json",
    "graph_service.memory.recall.cursor.shown_in",
    "graph_service.memory.tombstones.",
    "schema.assertion.parse_assertion",
    "schema.ids.parse_uri",
    "schema.ids.to_element_id",
    "schema.ids.tenant_named",
    "graph_service.memory.items.writes.check_key",
)


# Texts


def texts_in(paths: Iterable[Path]) -> list[str]:
    """Return the distinct texts of files and folders, sorted."""
    found: dict[str, None] = {}
    for path in sorted(paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".json", ".tsv", ".txt") and file.is_file():
                found |= dict.fromkeys(_texts_of(file))
    # Others are ids, dates and labels.
    said = (text for text in found if " " in text.strip() or has_cjk(text))
    return sorted(text for text in said if TEXT_CHARS_MIN <= len(text) <= LIMITS.text_chars)


def _texts_of(file: Path) -> Iterator[str]:
    written = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        yield from _strings_in(json.loads(written))
        return
    for line in written.splitlines():
        # Lines of `tag_messages` begin with M or C for a message or F for a fact.
        if not line.startswith("F "):
            yield from line.split("\t") if file.suffix == ".tsv" else [line.removeprefix("M ").removeprefix("C ")]


def _strings_in(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _strings_in(one)
        case list():
            for one in value:
                yield from _strings_in(one)


# Mutations

_PIECES: Final = (
    "July 22", "on 31 June", "Feb 30", "February 29", "6-7", "10/5", "2023-13-45", "0000-00-00",
    "9999-12-31", "15", "3,000", "99999999999999999999", "½", "٣", "①", "-1", "1e999", "0", "the 31st",
    "next Friday", "999 years ago", "in 800 decades", "yesterday at 25:99", "BC", "7月22日",
    "13月40日", "15号", "九千九百九十九万年后", "公元前", "正月三十", "去年今天",
    "二零二三年", "第九个星期八", "15个人", "5 literary agents", "km", "°C", "€", "%",
    "5 pm", "my", "I", "我", "他", "because", "因为", "decided", "决定", "no longer", "不再",
)  # fmt: skip
_BETWEEN: Final = (
    " and ",
    " to ",
    "-",
    " – ",
    " or ",
    "/",
    "和",
    "到",
    "至",
    "与",
    "、",
    ", ",
    " until ",
    " before ",
    " after ",
    "之前",
    "以后",
    " of ",
)
_MARKS: Final = (
    "\x00",
    "\x1b[31m",
    "\u202e",
    "\u200b",
    "\u0301",
    "\ufe0f",
    "\u20e3",
    "\U0001f469\u200d",
    "\ufffd",
    "\r",
    "\u2028",
    "\ud83d",
    "\u3000",
    "\t\n",
)


def mutated(text: str, other: str, chance: random.Random) -> str:
    """Return a text changed in one to three ways."""
    for _ in range(chance.randint(1, 3)):
        text = chance.choice(_CHANGES)(text, other, chance)
    return text[: LIMITS.text_chars]


def _inserted(text: str, piece: str, chance: random.Random) -> str:
    at = chance.choice([found for found, one in enumerate(text) if one == " "] or [len(text)])
    at = chance.randint(0, len(text)) if chance.random() < 0.3 else at
    return f"{text[:at]} {piece} {text[at:]}"


def _renumbered(text: str, _other: str, chance: random.Random) -> str:
    digits = [at for at, one in enumerate(text) if one.isdigit()]
    for at in digits[:20]:
        text = text[:at] + chance.choice("0123456789") + text[at + 1 :]
    return text if digits else _inserted(text, str(chance.randint(0, 10**6)), chance)


def _range_put_in(text: str, _other: str, chance: random.Random) -> str:
    return _inserted(text, chance.choice(_PIECES) + chance.choice(_BETWEEN) + chance.choice(_PIECES), chance)


def _piece_put_in(text: str, _other: str, chance: random.Random) -> str:
    return _inserted(text, chance.choice(_PIECES), chance)


def _cut(text: str, _other: str, chance: random.Random) -> str:
    start = chance.randint(0, len(text) // 2)
    return text[start : chance.randint(start, len(text))]


def _joined(text: str, other: str, chance: random.Random) -> str:
    return text + chance.choice(_BETWEEN) + other


def _repeated(text: str, _other: str, chance: random.Random) -> str:
    return text[:2_000] * chance.randint(2, 5)


def _marked(text: str, _other: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(_MARKS) + text[at:]


def _without_blanks(text: str, _other: str, chance: random.Random) -> str:
    return text.replace(chance.choice((" ", ".", "，", "。")), "")


def _in_capitals(text: str, _other: str, _chance: random.Random) -> str:
    return text.upper()


_CHANGES: Final = (
    _renumbered, _range_put_in, _range_put_in, _piece_put_in, _cut, _joined, _repeated, _marked,
    _without_blanks, _in_capitals,
)  # fmt: skip


# What reads them


@cache
def readers() -> dict[str, Callable[[str], object]]:
    """Return every function of a text, by name; load dictionaries and patterns first."""
    load_words()
    return {
        **{name: function for name, function in text_functions(refusals=()).items() if not name.startswith(REFUSING)},
        "the whole reader": whole_reader,
        "a question": question,
    }


def question(text: str) -> None:
    """Analyse a text as a question, and rank it among answers to itself."""
    asked = text[: LIMITS.query_chars]
    for reference in (ZONED, PLAIN):
        analysis = analyse(asked, reference=reference)
        for anchor in analysis.anchors:
            event_range(anchor, asked, reference, reference.replace(hour=23))
    candidates = [a_candidate(str(at), text=part, said_at=ZONED) for at, part in enumerate((text, text[5:], "tea"))]
    rank(all_found(*candidates), CHINESE if analysis.chinese else ENGLISH, analysis=analysis, now=ZONED)


def whole_reader(text: str, tags: Sequence[Tag] | None = None) -> None:
    """Read a text as messages of both speakers as the worker does: scenes, reading, summaries, names, facts, plan."""
    owner = Owner(tenant=TenantId("t"), user_id=UserId("Ann"), user_names=("Ann",), agent_id="Bot")
    messages = [
        Message(
            id=MemoryId(f"m{at}"),
            uri=Uri(f"memory://t/m{at}"),
            role=role,
            text=text,
            said_at=said_at,
            content_hash=f"{at}",
            zone="Europe/Berlin" if said_at is ZONED else None,
        )
        for at, (role, said_at) in enumerate(((Role.USER, PLAIN), (Role.ASSISTANT, PLAIN), (Role.USER, ZONED)))
    ]
    topics = {one.id: Topic(terms=topic_words(text), vector=None) for one in messages}
    extractions = []
    for scene in assign("memory://t/s", messages, [], topics=topics):
        lines = tuple(
            SceneLine(message_id=one.id, role=one.role, speaker=one.speaker, text=one.text, said_at=one.said_local)
            for one in scene.messages
        )
        read = SceneText(user_names=owner.user_names, agent_names=("Bot",), lines=lines)
        by_line = {} if tags is None else {at: tags for at, one in enumerate(lines) if one.role is Role.USER}
        reading = read_scene(read, reader="rules", tags=by_line)
        basis = LayerBasis(messages=len(lines), key="", behind=False, fresh=False)
        layers = layers_of(read, [reading])
        extractions.append(SceneExtraction(scene=scene, readings=(reading,), layers=layers, basis=basis))
    session_input = SessionInput(
        owner=owner,
        user_properties={"id": "u", "user_id": "Ann", "name": "Ann", "first_seen": PLAIN, "last_seen": PLAIN},
        session_uri="memory://t/s",
        scenes=tuple(one.scene for one in extractions),
        changed=frozenset(),
        newest_ms=0,
        stored={},
        provided=(),
        episodes=(),
        more=False,
    )
    entities, touched = resolve(names_of(extractions), [], owner)
    entities |= {THE_USER: owner.user, THE_AGENT: owner.agent}
    plan_digest(session_input, extractions, entities, touched, [], {}, recorded_at=ZONED)


# The sweep


@dataclass(slots=True, kw_only=True)
class Findings:
    """The result of a sweep.

    Attributes:
        failures: failing texts by function and place, with their number.
        slowest: CPU time by function, with its text.
        too_slow: texts over the bound, by function.
    """

    texts: int = 0
    mutations: int = 0
    calls: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    too_slow: list[tuple[str, float, str]] = field(default_factory=list)

    def read(self, text: str, functions: dict[str, Callable[[str], object]]) -> None:
        """Run all functions on one text."""
        for name, function in functions.items():
            reached = text[: reach_of(name)]
            for attempt in range(1, TRIES + 1):
                started_s = time.thread_time()
                try:
                    function(reached)
                except Exception as error:
                    self._note(name, error, reached)
                spent_s = time.thread_time() - started_s
                if spent_s <= MAX_S + MAX_S_PER_CHAR * len(reached):
                    break
                if attempt == TRIES:
                    self.too_slow.append((name, spent_s, reached))
            self.calls += 1
            if spent_s > self.slowest.get(name, (0.0, ""))[0]:
                self.slowest[name] = spent_s, reached
            for place in UNREADABLE:
                self.failed[f"{name}: left unread by {place}"] += UNREADABLE[place]
                self.examples.setdefault(f"{name}: left unread by {place}", reached)
            UNREADABLE.clear()

    def _note(self, name: str, error: Exception, text: str) -> None:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        key = f"{name}: {type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
        self.failed[key] += 1
        if len(text) < len(self.examples.get(key, text + " ")):
            self.examples[key] = text


def sweep(
    texts: Sequence[str], *, mutations: float, seed: int, functions: dict[str, Callable[[str], object]]
) -> Findings:
    """Read texts and mutations of them; `mutations` is the mean number of each."""
    chance, findings = random.Random(seed), Findings()
    for text in texts:
        findings.read(text, functions)
        findings.texts += 1
        for _ in range(int(mutations) + (chance.random() < mutations % 1)):
            changed = mutated(text, chance.choice(texts), chance)
            # A text with characters that cannot be stored is refused at every door.
            if text_problem(changed, LIMITS.text_chars) is None:
                findings.read(changed, functions)
                findings.mutations += 1
    return findings


async def _tagged(texts: Sequence[str], findings: Findings) -> None:
    tagger = await load_local_tagger(cache_dir=CACHE)
    try:
        for start in range(0, len(texts), 64):
            part = texts[start : start + 64]
            for text, tags in zip(part, await tagger.fact_tags(part), strict=True):
                findings.read(text, {"the whole reader, with tags": lambda text, tags=tags: whole_reader(text, tags)})
    finally:
        tagger.close()


def main() -> int:
    """Print the findings as JSON; return 1 if any text failed or was too slow."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--mutations", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[""])
    parser.add_argument("--tags", action="store_true")
    chosen = parser.parse_args()
    every = texts_in([OWN_SETS, MESSAGES, *chosen.paths])
    chance = random.Random(chosen.seed)
    texts = [text for text in every if chance.random() < chosen.share]
    functions = {name: one for name, one in readers().items() if any(part in name for part in chosen.only)}
    findings = sweep(texts, mutations=chosen.mutations, seed=chosen.seed, functions=functions)
    if chosen.tags:
        asyncio.run(_tagged(texts, findings))
    slowest = sorted(((spent, name, text) for name, (spent, text) in findings.slowest.items()), reverse=True)[:10]
    report = {
        "texts": len(every),
        "read": findings.texts,
        "mutations": findings.mutations,
        "functions": len(functions),
        "calls": findings.calls,
        "failures": {key: {"texts": n, "shortest": findings.examples[key][:300]} for key, n in findings.failed.items()},
        "too_slow": [
            {"function": name, "seconds": round(spent, 3), "chars": len(text), "text": text[:120]}
            for name, spent, text in findings.too_slow
        ],
        "slowest": [
            {
                "function": name,
                "seconds": round(spent, 4),
                "chars": len(text),
                "micros_per_char": round(1e6 * spent / max(len(text), 1), 1),
            }
            for spent, name, text in slowest
        ],
    }
    print(json.dumps(report, ensure_ascii=True, indent=2))
    return 1 if findings.failed or findings.too_slow else 0


if __name__ == "__main__":
    sys.exit(main())
