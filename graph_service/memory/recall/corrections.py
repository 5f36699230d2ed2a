"""Find the messages that a later one of the same speaker corrects: "sorry, 3:45", "I meant Thursday". Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.corrections import Correction, corrections_of
from graph_service.memory.recall.candidates import Candidate
from schema.labels import Role

# Parts of a number, time or Latin word, of which a correction may change some characters.
_IN_VALUE: Final = re.compile(r"[A-Za-zÀ-ÿ\d:.@_-]")
# "1,240", 16:40 and "am 14. Mai" are within a clause, 买的漫步者,花了459 is two.
_CLAUSE: Final = re.compile(
    rf"(?:[^,.;:!?\n，。；：！？]|(?<![{HAN_OR_KANA}])[.,:](?=[^\W{HAN_OR_KANA}])|(?<=\d)\.)+[,.;:!?\n，。；：！？]*"
)


def with_corrections(messages: Sequence[Candidate]) -> list[Candidate]:
    """Return the messages; one that a later one of its speaker corrects is overtaken by it, which has what is meant.

    A correction may begin another session.
    """
    in_order = sorted(messages, key=lambda one: (one.said_at, one.session, one.position))
    said = [((one.role, one.speaker), one.text, one.said_at) for one in in_order]
    found = corrections_of((at for at, one in enumerate(in_order) if one.role == Role.USER), said)
    corrected = {
        in_order[wrong].id: in_order[at].id
        for at, one in found.items()
        for wrong in (one.earlier, *_repetitions(in_order, one, at))
    }
    meant = {in_order[at].id: one.text for at, one in found.items()}
    told = [replace(one, meant=meant[one.id]) if one.id in meant else one for one in messages]
    return [
        replace(one, overtaken_by=corrected[one.id], withdrawn=True) if one.id in corrected else one for one in told
    ]


def _repetitions(messages: Sequence[Candidate], correction: Correction, at: int) -> Iterator[int]:
    """Yield the messages of the assistant, before a correction, that repeat what it withdraws: "Noted: Thursday"."""
    said, meant = messages[correction.earlier].text, correction.text or ""
    start, end = _common(said, meant), _common(said[::-1], meant[::-1])
    end = min(end, len(said) - start, len(meant) - start)
    while start and _IN_VALUE.match(said[start - 1]):
        start -= 1
    while end and _IN_VALUE.match(said[-end]):
        end -= 1
    wrong, right = (text[start : len(text) - end] for text in (said, meant))
    for place in range(correction.earlier + 1, at):
        text = messages[place].text
        if messages[place].role == Role.ASSISTANT and meant and wrong in text and right not in text:
            yield place


def parts_of(said: str, meant: str) -> tuple[str, str] | None:
    """Return the clauses of a corrected text that the correction changes, and the others; None if it has only those."""
    known = frozenset(_CLAUSE.findall(said))
    clauses = _CLAUSE.findall(meant)
    changed, others = ("".join(one for one in clauses if (one in known) is kept) for kept in (False, True))
    return (changed, others) if changed.strip() and others.strip() else None


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, its) in pairs if mine != its), min(len(one), len(other)))
