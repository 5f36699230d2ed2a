"""Test that proposals outside the whitelist are refused and counted."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from extraction.reader import THE_USER, ProposedFact, Quote, Reading
from graph_service.memory.consolidation.proposal_check import check
from graph_service.memory.ingest.validation import RememberRequest, check_request
from schema.entity import an_entity, the_user
from schema.ids import TenantId, UserId
from schema.predicates import allowed, whitelist
from tests.support.builders import NOON, a_message

TENANT, USER = TenantId("t"), UserId("alice")
BEINGS = {THE_USER: the_user(TENANT, USER), "tea": an_entity(TENANT, USER, "tea")}
MESSAGES = check_request(
    TENANT, RememberRequest(user_id="alice", session_id="s", messages=(a_message(),)), now=NOON
).episode.messages

proposals = st.builds(
    ProposedFact,
    subject=st.sampled_from([THE_USER, "tea", "nobody"]),
    predicate=st.sampled_from([*whitelist(), "WORSHIPS", "DROP TABLE", ""]),
    object=st.sampled_from([THE_USER, "tea", "nobody"]),
    statement=st.sampled_from(["Alice likes tea.", "", " "]),
    quotes=st.lists(
        st.builds(
            Quote, line=st.integers(-1, 2), start=st.none() | st.integers(-5, 50), end=st.none() | st.integers(-5, 50)
        ),
        max_size=2,
    ).map(tuple),
    strength=st.floats(allow_nan=True),
    confidence=st.floats(0, 1),
    valid_at=st.none() | st.just(datetime(2026, 1, 1)),
)


@given(st.lists(proposals, max_size=10))
def test_only_whitelisted_facts_are_accepted(facts: list[ProposedFact]) -> None:
    accepted, rejected = check(Reading(reader="rules", facts=tuple(facts)), MESSAGES, BEINGS)
    assert len(accepted) + len(rejected) == len(facts)
    for fact in accepted:
        assert allowed(fact.subject.label, fact.predicate, fact.object.label)
        assert fact.proofs
        assert 0 <= fact.base_strength <= 1
        for proof in fact.proofs:
            assert proof.quote_start is None or MESSAGES[0].text[proof.quote_start : proof.quote_end]


def test_excess_facts_are_dropped_and_counted() -> None:
    fact = ProposedFact(subject=THE_USER, predicate="PREFERS", object="tea", statement="x", quotes=(Quote(line=0),))
    accepted, rejected = check(Reading(reader="model", facts=(fact,) * 10_000), MESSAGES, BEINGS)
    assert len(accepted) == 500
    assert len(rejected) == 9_500
