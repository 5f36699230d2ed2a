"""A guide made with OpenAI Agents that knows on Tuesday what a user said on Monday: `python agents_session.py`."""

import asyncio
from typing import Any

from agents import Agent, Runner

from mnemoscene.openai_agents import MnemosceneSession, memory_instructions


async def ask(day: str, text: str, user_id: str, model: Any = None) -> str:
    session = MnemosceneSession(day, user_id=user_id)
    guide = Agent(name="Guide", instructions=memory_instructions("Answer briefly.", user_id=user_id), model=model)
    result = await Runner.run(guide, text, session=session)
    return str(result.final_output)


async def main() -> None:
    print(await ask("monday", "I am allergic to nuts, and I live in Lisbon.", "ana"))
    print(await ask("tuesday", "Where shall I have dinner?", "ana"))


if __name__ == "__main__":
    asyncio.run(main())
