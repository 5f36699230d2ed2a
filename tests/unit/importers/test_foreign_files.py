"""Test files of other programs: what is imported, and what is dropped and counted."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

from graph_service.importers.graphiti import from_graphiti
from graph_service.importers.import_batch import MESSAGES_A_CALL, ImportBatch
from graph_service.importers.reader import read_file
from graph_service.importers.source import FileFormat, Owner
from graph_service.memory.ingest.validation import check_request
from schema.errors import InputError
from schema.ids import TenantId
from schema.limits import LIMITS

ANA = Owner(user_id="ana")


def read(tree: Any, form: FileFormat = FileFormat.AUTO, owner: Owner = ANA) -> ImportBatch:
    text = tree if isinstance(tree, str) else json.dumps(tree, ensure_ascii=False)
    return read_file(text, name="file.json", form=form, owner=owner)


def said(found: ImportBatch) -> list[tuple[str, str]]:
    return [(message.role, message.text) for call in found.calls for message in call.messages]


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


MEMORY_FILE = lines(
    {"type": "entity", "name": "default_user", "entityType": "person", "observations": ["likes 茉莉花茶"]},
    {"type": "entity", "name": "Acme", "entityType": "organization", "observations": []},
    {"type": "relation", "from": "default_user", "to": "Acme", "relationType": "works_at"},
    {"type": "relation", "from": "default_user", "to": "tea", "relationType": "likes"},
)


def test_memory_server_file_becomes_messages_and_facts() -> None:
    found = read(MEMORY_FILE)
    assert said(found) == [
        ("assistant", "default_user: person"),
        ("assistant", "default_user: likes 茉莉花茶"),
        ("assistant", "Acme: organization"),
        ("assistant", "default_user works at Acme"),
        ("assistant", "default_user likes tea"),
    ]
    (call,) = found.calls
    facts = [(fact.subject, fact.predicate, fact.relation, fact.object) for fact in call.facts]
    assert facts == [
        ("Acme", "RELATES_TO", "is a", "organization"),
        ("user", "RELATES_TO", "works at", "Acme"),
        ("user", "PREFERS", None, "tea"),
    ]
    assert found.kept == {"messages": 5, "entities": 2, "observations": 1, "relations": 2}
    assert [message.id for message in call.messages] == [message.id for message in read(MEMORY_FILE).calls[0].messages]


def test_invalid_line_of_a_memory_server_file_refuses_the_file() -> None:
    text = f'{MEMORY_FILE}\n{{"type": "entity"}}\n{{"type": "thing"}}\nno json'
    with pytest.raises(InputError) as caught:
        read(text)
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "file.json line 5",
        "file.json line 6",
        "file.json line 7",
    ]


def test_mem0_memories_keep_their_time_and_are_grouped_by_run() -> None:
    memory = {
        "id": "m1",
        "memory": "喜欢茉莉花茶",
        "user_id": "ana",
        "created_at": "2025-05-01T10:00:00-07:00",
        "hash": "x",
    }
    later = {
        **memory,
        "id": "m2",
        "memory": "Moved to Lisbon",
        "run_id": "trip",
        "metadata": {"a": 1},
        "categories": ["b"],
    }
    relation = {"source": "ana", "relationship": "lives_in", "destination": "Lisbon"}
    found = read({"results": [memory, later], "relations": [relation]}, owner=Owner())
    assert [(call.user_id, call.session_id) for call in found.calls] == [
        ("ana", "mem0-memories"),
        ("ana", "mem0-trip"),
        ("ana", "mem0-relations"),
    ]
    assert found.calls[0].messages[0].time.isoformat() == "2025-05-01T10:00:00-07:00"
    assert (found.calls[2].facts[0].subject, found.calls[2].facts[0].relation) == ("user", "lives in")
    assert found.dropped == {"metadata": 1, "categories": 1}
    changed = read([{**memory, "memory": "Likes coffee now"}], owner=Owner())
    assert changed.calls[0].messages[0].id != found.calls[0].messages[0].id, "mem0 changes memories in place"


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        ([{"memory": "no id", "user_id": "ana"}], "memory 1: id: Field required"),
        ([{"id": "1", "memory": "whose?"}], "has no user_id"),
        ([{"id": "1", "memory": "when?", "user_id": "a", "created_at": "yesterday"}], "updated_at"),
    ],
)
def test_errors_in_mem0_files_are_named(tree: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(tree, owner=Owner())


def gpt(name: str, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    kind = more.pop("content_type", "text")
    return {"id": name, "author": {"role": role}, "content": {"content_type": kind, "parts": list(parts)}, **more}


def a_chat() -> dict[str, Any]:
    nodes = {
        "root": (None, None),
        "sys": ("root", gpt("sys", "system", "")),
        "q": ("sys", gpt("q", "user", "我对花生过敏。", create_time=1_700_000_000.5)),
        "old": ("q", gpt("old", "assistant", "An answer that was asked for again.")),
        "tool": ("q", gpt("tool", "assistant", "search()", recipient="browser")),
        "out": ("tool", gpt("out", "tool", "results")),
        "think": ("out", gpt("think", "assistant", content_type="thoughts")),
        "a": ("think", gpt("a", "assistant", "Noted.", create_time=None)),
        "pic": (
            "a",
            gpt("pic", "user", {"content_type": "image_asset_pointer"}, "this one", content_type="multimodal_text"),
        ),
        "hid": ("pic", gpt("hid", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True})),
    }
    mapping = {name: {"id": name, "parent": parent, "message": said} for name, (parent, said) in nodes.items()}
    return {"title": "花生", "conversation_id": "c1", "create_time": 1.7e9, "current_node": "hid", "mapping": mapping}


def test_branch_shown_last_of_a_chatgpt_conversation_is_imported() -> None:
    found = read([a_chat()])
    assert said(found) == [("user", "我对花生过敏。"), ("assistant", "Noted."), ("user", "this one")]
    (call,) = found.calls
    assert (call.session_id, call.messages[0].time) == ("chatgpt-c1", call.messages[1].time)
    assert found.kept == {"messages": 3, "conversations": 1}
    assert found.dropped == {
        "messages of branches that were not shown last": 1,
        "messages of the system": 1,
        "messages of the tool": 1,
        "calls of tools": 1,
        "messages of type thoughts": 1,
        "parts of type image_asset_pointer": 1,
        "hidden messages": 1,
    }
    lost = {**a_chat(), "current_node": None}
    assert ("assistant", "Noted.") in said(read([lost])) or said(read([lost]))


def test_cycle_of_parents_terminates() -> None:
    chat = a_chat()
    chat["mapping"]["root"]["parent"] = "hid"
    assert len(said(read([chat]))) == 3


def test_claude_exports_keep_both_roles() -> None:
    messages = [
        {
            "uuid": "1",
            "sender": "human",
            "text": "我住在上海。",
            "created_at": "2026-02-14T10:04:22.000Z",
            "attachments": [{}],
        },
        {
            "uuid": "2",
            "sender": "assistant",
            "text": "x",
            "content": [{"type": "thinking"}, {"type": "text", "text": "Good."}],
        },
        {"uuid": "3", "sender": "human", "text": " "},
    ]
    found = read([{"uuid": "c", "name": "上海", "created_at": "2026-02-14T10:00:00Z", "chat_messages": messages}])
    assert said(found) == [("user", "我住在上海。"), ("assistant", "Good.")]
    assert found.dropped == {"attachments and files": 1, "parts of type thinking": 1, "messages without text": 1}
    with pytest.raises(InputError, match="conversation 1: chat_messages"):
        read([{"uuid": "c", "chat_messages": "none"}])


def test_pasted_text_of_a_claude_message_is_kept() -> None:
    pasted = {"file_name": "paste.txt", "extracted_content": "My passport expires in March 2027."}
    message = {
        "uuid": "1",
        "sender": "human",
        "text": "",
        "attachments": [pasted, {}],
        "files": [{"file_name": "x.png"}],
    }
    found = read([{"uuid": "c", "chat_messages": [message]}])
    assert said(found) == [("user", "My passport expires in March 2027.")]
    assert (found.kept["texts of attachments"], found.dropped) == (1, {"attachments and files": 2})


def test_values_of_several_processes_on_one_line_are_read() -> None:
    tom, ann = ({"type": "entity", "name": name, "entityType": "person", "observations": []} for name in ("Tom", "Ann"))
    relation = {"type": "relation", "from": "Tom", "to": "Ann", "relationType": "married_to"}
    found = read(f"{json.dumps(tom)}\n{json.dumps(relation)}{json.dumps(ann)}")
    assert (found.kept["entities"], found.kept["relations"]) == (2, 1)


def test_mem0_lines_are_read_like_its_list() -> None:
    memories = [
        {"id": "m1", "memory": "Likes tea", "user_id": "ana"},
        {"id": "m2", "memory": "喜欢茶", "user_id": "ana"},
    ]
    assert (
        said(read(lines(*memories))) == said(read({"results": memories})) == [("user", "Likes tea"), ("user", "喜欢茶")]
    )


OPENAI = [
    {"role": "system", "content": "You are helpful."},
    {"role": "developer", "content": "Be short."},
    {"role": "user", "content": "My bike is red."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "save"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {"role": "assistant", "content": "Saved."},
    {"role": "user", "content": [{"type": "text", "text": "我住在上海。"}, {"type": "image_url", "image_url": {}}]},
]
LANGCHAIN = [
    {"type": "human", "data": {"content": "My bike is red.", "type": "human", "id": None}},
    {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "x"}]}},
    {"type": "tool", "data": {"content": "42"}},
    {"type": "ai", "content": "Saved."},
    {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": ["我住在上海。"]}},
]


@pytest.mark.parametrize(
    "tree",
    [
        OPENAI,
        {"messages": OPENAI},
        [{"messages": OPENAI}],
        [OPENAI],
        LANGCHAIN,
        {"id": "thread", "messages": LANGCHAIN},
    ],
)
def test_message_lists_keep_the_texts_of_the_dialogue(tree: Any) -> None:
    found = read(tree)
    assert said(found) == [("user", "My bike is red."), ("assistant", "Saved."), ("user", "我住在上海。")]
    assert (found.dropped["calls of tools"], found.dropped["messages of the tool"]) == (1, 1)
    assert found.kept == {"messages": 3, "conversations": 1}
    again = read(tree)
    assert [one.id for one in again.calls[0].messages] == [one.id for one in found.calls[0].messages]


@pytest.mark.parametrize(
    "tree",
    [
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "你好"}]}]},
        [
            {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "parts": ["你好"]},
        ],
        [{"id": "7", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "你好"}]}],
    ],
    ids=["Gemini", "AI SDK", "ShareGPT"],
)
def test_messages_of_other_apis_are_read_by_their_parts(tree: Any) -> None:
    assert said(read(tree)) == [("user", "Hi"), ("assistant", "你好")]


def test_each_line_of_messages_is_a_conversation() -> None:
    found = read(lines({"messages": OPENAI}, {"messages": OPENAI}))
    assert [(call.session_id, len(call.messages)) for call in found.calls] == [("file-1", 3), ("file-2", 3)]


def spoken(found: ImportBatch) -> list[tuple[str | None, str, str]]:
    times = [(call, message) for call in found.calls for message in call.messages]
    return [(message.speaker, message.text, f"{message.time:%Y-%m-%d %H:%M}") for _, message in times]


WHATSAPP = {
    "5/18/26, 9:04\u202fPM - Messages and calls are end-to-end encrypted.\n"
    "5/18/26, 9:04\u202fPM - Rui Tavares: I moved\nto Porto.\n5/18/26, 9:05 PM - Leonor: <Media omitted>\n"
    "5/18/26, 9:05 PM - Leonor: I bake: every Sunday\n",
    "[18.05.26, 21:04:11] Rui Tavares: I moved\nto Porto.\n\u200e[18.05.26, 21:05:00] Leonor: \u200eBild weggelassen\n"
    "[18.05.26, 21:05:12] Leonor: I bake: every Sunday",
    "2026/5/18 下午9:04 - Rui Tavares: I moved\nto Porto.\n2026/5/18 下午9:05 - Leonor: I bake: every Sunday",
    "18/05/2026, 21:04 - Rui Tavares: I moved\nto Porto.\n18/05/2026, 21:05 - Leonor: I bake: every Sunday",
}


@pytest.mark.parametrize("text", sorted(WHATSAPP))
def test_whatsapp_texts_keep_speakers_and_times(text: str) -> None:
    found = read(text, owner=Owner(user_id="rui"))
    assert spoken(found) == [
        ("Rui Tavares", "I moved\nto Porto.", "2026-05-18 21:04"),
        ("Leonor", "I bake: every Sunday", "2026-05-18 21:05"),
    ]
    assert {(call.session_id, call.user_name) for call in found.calls} == {("whatsapp-file-2026-05-18", "Rui Tavares")}
    assert found.kept["of them, messages of others"] == 1


def test_telegram_and_slack_exports_keep_speakers() -> None:
    telegram = {
        "name": "Leonor",
        "type": "personal_chat",
        "id": 7,
        "messages": [
            {"id": 1, "type": "service", "date": "2026-05-18T21:00:00", "date_unixtime": "1779138000", "actor": "Rui"},
            {"id": 2, "type": "message", "date_unixtime": "1779138240", "from": "Rui", "text": "Hi"},
            {"id": 3, "type": "message", "date_unixtime": "1779138300", "from": "Leonor", "from_id": "user2",
             "text": ["I bake ", {"type": "bold", "text": "bread"}], "photo": "x.jpg"},
        ],
    }  # fmt: skip
    for tree in (telegram, {"chats": {"list": [telegram]}}):
        found = read(tree, owner=Owner(user_id="rui"))
        assert spoken(found) == [("Rui", "Hi", "2026-05-18 21:04"), ("Leonor", "I bake bread", "2026-05-18 21:05")]
        assert found.dropped == {"messages of type service": 1, "photos and files": 1}
    slack = [
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1779138000.0"},
        {"type": "message", "user": "U1", "text": "<@U2> I moved &amp; <https://x.org|settled>", "ts": "1779138240.1"},
        {
            "type": "message",
            "user": "U2",
            "text": "Great",
            "ts": "1779138300.2",
            "user_profile": {"real_name": "Leonor"},
        },
    ]
    found = read_file(
        json.dumps(slack), name="export/general/2026-05-18.json", form=FileFormat.AUTO, people={"U1": "Rui"},
        owner=Owner(user_id="u", speaker="rui"),
    )  # fmt: skip
    assert [one[:2] for one in spoken(found)] == [("Rui", "@Leonor I moved & settled"), ("Leonor", "Great")]
    assert (found.calls[0].session_id, found.calls[0].user_name) == ("slack-general-2026-05-18", "Rui")


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        ({"guild": {}, "channel": {}, "messages": [{"id": "1", "content": "x"}]}, "an export of Discord, which is not"),
        (
            {"guild": {}, "channel": {"type": "GuildTextChat"}, "messages": [{"id": "1", "type": "Default"}]},
            "an export of Discord, which is not supported",
        ),
        ([{"header": "Gemini Apps", "products": ["Gemini"]}], "an export of Google Takeout, which is not supported"),
        ({"rows": [1]}, "its format is not known"),
        ("Dear diary, today", "line 1: not JSON"),
    ],
)
def test_unsupported_files_are_named_in_one_line(tree: Any, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        read(tree)
    assert len(caught.value.problems) == 1


def test_invalid_parts_are_left_out_and_named_on_request() -> None:
    chat = a_chat()
    chat["mapping"]["q"]["message"]["author"] = None
    with pytest.raises(InputError, match="conversation 1 message q: author"):
        read([chat])
    files = {
        "message q: author": json.dumps([chat, {**a_chat(), "conversation_id": "c2"}]),
        "line 5: type is": f'{MEMORY_FILE}\n{{"type": "thing"}}',
        "line 2: not JSON": '{"text": "I moved."}\n{"text": "tru\n{"text": "I like tea."}',
        "line 2: text": '{"text": "I moved."}\n{"text": 5}\n{"text": "I like tea."}',
        "memory 1: memory": lines({"id": "1", "memory": None}, {"id": "2", "memory": "Likes tea"}),
        "message 1: must be an object with a role": json.dumps({"messages": [*OPENAI, {"role": 5}]}),
    }
    for why, text in files.items():
        found = read_file(text, name="file.json", form=FileFormat.AUTO, owner=ANA, skip_invalid=True)
        assert said(found), why
        assert len(found.problems) == 1
        assert why.replace("message 1", "message 8") in found.problems[0]


def test_files_without_a_user_id_need_the_user_option() -> None:
    with pytest.raises(InputError, match="give --user"):
        read([a_chat()], owner=Owner())


def test_long_messages_stay_whole_and_conversations_are_split_to_the_limits() -> None:
    long = "字" * (LIMITS.message_chars - 3)
    rows = [
        {"type": "entity", "name": f"e{n}", "entityType": "", "observations": []} for n in range(MESSAGES_A_CALL + 1)
    ]
    found = read(lines(*rows, {"type": "entity", "name": "x", "entityType": "y", "observations": [f"\x00{long}"]}))
    texts = [message.text for call in found.calls for message in call.messages]
    assert texts[-1] == f"x: {long}"
    assert [len(call.messages) for call in found.calls] == [MESSAGES_A_CALL, 2, 1]
    assert [fact.message_indexes for fact in found.calls[1].facts] == [(1,)]
    assert found.dropped == {"characters that cannot be stored": 1}
    cut = read(lines({"type": "entity", "name": "x", "entityType": "y", "observations": [f"{long}字字"]}))
    assert cut.calls[-1].messages[-1].text == f"x: {long}"
    assert cut.dropped == {"characters beyond the largest message": 2}


def test_graphiti_facts_keep_their_times_and_evidence() -> None:
    episodes = [{"uuid": "e1", "group_id": "ana", "content": "Ana: I moved.", "valid_at": None, "created_at": None}]
    fact = {
        "uuid": "f1",
        "group_id": "ana",
        "name": "LIVES_IN",
        "fact": "Ana lives in Lisbon",
        "episodes": ["e1", "gone"],
        "valid_at": None,
        "invalid_at": None,
        "expired_at": None,
        "created_at": None,
        "source": "Ana",
        "source_labels": ["Entity", "Person"],
        "target": "Lisbon",
        "target_labels": ["Entity"],
    }
    orphan = {**fact, "uuid": "f2", "episodes": [], "fact": "Ana knows Bo", "target": "Bo"}
    found = from_graphiti(
        episodes, [fact, orphan, {**orphan, "fact": ""}], {"summaries": 2, "communities": 0}, user_id=None
    )
    (call,) = found.calls
    assert (call.user_id, [message.text for message in call.messages]) == ("ana", ["Ana: I moved.", "Ana knows Bo"])
    assert [(one.relation, one.subject_type, one.message_indexes) for one in call.facts] == [
        ("lives in", "person", (0,)),
        ("lives in", "person", (1,)),
    ]
    assert found.dropped == {
        "summaries of Graphiti": 2,
        "messages without text": 1,
        "facts without words or without ends": 1,
    }


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000, '{"type": "entity", "name": ' + "[" * 100_000])
@pytest.mark.parametrize("form", [FileFormat.AUTO, FileFormat.MEM0, FileFormat.CHATGPT, FileFormat.MEMORY_SERVER])
def test_unreadable_foreign_json_is_refused_with_a_message(text: str, form: FileFormat) -> None:
    with pytest.raises(InputError, match=r"file\.json"):
        read(text, form)


_SAMPLES: dict[FileFormat, Any] = {
    FileFormat.MEM0: {
        "results": [{"id": "1", "memory": "Likes tea", "user_id": "ana", "created_at": "2026-01-01T00:00:00Z"}],
        "relations": [{"source": "ana", "relationship": "likes", "target": "tea"}],
    },
    FileFormat.CHATGPT: [
        {
            "id": "c1",
            "create_time": 1.7e9,
            "current_node": "b",
            "mapping": {
                "a": {"message": None, "parent": None},
                "b": {
                    "message": {
                        "id": "m1",
                        "author": {"role": "user"},
                        "create_time": 1.7e9,
                        "content": {"content_type": "text", "parts": ["Hello", {"text": "there"}]},
                        "metadata": {},
                    },
                    "parent": "a",
                },
            },
        }
    ],
    FileFormat.FLAT_CHAT: [
        {
            "uuid": "u1",
            "created_at": "2026-01-01T00:00:00Z",
            "chat_messages": [
                {"uuid": "m1", "sender": "human", "text": "Hi", "content": [{"type": "text", "text": "Hi"}]}
            ],
        }
    ],
    FileFormat.MESSAGES: {
        "id": "t",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}], "created_at": 1.7e9, "id": "m"}],
    },
    FileFormat.SLACK: [
        {"type": "message", "user": "U1", "text": "<@U1> Hi", "ts": "1.5", "user_profile": {"real_name": "Ana"}}
    ],
    FileFormat.TELEGRAM: {
        "name": "Bo",
        "messages": [
            {"id": 1, "type": "message", "date_unixtime": "1700000000", "from": "Ana", "text": ["Hi", {"text": "!"}]},
            {"id": 2, "type": "message", "date": "2026-01-01T00:00:00", "from_id": "user1", "text": "Hi"},
        ],
    },
    FileFormat.MEMORY_SERVER: {"type": "entity", "name": "Tom", "entityType": "person", "observations": ["likes tea"]},
    FileFormat.MNEMOSCENE: {
        "conversations": [
            {
                "user_id": "ana",
                "session_id": "s",
                "messages": [{"role": "user", "text": "Hi", "time": "2026-01-01T00:00:00Z", "importance": 3}],
                "facts": [
                    {
                        "subject": "user",
                        "predicate": "PREFERS",
                        "object": "tea",
                        "statement": "likes tea",
                        "strength": 0.5,
                    }
                ],
                "summary": "tea",
            }
        ]
    },
    FileFormat.JSONL: {
        "user_id": "ana",
        "session_id": "s",
        "role": "user",
        "text": "Hi",
        "time": "2026-01-01T00:00:00Z",
    },
    FileFormat.BENCHMARK: {
        "id": "b",
        "speakers": ["Ana", "Bob"],
        "sessions": [
            {"index": 1, "date": "2026-01-01T00:00:00Z", "turns": [{"id": "1", "speaker": "Ana", "text": "Hi"}]}
        ],
    },
}
_WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 10**400, 1e300, float("nan"), float("inf"), "", "x", "\x00", "\ud800",
    "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", [], [[]], [None], {}, {"a": {}}, "x" * 3_000,
)  # fmt: skip


def _places(tree: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*way, key))


@pytest.mark.parametrize("form", list(_SAMPLES))
def test_damaged_file_is_read_or_refused_as_invalid_input(form: FileFormat) -> None:
    """Every place of a valid file with every wrong value: only `InputError` may be raised."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    for place in _places(_SAMPLES[form]):
        for wrong in _WRONG:
            tree = json.loads(json.dumps(_SAMPLES[form]))
            inside = tree
            for key in place[:-1]:
                inside = inside[key]
            inside[place[-1]] = wrong
            for given in (form, FileFormat.AUTO):
                with contextlib.suppress(InputError):
                    found = read_file(json.dumps(tree), name="file", form=given, owner=Owner(user_id="ana"))
                    for call in found.calls:
                        checked = check_request(TenantId("t"), call, now=now).episode
                        repr(checked).encode()
                        json.dumps([asdict(fact) for fact in checked.facts], default=str, ensure_ascii=False).encode()


@pytest.mark.parametrize("form", [FileFormat.AUTO, *_SAMPLES])
@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"text": ' * 50_000, "9" * 5_000, "", "\n\n", '{"type": "entity"}' + "[" * 9]
)
def test_nested_and_endless_files_are_refused(form: FileFormat, text: str) -> None:
    with pytest.raises(InputError):
        read_file(text, name="file", form=form, owner=Owner(user_id="ana"))
