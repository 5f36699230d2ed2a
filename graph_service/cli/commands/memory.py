"""`mnemoscene remember`, `recall`, `context` and `profile`: store messages, and ask a user's memory."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

import typer

from graph_service.cli.options import Invocation, UserOption, command, iso_time, one_of
from graph_service.cli.service_client import DOCUMENTS, ServiceClient, ask_service, service_of
from graph_service.observability.columns import CYAN, DIM, Columns
from schema.labels import Role
from schema.profile import Category
from schema.zones import day_in, moment_in

DEFAULT_SESSION = "cli"


@command
async def remember(
    call: Invocation,
    text: Annotated[str, typer.Argument(help="The text of the message.", show_default=False)],
    user: UserOption,
    session: Annotated[str, typer.Option(help="The session it belongs to.")] = DEFAULT_SESSION,
    role: Annotated[str, typer.Option(help="The speaker's role: user, assistant, system, tool or event.")] = "user",
    time: Annotated[str | None, typer.Option(help="The time it was said, ISO 8601; now by default.")] = None,
    name: Annotated[str | None, typer.Option(help="The user's name.")] = None,
    speaker: Annotated[str | None, typer.Option(help="The speaker's name; of an event, who took part.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="A label by which `recall --tag` finds it; may be repeated.")
    ] = None,
    importance: Annotated[
        str | None, typer.Option(help="1 to 10, or low, medium, high, critical; by the text by default.")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until its facts are extracted.")] = False,
) -> None:
    """Store one message, and extract the facts in it."""
    message = {
        "role": one_of(Role, role, "--role").name,
        "text": text,
        "time": iso_time(time, "--time"),
        "speaker": speaker,
        "importance": importance,
        "tags": tag or [],
    }
    given = {"userId": user, "sessionId": session, "userName": name, "messages": [message]}
    async with service_of(call) as service:
        receipt = (await service.ask(DOCUMENTS["remember"], input=given))["remember"]
        is_read = not no_wait and not receipt["spooled"]
        if is_read:
            await service.finish_jobs(call.terminal)
    document = {**receipt, "extracted": is_read}
    outcome = "stored" if receipt["stored"] else "already stored, nothing changed"
    if receipt["spooled"]:
        outcome = "Neo4j is unavailable; stored on this machine's disk until it is back"
    call.terminal.answer(document, lambda: f"{outcome}: {receipt['uris'][0]}")


QUOTE_CHARS_MAX = 160


async def ask_question(
    service: ServiceClient, question: str, *, user: str, limit: int = 10, evidence: int = 0, **more: Any
) -> dict[str, Any]:
    """Return the answer of `recall`, with its question; `more` are further variables of the document."""
    answer = await service.ask(DOCUMENTS["recall"], query=question, user=user, limit=limit, evidence=evidence, **more)
    return {"question": question, **answer["recall"]}


def answer_view(answer: dict[str, Any]) -> Columns:
    """Return a table of hits, each followed by its evidence messages."""
    hits = answer["hits"]
    rows: list[tuple[str, list[str]]] = []
    for hit in hits:
        told = [f"{hit['score']:.2f}", _day(hit["said_at"], hit["zone"]), hit["kind"], hit["speaker"] or ""]
        rows.append(("", [*told, _snippet(hit)]))
        for message in hit["evidence"]:
            quoted = ["", _day(message["said_at"], message["zone"]), "", message["speaker"] or ""]
            rows.append((DIM, [*quoted, f"“{_quote(message['text'])}”"]))
    notes = [(DIM, note) for note in answer["notes"]]
    if hits and answer["nothing_relevant"]:
        confidence = answer["confidence"] or 0.0
        notes.append(("", f"the memory probably does not contain an answer (confidence {confidence:.2f})"))
    if not hits:
        notes.append(("", "nothing found; rephrase the question, or check --user and --tenant"))
    return Columns(
        title=answer["question"],
        header=("score", "said", "kind", "who", "found") if rows else (),
        rows=rows,
        styles=(CYAN, "", DIM),
        right={0},
        notes=notes,
    )


def _day(moment: str, zone: str | None) -> str:
    return day_in(datetime.fromisoformat(moment), zone)


def _snippet(hit: dict[str, Any]) -> str:
    # The statement of a fact without a begin says itself that it has ended.
    has_ended = hit["invalid_at"] and hit["valid_at"]
    ended = f" (until {_day(hit['invalid_at'], hit['zone'])})" if has_ended else ""
    return f"{hit['snippet']}{ended}{' (not processed yet)' if hit['pending'] else ''}"


def _quote(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTE_CHARS_MAX else text[: QUOTE_CHARS_MAX - 1] + "…"


# The values of GraphQL's enumerations HitKind, RecallMode and Language, which are slow to import.
KINDS: Final = ("message", "scene", "fact")
MODES: Final = ("best", "layered", "similarity_importance")
Language: TypeAlias = Literal["en", "zh", "de", "es", "fr", "ja"]


@command
async def recall(
    call: Invocation,
    question: Annotated[str, typer.Argument(help="What to look for, in words.", show_default=False)],
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of hits, 1 to 100.")] = 5,
    evidence: Annotated[
        int, typer.Option(help="Maximum number of evidence messages for each fact and scene, 0 to 20.")
    ] = 2,
    start: Annotated[str | None, typer.Option("--from", help="Only what was said at or after this time.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Only what was said before this time.")] = None,
    valid_at: Annotated[str | None, typer.Option(help="Facts valid at this time; now by default.")] = None,
    as_of: Annotated[str | None, typer.Option(help="The memory as it was at this time; now by default.")] = None,
    mode: Annotated[str | None, typer.Option(help="best, layered or similarity_importance.")] = None,
    in_session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only sessions with this agent.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only messages, scenes or facts: message, scene, fact; may be repeated.")
    ] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only messages of this role; may be repeated.")] = None,
    entity: Annotated[
        list[str] | None, typer.Option(help="Only hits that mention this entity; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only messages with this tag, and what they prove; may be repeated.")
    ] = None,
    min_score: Annotated[float | None, typer.Option(help="Only hits with at least this score.")] = None,
    after: Annotated[str | None, typer.Option(help="The cursor of the previous answer, for the next page.")] = None,
    asked_at: Annotated[
        str | None,
        typer.Option(help="The time of the question: of `now`, `yesterday` and valid facts; now by default."),
    ] = None,
    zone: Annotated[str | None, typer.Option(help="The time zone of dates: Asia/Shanghai or +08:00.")] = None,
) -> None:
    """Search a user's memory for the answer to a question, and show the hits with their evidence messages."""
    filters = {
        "inSession": in_session,
        "agentId": agent,
        "roles": [one_of(Role, one, "--role").name for one in role or ()],
        "entities": entity or [],
        "tags": tag or [],
        "minScore": min_score,
    }
    variables: dict[str, Any] = {
        "user": user,
        "limit": limit,
        "evidence": evidence,
        "kinds": [one_of(KINDS, one, "--kind").upper() for one in kind] if kind else None,
        "start": iso_time(start, "--from"),
        "end": iso_time(end, "--to"),
        "validAt": iso_time(valid_at, "--valid-at"),
        "asOf": iso_time(as_of, "--as-of"),
        "mode": None if mode is None else one_of(MODES, mode, "--mode").upper(),
        "filter": filters,
        "after": after,
        "askedAt": iso_time(asked_at, "--asked-at"),
        "zone": zone,
    }
    async with service_of(call) as service:
        answer = await ask_question(service, question, **variables)
    call.terminal.answer(answer, lambda: answer_view(answer))


