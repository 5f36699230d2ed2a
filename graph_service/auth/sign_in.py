"""Signing in from a browser: a cookie that stands for a key or token, and never holds it."""

import base64
import binascii
import hashlib
import hmac
import json
from typing import Final

from graph_service.auth.access import Access, Role
from schema.ids import TenantId

_COOKIE: Final = "mnemograph_session"


def cookie_name(host: str) -> str:
    """Return the cookie's name at an address; browsers do not keep cookies of two ports of a machine apart, so names
    do.

    Args:
        host: as the request names it, `name:port`.
    """
    port = host.rpartition(":")[2]
    return f"{_COOKIE}_{port}" if port.isdigit() else _COOKIE


def encode_session(access: Access, *, until_s: float, secret: bytes) -> str:
    """Return what the cookie holds: who it is and until when, signed.

    A key's rights are looked up each time, so that revoking it ends its sessions.
    """
    told = {"who": access.who, "key": access.key_id, "until": until_s}
    if access.key_id is None:
        told |= {"tenant": access.tenant, "role": access.role}
    body = base64.urlsafe_b64encode(json.dumps(told).encode()).decode()
    return f"{body}.{_signature(body, secret)}"


def decode_session(text: str, *, now_s: float, secret: bytes) -> Access | None:
    """Return who a cookie stands for; None when it is over or not ours. Of a key only `key_id` and `until_s` count."""
    body, _, signature = text.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(body, secret).encode()):
        return None
    try:
        told = json.loads(base64.urlsafe_b64decode(body))
    except (binascii.Error, ValueError):
        return None
    if told["until"] <= now_s:
        return None
    tenant = told.get("tenant")
    return Access(
        who=told["who"],
        tenant=None if tenant is None else TenantId(tenant),
        role=Role(told.get("role", Role.READ)),
        key_id=told["key"],
        until_s=told["until"],
    )


def _signature(body: str, secret: bytes) -> str:
    return hmac.new(secret, body.encode(), hashlib.sha256).hexdigest()
