"""The fact-judge port and its implementation by a language model."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from extraction.llm.language_model import LanguageModel, Prompt
from extraction.llm.output_schemas import VerdictReading, VerdictsReading
from extraction.llm.prompts import as_data, filled_prompt
from schema.fact import AcceptedFact, Claim, Fact
from schema.limits import LIMITS
from schema.zones import day_in

# Maximum number of verdicts used from one answer.
VERDICTS_MAX: Final = 200


class Judgement(StrEnum):
    """Relation of a new fact to a known one; without a judgement, both facts remain valid."""

    SAME = "same"
    COMPLETES = "completes"
    REPLACES = "replaces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A new fact that may conflict with known facts.

    Attributes:
        similar: valid facts about the same subject, most similar first, at most five.
        zone: time zone of the message that states the new fact, in which the model sees days.
    """

    fact: AcceptedFact
    similar: tuple[Fact, ...]
    zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVerdict:
    """The verdict on one new fact.

    Attributes:
        known: claim of the known fact that it repeats, completes or replaces.
        statement: what both facts say, if one completes the other.
    """

    judgement: Judgement
    known: Claim
    statement: str | None = None


# Valid verdicts by the claim of the new fact.
FactVerdicts = Mapping[Claim, FactVerdict]
NOTHING_JUDGED: Final[FactVerdicts] = MappingProxyType({})
FactJudge = Callable[[Sequence[Doubt]], Awaitable[FactVerdicts]]


def model_fact_judge(model: LanguageModel) -> FactJudge:
    """Return a judge that asks this model once about all doubts of a digest.

    The model sees temporary ids only; other ids, and known facts that were not listed for a new fact, are ignored.

    Raises:
        UnavailableError, InstallError, MisreadError: by the judge; see `LanguageModel.answer`.
    """

    async def judge(doubts: Sequence[Doubt]) -> FactVerdicts:
        answer = await model.answer(judge_prompt(doubts), VerdictsReading)
        return verdicts_of(answer.value.verdicts, doubts)

    return judge


def judge_prompt(doubts: Sequence[Doubt]) -> Prompt:
    """Return the prompt `judge_facts` for these doubts."""
    return filled_prompt("judge_facts", facts="\n".join(_line(doubt, number) for number, doubt in enumerate(doubts, 1)))


def verdicts_of(readings: Sequence[VerdictReading], doubts: Sequence[Doubt]) -> dict[Claim, FactVerdict]:
    """Return the valid verdicts, with temporary ids mapped back.

    Only the first verdict on each new fact counts, and verdicts with invented ids are ignored.
    """
    new = {f"n{number}": doubt for number, doubt in enumerate(doubts, 1)}
    verdicts: dict[Claim, FactVerdict] = {}
    for one in readings[:VERDICTS_MAX]:
        doubt = new.get(_id(one.fact))
        known = {f"k{place}": fact for place, fact in enumerate(doubt.similar, 1)} if doubt else {}
        named = known.get(_id(one.known or ""))
        word = one.verdict.strip().casefold()
        if doubt is None or named is None or word not in set(Judgement) or doubt.fact.claim in verdicts:
            continue
        statement = (one.statement or "").strip()
        if word == Judgement.COMPLETES and not 0 < len(statement) <= LIMITS.statement_chars:
            continue
        verdicts[doubt.fact.claim] = FactVerdict(
            judgement=Judgement(word), known=named.claim, statement=statement if word == Judgement.COMPLETES else None
        )
    return verdicts


def _line(doubt: Doubt, number: int) -> str:
    facts: list[tuple[str, AcceptedFact | Fact]] = [(f"n{number}", doubt.fact)]
    facts += [(f"k{place}", fact) for place, fact in enumerate(doubt.similar, 1)]
    new, *known = (
        {"id": name, "statement": fact.statement, "since": day_in(fact.valid_at, doubt.zone)} for name, fact in facts
    )
    return as_data(new | {"known": known})


def _id(text: str) -> str:
    return text.strip().strip("[]").casefold()
