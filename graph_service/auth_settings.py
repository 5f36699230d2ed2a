"""The settings of who gets in: signed tokens, rates, the audit log."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Claim = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSettings:
    """Who gets in; API keys are no settings, `mnemograph keys` makes them.

    Attributes:
        jwt_secret: of tokens signed by HS256, 32 bytes or more.
        jwt_public_key: of tokens signed by RS256: the PEM itself, or the path of a file that holds it.
        jwt_audience: must stand in each token's `aud`.
        jwt_issuer: must be each token's `iss` when set.
        jwt_leeway_s: by how much clocks may differ.
        jwt_tenant_claim: where tokens say which tenant they open.
        jwt_role_claim: where tokens say as what: read, write or admin.
        session_s: how long signing in to the viewer lasts.
        requests_per_s: of each credential that has no rate of its own; 0 means no limit.
        burst: how many such a credential may send at once.
        audit_mb_max: the oldest entries go when the audit log has so much.
    """

    jwt_secret: Annotated[str, Field(min_length=1, max_length=10_000)] | None = field(default=None, repr=False)
    jwt_public_key: Text | None = None
    jwt_audience: Claim | None = None
    jwt_issuer: Claim | None = None
    jwt_leeway_s: Annotated[float, Field(ge=0, le=300)] = 30.0
    jwt_tenant_claim: Claim = "tenant"
    jwt_role_claim: Claim = "role"
    session_s: Annotated[float, Field(ge=60, le=31 * 86_400)] = 43_200.0
    requests_per_s: Annotated[float, Field(ge=0, le=100_000)] = 50.0
    burst: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    audit_mb_max: Annotated[int, Field(ge=1, le=1_048_576)] = 64

    @property
    def takes_tokens(self) -> bool:
        """Whether signed tokens open anything."""
        return self.jwt_secret is not None or self.jwt_public_key is not None


def auth_contradictions(auth: AuthSettings) -> list[str]:
    """Settings of this section that are fine alone but not together."""
    problems = []
    if auth.jwt_secret is not None and auth.jwt_public_key is not None:
        problems.append("auth.jwt_secret and auth.jwt_public_key are both set: tokens have one kind of signature")
    if auth.jwt_secret is not None and len(auth.jwt_secret.encode()) < 32:
        problems.append(
            "auth.jwt_secret is shorter than 32 bytes: it could be guessed; `openssl rand -hex 32` makes one"
        )
    if auth.takes_tokens and auth.jwt_audience is None:
        problems.append(
            "auth.jwt_audience is not set: a token made for another service with the same key would open this one;"
            " set it to the name by which your issuer knows this service"
        )
    return problems
