"""What narrows a question beyond words and time: mode, scope, filters, a least score, where to go on. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from graph_service.memory.incoming import text_problem
from schema.ids import memory_id, name_key, session_uri
from schema.labels import Role
from schema.limits import Limits


class Mode(StrEnum):
    """How what was found is ranked."""

    BEST = "best"
    LAYERED = "layered"
    SIMILARITY_IMPORTANCE = "similarity_importance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """Only a part of what a user's memory holds.

    Attributes:
        session_id: only this conversation, and facts that it proves.
        agent_id: only conversations with this agent.
        roles: only what these roles said.
        entities: only what names one of these.
        score_min: only hits with at least this score.
        after: the cursor of the last answer to the same question.
    """

    session_id: str | None = None
    agent_id: str | None = None
    roles: tuple[Role, ...] = ()
    entities: tuple[str, ...] = ()
    score_min: float | None = None
    after: str | None = None

    @property
    def by_element(self) -> bool:
        """Whether it leaves out elements that the indexes find, so that they must find more."""
        return bool(self.agent_id or self.roles or self.entities or self.session_id)

    def parameters(self, tenant: str, user_id: str) -> dict[str, Any]:
        """What `read/recall` is told; null is no limit."""
        session = None if self.session_id is None else memory_id(session_uri(tenant, user_id, self.session_id))
        return {
            "session": session,
            "agent": self.agent_id,
            "roles": [role.value for role in self.roles] or None,
            "about_keys": sorted({name_key(name) for name in self.entities}) or None,
        }

    def problems(self, limits: Limits) -> list[str]:
        """What is wrong with it, in words."""
        texts: Mapping[str, tuple[str, int]] = {
            **({} if self.session_id is None else {"inSession": (self.session_id, limits.id_chars)}),
            **({} if self.agent_id is None else {"agentId": (self.agent_id, limits.id_chars)}),
            **{f"entities[{at}]": (name, limits.name_chars) for at, name in enumerate(self.entities)},
        }
        found = [f"{name} {problem}" for name, (text, most) in texts.items() if (problem := text_problem(text, most))]
        if len(self.entities) > limits.results:
            found.append(f"entities names {len(self.entities)}; name at most {limits.results}")
        return found


EVERYTHING = Narrowing()


def fingerprint(tenant: str, asked: Any) -> str:
    """Everything that makes a question what it is, but how much of the answer is wanted at a time.

    Args:
        asked: a `Question`.
    """
    told = asdict(asked)
    told["narrowed"] = {name: value for name, value in told["narrowed"].items() if name != "after"}
    return repr((tenant, sorted((name, value) for name, value in told.items() if name not in ("limit", "evidence"))))
