"""Measure precision, recall and F1 of the rule reader on labelled sentences, by language, half and category.

    python -m tests.benchmarks.rule_reader_table [--rules] [--json] [--misses] [--half HALF] [--language LANGUAGE]

The reader is the one without a language model: rules, and the local models that tag facts (`extraction/tagging`).
`--rules` measures the rules alone.

An extracted fact is correct if a label has the same predicate, subject, state (closed or not), object and, if the label
names one, relation; names are compared as the product compares them. Optional facts count neither way. The halves
`tuning` and `kept` are sentences (`rule_sentences_*.tsv`), `development`, `aside`, `fresh` and `later` everyday
messages (`tests/everyday_sets/reading`), `languages` and `languages kept` the odd and the even ones in Spanish, German,
French and Japanese, `spoken` careless messages (`spoken_sentences_*.tsv`), `plain` and `plain
kept` what people say most (`plain_sentences_*.tsv`), `told` and `told kept` (a third) messages of which half say
nothing to store (`told_sentences_*.tsv`). `--misses` shows the errors in `tuning`, `development`, `languages`,
`spoken`, `plain` and `told` only; nothing is tuned on the other parts, whose figures are the ones to quote.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs

from extraction.reader import THE_AGENT, THE_USER, ProposedFact, Reader, SceneLine, SceneText
from extraction.rules.rule_reader import read_by_rules, rules_with_tags
from extraction.tagging.local_tagger import load_local_tagger
from extraction.text.name_forms import forms
from extraction.text.name_spotting import load_words
from schema.ids import MemoryId
from schema.labels import Role

LANGUAGES = ("en", "zh")
# Their messages are in the halves `languages` only.
OTHER_LANGUAGES = ("es", "de", "fr", "ja")
HALVES = ("tuning", "kept")
EVERYDAY_HALVES = ("development", "aside", "fresh", "later")
LANGUAGE_HALVES = ("languages", "languages kept")
SPOKEN = "spoken"
PLAIN_HALVES = ("plain", "plain kept")
TOLD_THIRDS = ("told", "told", "told kept")
TUNED_HALVES = ("tuning", "development", "languages", SPOKEN, "plain", "told")
EVERY_HALF = (*HALVES, *EVERYDAY_HALVES, SPOKEN, *PLAIN_HALVES, *TOLD_THIRDS[1:])
_EVERYDAY = Path(__file__).parents[1] / "everyday_sets" / "reading"
_SUBJECTS = {THE_USER: "user", THE_AGENT: "agent"}
_SAID_AT = datetime(2024, 5, 15, 10, tzinfo=UTC)
_SPEED_SECONDS = 2.0
CACHE = Path(platformdirs.user_cache_dir("mnemoscene"))


@dataclass(frozen=True, slots=True)
class Label:
    """One spelling of an expected fact; each field lists the accepted values."""

    subjects: tuple[str, ...]
    predicate: str
    relations: tuple[str, ...]
    objects: tuple[str, ...]
    closed: bool

    def fits(self, fact: ProposedFact) -> bool:
        """Return whether an extracted fact matches the label."""
        subject = _SUBJECTS.get(fact.subject, fact.subject)
        return (
            fact.predicate == self.predicate
            and fact.closes == self.closed
            and any(_meet(one, subject) for one in self.subjects)
            and (not self.relations or any(_meet(one, fact.relation or "") for one in self.relations))
            and any(_meet(one, fact.object) for one in self.objects)
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """A fact that should be extracted (or may be, if optional); any of the labels may match."""

    labels: tuple[Label, ...]
    optional: bool

    def fits(self, fact: ProposedFact) -> bool:
        return any(label.fits(fact) for label in self.labels)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One line of a file of labelled sentences or messages."""

    category: str
    text: str
    facts: tuple[Expected, ...]
    half: str
    role: Role = Role.USER
    speaker: str | None = None
    said_at: datetime = _SAID_AT
    user_names: tuple[str, ...] = ()


