"""Count the model calls and tokens for a thousand messages, with each scene read once.

    python -m tests.benchmarks.bench_model_calls [FILE ...]

Splits the demo's conversations (or those in the files) into scenes as the service does, and reads every scene through
the whole reader chain with the fake endpoint of the tests, which answers with an empty reading. Tokens are estimated
from the prompts: one per Chinese character, 1.3 per word. Prints totals and figures per thousand messages.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from extraction.extractive_summary import token_count
from extraction.llm.reader_chain import model_chain
from extraction.llm.summary_writer import layers_prompt, worth_writing
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from extraction.reader import SceneLine, SceneText
from extraction.rules.rule_reader import read_by_rules
from graph_service.demo.scenario import demo_conversations
from graph_service.importers.reader import read_file
from graph_service.importers.source import FileFormat, Owner
from graph_service.memory.consolidation.segmentation import assign
from graph_service.memory.ingest.validation import RememberRequest, check_request
from schema.ids import TenantId
from tests.support.fake_openai import FakeOpenAI, says

_EMPTY = '{"title": "A scene", "summary": "Somebody spoke."}'


def scenes_of(incoming: RememberRequest) -> list[SceneText]:
    """Return the scenes of one session, as a reader gets them once they are complete."""
    episode = check_request(TenantId("bench"), incoming, now=datetime.now(UTC)).episode
    return [
        SceneText(
            user_names=(incoming.user_name or "user",),
            agent_names=(),
            lines=tuple(
                SceneLine(message_id=m.id, role=m.role, speaker=m.speaker, text=m.text, said_at=m.said_at)
                for m in scene.messages
            ),
        )
        for scene in assign("memory://bench", episode.messages, [])
    ]


async def cost(conversations: Sequence[RememberRequest]) -> Counter[str]:
    """Return the cost of reading all conversations."""
    told: Counter[str] = Counter()
    with FakeOpenAI() as fake:
        model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None))
        read = model_chain(model, read_by_rules)
        for scene in (scene for incoming in conversations for scene in scenes_of(incoming)):
            fake.script.append(says(_EMPTY))
            before = len(fake.requests)
            await read(scene)
            fake.script.clear()
            calls = len(fake.requests) - before
            told.update(messages=len(scene.lines), scenes=1, extraction_calls=calls)
            if calls:
                asked = fake.requests[-1]["messages"]
                told.update(tokens_in=sum(token_count(str(message["content"])) for message in asked))
                if worth_writing(scene):
                    prompt = layers_prompt(scene)
                    told.update(overview_calls=1, tokens_in=token_count(prompt.system) + token_count(prompt.user))
    return told


def main() -> None:
    """Print one line per figure, and the same per thousand messages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    files: list[Path] = parser.parse_args().files
    conversations = [
        incoming
        for file in files
        for incoming in read_file(
            file.read_text("utf-8"), name=file.name, form=FileFormat.AUTO, owner=Owner(user_id="user")
        ).calls
    ]
    told = asyncio.run(cost(conversations or demo_conversations()))
    for name, number in told.items():
        print(f"{name:18} {number:9,}   {1000 * number / told['messages']:12,.1f} for 1,000 messages", file=sys.stdout)


if __name__ == "__main__":
    main()
