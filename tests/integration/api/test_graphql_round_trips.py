"""Test that any query of depth three takes at most three round trips to Neo4j."""

from graphql import is_required_argument

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.round_trips import counted
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.integration.api.test_graphql_graph import run_query
from tests.integration.memory.facts.test_conflict_resolution import edges, say
from tests.support.builders import a_memory
from tests.support.graphql_selection import selection

ROUND_TRIPS_MAX, DEPTH = 3, 3
# `cypher` runs the analyst's own statement, `layer` may have to generate and store the text, and `quarantine` is
# answered by a running service without the database.
_LEFT_OUT = {"cypher", "layer", "quarantine"}


# Queries that need a user or an agent, whose arguments are therefore both optional.
OF_AN_OWNER = {"ask", "context", "profile", "recall"}


async def test_query_of_depth_three_takes_at_most_three_consecutive_round_trips(graph: Graph, tenant: str) -> None:
    for day, text in enumerate(
        ("I live in Paris.", "I moved to Oslo.", "I love jasmine tea.", "我不再喜欢茉莉花茶了。")
    ):
        await say(graph, tenant, text, day=day)
    known = await edges(graph, tenant)
    nodes = await run_query(
        graph, tenant, '{ graph(userId: "alice") { nodes { id kind } } scenes(userId: "alice") { nodes { id } } }'
    )
    entity = next(one["id"] for one in nodes["graph"]["nodes"] if one["kind"] == "Entity")
    user = next(one["id"] for one in nodes["graph"]["nodes"] if one["kind"] == "User")
    fact = known["Paris"]["id"]
    values = {"userId": "alice", "sessionId": "day-0", "seq": 0, "query": "Where does Alice live?"}
    values |= {"source": user, "target": entity}
    ids = {
        "fact": fact,
        "factHistory": fact,
        "scene": nodes["scenes"]["nodes"][0]["id"],
        "entity": entity,
    }
    memory = a_memory(graph)
    query = graphql_schema._schema.query_type
    assert query is not None
    taken: dict[str, int] = {}
    for name, field in query.fields.items():
        if name in _LEFT_OUT or field.deprecation_reason:
            continue
        given = {
            key: values.get(key, ids.get(name, user))
            for key, arg in field.args.items()
            if is_required_argument(arg) or (name in OF_AN_OWNER and key == "userId")
        }
        heads = ", ".join(f"${key}: {field.args[key].type}" for key in given)
        call = ", ".join(f"{key}: ${key}" for key in given)
        head, named = (f"query({heads})", f"{name}({call})") if given else ("query", name)
        text = f"{head} {{ {named} {selection(field.type, DEPTH - 1)} }}"
        context = {"memory": memory, "tenant": TenantId(tenant)}
        with counted() as trips:
            answer = await graphql_schema.execute(text, variable_values=given, context_value=context)
        assert not answer.errors, (name, answer.errors)
        taken[name] = trips.sent
    # The nodes of `graph` take two at the same time: their facts, and their URIs and attributes. `suggestedMerges`
    # reads the users, then at the same time what people rejected and, after the end of the change log, the entities and
    # the last change. `reviewCards` does so for one user, and reads facts, also after the end of the log, and what was
    # settled. `recallCases` reads the cases and, after their user, what they name.
    at_the_same_time = {"graph": 4, "recallCases": 4, "reviewCards": 7, "suggestedMerges": 5}
    assert {name: sent for name, sent in taken.items() if sent > ROUND_TRIPS_MAX} == at_the_same_time
    # The second reads the metadata of hits, if it is selected.
    assert taken["recall"] == 2
