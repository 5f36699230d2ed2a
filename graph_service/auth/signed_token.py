"""JSON Web Tokens of somebody else's issuer: which tenant they open, and as what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import jwt

from graph_service.auth.access import Access, Role
from graph_service.auth.keys import CREDENTIAL_CHARS_MAX
from graph_service.config.sections import AuthSettings
from schema.errors import InputError, InstallError, UnauthorizedError
from schema.ids import TenantId
from schema.tenant_name import tenant_named

SUBJECT_CHARS_MAX: Final = 200
# The last second of the year 9999: what a moment can say.
_LAST_S: Final = 253_402_300_799
_REFUSED: Final = "the token is not good here: {why}; get a new one from your issuer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """What a token must be like.

    Attributes:
        algorithm: the only one taken; what a token says of itself is not asked.
    """

    algorithm: str
    key: str = field(repr=False)
    audience: str
    issuer: str | None
    leeway_s: float
    tenant_claim: str
    role_claim: str


def token_rules(auth: AuthSettings) -> TokenRules | None:
    """Return the rules that the settings make; None when tokens open nothing.

    Raises:
        InstallError: the public key cannot be read or is none.
    """
    if not auth.takes_tokens or auth.jwt_audience is None:
        return None
    by_secret = auth.jwt_secret is not None
    return TokenRules(
        algorithm="HS256" if by_secret else "RS256",
        key=auth.jwt_secret or _public_key(auth.jwt_public_key or ""),
        audience=auth.jwt_audience,
        issuer=auth.jwt_issuer,
        leeway_s=auth.jwt_leeway_s,
        tenant_claim=auth.jwt_tenant_claim,
        role_claim=auth.jwt_role_claim,
    )


def verify_token(text: str, rules: TokenRules) -> Access:
    """Return what a token lets its holder do.

    A claim counts only with the type it must have: nothing is turned into text, so that `null` or `true` names no
    tenant.

    Raises:
        UnauthorizedError: it is no token of this issuer for this service, is over, or names no tenant or role.
    """
    if len(text) > CREDENTIAL_CHARS_MAX:
        raise _refused(f"it has more than {CREDENTIAL_CHARS_MAX:,} characters")
    try:
        claims = jwt.decode(
            text,
            rules.key,
            algorithms=[rules.algorithm],
            audience=rules.audience,
            issuer=rules.issuer,
            leeway=rules.leeway_s,
            options={"require": ["exp", "aud", "sub"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _refused(_why(error)) from error
    return Access(
        who=f"jwt:{_subject(claims)}",
        tenant=_tenant(claims, rules.tenant_claim),
        role=_role(claims, rules.role_claim),
        until_s=_end_s(claims) + rules.leeway_s,
    )


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= SUBJECT_CHARS_MAX:
        raise _refused(f"its claim 'sub' is no text of 1 to {SUBJECT_CHARS_MAX} characters")
    return subject


def _tenant(claims: Mapping[str, Any], name: str) -> TenantId:
    told = claims.get(name)
    if not isinstance(told, str):
        raise _refused(f"its claim {name!r} names no tenant: it must be a text, and is {_kind(told)}")
    try:
        return tenant_named(told)
    except InputError as error:
        raise _refused(f"its claim {name!r} names no tenant") from error


def _role(claims: Mapping[str, Any], name: str) -> Role:
    """Return the highest of our roles in the claim, a text or a list of texts, which may name others too."""
    told = claims.get(name)
    names = told if isinstance(told, list) else [told]
    if not all(isinstance(one, str) for one in names):
        raise _refused(f"its claim {name!r} holds none of {', '.join(Role)}: it must be a text or a list of texts")
    ours = [role for role in Role if role in names]
    if not ours:
        raise _refused(f"its claim {name!r} holds none of {', '.join(Role)}")
    return ours[-1]


def _end_s(claims: Mapping[str, Any]) -> float:
    """Return when the token ends; a far day is the issuer's to choose, as long as it is a day."""
    told = claims["exp"]
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 < told <= _LAST_S:
        raise _refused("its claim 'exp' is no moment in seconds since 1970")
    return float(told)


def _refused(why: str) -> UnauthorizedError:
    return UnauthorizedError(_REFUSED.format(why=why))


def _kind(told: Any) -> str:
    """Return what JSON calls a value that is no text."""
    match told:
        case None:
            return "missing or null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case _:
            return "an object"


def _why(error: Exception) -> str:
    match error:
        case jwt.ExpiredSignatureError():
            return "it is over"
        case jwt.ImmatureSignatureError():
            return "it does not count yet"
        case jwt.InvalidAudienceError():
            return "it was made for another service"
        case jwt.InvalidIssuerError():
            return "it comes from another issuer"
        case jwt.MissingRequiredClaimError():
            return f"it lacks the claim {error.claim!r}"
        case _:
            return "it is not signed by the issuer's key"


def _public_key(told: str) -> str:
    try:
        text = told if told.lstrip().startswith("-----BEGIN") else Path(told).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstallError(
            f"auth.jwt_public_key: {told[:200]!r} cannot be read: give the PEM itself, or the path of its file"
        ) from error
    if "PRIVATE KEY" in text:
        raise InstallError("auth.jwt_public_key holds a private key: give the public one; the other must stay secret")
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(text.encode())
    except ValueError as error:
        raise InstallError("auth.jwt_public_key is no public key in PEM form (-----BEGIN PUBLIC KEY-----)") from error
    if not isinstance(key, RSAPublicKey) or key.key_size < 2_048:
        raise InstallError("auth.jwt_public_key is no RSA key of 2,048 bits or more; tokens are signed by RS256")
    return text
