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


def _each(need: Requirement, names: str) -> dict[str, Requirement]:
    return dict.fromkeys(names.split(), need)


QUERY: Final[Mapping[str, Requirement]] = {
    # `questions` shows those of other credentials only to the role in `recall.questions_seen_by`.
    **_each(
        READ,
        "ask changesSince context contradictions conversation corrections entities entity fact factEvents factHistory "
        "facts graph isRead item itemNamespaces items jobStatus layer merges message messages neighbors node path "
        "profile questions recall recallCases reviewCards scene scenes session sessions shortTerm stats "
        "suggestedMerges timeline user users",
    ),
    **_each(ADMIN, "deadLetters jobs quarantine spool usage"),
    # Reads all tenants.
    **_each(ADMIN_OF_ALL, "cypher"),
}

MUTATION: Final[Mapping[str, Requirement]] = {
    **_each(
        WRITE,
        "addFact allowMerge closeSession confirmFact forget forgetEntity forgetFact forgetMessage forgetScene "
        "forgetSession generateLayers indexMemories judgeRecall mergeEntities pinFact putItems rejectFact rejectMerge "
        "remember reopenFact setMessage splitEntity undoCorrection updateFact",
    ),
    **_each(
        ADMIN,
        "cancelJobs dropSpooled exportGraph forgetUser importGraph reextractScenes retryDeadLetter retryDeadLetters "
        "retrySpooled sync",
    ),
    **_each(ADMIN_OF_ALL, "beginQuarantine endQuarantine pauseSpool"),
}

SUBSCRIPTION: Final[Mapping[str, Requirement]] = {"graphChanged": READ}

FIELDS: Final[Mapping[str, Mapping[str, Requirement]]] = {
    "query": QUERY,
    "mutation": MUTATION,
    "subscription": SUBSCRIPTION,
}

# Frames sent by viewers.
FRAMES: Final = {**_each(READ, "ack hello resync scope selection_sync"), "place": WRITE}


class Route(NamedTuple):
    """A route and its required access.

    Attributes:
        method: HTTP method, `WEBSOCKET`, or `*` for any.
        path: `{name}` matches one segment, a final `/*` any number of segments.
    """

    method: str
    path: str
    need: Requirement


def _pages(need: Requirement, paths: str) -> list[Route]:
    """Return routes that are read by GET."""
    return [Route("GET", path, need) for path in paths.split()]


ROUTES: Final = (
    # The viewer's files contain no user data.
    *_pages(OPEN, "/ /index.html /mark.svg /sw.js /favicon.ico /assets/* /health /ready"),
    # Totals over all tenants.
    Route("GET", "/metrics", READ_OF_ALL),
    *_pages(READ, "/openapi.json /api/access /api/snapshot /api/evidence/{element_id} /api/neighborhood"),
    *_pages(READ, "/api/explore/around/{node_id} /api/explore/at /api/explore/changes /api/explore/totals"),
    *_pages(READ, "/api/explore/communities /api/explore/community/{community_id} /api/explore/path"),
    *_pages(READ, "/api/explore/search /api/explore/causes/{element_id}"),
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
    return FRAMES.get(name, ADMIN_OF_ALL)


def route_requirement(method: str, path: str) -> Requirement:
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
