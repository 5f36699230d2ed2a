"""Limits on input, shared by all APIs and the documentation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits that are checked before anything is written.

    Attributes:
        message_chars: characters of one message; longer than `text_chars`, it is stored in several parts.
        raw_bytes, metadata_bytes: bytes of the payload and the metadata of one message, as JSON.
        batch_chars: characters of all messages of one call.
        body_bytes: bytes of an authenticated request.
        stranger_body_bytes: bytes of a request without a credential, such as a sign-in.
        tags, tag_chars: tags of one message or filter, and characters of each.
        future_s: how far a message's time may be ahead of the service's clock.
    """

    messages: int = 1000
    message_chars: int = 2_000_000
    text_chars: int = 100_000
    raw_bytes: int = 1_000_000
    json_depth: int = 100
    metadata_bytes: int = 65_536
    metadata_keys: int = 50
    batch_chars: int = 2_000_000
    facts: int = 500
    name_chars: int = 200
    statement_chars: int = 2_000
    steps: int = 50
    tags: int = 20
    tag_chars: int = 60
    replaces: int = 10
    summary_chars: int = 8_000
    id_chars: int = 200
    # A user's, a session's and a message's id, each character encoded as up to twelve.
    uri_chars: int = 8_000
    query_chars: int = 4_000
    results: int = 100
    evidence: int = 20
    context_tokens: int = 100_000
    future_s: int = 86_400
    body_bytes: int = 16_777_216
    stranger_body_bytes: int = 16_384


LIMITS = Limits()
