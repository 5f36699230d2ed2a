"""Import chats between people, with their speakers: exports of Slack, Telegram and WhatsApp.

A message of the owner is the user's; everybody else keeps their name, so that "I" is not taken for the user. Each chat
becomes one session a day.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.importers.import_batch import Conversation, ImportBatch, clean_text, moment
from graph_service.importers.source import Source
from schema.ids import content_hash, name_key
from schema.limits import LIMITS

_CHAT_CHARS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    chat: str
    id: str
    speaker: str
    text: str
    time: datetime | None


def add_chats(source: Source, batch: ImportBatch, messages: list[ChatMessage]) -> None:
    """Add messages as conversations, one for each chat and day."""
    messages = [replace(one, speaker=clean_text(one.speaker)[: LIMITS.name_chars].strip()) for one in messages]
    own = _speaker_of_owner(source, {message.speaker for message in messages})
    conversations: dict[str, Conversation] = {}
    for message in messages:
        chat = clean_text(message.chat)[:_CHAT_CHARS]
        session = f"{chat}-{message.time:%Y-%m-%d}" if message.time else chat
        conversation = conversations.setdefault(
            session, Conversation(user_id=source.user_id, session_id=session, user_name=own)
        )
        conversation.add_message(
            batch, message.text, message_id=message.id, time=message.time, speaker=message.speaker or None
        )
        if message.speaker != own:
            batch.kept[
                "of them, messages of others" if own else "of them, none of the user (name them with --speaker)"
            ] += 1
    for conversation in conversations.values():
        batch.add_conversation(conversation)


def _speaker_of_owner(source: Source, speakers: set[str]) -> str | None:
    """Return the speaker who is the user: the one named, else the only one whose name, or a word of it, is the id."""
    wanted = name_key(source.owner.speaker or source.owner.user_name or source.user_id)
    names = {speaker: name_key(speaker) for speaker in sorted(speakers)}
    equal = [speaker for speaker, name in names.items() if name == wanted]
    partly = equal or [speaker for speaker, name in names.items() if wanted in name.split()]
    return partly[0] if len(partly) == 1 else None


# Slack: a list of messages for each channel and day.

_SLACK_MARKUP: Final = re.compile(
    r"<(?:@(?P<user>\w+)(?:\|[^<>]*)?|#\w+\|(?P<channel>[^<>]*)|(?P<url>[^<>|@#!]+)(?:\|(?P<label>[^<>]*))?)>"
)


def is_slack(source: Source) -> bool:
    return source.head.get("type") == "message" and "ts" in source.head


def from_slack(source: Source, batch: ImportBatch) -> None:
    """Add the messages of a channel; joins, bots without text and files are counted."""
    people = dict(source.people)
    rows = list(source.rows("message"))
    for _, row in rows:
        profile = row.get("user_profile") if isinstance(row, Mapping) else None
        if isinstance(profile, Mapping) and isinstance(row.get("user"), str):
            names = (profile.get(name) for name in ("real_name", "display_name", "name"))
            people.setdefault(
                row["user"], next((name for name in names if isinstance(name, str) and name), row["user"])
            )
    chat = f"slack-{re.sub(r'-?[0-9]{4}-[0-9]{2}-[0-9]{2}$', '', source.stem) or _folder(source)}"
    messages = []
    for place, row in rows:
        with batch.part(place):
            if not isinstance(row, Mapping) or not isinstance(row.get("ts"), str):
                raise ValueError("must be an object with ts")
            if row.get("subtype") not in (None, "thread_broadcast", "me_message", "file_share", "bot_message"):
                batch.drop(f"messages of type {row['subtype']!s:.40}")
                continue
            time = moment(float(row["ts"]), "ts")
            user, text = row.get("user") or row.get("username") or row.get("bot_id"), row.get("text")
            speaker = people.get(user, user) if isinstance(user, str) else ""
            batch.drop("files", len(row["files"]) if isinstance(row.get("files"), list) else 0)
            plain = _SLACK_MARKUP.sub(lambda found: _slack_words(found, people), text if isinstance(text, str) else "")
            plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            messages.append(ChatMessage(chat=chat, id=f"{chat}-{row['ts']}", speaker=speaker, text=plain, time=time))
    add_chats(source, batch, messages)


def _slack_words(found: re.Match[str], people: Mapping[str, str]) -> str:
    if found["user"]:
        return f"@{people.get(found['user'], found['user'])}"
    return f"#{found['channel']}" if found["channel"] else found["label"] or found["url"] or ""


def _folder(source: Source) -> str:
    parts = re.split(r"[\\/]", source.name)
    return parts[-2] if len(parts) > 1 else "export"


# Telegram: `result.json` of one chat, or of all.


def is_telegram(source: Source) -> bool:
    chats = _telegram_chats(source.tree)
    return bool(chats) and any(
        isinstance(message, Mapping) and ("from_id" in message or "actor_id" in message or "date_unixtime" in message)
        for message in chats[0]["messages"][:3]
    )


def _telegram_chats(tree: Any) -> list[Mapping[str, Any]]:
    listed = tree.get("chats") if isinstance(tree, Mapping) else None
    chats = listed.get("list") if isinstance(listed, Mapping) else [tree]
    return (
        [chat for chat in chats if isinstance(chat, Mapping) and isinstance(chat.get("messages"), list)]
        if isinstance(chats, list)
        else []
    )


def from_telegram(source: Source, batch: ImportBatch) -> None:
    """Add the messages of all chats; service messages and media are counted."""
    messages = []
    for number, chat in enumerate(_telegram_chats(source.tree), start=1):
        name = f"telegram-{chat.get('name') or chat.get('id') or number}"
        for index, row in enumerate(chat["messages"], start=1):
            with batch.part(f"{source.name} chat {number} message {index}"):
                if not isinstance(row, Mapping) or not isinstance(row.get("id"), int):
                    raise ValueError("must be an object with an id")
                if row.get("type") != "message":
                    batch.drop(f"messages of type {row.get('type')!s:.40}")
                    continue
                seconds, written = row.get("date_unixtime"), row.get("from")
                if isinstance(seconds, str | int):
                    time = moment(float(seconds) if isinstance(seconds, str) else seconds, "date")
                else:
                    time = _local(row.get("date"))
                batch.drop("photos and files", any(key in row for key in ("photo", "file", "media_type")))
                speaker = written if isinstance(written, str) else str(row.get("from_id") or "")
                text, key = "".join(_telegram_texts(row.get("text"))), f"{name[:_CHAT_CHARS]}-{row['id']}"
                messages.append(ChatMessage(chat=name, id=key, speaker=speaker, text=text, time=time))
    add_chats(source, batch, messages)


def _telegram_texts(written: Any) -> Iterator[str]:
    for part in written if isinstance(written, list) else [written]:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text


def _local(written: Any) -> datetime | None:
    """Return a time without a zone as one of this machine."""
    if not isinstance(written, str):
        return None
    read = datetime.fromisoformat(written)
    try:
        return read if read.tzinfo else read.astimezone()
    except (OverflowError, OSError):
        return read.replace(tzinfo=UTC)


# WhatsApp: a text; the order of day and month and the clock are those of the phone's language.

_WHATSAPP: Final = re.compile(
    r"^[\u200e\u200f]?\[?(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})\.?,? "
    r"(?:([AaPp])\.?\s?[Mm]\.?\s|(上午|下午|凌晨|早上|中午|晚上)\s?)?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"(?:\s?([AaPp])\.?\s?[Mm]\.?)?(?:\]| -) (.*)$"
)
_SPEAKER: Final = re.compile(r"^[\u200e\u200f]?(?P<speaker>[^:]{1,100}): (?P<text>.*)$", re.DOTALL)
# On iOS a left-to-right mark begins what WhatsApp itself wrote, in the language of the phone.
_MEDIA: Final = re.compile(
    r"^(?:\u200e[^\n]{1,200}|<[^<>]{1,200}>|(?:image|video|audio|sticker|GIF|document|Contact card) omitted|null"
    r"|[^\n]{1,200} \(file attached\)|(?:You deleted this message|This message was deleted)\.?)$"
)


def is_whatsapp(text: str) -> bool:
    """Return whether one of the first lines of a text begins as WhatsApp's messages do."""
    return any(_WHATSAPP.match(_plain_spaces(line)) for line in text[:2_000].splitlines()[:5])


