"""Arguments with which each root field and route is called with another tenant's elements.

`$KIND` stands for every element of that kind: `$thing` is replaced by ids and URIs of every kind, `$id` by ids of every
kind. A new root field or route needs a case here; a test fails otherwise.
"""

from typing import Any, Final

_SAID: Final = {"role": "USER", "text": "Something quite different.", "time": "2026-03-02T12:00:00Z"}
_ASKED: Final = "zanzibar quokkas"
# Later than everything stored there.
_THEN: Final = "2026-06-01T00:00:00Z"

QUERIES: Final[dict[str, list[dict[str, Any]]]] = {
    "ask": [{"userId": "$user", "query": _ASKED}, {"agentId": "$agent", "query": _ASKED}],
    "changesSince": [{"seq": 0}, {"seq": 0, "userId": "$user"}, {"seq": 0, "userId": "$user", "waitS": 0.1}],
    "context": [
        {"userId": "$user", "query": _ASKED},
        {"userId": "$user", "query": _ASKED, "sessionId": "$session"},
        {"agentId": "$agent", "query": _ASKED},
    ],
    "conversation": [{"userId": "$user"}, {}],
    "corrections": [{"userId": "$user"}],
    "cypher": [{"statement": "MATCH (n) RETURN count(n)"}],
    "deadLetters": [{}],
    "entities": [{"userId": "$user"}],
    "entity": [{"id": "$thing"}],
    "fact": [{"id": "$thing"}, {"id": "$other", "asOf": _THEN}],
    "factEvents": [{"userId": "$user", "sessionId": "$session"}],
    "factHistory": [{"id": "$thing"}],
    "facts": [
        {"userId": "$user"},
        {"userId": "$user", "asOf": _THEN, "includeClosed": True},
        {"userId": "$user", "sessionId": "$session"},
        {"userId": "$user", "agentId": "$agent", "category": "PREFERENCES", "where": {"x": None}},
        {"userId": "$user", "tags": ["kxq-tag"]},
    ],
    "graph": [{"userId": "$user"}, {}],
    "isRead": [{"userId": "$user"}, {"userId": "$user", "sessionId": "$session"}],
    "item": [
        {"namespace": ["shelf"], "key": "zebra"},
        {"namespace": ["shelf"], "key": "zebra", "userId": "$user", "refreshTtl": True},
    ],
    "itemNamespaces": [{}, {"userId": "$user"}, {"prefix": ["*"]}],
    "items": [
        {},
        {"userId": "$user"},
        {"namespace": ["shelf"], "query": _ASKED},
        {"userId": "$user", "where": {"who": "Ximena"}},
    ],
    "jobStatus": [{}],
    "jobs": [{}],
    "layer": [{"uri": "$thing"}, {"uri": "$thing", "level": "L0"}, {"uri": "$thing", "level": "L2"}],
    "merges": [{"userId": "$user"}],
    "message": [
        {"userId": "$user", "sessionId": "$session", "id": "$thing"},
        {"userId": "$user", "sessionId": "$session", "id": "$message"},
    ],
    "messages": [
        {"userId": "$user"},
        {},
        {"userId": "$user", "sessionId": "$session", "newestFirst": True},
        {"userId": "$user", "tags": ["kxq-tag"], "where": {"NOT": {"a": 1}}},
    ],
    "neighbors": [{"id": "$thing"}, {"id": "$thing", "userId": "$user"}],
    "node": [{"id": "$thing"}],
    "path": [{"source": "$id", "target": "$other"}, {"source": "$other", "target": "$other", "asOf": _THEN}],
    "profile": [
        {"userId": "$user"},
        {"userId": "$user", "agentId": "$agent"},
        {"userId": "$user", "asOf": _THEN},
        {"agentId": "$agent"},
    ],
    "questions": [{"userId": "$user"}, {}, {"ids": ["$id"]}],
    "recallCases": [{"userId": "$user"}],
    "quarantine": [{}],
    "recall": [
        {"userId": "$user", "query": _ASKED, "evidence": 5},
        {"userId": "$user", "query": "She likes it, does she?", "sessionId": "$session"},
        {"userId": "$user", "query": _ASKED, "filter": {"inSession": "$session"}},
        {"userId": "$user", "query": _ASKED, "filter": {"agentId": "$agent"}},
        {"userId": "$user", "query": _ASKED, "filter": {"entities": ["Quokka"]}},
        {"userId": "$user", "query": _ASKED, "filter": {"tags": ["kxq-tag"]}},
        {"userId": "$user", "query": _ASKED, "where": {"NOT": {"a": 1}}},
        {"agentId": "$agent", "query": _ASKED},
    ],
    "contradictions": [{"userId": "$user"}],
    "reviewCards": [{"userId": "$user"}],
    "scene": [{"id": "$thing"}],
    "scenes": [
        {"userId": "$user"},
        {"userId": "$user", "tags": ["kxq-tag"]},
        {"userId": "$user", "sessionId": "$session"},
    ],
    "session": [{"userId": "$user", "sessionId": "$session"}],
    "sessions": [{"userId": "$user"}],
    "shortTerm": [{"userId": "$user", "sessionId": "$session"}],
    "spool": [{}],
    "stats": [{"userId": "$user"}, {}],
    "suggestedMerges": [{"userId": "$user"}, {}],
    "usage": [{}],
    "user": [{"userId": "$user"}, {"userId": "$user", "validAt": _THEN}],
    "timeline": [{"userId": "$user"}, {"userId": "$user", "asOf": _THEN}],
    "users": [{}, {"prefix": "kxq"}],
}