@dataclass(slots=True)
class Score:
    """Counts of one group of sentences, with the errors."""

    sentences: int = 0
    expected: int = 0
    found: int = 0
    read: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.read if self.read else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def add(self, sentence: Sentence, facts: tuple[ProposedFact, ...]) -> None:
        """Count the facts extracted from one sentence."""
        needed = [expected for expected in sentence.facts if not expected.optional]
        allowed = [expected for expected in sentence.facts if expected.optional]
        right = [fact for fact in facts if any(one.fits(fact) for one in needed)]
        false = [fact for fact in facts if not any(one.fits(fact) for one in (*needed, *allowed))]
        missed = [one for one in needed if not any(one.fits(fact) for fact in facts)]
        self.sentences += 1
        self.expected += len(needed)
        self.found += len(needed) - len(missed)
        self.read += len(right) + len(false)
        self.right += len(right)
        if false or missed:
            shown = [f"{fact.subject}|{fact.predicate}:{fact.relation}|{fact.object}" for fact in false]
            wanted = [f"{one.labels[0].predicate}|{one.labels[0].objects[0]}" for one in missed]
            self.wrong.append(f"{sentence.text}  false {shown}  missed {wanted}")


def sentences(language: str) -> list[Sentence]:
    """Return the labelled sentences of one language; odd lines are for tuning, even ones are held out."""
    return _labelled_lines(f"rule_sentences_{language}.tsv", HALVES)


def plain_messages(language: str) -> list[Sentence]:
    """Return the labelled plain messages of one language by half, like `sentences`."""
    return _labelled_lines(f"plain_sentences_{language}.tsv", PLAIN_HALVES)


def spoken_messages(language: str) -> list[Sentence]:
    """Return the labelled careless messages of one language."""
    return _labelled_lines(f"spoken_sentences_{language}.tsv", (SPOKEN,))


def told_messages(language: str) -> list[Sentence]:
    """Return the labelled messages of one language that say little or nothing to store; every third is held out."""
    return _labelled_lines(f"told_sentences_{language}.tsv", TOLD_THIRDS)


