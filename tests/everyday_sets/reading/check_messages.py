"""Check the everyday reading sets: JSON, fields, counts, and texts that repeat one another or an older set.

Usage: `python tests/everyday_sets/reading/check_messages.py`. Exits with 1 on a problem.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Any

FOLDERS = {
    **dict.fromkeys(("development", "aside", "fresh", "later"), ("en", "zh")),
    "languages": ("es", "de", "fr", "ja"),
}
TEXTS_PER_FILE = 150
PREDICATES = ("PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO", "CAUSED_BY")
MESSAGE_FIELDS = {"id", "category", "text", "role", "speaker", "time", "facts"}
FACT_FIELDS = {"subject", "predicate", "relation", "object", "holds", "optional", "or", "statement"}
ALIKE_MIN = 0.6
_HERE = Path(__file__).parent
_OLDER = _HERE.parents[1] / "benchmarks"


def fact_problems(fact: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with one fact and its alternatives."""
    if unknown := fact.keys() - FACT_FIELDS:
        yield f"unknown fields {sorted(unknown)}"
    if fact["predicate"] not in PREDICATES:
        yield f"unknown predicate {fact['predicate']}"
    if not isinstance(fact["holds"], bool):
        yield "`holds` is not true or false"
    for name in ("subject", "object", "relation", "statement"):
        if name in fact and not all(part.strip() == part != "" for part in fact[name].split("~")):
            yield f"`{name}` has an empty spelling or a stray space"
    for other in fact.get("or", ()):
        yield from fact_problems(other)


def message_problems(message: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with one message."""
    if message.keys() != MESSAGE_FIELDS:
        yield "missing or unknown fields"
        return
    if message["role"] not in {"user", "assistant"} or not message["text"].strip():
        yield "unknown role or empty text"
    if datetime.fromisoformat(message["time"]).tzinfo is None:
        yield "the time has no zone"
    if message["role"] == "assistant" and any(not fact.get("optional") for fact in message["facts"]):
        yield "a required fact of the assistant"
    for fact in message["facts"]:
        yield from fact_problems(fact)


def threes(text: str) -> frozenset[str]:
    """Return the runs of three characters of a text, without case, spaces and marks."""
    plain = re.sub(r"[\W_]", "", text.lower())
    return frozenset(plain[at : at + 3] for at in range(max(1, len(plain) - 2)))


def main() -> int:
    """Check the files and print their counts."""
    wrong: list[str] = []
    texts: list[tuple[str, frozenset[str]]] = []
    ids = Counter[str]()
    for half, languages in FOLDERS.items():
        for language in languages:
            about, *lines = (_HERE / half / f"{language}.jsonl").read_text("utf-8").splitlines()
            messages = [json.loads(line) for line in lines]
            if json.loads(about).keys() != {"about", "user_names"} or len(messages) != TEXTS_PER_FILE:
                wrong.append(f"{half}/{language}: first line, or not {TEXTS_PER_FILE} messages")
            for message in messages:
                ids[message["id"]] += 1
                texts.append((message["id"], threes(message["text"])))
                wrong += [f"{message['id']}: {problem}" for problem in message_problems(message)]
            facts = [fact for message in messages for fact in message["facts"]]
            needed = [fact for fact in facts if not fact.get("optional")]
            silent = sum(all(fact.get("optional") for fact in message["facts"]) for message in messages)
            print(
                f"{half}/{language}: {len(messages)} messages, {silent} say nothing that must be read "
                f"({sum(not message['facts'] for message in messages)} without any label), {len(needed)} facts "
                f"({sum(not fact['holds'] for fact in needed)} ended), {len(facts) - len(needed)} optional"
            )
            print("  ", dict(sorted(Counter(message["category"] for message in messages).items())))
    for path in sorted(_OLDER.glob("rule_sentences_*.tsv")):
        older = [line.split("\t") for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
        texts += [(f"{path.stem}: {row[1]}", threes(row[1])) for row in older]
    wrong += [f"id {name} is used {times} times" for name, times in ids.items() if times > 1]
    for (name, one), (other_name, other) in combinations(texts, 2):
        if {name, other_name} & ids.keys() and len(one & other) >= ALIKE_MIN * len(one | other):
            wrong.append(f"{name} and {other_name} are alike")
    print("\n".join(wrong), "problems:", len(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
