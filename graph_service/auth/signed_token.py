"""JSON Web Tokens of an external issuer: verification, tenant and role."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import jwt

from graph_service.auth.access import Access, Role
from graph_service.auth.keyring import CREDENTIAL_CHARS_MAX
from graph_service.config.sections import AuthSettings
from schema.errors import InputError, InstallError, UnauthorizedError
from schema.ids import TenantId, tenant_named

SUBJECT_CHARS_MAX: Final = 200
# The last second of the year 9999, the largest datetime.
_LAST_S: Final = 253_402_300_799
# JSON types of a claim that should be a string.
_KINDS: Final = {
    type(None): "missing or null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
}
_REASONS: Final[Mapping[type[Exception], str]] = {
    jwt.ExpiredSignatureError: "it has expired",
    jwt.ImmatureSignatureError: "it is not valid yet",
    jwt.InvalidAudienceError: "it was issued for another service",
    jwt.InvalidIssuerError: "it comes from another issuer",
}
_REFUSED: Final = "the token is invalid: {why}; get a new one from your issuer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """The settings, and the secret or public key, by which tokens are verified."""

    auth: AuthSettings
    key: str = field(repr=False)


def token_rules(auth: AuthSettings) -> TokenRules | None:
    """Return the rules from the settings; None if tokens are not configured.

    Raises:
        InstallError: the public key cannot be read or is invalid.
    """
    if not auth.takes_tokens or auth.jwt_audience is None:
        return None
    return TokenRules(auth=auth, key=auth.jwt_secret or _public_key(auth.jwt_public_key or ""))


def verify_token(text: str, rules: TokenRules) -> Access:
    """Verify a token and return its access.

    Claims must have the right type; nothing is converted to a string, so `null` or `true` is not a tenant.

    Raises:
        UnauthorizedError: the token is invalid or expired, or names no tenant or role.
    """
    if len(text) > CREDENTIAL_CHARS_MAX:
        raise _refused(f"it has more than {CREDENTIAL_CHARS_MAX:,} characters")
    auth = rules.auth
    try:
        claims = jwt.decode(
            text,
            rules.key,
            # The only accepted one, whatever the token's header says.
            algorithms=["RS256" if auth.jwt_secret is None else "HS256"],
            audience=auth.jwt_audience,
            issuer=auth.jwt_issuer,
            leeway=auth.jwt_leeway_s,
            options={"require": ["exp", "aud", "sub"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _refused(_why(error)) from error
    return Access(
        who=f"jwt:{_subject(claims)}",
        tenant=_tenant(claims, auth.jwt_tenant_claim),
        role=_role(claims, auth.jwt_role_claim),
        until_s=_end_s(claims) + auth.jwt_leeway_s,
    )


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= SUBJECT_CHARS_MAX:
        raise _refused(f"its claim 'sub' is not a string of 1 to {SUBJECT_CHARS_MAX} characters")
    return subject


def _tenant(claims: Mapping[str, Any], name: str) -> TenantId:
    claim = claims.get(name)
    if not isinstance(claim, str):
        raise _refused(
            f"its claim {name!r} must be a string that names a tenant, and is {_KINDS.get(type(claim), 'an object')}"
        )
    try:
        return tenant_named(claim)
    except InputError as error:
        raise _refused(f"its claim {name!r} is not a tenant name") from error


def _role(claims: Mapping[str, Any], name: str) -> Role:
    """Return the highest known role in the claim, a string or list of strings that may contain others."""
    claim = claims.get(name)
    names = claim if isinstance(claim, list) else [claim]
    if not all(isinstance(one, str) for one in names):
        raise _refused(f"its claim {name!r} must be a string or a list of strings with one of {', '.join(Role)}")
    ours = [role for role in Role if role in names]
    if not ours:
        raise _refused(f"its claim {name!r} contains none of {', '.join(Role)}")
    return ours[-1]


def _end_s(claims: Mapping[str, Any]) -> float:
    """Return the expiry in Unix seconds; refuse tokens whose expiry is not a valid date."""
    claim = claims["exp"]
    if isinstance(claim, bool) or not isinstance(claim, int | float) or not 0 < claim <= _LAST_S:
        raise _refused("its claim 'exp' is not a Unix time in seconds")
    return float(claim)


def _refused(why: str) -> UnauthorizedError:
    return UnauthorizedError(_REFUSED.format(why=why))


def _why(error: Exception) -> str:
    if isinstance(error, jwt.MissingRequiredClaimError):
        return f"it lacks the claim {error.claim!r}"
    known = (why for kind, why in _REASONS.items() if isinstance(error, kind))
    return next(known, "it is not signed with the issuer's key")


def _public_key(setting: str) -> str:
    try:
        text = setting if setting.lstrip().startswith("-----BEGIN") else Path(setting).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstallError(
            f"auth.jwt_public_key: {setting[:200]!r} cannot be read: set the PEM itself, or the path of its file"
        ) from error
    if "PRIVATE KEY" in text:
        raise InstallError("auth.jwt_public_key is a private key: set the public one, and keep the other secret")
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(text.encode())
    except ValueError as error:
        raise InstallError(
            "auth.jwt_public_key is not a public key in PEM format (-----BEGIN PUBLIC KEY-----)"
        ) from error
    if not isinstance(key, RSAPublicKey) or key.key_size < 2_048:
        raise InstallError("auth.jwt_public_key is not an RSA key of 2,048 bits or more, as RS256 requires")
    return text
