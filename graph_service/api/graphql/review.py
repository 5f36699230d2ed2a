"""GraphQL: today's questions about a memory. They are settled by the mutations for corrections and merges."""

from datetime import date, datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, output
from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.memory.curation.review import CardKind, ReviewCard

strawberry.enum(
    CardKind,
    name="ReviewKind",
    description="CONTRADICTION: two facts exclude each other; SAME: two entities may be one; STILL_TRUE: nobody "
    "mentioned it for long; ONE_SENTENCE: one message is its only evidence.",
)


@output(name="ReviewFact")
class ReviewFactView:
    """A valid fact that no person confirmed."""

    id: str
    statement: str
    predicate: str
    relation: str | None
    subject_id: str
    subject: str
    object_id: str
    object: str
    strength: float
    confidence: float
    importance: int = about("1 to 10.")
    valid_at: datetime = about("When it became true.")
    last_seen: datetime = about("When it was last mentioned.")
    messages: int = about("Number of evidence messages.")


@output(name="ReviewEntity")
class ReviewEntityView:
    """An entity that may be the same as another."""

    id: str
    name: str
    aliases: list[str]
    entity_type: str | None


@output(name="ReviewCard")
class ReviewCardView:
    """A question about the memory."""

    id: str = about("Stays the same until the question is settled.")
    kind: CardKind
    value: float = about("Usefulness of the answer, 0 to 1.")
    facts: list[ReviewFactView] = about("The fact; of a contradiction both, older first.")
    entities: list[ReviewEntityView] = about("For SAME, the one with more facts first.")


@output(name="ReviewStack")
class ReviewStackView:
    """Today's questions about a memory."""

    day: date = about("The day, in UTC.")
    cards: list[ReviewCardView] = about("Most useful first; the order stays the same all day.")
    settled_today: int = about("Corrections and decisions that people made today.")
    left: int = about("Number of questions that are left, including `cards`.")


@strawberry.type
class ReviewQuery:
    """Queries for review."""

    @field
    async def review_cards(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, argument("The user's id.")],
        limit: Annotated[int, argument("Maximum number of cards, 1 to 50.")] = 12,
    ) -> ReviewStackView:
        """Questions about one user's memory whose answers make it more reliable. Answer them with confirmFact,
        updateFact, rejectFact, mergeEntities or rejectMerge; settled questions are not asked again.
        """
        stack = await memory_of(info).review_stack(info.context["tenant"], user_id, limit=limit)
        return view_of(ReviewStackView, stack, cards=[_card(card) for card in stack.cards])

    @field
    async def contradictions(
        self, info: Info[Any, None], user_id: Annotated[str, argument("The user's id.")]
    ) -> list[ReviewCardView]:
        """Pairs of valid facts in one user's memory that exclude each other, which no person has settled."""
        return [_card(card) for card in await memory_of(info).contradictions(info.context["tenant"], user_id)]


def _card(card: ReviewCard) -> ReviewCardView:
    return view_of(
        ReviewCardView,
        card,
        value=round(card.value, 4),
        facts=[view_of(ReviewFactView, fact, messages=fact.evidence_n) for fact in card.facts],
        entities=[view_of(ReviewEntityView, one) for one in card.entities],
    )
