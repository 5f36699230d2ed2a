"""Store a conversation as an agent would: session by session, with facts if requested."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from graph_service.evaluation.dataset import Conversation, FactSource, Observation, Session, Turn
from graph_service.evaluation.graphql_client import GraphqlClient, wait_until_stored
from graph_service.importers.conversation_files import MESSAGES_A_CALL
from schema.limits import LIMITS

_AGENT: Final = "assistant"
REMEMBER: Final = """
mutation($input: RememberInput!) { remember(input: $input) { messageIds dropped spooled } }
"""
CLOSE: Final = """
mutation($user: String!, $session: String!) { closeSession(userId: $user, sessionId: $session) { state } }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """A conversation in its own tenant.

    Attributes:
        turn_ids: ids of turns by message ids of the service.
        facts_dropped: reasons why provided facts were rejected.
    """

    tenant: str
    conversation: Conversation
    turn_ids: dict[str, str] = field(default_factory=dict)
    facts_dropped: list[str] = field(default_factory=list)


async def store(
    client: GraphqlClient, stored: StoredConversation, facts: FactSource, *, on_messages: Callable[[int], None]
) -> None:
    """Store all sessions in order, and close each.

    Args:
        on_messages: called with the number of messages stored by each call.

    Raises:
        MnemosceneError: the service refused a call.
        UnavailableError: the service does not answer.
    """
    conversation = stored.conversation
    for session in conversation.sessions:
        for call, turns in _calls(conversation, session, facts):
            answer = (await client.ask(stored.tenant, REMEMBER, {"input": call})).data["remember"]
            stored.turn_ids.update(zip(answer["messageIds"], (turn.id for turn in turns), strict=True))
            stored.facts_dropped.extend(answer["dropped"])
            on_messages(len(turns))
        await wait_until_stored(client, stored.tenant)
        await client.ask(stored.tenant, CLOSE, {"user": conversation.user, "session": session.id})


def _calls(
    conversation: Conversation, session: Session, facts: FactSource
) -> Iterator[tuple[dict[str, Any], Sequence[Turn]]]:
    named = len(conversation.speakers) > 0
    for start in range(0, len(session.turns), MESSAGES_A_CALL):
        turns = session.turns[start : start + MESSAGES_A_CALL]
        places = {turn.id: place for place, turn in enumerate(turns)}
        observations = conversation.observations if facts is FactSource.OBSERVATIONS else ()
        in_call = [one for one in observations if one.turn_ids and one.turn_ids[0] in places]
        yield (
            {
                "userId": conversation.user,
                "userName": conversation.user if named else None,
                "agentId": conversation.speakers[1] if len(conversation.speakers) > 1 else None,
                "sessionId": session.id,
                "messages": [_message(conversation, turn) for turn in turns],
                "facts": [fact_of(conversation, one, places) for one in in_call[: LIMITS.facts]],
            },
            turns,
        )


def _message(conversation: Conversation, turn: Turn) -> dict[str, Any]:
    by_user = turn.speaker in ("", conversation.user)
    return {
        "role": "USER" if by_user else "ASSISTANT",
        "text": turn.text,
        "time": turn.said_at.isoformat(),
        "speaker": turn.speaker or None,
        "id": turn.id,
    }


def fact_of(conversation: Conversation, observation: Observation, places: Mapping[str, int]) -> dict[str, Any]:
    """Return an observation as a `FactInput`: a leading speaker becomes the subject, the next word the relation.

    Args:
        places: index of each turn in the call, by id.
    """
    rest, subject = observation.text.strip().rstrip(".。"), None
    for place, speaker in enumerate(conversation.speakers):
        if rest.startswith(speaker):
            subject = ("user", _AGENT)[place] if place < 2 else speaker
            rest = rest.removeprefix(speaker).removeprefix("'s").strip()
            break
    verb, _, thing = rest.partition(" ")
    fact_input = {
        "subject": subject or "user",
        "predicate": "RELATES_TO",
        "object": (thing if subject and thing else rest)[: LIMITS.name_chars].strip() or observation.text[:20],
        "statement": observation.text[: LIMITS.statement_chars],
        "messageIndexes": [places[turn_id] for turn_id in observation.turn_ids if turn_id in places],
    }
    return {**fact_input, "relation": verb[: LIMITS.name_chars]} if subject and thing else fact_input
