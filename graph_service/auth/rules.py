"""The required access of root fields, routes and WebSocket frames; `mcp/tool.py` derives that of MCP tools.

A test checks that every field, route and frame is listed here; one that is not requires an administrator of every
tenant.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from graph_service.auth.access import Requirement, Role

OPEN: Final = Requirement(role=None)
READ: Final = Requirement(role=Role.READ)
READ_OF_ALL: Final = Requirement(role=Role.READ, every_tenant=True)
WRITE: Final = Requirement(role=Role.WRITE)
ADMIN: Final = Requirement(role=Role.ADMIN)
ADMIN_OF_ALL: Final = Requirement(role=Role.ADMIN, every_tenant=True)

QUERY: Final[Mapping[str, Requirement]] = {
    "ask": READ,
    "changesSince": READ,
    "context": READ,
    "contradictions": READ,
    "conversation": READ,
    "corrections": READ,
    # Reads all tenants.
    "cypher": ADMIN_OF_ALL,
    "deadLetters": ADMIN,
    "entities": READ,
    "entity": READ,
    "fact": READ,
    "factEvents": READ,
    "factHistory": READ,
    "facts": READ,
    "graph": READ,
    "isRead": READ,
    "item": READ,
    "itemNamespaces": READ,
    "items": READ,
    "jobStatus": READ,
    "jobs": ADMIN,
    "layer": READ,
    "merges": READ,
    "message": READ,
    "messages": READ,
    "neighbors": READ,
    "node": READ,
    "path": READ,
    "profile": READ,
    # Those of other credentials only for the role in `recall.questions_seen_by`.
    "questions": READ,
    "quarantine": ADMIN,
    "recall": READ,
    "reviewCards": READ,
    "scene": READ,
    "scenes": READ,
    "session": READ,
    "sessions": READ,
    "shortTerm": READ,
    "spool": ADMIN,
    "stats": READ,
    "suggestedMerges": READ,
    "timeline": READ,
    "usage": ADMIN,
    "user": READ,
    "users": READ,
}

MUTATION: Final[Mapping[str, Requirement]] = {
    "addFact": WRITE,
    "allowMerge": WRITE,
    "beginQuarantine": ADMIN_OF_ALL,
    "cancelJobs": ADMIN,
    "closeSession": WRITE,
    "confirmFact": WRITE,
    "dropSpooled": ADMIN,
    "endQuarantine": ADMIN_OF_ALL,
    "exportGraph": ADMIN,
    "forget": WRITE,
    "forgetEntity": WRITE,
    "forgetFact": WRITE,
    "forgetMessage": WRITE,
    "forgetScene": WRITE,
    "forgetSession": WRITE,
    "forgetUser": ADMIN,
    "generateLayers": WRITE,
    "importGraph": ADMIN,
    "indexMemories": WRITE,
    "mergeEntities": WRITE,
    "pauseSpool": ADMIN_OF_ALL,
    "pinFact": WRITE,
    "putItems": WRITE,
    "rejectFact": WRITE,
    "rejectMerge": WRITE,
    "reextractScenes": ADMIN,
    "remember": WRITE,
    "reopenFact": WRITE,
    "retryDeadLetter": ADMIN,
    "retryDeadLetters": ADMIN,
    "retrySpooled": ADMIN,
    "setMessage": WRITE,
    "splitEntity": WRITE,
    "sync": ADMIN,
    "undoCorrection": WRITE,
    "updateFact": WRITE,
}

SUBSCRIPTION: Final[Mapping[str, Requirement]] = {"graphChanged": READ}

FIELDS: Final[Mapping[str, Mapping[str, Requirement]]] = {
    "query": QUERY,
    "mutation": MUTATION,
    "subscription": SUBSCRIPTION,
}

# Frames sent by viewers.
FRAMES: Final[Mapping[str, Requirement]] = {
    "ack": READ,
    "hello": READ,
    "resync": READ,
    "scope": READ,
    "selection_sync": READ,
}


class Route(NamedTuple):
    """A route and its required access.

    Attributes:
        method: HTTP method, `WEBSOCKET`, or `*` for any.
        path: `{name}` matches one segment, a final `/*` any number of segments.
    """

    method: str
    path: str
    need: Requirement


ROUTES: Final = (
    # The viewer's files contain no user data.
    Route("GET", "/", OPEN),
    Route("GET", "/index.html", OPEN),
    Route("GET", "/mark.svg", OPEN),
    Route("GET", "/sw.js", OPEN),
    Route("GET", "/favicon.ico", OPEN),
    Route("GET", "/assets/*", OPEN),
    Route("GET", "/health", OPEN),
    Route("GET", "/ready", OPEN),
    # Totals over all tenants.
    Route("GET", "/metrics", READ_OF_ALL),
    Route("GET", "/openapi.json", READ),
    Route("GET", "/api/access", READ),
    Route("GET", "/api/snapshot", READ),
    Route("GET", "/api/evidence/{element_id}", READ),
    Route("GET", "/api/neighborhood", READ),
    Route("GET", "/api/explore/around/{node_id}", READ),
    Route("GET", "/api/explore/at", READ),
    Route("GET", "/api/explore/changes", READ),
    Route("GET", "/api/explore/totals", READ),
    Route("GET", "/api/explore/communities", READ),
    Route("GET", "/api/explore/community/{community_id}", READ),
    Route("GET", "/api/explore/path", READ),
    Route("GET", "/api/explore/search", READ),
    Route("GET", "/api/explore/causes/{element_id}", READ),
    Route("POST", "/api/sign-in", OPEN),
    Route("POST", "/api/sign-out", OPEN),
    # Root fields and tools check their own requirements.
    Route("POST", "/graphql", READ),
    Route("WEBSOCKET", "/graphql", READ),
    Route("*", "/mcp", READ),
    Route("*", "/mcp/", READ),
    # The WebSocket checks access itself, to report refusals in frames.
    Route("WEBSOCKET", "/live", OPEN),
)


def field_requirement(operation: str, field: str) -> Requirement:
    """Return the requirement of a GraphQL root field: READ for introspection, ADMIN_OF_ALL for unknown fields."""
    if field.startswith("__"):
        return READ
    return FIELDS[operation].get(field, ADMIN_OF_ALL)


def frame_requirement(name: str) -> Requirement:
    """Return the requirement of a viewer's frame."""
    return FRAMES.get(name, ADMIN_OF_ALL)


def route_requirement(method: str, path: str) -> Requirement:
    """Return the requirement of a request by method and path."""
    if method == "HEAD":
        method = "GET"
    for route in ROUTES:
        if route.method in (method, "*") and _matches(route.path, path):
            return route.need
    return ADMIN_OF_ALL


def _matches(pattern: str, path: str) -> bool:
    wanted, given = pattern.split("/"), path.split("/")
    if wanted[-1] == "*" and len(given) >= len(wanted):
        wanted, given = wanted[:-1], given[: len(wanted) - 1]
    return len(wanted) == len(given) and all(
        part == found or (part.startswith("{") and bool(found)) for part, found in zip(wanted, given, strict=True)
    )
