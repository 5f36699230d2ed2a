"""Validate calls of `remember`; all problems are reported together, before anything is written. Pure."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from extraction.rules.salience_gate import is_small_talk
from extraction.text.name_forms import fold
from graph_service.memory.argument_checks import (
    agent_in,
    expiry_of,
    expiry_problem,
    raise_problems,
    text_problem,
    time_problem,
)
from graph_service.memory.tags import normalized_tags, tag_problems
from schema.ids import SessionId, TenantId, Uri, UserId, content_hash, memory_id, message_uri, session_uri
from schema.importance import IMPORTANCE_DEFAULT, WORDS
from schema.json_text import depth_of
from schema.labels import Label, Role
from schema.limits import LIMITS
from schema.message import Episode, Message, ProvidedFact
from schema.predicates import allowed, fact_predicates
from schema.relations import nearest_predicate, predicate_and_relation
from schema.timespan import as_utc, iso
from schema.tuning import tuning
from schema.zones import zone_name_of, zone_named

_KEY_CHARS_MAX: Final = 200


def json_text(value: object) -> str | None:
    """Return a JSON value as text; None for None."""
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def message_text_problems(name: str, text: object, raw: object) -> list[str]:
    """Return the problem of a message's text; it may be empty if there is a payload.

    Args:
        name: of the message in the error.
    """
    if text == "" and raw is not None:
        return []
    problem = text_problem(text, LIMITS.message_chars)
    return [f"{name}.text {problem}"] if problem else []


def payload_problems(name: str, metadata: object, raw: object) -> list[str]:
    """Return the problems of a message's metadata and raw payload, each with the name of the message."""
    problems = []
    if raw is not None and (problem := _json_problem(raw, LIMITS.raw_bytes)):
        problems.append(f"{name}.raw {problem}")
    if metadata is not None:
        problems += [f"{name}.metadata{problem}" for problem in _metadata_problems(metadata)]
    return problems


def _json_problem(value: object, bytes_max: int) -> str | None:
    if depth_of(value) > LIMITS.json_depth:
        return f"is nested more than {LIMITS.json_depth} deep"
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except UnicodeEncodeError:
        return "contains half of a surrogate pair; send valid UTF-8"
    except (TypeError, ValueError) as error:
        return f"is not JSON: {error}"
    return f"has {size:,} bytes as JSON, at most {bytes_max:,} are accepted" if size > bytes_max else None


def _metadata_problems(metadata: object) -> list[str]:
    """Return the problems of metadata, each as the end of a sentence that begins with its name."""
    if not isinstance(metadata, dict):
        return [f" must be an object, not {type(metadata).__name__}"]
    if len(metadata) > LIMITS.metadata_keys:
        return [f" has {len(metadata)} keys, at most {LIMITS.metadata_keys} are accepted"]
    problems = []
    for key, value in metadata.items():
        if not isinstance(key, str) or not key.strip() or len(key) > _KEY_CHARS_MAX or not key.isprintable():
            problems.append(f" has the key {key!r:.60}; use 1 to {_KEY_CHARS_MAX} printable characters")
        elif not (_is_plain(value) or (isinstance(value, list) and all(isinstance(item, str) for item in value))):
            problems.append(f".{key} must be a text, a number, true, false or a list of texts; leave out null")
    if not problems and (problem := _json_problem(metadata, LIMITS.metadata_bytes)):
        problems.append(f" {problem}")
    return problems


def _is_plain(value: object) -> bool:
    return isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


REFUSED: Final = "nothing was stored: "
# Names of the owner and the agent in provided facts.
OWNER, ASSISTANT = "user", "assistant"


def detail_problems(
    importance: int | None, zone: str | None, mentioned_start: datetime | None, mentioned_end: datetime | None
) -> list[str]:
    """Return all problems of a message's optional properties, each as the end of a sentence about the message."""
    problems = []
    if importance is not None and not 1 <= importance <= 10:
        problems.append(f".importance is {importance!r}; use a number from 1 to 10")
    if zone is not None and zone_named(zone) is None:
        problems.append(f".zone {zone!r} is unknown; use an IANA name such as Asia/Shanghai, or +08:00")
    for name, moment in ((".mentionedStart", mentioned_start), (".mentionedEnd", mentioned_end)):
        if moment is not None and (problem := time_problem(moment)):
            problems.append(f"{name} {problem}")
    if not problems and mentioned_start and mentioned_end and as_utc(mentioned_end) < as_utc(mentioned_start):
        problems.append(
            f" mentions a time that ends ({iso(mentioned_end)}) before it begins ({iso(mentioned_start)}); swap the two"
        )
    return problems


