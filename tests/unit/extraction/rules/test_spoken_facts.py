"""Test facts told in passing: decisions with their reasons, weights, rents, services and pastimes given up."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from extraction.reader import ProposedFact, Reading, SceneLine, SceneText
from extraction.rules.drafts import Speaker
from extraction.rules.tag_facts import tag_drafts
from extraction.rules.tags import Tag
from schema.fact import FactKind
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.readers import read_with_tags, rules_with_tags


def scene(text: str) -> SceneText:
    at = datetime(2026, 8, 20, 10, tzinfo=UTC)
    line = SceneLine(message_id=MemoryId("m"), role=Role.USER, speaker=None, text=text, said_at=at)
    return SceneText(user_names=("Rui",), agent_names=(), lines=(line,))


def facts_in(text: str) -> list[ProposedFact]:
    return list(asyncio.run(read_with_tags(scene(text))).facts)


def tagged(text: str, kind: str, obj: str, subject: str | None = None, *, ended: bool = False) -> Tag:
    def span(part: str) -> tuple[int, int]:
        return text.index(part), text.index(part) + len(part)

    return Tag(kind=kind, subject=span(subject) if subject else None, obj=span(obj), ended=ended, odds=9.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I decided to cancel the gym because it's always packed.", "it's always packed"),
        ("Because the rent is too high, I decided to move out.", "the rent is too high"),
        ("My flatmate never cleans, so I've decided to move out.", "My flatmate never cleans"),
    ],
)
def test_decision_keeps_its_reason(text: str, reason: str) -> None:
    decisions = [one for one in facts_in(text) if one.detail.kind is FactKind.DECISION]
    assert [one.detail.rationale for one in decisions] == [reason]


@pytest.mark.parametrize(
    ("text", "subject", "decided", "count"),
    [
        ("Her husband drinks, so she's decided to leave him.", "husband", "leave him", 0),
        ("Tom's wife works nights, so he's decided to learn to cook.", "Tom's wife", "learn to cook", 0),
        ("My sister got promoted, so she's decided to move to Bonn.", "sister", "move to Bonn", 1),
    ],
)
def test_tagged_decision_of_a_pronoun_is_not_that_of_the_relative(
    text: str, subject: str, decided: str, count: int
) -> None:
    tag = tagged(text, "decided", decided, subject)
    assert len(list(tag_drafts(text, [tag], Speaker(me="@user")))) == count


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("I quit Siemens last month.", "works at"),
        ("I quit my job at Bosch.", "works at"),
    ],
)
def test_quitting_ends_the_use_of_a_service_or_a_job(text: str, relation: str) -> None:
    ended = {one.relation for one in facts_in(text) if one.closes}
    assert ended & {"uses", "works at"} == {relation}


def test_tagged_pastime_given_up_keeps_its_verb() -> None:
    text = "不学钢琴了。"
    ((made, _),) = tag_drafts(
        text, [tagged(text, "hobby", "钢琴", ended=True)], Speaker(me="@user", user_names=("Rui",))
    )
    assert made.statement == "Rui不再学钢琴。"


def test_tagged_value_of_the_rent_is_that_of_the_speaker() -> None:
    text = "The rent went up to 950."
    ((made, _),) = tag_drafts(
        text, [tagged(text, "price", "950", "The rent")], Speaker(me="@user", user_names=("Rui",))
    )
    assert (made.subject, made.relation) == ("@user", "rent")


@pytest.mark.parametrize(("text", "job", "kin"), [("My sister is an assistant.", "assistant", "sister")])
def test_relative_with_a_tagged_job_is_a_relative_of_the_speaker(text: str, job: str, kin: str) -> None:
    class Tagger:
        async def fact_tags(self, texts: Sequence[str]) -> list[list[Tag] | None]:
            return [[tagged(text, "works_as", job, kin)]]

    async def read() -> Reading:
        return await rules_with_tags(Tagger())(scene(text))

    assert {one.statement for one in asyncio.run(read()).facts} == {
        "Rui's sister works as assistant.",
        "Rui has a sister.",
    }


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("ana", "Ana"),
        ("maria-josé", "Maria-josé"),
        ("eBay", "eBay"),
        ("ana@x.org", "ana@x.org"),
        ("u_10001", "the user"),
    ],
)
def test_name_in_lower_case_has_a_capital_wherever_a_statement_has_it(name: str, label: str) -> None:
    assert Speaker(me="@user", user_names=(name,)).label("@user", "the user") == label
