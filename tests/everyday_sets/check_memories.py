"""Check everyday memories: JSON, ids, order of times, gold messages, and expressions against the texts.

    python tests/everyday_sets/check_memories.py [FILE...]

Checks all memories of this folder by default. Exits with 1 on a problem.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

CATEGORIES = (
    *("current", "former", "at_time", "relation", "two_hop", "preference", "dislike_or_health", "plan_or_date"),
    *("reason", "promise_by_assistant", "list", "other_persons", "single", "cross_language"),
    *("unanswerable_near", "unanswerable_far"),
)
PREDICATES = ("PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO", "CAUSED_BY")
TWO_HOPS = frozenset({"two_hop", "list"})


def problems(memory: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with one memory, in words."""
    messages = {m["id"]: m for session in memory["sessions"] for m in session["messages"]}
    told = [datetime.fromisoformat(m["time"]) for session in memory["sessions"] for m in session["messages"]]
    if len(messages) != len(told):
        yield "two messages have the same id"
    if any(later <= earlier for earlier, later in pairwise(told)):
        yield "the times of the messages do not increase"
    ids = [q["id"] for q in memory["questions"]]
    if len(set(ids)) != len(ids):
        yield "two questions have the same id"
    for question in memory["questions"]:
        for problem in question_problems(question, messages, max(told)):
            yield f"{question['id']}: {problem}"
    sessions = {session["id"]: [m["id"] for m in session["messages"]] for session in memory["sessions"]}
    for at, fact in enumerate(memory["facts"]):
        if fact["predicate"] not in PREDICATES:
            yield f"fact {at}: unknown predicate {fact['predicate']}"
        if fact["session"] not in sessions or not set(fact["messages"]) <= set(sessions[fact["session"]]):
            yield f"fact {at}: its messages are not in its session"
        if not fact["messages"] or not fact["statement"] or not fact["subject"] or not fact["object"]:
            yield f"fact {at}: messages, statement, subject or object is empty"


def question_problems(question: dict[str, Any], messages: dict[str, Any], last: datetime) -> Iterator[str]:
    """Yield what is wrong with one question."""
    if question["category"] not in CATEGORIES:
        yield "unknown category"
    if datetime.fromisoformat(question["asked_at"]) <= last and question["category"] != "plan_or_date":
        yield "asked before the last message"
    if question["answerable"] == question["category"].startswith("unanswerable"):
        yield "category and `answerable` disagree"
    if unknown := {*question["gold_messages"], *question.get("near_messages", ())} - messages.keys():
        yield f"unknown messages {sorted(unknown)}"
    elif question["answerable"]:
        yield from answer_problems(question, messages)
    elif question["gold_messages"] or question["answer"]:
        yield "unanswerable, with an answer"


def answer_problems(question: dict[str, Any], messages: dict[str, Any]) -> Iterator[str]:
    """Yield how the expressions of an answerable question disagree with the messages."""
    gold = [messages[name]["text"] for name in question["gold_messages"]]
    right = [text for text in gold if matches(question["answer"], text)]
    if not gold or not question["answer"]:
        yield "no gold messages or no answer"
    if not right:
        yield "no gold message matches an answer"
    if question["category"] not in TWO_HOPS and len(right) < len(gold) and "note" not in question:
        yield "a gold message matches no answer (say why in `note`, or drop it)"
    if not matches(question["answer"], question.get("answer_text", "")):
        yield "`answer_text` matches no answer"
    allowed = {*question["gold_messages"], *question.get("paraphrase_messages", ())}
    for name in messages.keys() - allowed if "note" not in question else ():
        if matches(question["answer"], messages[name]["text"]):
            yield f"{name} matches an answer too (gold, paraphrase, a narrower expression, or a `note`)"
    for item in question.get("all_of", ()):
        if not any(matches(item, text) for text in gold):
            yield f"no gold message has the item {item}"


def matches(expressions: list[str], text: str) -> bool:
    """Return whether one of the regular expressions is found in a text."""
    return any(re.search(one, text, re.IGNORECASE) for one in expressions)


def main() -> int:
    """Check the files and print their counts."""
    here = Path(__file__).parent
    files = [Path(one) for one in sys.argv[1:]] or sorted(here.glob("*/*.json"))
    wrong, counts = 0, Counter[str]()
    for file in files:
        memory = json.loads(file.read_text("utf-8"))
        counts.update(q["category"] for q in memory["questions"])
        for problem in problems(memory):
            print(f"{file.name}: {problem}")
            wrong += 1
        messages_n = sum(len(session["messages"]) for session in memory["sessions"])
        print(f"{file.name}: {messages_n} messages, {len(memory['questions'])} questions, {len(memory['facts'])} facts")
    print(dict(counts), "problems:", wrong)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
