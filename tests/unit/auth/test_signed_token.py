"""Test signed tokens: accepted and refused."""

import base64
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from graph_service.auth.access import Role
from graph_service.auth.keyring import CREDENTIAL_CHARS_MAX
from graph_service.auth.signed_token import TokenRules, token_rules, verify_token
from graph_service.config.sections import AuthSettings, auth_contradictions
from graph_service.live.websocket import access_fields
from schema.errors import InstallError, UnauthorizedError

SECRET = "an issuer's secret of more than 32 bytes"
PAIR = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
PRIVATE = PAIR.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
PUBLIC = PAIR.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
BY_SECRET = AuthSettings(jwt_secret=SECRET, jwt_audience="mnemoscene", jwt_issuer="https://issuer.example")
BY_PAIR = AuthSettings(jwt_public_key=PUBLIC, jwt_audience="mnemoscene")


def rules(auth: AuthSettings) -> TokenRules:
    made = token_rules(auth)
    assert made is not None
    return made


def a_token(key: str = SECRET, algorithm: str = "HS256", **more: Any) -> str:
    claims = {
        "sub": "ana",
        "aud": "mnemoscene",
        "iss": "https://issuer.example",
        "exp": time.time() + 60,
        "tenant": "acme",
        "role": "write",
        **more,
    }
    return jwt.encode({name: value for name, value in claims.items() if value is not None}, key, algorithm)


def test_token_of_either_algorithm_gives_its_tenant_and_role() -> None:
    for auth, token in ((BY_SECRET, a_token()), (BY_PAIR, a_token(PRIVATE, "RS256"))):
        access = verify_token(token, rules(auth))
        assert (access.who, access.tenant, access.role, access.key_id) == ("jwt:ana", "acme", Role.WRITE, None)
        assert access.until_s == pytest.approx(time.time() + 60 + auth.jwt_leeway_s, abs=5)


def test_highest_of_several_roles_counts() -> None:
    token = a_token(role=["billing", "read", "admin"])
    assert verify_token(token, rules(BY_SECRET)).role is Role.ADMIN


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"exp": time.time() - 40}, "it has expired"),
        ({"exp": None}, "lacks the claim 'exp'"),
        # Far in the future, since the whole run lies between the creation of this table and the test.
        ({"nbf": time.time() + 86_400}, "is not valid yet"),
        ({"aud": "billing"}, "another service"),
        ({"aud": None}, "another service|lacks the claim"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"iss": None}, "another issuer|lacks the claim"),
        ({"sub": None}, "lacks the claim 'sub'"),
        ({"tenant": None}, "tenant"),
        ({"tenant": "../x"}, "tenant"),
        ({"tenant": "*"}, "tenant"),
        ({"tenant": ["acme"]}, "tenant"),
        ({"role": None}, " one of read, write, admin| none of read, write, admin"),
        ({"role": "root"}, " one of read, write, admin| none of read, write, admin"),
        ({"role": {"admin": True}}, " one of read, write, admin| none of read, write, admin"),
    ],
)
def test_token_without_a_required_claim_is_refused(more: dict[str, Any], why: str) -> None:
    with pytest.raises(UnauthorizedError, match=why):
        verify_token(a_token(**more), rules(BY_SECRET))


def signed_as_written(claims: str) -> str:
    """Return a token whose payload is exactly this text, which PyJWT itself would refuse to encode."""
    return jwt.PyJWS().encode(claims.encode(), SECRET, "HS256", headers={"typ": "JWT"})


def claims_text(**changed: str) -> str:
    """Return the claims of a valid token as JSON, some replaced by JSON given as text."""
    claims = {
        "sub": '"ana"',
        "aud": '"mnemoscene"',
        "iss": '"https://issuer.example"',
        "exp": str(int(time.time()) + 60),
        "tenant": '"acme"',
        "role": '"write"',
        **changed,
    }
    return "{" + ", ".join(f'"{name}": {value}' for name, value in claims.items()) + "}"


@pytest.mark.parametrize("value", ["null", "true", "false", "0", "1", "1.5", "NaN", '""', "[]", '["acme"]', "{}"])
@pytest.mark.parametrize("claim", ["tenant", "role", "sub"])
def test_claim_that_is_not_text_is_refused(claim: str, value: str) -> None:
    with pytest.raises(UnauthorizedError, match=f"'{claim}'|not signed with"):
        verify_token(signed_as_written(claims_text(**{claim: value})), rules(BY_SECRET))


@pytest.mark.parametrize(
    "value",
    [
        *("null", "true", '"tomorrow"', "[]", "{}", "-1", "0", "NaN", "Infinity", "1e400", "1e300"),
        str(10**30),
        "9" * 5_000,
    ],
)
def test_expiry_that_is_not_a_time_is_refused(value: str) -> None:
    with pytest.raises(UnauthorizedError):
        verify_token(signed_as_written(claims_text(exp=value)), rules(BY_SECRET))