def message_importance(importance: int | None, text: str) -> int:
    """Return the importance of a message: as given by the caller, else low for small talk, else the default."""
    if importance is not None:
        return importance
    return WORDS["low"] if is_small_talk(text) else IMPORTANCE_DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMessage:
    """One message as the caller sent it.

    Attributes:
        role: the speaker's role; `EVENT` for what happened and was not said.
        text: the text, at most 2,000,000 characters; may be empty if `raw` is given.
        time: when it was said, ISO 8601, UTC unless it has a zone. Default: now.
        speaker: the speaker's name, if known; of an event, who took part: `Mia, Tom`.
        id: your id. Messages with an id or a time can be sent again without effect.
        importance: 1 to 10; estimated from the text if omitted.
        zone: time zone: `Asia/Shanghai` or `+08:00`. Default: that of `time`.
        emotion: the speaker's emotion; that which its facts name, if omitted.
        mentioned_start: start of the time it mentions; extracted from the text if omitted.
        mentioned_end: end of the time it mentions.
        tags: labels to filter by, such as a project; at most 20 of 60 characters.
        metadata: your properties to filter by: an object of texts, numbers, booleans and lists of texts; at most 50
            keys and 64 kB.
        raw: any payload, kept as it is and never read or searched; at most 1 MB.
        expires_at: when it expires: it is forgotten then, with everything that only it proves.
        ttl_s: seconds until it expires; excludes `expiresAt`.
    """

    role: str
    text: str
    time: datetime | None = None
    speaker: str | None = None
    id: str | None = None
    importance: int | None = None
    zone: str | None = None
    emotion: str | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: object = None
    raw: object = None
    expires_at: datetime | None = None
    ttl_s: float | None = None