@command
async def context(
    call: Invocation,
    query: Annotated[str, typer.Argument(help="What the user said or asked.", show_default=False)],
    user: UserOption,
    max_tokens: Annotated[int, typer.Option(help="Maximum length of the text, 1 to 100000 tokens.")] = 1000,
    valid_at: Annotated[str | None, typer.Option(help="Facts valid at this time; now by default.")] = None,
    as_of: Annotated[str | None, typer.Option(help="The memory as it was at this time; now by default.")] = None,
    language: Annotated[
        Language | None, typer.Option(help="The language of the headings; that of the question by default.")
    ] = None,
    uris: Annotated[bool, typer.Option("--uris", help="Print full URIs instead of short references.")] = False,
) -> None:
    """Print what an agent should know about a user before it answers, ready for its prompt."""
    variables = {
        "query": query,
        "user": user,
        "tokens": max_tokens,
        "validAt": iso_time(valid_at, "--valid-at"),
        "asOf": iso_time(as_of, "--as-of"),
        "language": None if language is None else language.upper(),
        "uris": uris,
    }
    found = (await ask_service(call, DOCUMENTS["context"], **variables))["context"]
    call.terminal.answer(found, lambda: "\n".join([found["text"], "", *found["notes"]]).strip())


@command
async def profile(
    call: Invocation,
    user: UserOption,
    agent: Annotated[str | None, typer.Option(help="The agent's profile instead of the user's.")] = None,
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
) -> None:
    """Show the profile of a user or agent, by category."""
    name = None if category is None else category.name
    answer = await ask_service(call, DOCUMENTS["profile"], user=user, agent=agent, category=name)
    call.terminal.answer(answer, lambda: _profile_table(answer["profile"]))


def _profile_table(found: list[dict[str, Any]]) -> Columns:
    rows: list[tuple[str, list[str]]] = []
    for part in found:
        count = f"{len(part['items'])} of at most {part['limit']}, {part['omitted']} left out"
        rows.append((DIM, [part["category"], count, "", "", ""]))
        for one in part["items"]:
            last_seen = moment_in(datetime.fromisoformat(one["last_seen"]), one["zone"]).isoformat(timespec="seconds")
            rows.append(("", ["", one["statement"], str(one["importance"]), f"{one['confidence']:.2f}", last_seen]))
    return Columns(header=("category", "fact", "importance", "confidence", "last said"), rows=rows)
