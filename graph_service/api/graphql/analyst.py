"""GraphQL: read-only Cypher queries of administrators."""

from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.analyst_queries import AnalystStatement, json_ready


@strawberry.type(description="The result of a Cypher statement.")
class CypherAnswer:
    """The result of a Cypher statement."""

    columns: list[str] = strawberry.field(description="Column names, in order.")
    rows: JSON = strawberry.field(description="A list of rows, each a list of values in column order.")
    truncated: str | None = strawberry.field(description="Why rows are missing; null if the result is complete.")
    took_ms: float = strawberry.field(description="Duration in milliseconds.")


@strawberry.type
class AnalystQuery:
    """Queries of administrators."""

    @strawberry.field(
        description="Run one read-only Cypher statement, bounded in time, memory and rows. It sees all tenants, so it "
        "needs an admin credential for every tenant."
    )
    async def cypher(
        self,
        info: Info[Any, None],
        statement: Annotated[str, strawberry.argument(description="The Cypher text; pass values as parameters.")],
        parameters: Annotated[JSON | None, strawberry.argument(description="Parameter values by name.")] = None,
        timeout_s: Annotated[
            float | None, strawberry.argument(description="A shorter time limit than the configured one.")
        ] = None,
        rows: Annotated[int | None, strawberry.argument(description="Maximum number of rows.")] = None,
    ) -> CypherAnswer:
        """Run one read-only Cypher statement."""
        memory = memory_of(info)
        given: Any = {} if parameters is None else parameters
        question = AnalystStatement(statement=statement, parameters=given, timeout_s=timeout_s, rows=rows)
        answer = await memory.analyst.ask(question)
        return CypherAnswer(
            columns=list(answer.columns),
            rows=json_ready(answer.rows),
            truncated=answer.truncated,
            took_ms=answer.took_ms,
        )