def from_whatsapp(source: Source, batch: ImportBatch) -> None:
    """Add the messages; those without a speaker are WhatsApp's own, and are counted like media and deleted ones."""
    lines: list[tuple[re.Match[str], list[str]]] = []
    for line in _plain_spaces(source.text).splitlines():
        found = _WHATSAPP.match(line)
        if found:
            lines.append((found, [found[10]]))
        elif lines:
            lines[-1][1].append(line)
    day_first = _day_first([found for found, _ in lines])
    chat = f"whatsapp-{re.sub(r'^WhatsApp Chat (?:with|-) ', '', source.stem).strip() or 'chat'}"
    messages, seen = list[ChatMessage](), set[str]()
    for number, (found, parts) in enumerate(lines, start=1):
        said = _SPEAKER.match("\n".join(parts))
        if said is None:
            batch.drop("messages of WhatsApp itself")
        elif _MEDIA.match(said["text"]):
            batch.drop("media and deleted messages")
        else:
            with batch.part(f"{source.name} message {number}: time"):
                time = _whatsapp_time(found, day_first=day_first)
                base = content_hash(found[0][: found.start(10)], said["speaker"], clean_text(said["text"]))
                name = next(one for n in range(len(messages) + 1) if (one := f"whatsapp-{base}-{n}") not in seen)
                seen.add(name)
                speaker = said["speaker"].lstrip("~ \u202f")
                messages.append(ChatMessage(chat=chat, id=name, speaker=speaker, text=said["text"], time=time))
    add_chats(source, batch, messages)


def _plain_spaces(text: str) -> str:
    return text.replace("\u202f", " ").replace("\xa0", " ")


def _day_first(found: list[re.Match[str]]) -> bool:
    """Return whether days stand before months: where only one order is possible, else by the clock of 12 hours."""
    if any(int(one[1]) > 12 for one in found if len(one[1]) < 3):
        return True
    if any(int(one[2]) > 12 for one in found):
        return False
    return not any(one[4] or one[9] for one in found)


def _whatsapp_time(found: re.Match[str], *, day_first: bool) -> datetime:
    first, second, third = int(found[1]), int(found[2]), int(found[3])
    if len(found[1]) == 4:
        year, month, day = first, second, third
    else:
        day, month = (first, second) if day_first else (second, first)
        year = third if third > 99 else 2000 + third
    hour = int(found[6])
    half, word = (found[4] or found[9] or "").lower(), found[5]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif word in ("下午", "晚上", "中午") and hour < 12 and not (word == "中午" and hour >= 11):
        hour += 12
    return datetime(year, month, day, hour, int(found[7]), int(found[8] or 0)).astimezone()
