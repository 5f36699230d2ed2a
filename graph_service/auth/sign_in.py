"""Session cookies: signed references to a key or token, without the secret."""

import base64
import binascii
import hashlib
import hmac
import json
from typing import Final

from graph_service.auth.access import Access, Role
from schema.ids import TenantId

_COOKIE: Final = "mnemoscene_session"


def cookie_name(host: str) -> str:
    """Return the cookie's name for a host; it contains the port, because browsers share cookies between ports.

    Args:
        host: the Host header, `name:port`.
    """
    port = host.rpartition(":")[2]
    return f"{_COOKIE}_{port}" if port.isdigit() else _COOKIE


def session_secret(database_password: str) -> bytes:
    """Return the secret that signs cookies in every process on one database.

    Takes some 50 ms, so that who has a cookie cannot guess a weak password by trying many.
    """
    return hashlib.scrypt(database_password.encode(), salt=b"mnemoscene sessions", n=2**14, r=8, p=1, dklen=32)


def encode_session(access: Access, *, until_s: float, secret: bytes) -> str:
    """Return the signed content of a cookie.

    For API keys it contains only the id, so that revoking the key ends its sessions.
    """
    claims = {"who": access.who, "key": access.key_id, "until": until_s}
    if access.key_id is None:
        claims |= {"tenant": access.tenant, "role": access.role}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode()
    return f"{body}.{_signature(body, secret)}"


def decode_session(text: str, *, now_s: float, secret: bytes) -> Access | None:
    """Return the access in a cookie; None if expired or invalid. For API keys only `key_id` and `until_s` are set."""
    body, _, signature = text.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(body, secret).encode()):
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(body))
    except (binascii.Error, ValueError):
        return None
    if claims["until"] <= now_s:
        return None
    tenant = claims.get("tenant")
    return Access(
        who=claims["who"],
        tenant=None if tenant is None else TenantId(tenant),
        role=Role(claims.get("role", Role.READ)),
        key_id=claims["key"],
        until_s=claims["until"],
    )


def _signature(body: str, secret: bytes) -> str:
    return hmac.new(secret, body.encode(), hashlib.sha256).hexdigest()