MUTATIONS: Final[dict[str, list[dict[str, Any]]]] = {
    "addFact": [
        {"input": {"userId": "$user", "predicate": "PREFERS", "object": "kestrels", "statement": "Kestrels are liked."}}
    ],
    "allowMerge": [{"id": "$thing"}],
    "beginQuarantine": [{"mode": "CLOSED", "reason": "a test"}],
    "cancelJobs": [{"ids": ["$thing"]}],
    "closeSession": [{"userId": "$user", "sessionId": "$session"}],
    "confirmFact": [{"id": "$thing"}],
    "dropSpooled": [{"number": "$number"}],
    "endQuarantine": [{}],
    "exportGraph": [{"format": "JSONL"}, {"format": "GRAPHML"}],
    "forget": [
        {"userId": "$user", "where": {"NOT": {"a": 1}}},
        {"userId": "$user", "before": _THEN, "sessionId": "$session"},
        {"userId": "$user", "tags": ["kxq-tag"], "dryRun": True},
    ],
    "forgetEntity": [{"id": "$thing"}],
    "forgetFact": [{"id": "$thing"}],
    "forgetMessage": [{"id": "$thing"}],
    "forgetScene": [{"id": "$thing"}],
    "forgetSession": [{"userId": "$user", "sessionId": "$session"}],
    "forgetUser": [{"userId": "$user"}],
    "generateLayers": [{"userId": "$user"}, {"userId": "$user", "sessionId": "$session"}],
    "indexMemories": [{"userId": "$user", "sessionId": "$session"}],
    # Whoever has the file may import it; the source tenant must not be affected.
    "importGraph": [{"text": "$export"}],
    "mergeEntities": [{"keepId": "$thing", "mergeId": "$other", "reason": "they are one"}],
    "pauseSpool": [{"paused": False}],
    "pinFact": [{"id": "$thing"}],
    "putItems": [
        {"items": [{"namespace": ["shelf"], "key": "zebra", "value": 1}]},
        {"items": [{"namespace": ["shelf"], "key": "zebra", "value": 1, "userId": "$user", "ifVersion": 1}]},
        {"items": [{"namespace": ["shelf"], "key": "zebra"}]},
    ],
    "judgeRecall": [{"questionId": "$id", "elementId": "$thing", "wanted": True}],
    "rejectFact": [{"id": "$thing"}],
    "rejectMerge": [{"firstId": "$thing", "secondId": "$other"}],
    "reextractScenes": [{"userId": "$user"}],
    "remember": [
        {"input": {"userId": "$user", "sessionId": "$session", "messages": [_SAID]}},
        {"input": {"userId": "$user", "sessionId": "$session", "messages": [{**_SAID, "id": "$message"}]}},
        {"input": {"userId": "$user", "sessionId": "$session", "agentId": "$agent", "messages": [_SAID]}},
        {"input": {"userId": "$user", "sessionId": "$session", "messages": [{**_SAID, "tags": ["kxq-tag"]}]}},
        {"input": {"agentId": "$agent", "sessionId": "$session", "messages": [_SAID]}},
        {
            "input": {
                "userId": "$user",
                "sessionId": "$session",
                "messages": [_SAID],
                "facts": [
                    {
                        "subject": "user",
                        "predicate": "RELATES_TO",
                        "relation": "fish supplier",
                        "object": "Riyaad",
                        "statement": "They buy their fish from Riyaad.",
                        "replaces": ["$thing"],
                    }
                ],
            }
        },
    ],
    "reopenFact": [{"id": "$thing", "reason": "it still holds"}],
    "retryDeadLetter": [{"id": "$thing"}],
    "retryDeadLetters": [{"ids": ["$thing"]}, {}],
    "retrySpooled": [{"number": "$number"}],
    "setMessage": [
        {"userId": "$user", "sessionId": "$session", "id": "$thing", "text": "Something else."},
        {"userId": "$user", "sessionId": "$session", "id": "$message", "metadata": {"n": 1}},
    ],
    "splitEntity": [{"id": "$thing"}],
    "sync": [{"dryRun": False}],
    "undoCorrection": [{"id": "$thing"}],
    "updateFact": [
        {"id": "$thing", "statement": "Something quite different."},
        {"id": "$thing", "statement": "Something quite different.", "ifVersion": 1},
    ],
}

