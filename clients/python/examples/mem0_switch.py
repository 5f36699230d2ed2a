"""The chat of mem0's documentation with another import: `python mem0_switch.py`, with the package openai."""

from collections.abc import Callable

from mnemoscene.mem0 import Memory  # Before: from mem0 import Memory

memory = Memory()


def chat_with_memories(message: str, complete: Callable[[list[dict[str, str]]], str], user_id: str) -> str:
    relevant = memory.search(query=message, filters={"user_id": user_id}, top_k=3)
    known = "\n".join(f"- {entry['memory']}" for entry in relevant["results"])
    system = f"You are a helpful AI. Answer the question based on query and memories.\nUser Memories:\n{known}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": message}]
    answer = complete(messages)
    memory.add([*messages[1:], {"role": "assistant", "content": answer}], user_id=user_id)
    return answer


if __name__ == "__main__":
    from openai import OpenAI

    def complete(messages: list[dict[str, str]]) -> str:
        response = OpenAI().chat.completions.create(model="gpt-5-mini", messages=messages)  # type: ignore[arg-type]
        return response.choices[0].message.content or ""

    while True:
        print(chat_with_memories(input("You: "), complete, user_id="ana"))
