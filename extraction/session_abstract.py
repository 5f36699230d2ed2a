"""The layer texts of a session, made of those of its scenes; no model is asked. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from extraction.abstract import OVERVIEW_TOKENS_MAX, abstract_l0, token_count
from extraction.reading import SceneLine
from extraction.sentences import has_cjk
from schema.ids import MemoryId
from schema.labels import Role

_POINTS_MAX: Final = 6
_BULLET: Final = "- "


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneTold:
    """What a scene tells of itself.

    Attributes:
        messages: how many it holds; the session is named after the scene with most of them.
    """

    title: str
    abstract: str
    overview: str
    start: datetime
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTold:
    """Title, abstract (L0, about 100 tokens) and overview (L1, at most 2,000 tokens) of a session."""

    title: str
    abstract: str
    overview: str


def session_told(scenes: Sequence[SceneTold]) -> SessionTold:
    """The texts of a session; those of its scene when it has only one, empty when it has none."""
    if not scenes:
        return SessionTold(title="", abstract="", overview="")
    if len(scenes) == 1:
        only = scenes[0]
        return SessionTold(title=only.title, abstract=only.abstract, overview=only.overview)
    abstract = abstract_l0([_line(scene) for scene in scenes])
    title = max(scenes, key=lambda scene: scene.messages).title
    return SessionTold(title=title, abstract=abstract, overview=_overview(scenes, abstract))


def _line(scene: SceneTold) -> SceneLine:
    return SceneLine(
        message_id=MemoryId(""), role=Role.USER, speaker=None, text=scene.abstract or scene.title, said_at=scene.start
    )


def _overview(scenes: Sequence[SceneTold], abstract: str) -> str:
    """The summary, then each scene with as many of its key points as its share of the tokens holds."""
    zh = 2 * sum(has_cjk(scene.abstract or scene.title) for scene in scenes) > len(scenes)
    text = f"## {'摘要' if zh else 'Summary'}\n{abstract}\n\n## {'场景' if zh else 'Scenes'}\n"
    left = OVERVIEW_TOKENS_MAX - token_count(text)
    for place, scene in enumerate(scenes):
        share = left // (len(scenes) - place)
        head = f"### {scene.start:%Y-%m-%d} {scene.title}\n"
        cost = token_count(head)
        if cost > left:
            break
        body = ""
        points = [line for line in scene.overview.splitlines() if line.startswith(_BULLET)][:_POINTS_MAX]
        for part in [scene.abstract, *points]:
            # A scene's points repeat sentences of its abstract.
            if part and part.removeprefix(_BULLET) not in body and cost + token_count(part) <= share:
                body += f"{part}\n"
                cost += token_count(part)
        text += f"{head}{body}\n"
        left -= cost
    return text.strip()
