"""GraphQL: today's questions about a memory. They are settled by the mutations for corrections and merges."""

from datetime import date, datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.memory.curation.review import CardKind, ReviewCard

strawberry.enum(
    CardKind,
    name="ReviewKind",
    description="CONTRADICTION: two facts exclude each other; SAME: two entities may be one; STILL_TRUE: nobody "
    "mentioned it for long; ONE_SENTENCE: one message is its only evidence.",
)


@strawberry.type(name="ReviewFact", description="A valid fact that no person confirmed.")
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
    importance: int = strawberry.field(description="1 to 10.")
    valid_at: datetime = strawberry.field(description="When it became true.")
    last_seen: datetime = strawberry.field(description="When it was last mentioned.")
    messages: int = strawberry.field(description="Number of evidence messages.")


@strawberry.type(name="ReviewEntity", description="An entity that may be the same as another.")
class ReviewEntityView:
    """An entity that may be the same as another."""

    id: str
    name: str
    aliases: list[str]
    entity_type: str | None


@strawberry.type(name="ReviewCard", description="A question about the memory.")
class ReviewCardView:
    """A question about the memory."""

    id: str = strawberry.field(description="Stays the same until the question is settled.")
    kind: CardKind
    value: float = strawberry.field(description="Usefulness of the answer, 0 to 1.")
    facts: list[ReviewFactView] = strawberry.field(description="The fact; of a contradiction both, older first.")
    entities: list[ReviewEntityView] = strawberry.field(description="For SAME, the one with more facts first.")


@strawberry.type(name="ReviewStack", description="Today's questions about a memory.")
class ReviewStackView:
    """Today's questions about a memory."""

    day: date = strawberry.field(description="The day, in UTC.")
    cards: list[ReviewCardView] = strawberry.field(description="Most useful first; the order stays the same all day.")
    settled_today: int = strawberry.field(description="Corrections and decisions that people made today.")
    left: int = strawberry.field(description="Number of questions that are left, including `cards`.")


@strawberry.type
class ReviewQuery:
    """Queries for review."""

    @strawberry.field(
        description="Questions about one user's memory whose answers make it more reliable. Answer them with "
        "confirmFact, updateFact, rejectFact, mergeEntities or rejectMerge; settled questions are not asked again."
    )
    async def review_cards(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        limit: Annotated[int, strawberry.argument(description="Maximum number of cards, 1 to 50.")] = 12,
    ) -> ReviewStackView:
        """Return today's questions."""
        stack = await memory_of(info).review_stack(info.context["tenant"], user_id, limit=limit)
        return view_of(ReviewStackView, stack, cards=[_card(card) for card in stack.cards])

    @strawberry.field(
        description="Pairs of valid facts in one user's memory that exclude each other, which no person has settled."
    )
    async def contradictions(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
    ) -> list[ReviewCardView]:
        """Return the contradictions."""
        return [_card(card) for card in await memory_of(info).contradictions(info.context["tenant"], user_id)]


def _card(card: ReviewCard) -> ReviewCardView:
    return view_of(
        ReviewCardView,
        card,
        value=round(card.value, 4),
        facts=[view_of(ReviewFactView, fact, messages=fact.evidence_n) for fact in card.facts],
        entities=[view_of(ReviewEntityView, one) for one in card.entities],
    )
