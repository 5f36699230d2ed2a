"""Every bound on what may come in, in one place, so that doors and documents agree."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds checked at the door, before anything is written.

    Attributes:
        text_chars: characters of one message.
        batch_chars: characters of all messages of one call.
        body_bytes: of a request that was admitted.
        stranger_body_bytes: of one for which no credential is asked, such as a sign-in.
        future_s: how far ahead of the service's clock a message may claim to be said.
    """

    messages: int = 1000
    text_chars: int = 100_000
    batch_chars: int = 2_000_000
    facts: int = 500
    name_chars: int = 200
    statement_chars: int = 2_000
    steps: int = 50
    summary_chars: int = 8_000
    id_chars: int = 200
    query_chars: int = 4_000
    results: int = 100
    evidence: int = 20
    context_tokens: int = 100_000
    future_s: int = 86_400
    body_bytes: int = 16_777_216
    stranger_body_bytes: int = 16_384


LIMITS = Limits()