def test_expiry_in_a_thousand_years_is_accepted_and_reported() -> None:
    """The issuer decides how long tokens are valid; viewers show the day."""
    end_s = int(time.time()) + 1_000 * 365 * 86_400
    access = verify_token(signed_as_written(claims_text(exp=str(end_s))), rules(BY_SECRET))
    assert access.until_s == end_s + BY_SECRET.jwt_leeway_s
    assert access_fields(access)["access_expires_at"] is not None


@pytest.mark.parametrize("name", ["acme", "茶馆", "a.b-c_1", "null", "true", "0"])
def test_tenant_claim_with_an_odd_valid_name_is_accepted(name: str) -> None:
    """The text `"null"` is a valid name; only the issuer can write it."""
    assert verify_token(a_token(tenant=name), rules(BY_SECRET)).tenant == name


def test_role_in_a_list_of_roles_counts_and_in_a_mixed_list_does_not() -> None:
    assert verify_token(a_token(role=["billing", "read"]), rules(BY_SECRET)).role is Role.READ
    for role in (["read", True], ["admin", None], ["write", ["admin"]], [{"admin": 1}]):
        with pytest.raises(UnauthorizedError, match="list of strings"):
            verify_token(a_token(role=role), rules(BY_SECRET))


def test_two_long_subjects_are_distinguished() -> None:
    with pytest.raises(UnauthorizedError, match="'sub'"):
        verify_token(a_token(sub="x" * 201), rules(BY_SECRET))


def test_deeply_nested_header_or_claims_are_refused_with_a_message() -> None:
    deep = "[" * 2_900 + "]" * 2_900
    head = base64.urlsafe_b64encode(f'{{"alg": {deep}}}'.encode()).decode().rstrip("=")
    for text in (signed_as_written(deep), f"{head}.e30.e30"):
        assert len(text) < CREDENTIAL_CHARS_MAX
        with pytest.raises(UnauthorizedError):
            verify_token(text, rules(BY_SECRET))


def test_clock_difference_within_the_leeway_is_accepted() -> None:
    assert verify_token(a_token(exp=time.time() - 20), rules(BY_SECRET)).tenant == "acme"


def unsigned(algorithm: str) -> str:
    head, body, _ = a_token().split(".")
    told = json.loads(base64.urlsafe_b64decode(head + "=="))
    changed = base64.urlsafe_b64encode(json.dumps({**told, "alg": algorithm}).encode()).decode().rstrip("=")
    return f"{changed}.{body}."


def test_token_cannot_choose_its_algorithm() -> None:
    """Source: RFC 8725, section 3.1: a public key must never be used as the secret of a signature."""
    with pytest.raises(jwt.InvalidKeyError):
        a_token(PUBLIC, "HS256")
    by_hand = jwt.PyJWS().encode(a_token().split(".")[1].encode(), SECRET, "HS256")
    for text in (unsigned("none"), unsigned("None"), a_token(), by_hand, "a.b.c", "", "a" * 10_000):
        with pytest.raises(UnauthorizedError):
            verify_token(text, rules(BY_PAIR))
    for text in (unsigned("none"), a_token(PRIVATE, "RS256"), a_token("another secret of more than 32 bytes!")):
        with pytest.raises(UnauthorizedError):
            verify_token(text, rules(BY_SECRET))


def test_public_key_may_be_a_file_and_must_be_valid(tmp_path: Path) -> None:
    file = tmp_path / "issuer.pem"
    file.write_text(PUBLIC, "utf-8")
    auth = AuthSettings(jwt_public_key=str(file), jwt_audience="mnemoscene")
    assert verify_token(a_token(PRIVATE, "RS256"), rules(auth)).tenant == "acme"
    small = rsa.generate_private_key(public_exponent=65_537, key_size=1_024).public_key()
    too_small = small.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    for told, why in (
        (str(tmp_path / "none.pem"), "cannot be read"),
        (PRIVATE, "private key"),
        ("-----BEGIN NONSENSE-----", "not a public key"),
        (too_small, "not an RSA key"),
    ):
        with pytest.raises(InstallError, match=why):
            token_rules(AuthSettings(jwt_public_key=told, jwt_audience="mnemoscene"))


def test_contradicting_settings_are_reported() -> None:
    assert token_rules(AuthSettings()) is None
    assert auth_contradictions(BY_SECRET) == []
    told = auth_contradictions(AuthSettings(jwt_secret="short", jwt_public_key=PUBLIC))
    assert len(told) == 3
    assert "short" not in " ".join(told).replace("shorter", "")
    assert SECRET not in repr(BY_SECRET)