SUBSCRIPTIONS: Final[dict[str, list[dict[str, Any]]]] = {
    "graphChanged": [{}, {"userId": "$user"}, {"since": "$seq", "epoch": "$epoch"}],
}

# By path; parameters that are not in the path go into the query.
ROUTES: Final[dict[str, list[dict[str, Any]]]] = {
    "/api/evidence/{element_id}": [{"element_id": "$id"}],
    "/api/explore/around/{node_id}": [{"node_id": "$id"}, {"node_id": "$id", "user": "$user"}],
    "/api/explore/at": [{}, {"user": "$user"}],
    "/api/explore/changes": [{}, {"user": "$user"}],
    "/api/explore/totals": [{}, {"user": "$user"}],
    "/api/explore/communities": [{}, {"user": "$user"}],
    "/api/explore/community/{community_id}": [{"community_id": "$id"}],
    "/api/explore/path": [{"source": "$id", "target": "$other"}],
    "/api/explore/search": [{"q": "Quokka"}, {"q": "Quokka", "user": "$user"}],
    "/api/explore/causes/{element_id}": [{"element_id": "$id"}, {"element_id": "$id", "user": "$user"}],
    "/api/neighborhood": [{"node": "$thing"}, {"node": "$other", "as_of": _THEN}],
    "/api/snapshot": [{}, {"user": "$user"}],
}
# They return nothing about a memory.
ROUTES_WITHOUT_MEMORIES: Final = frozenset(
    {
        "/",
        "/health",
        "/metrics",
        "/ready",
        "/openapi.json",
        "/graphql",
        "/mcp",
        "/mcp/",
        "/live",
        "/api/access",
        "/api/sign-in",
        "/api/sign-out",
    }
)

# First frames of a viewer, and frames after its hello; `$epoch` and `$seq` are of the other tenant's log.
HELLOS: Final[list[dict[str, Any]]] = [
    {"scope": {"tenant": "$tenant"}},
    {"scope": {"tenant": "$tenant", "user": "$user"}},
    {"scope": {"tenant": "$tenant"}, "resume": {"epoch": "$epoch", "seq": "$seq"}},
    {"scope": {"user": "$user"}},
    {"scope": {}, "resume": {"epoch": "$epoch", "seq": "$seq"}},
]
FRAMES: Final[dict[str, list[dict[str, Any]]]] = {
    "ack": [{"seq": "$seq"}],
    "place": [
        {"places": [["$id", [1.0, 2.0, 0.0]]]},
        {"user": "$user", "view": "graph", "places": [["$id", [5.0, 6.0, 1.0]]]},
    ],
    "resync": [{"reason": "$user"}],
    "scope": [{"user": "$user"}],
    # A selection of an element that the viewer cannot see is sent to its own tenant only.
    "selection_sync": [{"clock": 1, "ids": ["$id"], "focus": "$id"}],
}