def everyday_messages(language: str, half: str) -> list[Sentence]:
    """Return the labelled everyday messages of one language and half."""
    folder = LANGUAGE_HALVES[0] if half in LANGUAGE_HALVES else half
    about, *lines = (_EVERYDAY / folder / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    user_names = tuple(json.loads(about)["user_names"])
    messages = [_message(json.loads(line), half, user_names) for line in lines]
    return messages[LANGUAGE_HALVES.index(half) :: 2] if half in LANGUAGE_HALVES else messages


def scores(language: str, half: str, reader: Reader = read_by_rules) -> dict[str, Score]:
    """Return the score of each category of one half, in the file's order, and of all of them (`all`)."""
    found: dict[str, Score] = {}
    every = Score()
    if half in (*EVERYDAY_HALVES, *LANGUAGE_HALVES):
        labelled = everyday_messages(language, half)
    else:
        said = (
            *sentences(language),
            *spoken_messages(language),
            *plain_messages(language),
            *told_messages(language),
        )
        labelled = [sentence for sentence in said if sentence.half == half]
    for sentence, facts in zip(labelled, asyncio.run(_read(labelled, reader)), strict=True):
        found.setdefault(sentence.category, Score()).add(sentence, facts)
        every.add(sentence, facts)
    return {**found, "all": every}


def messages_per_second(language: str, reader: Reader = read_by_rules) -> float:
    """Return the messages read per second of processor time, over all sentences of a language."""
    texts = sentences(language)
    lines = tuple(_line(text) for text in texts)
    asyncio.run(_read(texts[:1], reader))
    begun, rounds = time.process_time(), 0
    while time.process_time() - begun < _SPEED_SECONDS:
        asyncio.run(_facts(reader, SceneText(user_names=(), agent_names=(), lines=lines)))
        rounds += 1
    return rounds * len(texts) / (time.process_time() - begun)


def _labelled_lines(name: str, halves: tuple[str, ...]) -> list[Sentence]:
    """Return the lines of a file, dealt to the halves in turn."""
    written = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    lines = [line for line in written if not line.startswith("#")]
    return [_sentence(line, halves[number % len(halves)]) for number, line in enumerate(lines)]


def _sentence(line: str, half: str) -> Sentence:
    category, text, facts = line.split("\t")
    written = [fact for fact in facts.split(" ; ") if fact.strip()]
    return Sentence(category, text.replace(r"\n", "\n"), tuple(_expected(fact.strip()) for fact in written), half)


def _expected(written: str) -> Expected:
    labels = tuple(_label(one.strip()) for one in written.removeprefix("?").split(" / "))
    return Expected(labels, optional=written.startswith("?"))


def _label(written: str) -> Label:
    subjects, predicate, objects, *state = written.split("|")
    predicate, _, relations = predicate.partition(":")
    return Label(
        subjects=tuple(subjects.split("~")),
        predicate=predicate,
        relations=tuple(relations.split("~")) if relations else (),
        objects=tuple(objects.split("~")),
        closed=bool(state),
    )


def _message(written: dict[str, Any], half: str, user_names: tuple[str, ...]) -> Sentence:
    return Sentence(
        category=written["category"],
        text=written["text"],
        facts=tuple(_expected_object(fact) for fact in written["facts"]),
        half=half,
        role=Role(written["role"]),
        speaker=written["speaker"],
        said_at=datetime.fromisoformat(written["time"]),
        user_names=user_names,
    )


def _expected_object(written: dict[str, Any]) -> Expected:
    labels = tuple(_label_object(one) for one in (written, *written.get("or", ())))
    return Expected(labels, optional=written.get("optional", False))


def _label_object(written: dict[str, Any]) -> Label:
    relation = written.get("relation")
    return Label(
        subjects=tuple(written["subject"].split("~")),
        predicate=written["predicate"],
        relations=tuple(relation.split("~")) if relation else (),
        objects=tuple(written["object"].split("~")),
        closed=not written["holds"],
    )


def _meet(one: str, other: str) -> bool:
    return not forms(one).isdisjoint(forms(other))


def _line(said: Sentence) -> SceneLine:
    return SceneLine(
        message_id=MemoryId("m"), role=said.role, speaker=said.speaker, text=said.text, said_at=said.said_at
    )


async def _facts(reader: Reader, scene: SceneText) -> tuple[ProposedFact, ...]:
    return (await reader(scene)).facts


async def _read(said: Sequence[Sentence], reader: Reader) -> list[tuple[ProposedFact, ...]]:
    """Return the facts of each sentence, read alone."""
    scenes = [SceneText(user_names=one.user_names, agent_names=(), lines=(_line(one),)) for one in said]
    return [await _facts(reader, scene) for scene in scenes]


def _figures(score: Score) -> dict[str, float]:
    return {
        "sentences": score.sentences,
        "facts": score.expected,
        "read": score.read,
        "precision": round(score.precision, 3),
        "recall": round(score.recall, 3),
        "f1": round(score.f1, 3),
    }


def main() -> None:
    """Print the table, or the same figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--half", choices=(*EVERY_HALF, *LANGUAGE_HALVES), help="only this half")
    parser.add_argument("--language", choices=(*LANGUAGES, *OTHER_LANGUAGES), help="only this language")
    parser.add_argument("--rules", action="store_true", help="the rules alone")
    asked = parser.parse_args()
    load_words()
    reader = read_by_rules if asked.rules else rules_with_tags(asyncio.run(load_local_tagger(cache_dir=CACHE)))
    languages = (asked.language,) if asked.language else (*LANGUAGES, *OTHER_LANGUAGES)
    every = {
        (language, half): scores(language, half, reader)
        for language in languages
        for half in (EVERY_HALF if language in LANGUAGES else LANGUAGE_HALVES)
        if asked.half in (None, half)
    }
    timed = [language for language in languages if language in LANGUAGES and asked.half is None]
    speed = {language: round(messages_per_second(language, reader)) for language in timed}
    say = sys.stdout.write
    if asked.json:
        table = [
            {"language": language, "half": half, "category": category, **_figures(score)}
            for (language, half), found in every.items()
            for category, score in found.items()
        ]
        say(json.dumps({"table": table, "messages_per_cpu_second": speed}, indent=1) + "\n")
        return
    say("language  half         category      sentences  facts  read  precision  recall     f1\n")
    for (language, half), found in every.items():
        for category, score in found.items():
            say(
                f"{language:8}  {half:11}  {category:12}  {score.sentences:9}  {score.expected:5}  {score.read:4}  "
                f"{score.precision:9.3f}  {score.recall:6.3f}  {score.f1:5.3f}\n"
            )
    say("".join(f"{language}: {rate} messages per processor second\n" for language, rate in speed.items()))
    for (language, half), found in every.items() if asked.misses else ():
        if half in TUNED_HALVES:
            say("".join(f"{language} {half}: {wrong}\n" for wrong in found["all"].wrong))


if __name__ == "__main__":
    main()
