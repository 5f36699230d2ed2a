"""Reads a scene with a language model: one call, and everything it says traced back to a line of the scene."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from extraction.language_model import LanguageModel, Prompt
from extraction.model_proposals import proposals_of
from extraction.prompt_text import as_data, filled_prompt
from extraction.reading import Reading, SceneText
from extraction.shapes import SceneReading
from extraction.strategy import Strategy, strategy_of
from schema.labels import Label, Role
from schema.limits import LIMITS
from schema.predicates import whitelist

_TITLE_CHARS_MAX: Final = 80


async def read_scene_with_model(scene: SceneText, model: LanguageModel, strategy: Strategy) -> Reading:
    """What the model proposes; facts that no fresh line of the scene proves are dropped and told in `dropped`.

    Raises:
        UnavailableError, MisreadError, InstallError: as the model's port says.
    """
    seen = seen_with(strategy, scene)
    answer = await model.answer(scene_prompt(seen, strategy), SceneReading)
    proposals = proposals_of(answer.value, seen)
    return Reading(
        reader=model.name,
        facts=proposals.facts,
        mentions=proposals.mentions,
        title=answer.value.title[:_TITLE_CHARS_MAX] or None,
        summary=answer.value.summary[: LIMITS.summary_chars] or None,
        calls=answer.calls,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        dropped=proposals.dropped,
        path=("model",),
        cut=answer.cut,
    )


def seen_with(strategy: Strategy, scene: SceneText) -> SceneText:
    """The scene in which only the lines that the strategy reads are fresh; what the system says never is."""
    silent = {Role.SYSTEM} if strategy is not Strategy.USER_ONLY else set(Role) - {Role.USER}
    return replace(
        scene, lines=tuple(replace(line, fresh=line.fresh and line.role not in silent) for line in scene.lines)
    )


def scene_prompt(scene: SceneText, strategy: Strategy | None = None) -> Prompt:
    """The prompt `read_scene` for this scene; its hash goes into provenance.

    Args:
        strategy: what to look for; as who speaks tells, when left out.
    """
    strategy = strategy or strategy_of(scene) or Strategy.DUAL
    user, assistant = names_of_both(scene)
    # A model that could not read the scene with everybody in it gets the user's own words alone.
    shown = {Role.USER} if strategy is Strategy.USER_ONLY else set(Role)
    return filled_prompt(
        "read_scene",
        parts={"attention": f"attention_{strategy.value}"},
        user=user,
        assistant=assistant,
        predicates="\n".join(_predicate_lines()),
        known_names=", ".join(map(as_data, scene.known_names)) or "none",
        conversation=conversation_of(scene, shown),
    )


def names_of_both(scene: SceneText) -> tuple[str, str]:
    """How user and assistant are called, as data for a prompt."""
    user = ", ".join(map(as_data, scene.user_names)) or "not named"
    return user, ", ".join(map(as_data, scene.agent_names)) or "not named"


def conversation_of(scene: SceneText, roles: Collection[Role] = tuple(Role)) -> str:
    """The lines of these roles as data for a prompt, each with its temporary id."""
    return "\n".join(_line(scene, index) for index, line in enumerate(scene.lines) if line.role in roles)


def _predicate_lines() -> list[str]:
    beings = {Label.USER, Label.AGENT, Label.ENTITY}
    lines: list[str] = []
    for predicate in whitelist().values():
        if predicate.subjects & beings:
            relations = f"; relations: {', '.join(sorted(predicate.one))}" if predicate.one else ""
            lines.append(f"- {predicate.name}: {predicate.en} / {predicate.zh}{relations}")
    return lines


def _line(scene: SceneText, index: int) -> str:
    line = scene.lines[index]
    told = {"id": f"m{index + 1}", "speaker": line.speaker, "role": str(line.role)}
    told |= {"time": line.said_at.isoformat(timespec="minutes"), "text": line.text}
    return as_data(told if line.fresh else {**told, "context": True})
