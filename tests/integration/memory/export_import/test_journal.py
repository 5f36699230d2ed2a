"""Test the journal: days, conversations, facts with their evidence, both languages, and safe Markdown."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph_service.cli.main import app
from graph_service.graph.store import Graph
from graph_service.memory.export_import.service import ExportFormat
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.errors import InputError, NotFoundError
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker


def said(text: str, time: str, role: str = "user", **more: Any) -> IncomingMessage:
    return IncomingMessage(role=role, text=text, time=datetime.fromisoformat(time), **more)


async def tell(graph: Graph, tenant: str, user: str, session: str, *messages: IncomingMessage, name: str) -> None:
    request = RememberRequest(user_id=user, session_id=session, messages=messages, user_name=name)
    await a_memory(graph).remember(TenantId(tenant), request)


async def journal(graph: Graph, tenant: str, user: str | None = None) -> str:
    transfer = a_memory(graph).transfer
    return (await transfer.export_text(TenantId(tenant), ExportFormat.MARKDOWN, vectors=False, user_id=user)).text


async def test_journal_tells_each_day_what_was_said_and_learned(graph: Graph, tenant: str) -> None:
    await tell(
        graph,
        tenant,
        "ana",
        "café",
        said("I moved to Lisbon in May 2025 and I love the trams.", "2026-03-01T23:30:00+00:00", tags=("trip",)),
        said("Which line?", "2026-03-01T23:31:00+00:00", "assistant"),
        name="Ana",
    )
    await tell(graph, tenant, "ana", "home", said("I hate coffee.\nReally.", "2026-03-04T08:05:00+09:00"), name="Ana")
    await tell(graph, tenant, "wang", "家", said("我对花生过敏。", "2026-03-02T09:00:00+08:00"), name="王芳")
    await a_worker(graph).drain()
    text = await journal(graph, tenant)
    ana, wang = text[: text.index("# 王芳的日记")], text[text.index("# 王芳的日记") :]
    lines = ana.splitlines()
    days = [line for line in lines if line.startswith("## ")]
    assert days == ["## At a glance", "## Sunday, 1 March 2026", "## Wednesday, 4 March 2026"]
    assert "**Ana** 23:30 `#trip`" in lines
    assert "> I moved to Lisbon in May 2025 and I love the trams." in lines
    assert "**Assistant** 23:31" in lines
    assert lines[lines.index("> I hate coffee.") + 1] == "> Really."
    learned = ana[ana.index("## Sunday") : ana.index("## Wednesday")]
    assert any("Lisbon" in line and "since 1 May 2025" in line for line in learned.splitlines() if line[:2] == "- ")
    assert "“" in learned[learned.index("Learned:") :], "a fact is quoted with the words that prove it"
    assert "## 2026年3月2日 星期一" in wang
    assert "> 我对花生过敏。" in wang
    assert "记住了：" in wang
    assert "花生" in wang[wang.index("## 概览") : wang.index("## 2026")]
    alone = await journal(graph, tenant, "wang")
    assert alone == wang


async def test_journal_of_ended_facts_and_hostile_texts(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "bo", "s1", said("I live in Porto.", "2026-01-05T10:00:00+00:00"), name="<b>Bo</b>")
    hostile = "I live in Faro now. ![x](https://example.org/pixel) <script>alert(1)</script>"
    await tell(graph, tenant, "bo", "s2", said(hostile, "2026-02-05T10:00:00+00:00"), name="<b>Bo</b>")
    await a_worker(graph).drain()
    text = await journal(graph, tenant)
    assert "# Journal of &lt;b>Bo&lt;/b>" in text
    assert "<script" not in text
    assert "![" not in text
    ended = [line for line in text.splitlines() if "~~" in line]
    assert len(ended) == 1
    assert "Porto" in ended[0]
    assert "until 5 February 2026" in ended[0]
    glance = text[text.index("## At a glance") : text.index("## Monday")]
    assert "Porto" not in glance


async def test_journal_needs_an_existing_user_and_its_own_format(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "ana", "s", said("I love tea.", "2026-01-05T10:00:00+00:00"), name="Ana")
    transfer = a_memory(graph).transfer
    for form, error in ((ExportFormat.MARKDOWN, NotFoundError), (ExportFormat.JSONL, InputError)):
        with pytest.raises(error):
            await transfer.export_text(TenantId(tenant), form, vectors=False, user_id="nobody")


def test_the_command_line_writes_a_journal(home: Path, tenant: str, tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, (words, done.output, done.exception)
        return json.loads(done.stdout)

    run("remember", "I love jasmine tea.", "--user", "ana", "--time", "2026-03-01", "--no-wait")
    file = tmp_path / "journal.md"
    done = run("export", "--format", "markdown", "--user", "ana", "--language", "zh", "--output", str(file))
    assert (done["nodes"], done["bytes"]) == (1, file.stat().st_size)
    text = file.read_text("utf-8")
    assert text.startswith("# ana的日记\n")
    assert "## 2026年3月1日 星期日" in text
    assert "> I love jasmine tea." in text
