"""The summary-writer ports, for scenes and for sessions, and their implementations by a language model."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate, takewhile
from typing import Final

from extraction.extractive_summary import OVERVIEW_TOKENS_MAX, SummarizedScene, Summary, token_count
from extraction.llm.language_model import LanguageModel, Prompt
from extraction.llm.output_schemas import SummaryReading
from extraction.llm.prompts import as_data, filled_prompt
from extraction.llm.scene_reader import conversation_of, names_of_both
from extraction.reader import SceneText
from schema.errors import MisreadError

TITLE_CHARS_MAX: Final = 80
ABSTRACT_TOKENS_MAX: Final = 200
# The overview of a shorter scene would not be shorter than its messages.
SCENE_TOKENS_MIN: Final = 200
# Of a session with more scenes, the longest are summarised.
SESSION_SCENES_MAX: Final = 60
# Length of each scene's overview in the prompt.
_SCENE_OVERVIEW_CHARS: Final = 1_200


LayerWriter = Callable[[SceneText], Awaitable[Summary]]
SessionWriter = Callable[[Sequence[SummarizedScene]], Awaitable[Summary]]


def model_layer_writer(model: LanguageModel) -> LayerWriter:
    """Return a writer that uses this model; one request per scene, in the language of the conversation.

    Raises:
        UnavailableError, InstallError, MisreadError: by the writer; see `LanguageModel.answer`.
    """
    return lambda scene: _written(model, layers_prompt(scene))


def model_session_writer(model: LanguageModel) -> SessionWriter:
    """Return a writer that uses this model; one request per session, in the language of its scenes.

    Raises:
        UnavailableError, InstallError, MisreadError: by the writer; see `LanguageModel.answer`.
    """
    return lambda scenes: _written(model, session_layers_prompt(scenes))


async def _written(model: LanguageModel, prompt: Prompt) -> Summary:
    answer = await model.answer(prompt, SummaryReading)
    value = answer.value
    if answer.cut or not (value.title and value.abstract and value.overview):
        raise MisreadError(f"model {model.name!r} did not write a complete overview; an extractive one is used")
    return Summary(
        title=value.title[:TITLE_CHARS_MAX],
        abstract=_within(value.abstract, ABSTRACT_TOKENS_MAX),
        overview=_within(value.overview, OVERVIEW_TOKENS_MAX),
        made_by=answer.model or model.name,
    )


def worth_writing(scene: SceneText) -> bool:
    """Return whether a scene is long enough for an overview: at least `SCENE_TOKENS_MIN` tokens."""
    return any(total >= SCENE_TOKENS_MIN for total in accumulate(token_count(line.text) for line in scene.lines))


def layers_prompt(scene: SceneText) -> Prompt:
    """Return the prompt `write_layers` for this scene."""
    user, assistant = names_of_both(scene)
    return filled_prompt("write_layers", user=user, assistant=assistant, conversation=conversation_of(scene))


def session_layers_prompt(scenes: Sequence[SummarizedScene]) -> Prompt:
    """Return the prompt `write_session_layers` for the scenes of a session; of many, only the longest."""
    longest = sorted(range(len(scenes)), key=lambda place: (-scenes[place].messages, place))[:SESSION_SCENES_MAX]
    rows = [
        as_data(
            {
                "date": f"{scene.start:%Y-%m-%d}",
                "title": scene.title,
                "abstract": scene.abstract,
                "overview": scene.overview[:_SCENE_OVERVIEW_CHARS],
            }
        )
        for scene in (scenes[place] for place in sorted(longest))
    ]
    return filled_prompt("write_session_layers", scenes="\n".join(rows))


def _within(text: str, tokens_max: int) -> str:
    """Truncate a text to whole lines; if the first one is too long, to `tokens_max` characters."""
    lines = text.splitlines()
    totals = accumulate(map(token_count, lines))
    kept = [line for line, _ in zip(lines, takewhile(lambda total: total <= tokens_max, totals), strict=False)]
    return "\n".join(kept).strip() or text[:tokens_max]