def provided_fact(fields: Mapping[str, Any]) -> ProvidedFact:
    """Return a fact from the fields of a caller's input, whose lists become tuples."""
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in fields.items()}
    return ProvidedFact(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """One call of `remember`, before validation.

    Attributes:
        session_id: your id of the conversation.
        messages: 1 to 1,000 messages, oldest first.
        user_id: the user's id; omit it to write to the agent's own memory.
        user_name: the user's name.
        agent_id: the id of the agent that talks with the user.
        facts: facts that you extracted; these messages are then not extracted again.
        summary: your summary, used as the scene's abstract.
        request_id: idempotency key for messages without id and time.
        strict: refuse the call if a fact is invalid, instead of storing the rest.
        extract: False stores the messages, which can be searched, without ever reading facts from them.
    """

    user_id: str
    session_id: str
    messages: tuple[IncomingMessage, ...]
    user_name: str | None = None
    agent_id: str | None = None
    facts: tuple[ProvidedFact, ...] = ()
    summary: str | None = None
    request_id: str | None = None
    strict: bool = False
    extract: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedEpisode:
    """A valid episode, and the reasons why facts were dropped.

    Attributes:
        dropped: reason for each invalid fact; its messages are stored nevertheless.
        unknown_predicates: number of facts that were dropped for their predicate.
    """

    episode: Episode
    dropped: tuple[str, ...] = field(default=())
    unknown_predicates: int = 0


def check_request(tenant: TenantId, request: RememberRequest, *, now: datetime) -> CheckedEpisode:
    """Return the episode of a valid request.

    Raises:
        InputError: lists all problems.
    """
    request = _as_owner(request)
    problems = [
        *_id_problems("userId", request.user_id),
        *_id_problems("sessionId", request.session_id),
        *(_id_problems("agentId", request.agent_id) if request.agent_id is not None else ()),
        *(_id_problems("requestId", request.request_id) if request.request_id is not None else ()),
        *(_text_problems("userName", request.user_name, LIMITS.name_chars) if request.user_name is not None else ()),
        *(_text_problems("summary", request.summary, LIMITS.summary_chars) if request.summary is not None else ()),
        *_batch_problems(request),
    ]
    if len(request.messages) <= LIMITS.messages:
        latest = now + timedelta(seconds=LIMITS.future_s)
        for index, message in enumerate(request.messages):
            problems += _message_problems(index, message, latest)
            problems += expiry_problems(f"messages[{index}]", message.expires_at, message.ttl_s, now)
    raise_problems(problems, before=REFUSED)
    messages, first_parts = _messages(tenant, request, now)
    facts, dropped = _facts(request.facts, len(request.messages))
    # Facts refer to messages of the call, of which long ones are stored in several parts.
    facts = tuple(
        replace(fact, message_indexes=tuple(first_parts[index] for index in fact.message_indexes)) for fact in facts
    )
    raise_problems(dropped if request.strict else (), before=REFUSED)
    episode = Episode(
        tenant=tenant,
        user_id=UserId(request.user_id),
        session_id=SessionId(request.session_id),
        messages=messages,
        received_at=as_utc(now),
        agent_id=request.agent_id,
        user_name=request.user_name.strip() if request.user_name else None,
        facts=facts,
        summary=request.summary,
    )
    unknown = sum(predicate_and_relation(str(fact.predicate), None) is None for fact in request.facts)
    return CheckedEpisode(episode=episode, dropped=dropped, unknown_predicates=unknown)


def _as_owner(request: RememberRequest) -> RememberRequest:
    """Return a request to an agent's own memory with the agent as its owner; other requests unchanged.

    "I" in the agent's messages, and `assistant` in its facts, are then the owner.
    """
    agent_id = agent_in(request.user_id) if isinstance(request.user_id, str) else None
    if agent_id is None:
        return request

    def renamed(name: str) -> str:
        return OWNER if name == ASSISTANT else name

    return replace(
        request,
        agent_id=None,
        user_name=request.user_name or agent_id,
        messages=tuple(
            replace(one, role=Role.USER, speaker=one.speaker or agent_id) if one.role == Role.ASSISTANT else one
            for one in request.messages
        ),
        facts=tuple(replace(one, subject=renamed(one.subject), object=renamed(one.object)) for one in request.facts),
    )


def _text_problems(name: str, text: object, chars_max: int) -> list[str]:
    problem = text_problem(text, chars_max)
    return [f"{name} {problem}"] if problem else []


def _id_problems(name: str, value: object) -> list[str]:
    problems = _text_problems(name, value, LIMITS.id_chars)
    if not problems and isinstance(value, str) and any(ord(char) < 32 or ord(char) == 127 for char in value):
        problems = [f"{name} {value!r} contains a control character; remove it"]
    return problems


def _batch_problems(request: RememberRequest) -> list[str]:
    problems = []
    if not request.messages:
        problems.append("messages is empty; send at least one message")
    if len(request.messages) > LIMITS.messages:
        problems.append(
            f"{len(request.messages):,} messages in one call, at most {LIMITS.messages:,} are accepted; split the call"
        )
    if len(request.facts) > LIMITS.facts:
        problems.append(
            f"{len(request.facts):,} facts in one call, at most {LIMITS.facts:,} are accepted; split the call"
        )
    total = sum(len(message.text) for message in request.messages if isinstance(message.text, str))
    if total > LIMITS.batch_chars:
        problems.append(
            f"the messages have {total:,} characters, at most {LIMITS.batch_chars:,} are accepted; split the call"
        )
    if not request.extract and (request.facts or request.summary is not None):
        problems.append("extract is false, so facts and summary are not used; leave them out, or extract")
    ids = Counter(message.id for message in request.messages if message.id is not None)
    problems += [
        f"message id {name!r} occurs {count} times in one call; ids must differ"
        for name, count in ids.items()
        if count > 1
    ]
    return problems


def _message_problems(index: int, message: IncomingMessage, latest: datetime) -> list[str]:
    name = f"messages[{index}]"
    problems = message_text_problems(name, message.text, message.raw)
    problems += payload_problems(name, message.metadata, message.raw)
    if message.role not in tuple(Role):
        problems.append(f"{name}.role is {message.role!r}; use one of {', '.join(Role)}")
    for part, text in (("speaker", message.speaker), ("emotion", message.emotion)):
        if text is not None:
            problems += _text_problems(f"{name}.{part}", text, LIMITS.name_chars)
    if message.id is not None:
        problems += _id_problems(f"{name}.id", message.id)
    if message.time is not None:
        if problem := time_problem(message.time):
            problems.append(f"{name}.time {problem}")
        elif as_utc(message.time) > latest:
            problems.append(f"{name}.time {iso(message.time)} is in the future; send when it was said, with its zone")
    details = detail_problems(message.importance, message.zone, message.mentioned_start, message.mentioned_end)
    return problems + [f"{name}{problem}" for problem in (*details, *tag_problems(message.tags))]


def expiry_problems(name: str, expires_at: datetime | None, ttl_s: float | None, now: datetime) -> list[str]:
    """Return the problem of a message's expiry, which must be in the future.

    Args:
        name: of the message in the error.
    """
    problem = expiry_problem(expires_at, ttl_s)
    if not problem and expires_at is not None and as_utc(expires_at) <= now:
        problem = f"expiresAt {iso(expires_at)} is in the past; leave out what has expired"
    return [f"{name}.{problem}"] if problem else []


def _messages(tenant: TenantId, request: RememberRequest, now: datetime) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """Return the messages as they are stored, and for each message of the call the index of its first part."""
    session = session_uri(tenant, request.user_id, request.session_id)
    seen: Counter[str] = Counter()
    messages: list[Message] = []
    first_parts = []
    for index, message in enumerate(request.messages):
        said_at = as_utc(message.time or now)
        stamp = iso(said_at) if message.time else ""
        raw = json_text(message.raw)
        same = (message.role, message.speaker or "", stamp or "", message.text)
        fingerprint = content_hash(*same) if raw is None else content_hash(*same, raw)
        seen[fingerprint] += 1
        uri = message_uri(session, _key(message, request.request_id, fingerprint, seen[fingerprint], index, now))
        # A single bound is used for both.
        start = (message.mentioned_start or message.mentioned_end) if message.text else None
        end = message.mentioned_end or start
        whole = Message(
            id=memory_id(uri),
            uri=uri,
            role=Role(message.role),
            text=message.text,
            said_at=said_at,
            content_hash=content_hash(*same),
            position=len(messages),
            speaker=message.speaker.strip() if message.speaker else None,
            importance=message_importance(message.importance, message.text),
            emotion=message.emotion.strip() if message.emotion else None,
            zone=message.zone or zone_name_of(message.time),
            mentioned_start=None if start is None else as_utc(start),
            mentioned_end=None if start is None or end is None else as_utc(end),
            tags=normalized_tags(message.tags),
            external_id=message.id,
            raw=raw,
            metadata=json_text(message.metadata or None),
            extract=request.extract and bool(message.text),
            expires_at=expiry_of(message.expires_at, message.ttl_s, now=as_utc(now)),
        )
        first_parts.append(len(messages))
        messages += split_message(whole, stamp or "")
    return tuple(messages), tuple(first_parts)


def split_message(whole: Message, stamp: str) -> list[Message]:
    """Return a message as it is stored: in parts of at most `text_chars` characters, cut between words if possible.

    Args:
        whole: of any length.
        stamp: its time as in `content_hash`; empty if the caller gave none.
    """
    pieces = list(_pieces(whole.text, LIMITS.text_chars))
    if len(pieces) == 1:
        return [whole]
    # A caller's id contains no control character, so the URIs of parts differ from those of all messages.
    uris = [whole.uri, *(Uri(f"{whole.uri}%1F{number}") for number in range(1, len(pieces)))]
    ids = [memory_id(uri) for uri in uris]
    parts = [
        replace(
            whole,
            id=ids[number],
            uri=uris[number],
            text=piece,
            content_hash=content_hash(whole.role, whole.speaker or "", stamp, piece),
            position=whole.position + number,
            part_of=whole.id,
            external_id=None,
            raw=None,
            extract=whole.extract and bool(piece.strip()),
        )
        for number, piece in enumerate(pieces)
    ]
    parts[0] = replace(parts[0], part_of=None, parts=tuple(ids[1:]), external_id=whole.external_id, raw=whole.raw)
    return parts


def _pieces(text: str, chars_max: int) -> Iterator[str]:
    """Yield the text in pieces; each but the last ends after white space if its last tenth has any."""
    start = 0
    while len(text) - start > chars_max:
        end = start + chars_max
        end = (
            1 + max((text.rfind(space, end - chars_max // 10, end) for space in ("\n", " ", "\u3002")), default=-1)
            or end
        )
        yield text[start:end]
        start = end
    yield text[start:]


def _key(
    message: IncomingMessage, request_id: str | None, fingerprint: str, nth: int, index: int, now: datetime
) -> str:
    if message.id is not None:
        return message.id
    if message.time is not None:
        return f"{fingerprint[:24]}-{nth}"
    if request_id is not None:
        return f"{content_hash(request_id)[:24]}-{index}"
    return f"{content_hash(fingerprint, now.isoformat())[:24]}-{index}"


def _facts(facts: tuple[ProvidedFact, ...], messages_n: int) -> tuple[tuple[ProvidedFact, ...], tuple[str, ...]]:
    kept, dropped = [], []
    for index, given in enumerate(facts):
        fact, problem = checked_fact(given, messages_n)
        if problem:
            dropped.append(f"facts[{index}] {problem}")
        else:
            kept.append(fact)
    return tuple(kept), tuple(dropped)


def checked_fact(given: ProvidedFact, messages_n: int) -> tuple[ProvidedFact, str | None]:
    """Return a fact as it is stored, and its first problem as the end of a sentence, None if it has none."""
    fact = _with_known_predicate(given)
    return fact, next(_fact_problems(fact, messages_n), None)


def _with_known_predicate(fact: ProvidedFact) -> ProvidedFact:
    """Return the fact with the predicate that its wording means: `likes` is PREFERS; unchanged if it means none."""
    if not isinstance(fact.predicate, str) or not isinstance(fact.relation, str | None):
        return fact
    if (known := predicate_and_relation(fact.predicate, fact.relation)) is None:
        return fact
    return replace(fact, predicate=known[0], relation=known[1])


def _fact_problems(fact: ProvidedFact, messages_n: int) -> Iterator[str]:
    """Yield the problems of a fact, each as the end of a sentence; those after the first may be wrong."""
    for name, text, chars_max in (
        ("subject", fact.subject, LIMITS.name_chars),
        ("object", fact.object, LIMITS.name_chars),
        ("statement", fact.statement, LIMITS.statement_chars),
        ("relation", fact.relation if fact.relation is not None else "-", LIMITS.name_chars),
        ("subjectType", fact.subject_type or "-", LIMITS.name_chars),
        ("objectType", fact.object_type or "-", LIMITS.name_chars),
        ("triggerEmotion", fact.trigger_emotion or "-", LIMITS.name_chars),
    ):
        if problem := text_problem(text, chars_max):
            yield f"{name} {problem}"
    if not isinstance(fact.predicate, str) or not allowed(Label.ENTITY, fact.predicate, Label.ENTITY):
        near = nearest_predicate(fact.predicate) if isinstance(fact.predicate, str) else fact_predicates()[0]
        yield (
            f"predicate {fact.predicate!r:.100} is unknown; the nearest is {near}, with any words in `relation`;"
            f" use one of {', '.join(fact_predicates())}"
        )
    if fold(fact.subject) == fold(fact.object):
        yield f"subject and object are both {fact.subject!r:.100}; name two different ones"
    yield from _value_problems(fact)
    if any(not 0 <= index < messages_n for index in fact.message_indexes):
        yield f"messageIndexes {list(fact.message_indexes)} names a message outside this call (0 to {messages_n - 1})"
    moments = (fact.valid_at, fact.invalid_at, fact.mentioned_start, fact.mentioned_end)
    yield from (problem for moment in moments if moment and (problem := time_problem(moment)))
    if fact.valid_at and fact.invalid_at and as_utc(fact.invalid_at) < as_utc(fact.valid_at):
        yield f"ends ({iso(fact.invalid_at)}) before it begins ({iso(fact.valid_at)}); swap the two"


def _value_problems(fact: ProvidedFact) -> Iterator[str]:
    for name, share in (("strength", fact.strength), ("confidence", fact.confidence)):
        if not 0.0 <= share <= 1.0:
            yield f"{name} is {share!r}; use a number from 0 to 1"
    least = tuning().confidence_min
    if fact.confidence < least:
        yield (
            f"confidence is {fact.confidence:g}, and facts below {least:g} (the setting facts.confidence_min) are not"
            " stored; send it once you are more certain"
        )
    if fact.importance is not None and not 1 <= fact.importance <= 10:
        yield f"importance is {fact.importance!r}; use a number from 1 to 10"
    if len(fact.steps) > LIMITS.steps:
        yield f"has {len(fact.steps):,} steps, at most {LIMITS.steps} are accepted; combine some"
    if len(fact.replaces) > LIMITS.replaces:
        yield f"replaces {len(fact.replaces):,} facts, at most {LIMITS.replaces} are accepted; name fewer"
    texts = [("rationale", fact.rationale)] if fact.rationale is not None else []
    texts += [(f"replaces[{index}]", text) for index, text in enumerate(fact.replaces)]
    for name, text in [*texts, *((f"steps[{index}]", step) for index, step in enumerate(fact.steps))]:
        if problem := text_problem(text, LIMITS.statement_chars):
            yield f"{name} {problem}"
