"""GraphQL: an admin's own Cypher, which can only read."""

from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.analyst_queries import AnalystStatement, json_ready


@strawberry.type(description="What a Cypher statement gave.")
class CypherAnswer:
    """What a Cypher statement gave."""

    columns: list[str] = strawberry.field(description="Names of the columns, in order.")
    rows: JSON = strawberry.field(description="A list of rows, each a list of values in the order of the columns.")
    cut: str | None = strawberry.field(description="Why rows are missing; null when all are here.")
    took_ms: float = strawberry.field(description="How long it took.")


@strawberry.type
class AnalystQuery:
    """What admins can ask of the graph."""

    @strawberry.field(
        description="Runs one Cypher statement that can only read, and is stopped when it takes too much time, memory "
        "or rows. It sees the memories of all tenants, so it is for admins of the whole installation."
    )
    async def cypher(
        self,
        info: Info[Any, None],
        statement: Annotated[str, strawberry.argument(description="Cypher; hand values in as parameters.")],
        parameters: Annotated[JSON | None, strawberry.argument(description="An object: values by name.")] = None,
        timeout_s: Annotated[float | None, strawberry.argument(description="Stop earlier than allowed.")] = None,
        rows: Annotated[int | None, strawberry.argument(description="At most so many rows.")] = None,
    ) -> CypherAnswer:
        """Run one Cypher statement that can only read."""
        memory = memory_of(info)
        given: Any = {} if parameters is None else parameters
        question = AnalystStatement(statement=statement, parameters=given, timeout_s=timeout_s, rows=rows)
        answer = await memory.analyst.ask(question)
        return CypherAnswer(
            columns=list(answer.columns), rows=json_ready(answer.rows), cut=answer.cut, took_ms=answer.took_ms
        )
