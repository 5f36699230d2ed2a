"""A LangGraph agent that knows what each user told it before: `python langgraph_agent.py openai:gpt-5-mini`."""

import sys
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from mnemoscene.langgraph import MnemosceneStore


def agent(model: Any) -> Any:
    def answer(state: MessagesState, config: RunnableConfig, *, store: BaseStore) -> dict[str, Any]:
        notes = ("notes", config["configurable"]["user_id"])
        said = str(state["messages"][-1].content)
        known = [item.value["text"] for item in store.search(notes, query=said, limit=5)]
        store.put(notes, uuid4().hex, {"text": said})
        told = ("system", "The user told you before:\n" + "\n".join(known))
        return {"messages": model.invoke([told, *state["messages"]])}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    return graph.compile(store=MnemosceneStore())


if __name__ == "__main__":
    from langchain.chat_models import init_chat_model

    guide = agent(init_chat_model(sys.argv[1]))
    for text in ("I am vegetarian and I live in Lisbon.", "Where shall I have dinner?"):
        said = {"messages": [("user", text)]}
        print(guide.invoke(said, {"configurable": {"user_id": "ana"}})["messages"][-1].content)
