"""Test roles, required roles, keys, cookies and rates, without a service."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.auth.access import ANONYMOUS, Access, Role, require_access, resolve_tenant
from graph_service.auth.rates import Bucket, RateLimiter
from graph_service.auth.rules import ADMIN_OF_ALL, FIELDS, OPEN, READ, ROUTES, field_requirement, route_requirement
from graph_service.auth.sign_in import cookie_name, decode_session, encode_session
from schema.errors import ForbiddenError
from schema.ids import TenantId

SECRET = b"s" * 32
ACME = TenantId("acme")


def an_access(role: Role = Role.READ, tenant: str | None = "acme") -> Access:
    return Access(who="key:1", tenant=None if tenant is None else TenantId(tenant), role=role)


def allowed(access: Access, operation: str, field: str) -> bool:
    try:
        require_access(access, field_requirement(operation, field), field)
    except ForbiddenError:
        return False
    return True


def test_each_role_includes_the_lower_ones() -> None:
    tried = [(operation, field) for operation, fields in FIELDS.items() for field in fields]
    read, write, admin = ({one for one in tried if allowed(an_access(role), *one)} for role in Role)
    assert read < write < admin
    assert ("query", "recall") in read
    assert ("mutation", "remember") in write - read
    assert ("mutation", "forgetUser") in admin - write
    every = {one for one in tried if allowed(an_access(Role.ADMIN, None), *one)}
    assert every == set(tried)
    of_all = {("mutation", name) for name in ("pauseSpool", "beginQuarantine", "endQuarantine")}
    assert every - admin == of_all | {("query", "cypher")}


def test_unlisted_fields_require_the_highest_role() -> None:
    for need in (
        field_requirement("query", "brandNew"),
        field_requirement("mutation", "brandNew"),
        route_requirement("GET", "/brand/new"),
    ):
        assert need == ADMIN_OF_ALL
    assert route_requirement("DELETE", "/health") == ADMIN_OF_ALL
    assert route_requirement("WEBSOCKET", "/brand/new") == ADMIN_OF_ALL


def test_routes_are_matched_by_pattern() -> None:
    assert route_requirement("GET", "/api/evidence/abc") == READ
    assert route_requirement("HEAD", "/api/snapshot") == READ
    assert route_requirement("GET", "/assets/app-1.js") == OPEN
    for path in ("/api/evidence/", "/api/evidence/a/b", "/api/snapshot/", "//api/snapshot", "/assets", "/api"):
        assert route_requirement("GET", path) == ADMIN_OF_ALL
    assert {route.path for route in ROUTES if route.need is OPEN} == {
        *("/", "/index.html", "/mark.svg", "/favicon.ico", "/sw.js", "/assets/*", "/health", "/ready"),
        *("/api/sign-in", "/api/sign-out", "/live"),
    }


def test_credential_of_one_tenant_has_no_access_to_others() -> None:
    assert resolve_tenant(an_access(), None) == "acme"
    assert resolve_tenant(an_access(), ACME) == "acme"
    with pytest.raises(ForbiddenError):
        resolve_tenant(an_access(), TenantId("other"))
    assert resolve_tenant(an_access(tenant=None), TenantId("other")) == "other"
    assert resolve_tenant(ANONYMOUS, None) == "default"


@given(st.integers(0, 200), st.data())
def test_modified_cookie_is_invalid(place: int, data: st.DataObject) -> None:
    text = encode_session(an_access(Role.ADMIN), until_s=100.0, secret=SECRET)
    place %= len(text)
    sign = data.draw(st.characters(codec="ascii").filter(lambda char: char != text[place]))
    assert decode_session(text[:place] + sign + text[place + 1 :], now_s=0.0, secret=SECRET) is None


def test_cookie_is_valid_until_it_expires() -> None:
    text = encode_session(an_access(Role.WRITE), until_s=100.0, secret=SECRET)
    told = decode_session(text, now_s=99.0, secret=SECRET)
    assert told is not None
    assert (told.who, told.tenant, told.role) == ("key:1", "acme", Role.WRITE)
    assert decode_session(text, now_s=100.0, secret=SECRET) is None
    assert decode_session(text, now_s=0.0, secret=b"t" * 32) is None
    assert decode_session("", now_s=0.0, secret=SECRET) is None


def test_cookies_of_two_ports_have_different_names() -> None:
    names = {cookie_name(host) for host in ("127.0.0.1:7780", "127.0.0.1:7781", "memory.example", "[::1]:7782")}
    assert len(names) == 4


steps = st.lists(st.floats(0, 5, allow_nan=False), min_size=1, max_size=60)


@given(steps, st.floats(0.1, 50), st.integers(1, 20))
def test_rate_limit_never_allows_more_than_burst_and_rate(pauses: list[float], per_s: float, burst: int) -> None:
    bucket, now_s, times = Bucket(burst, 0.0, per_s, burst), 0.0, []
    for pause in pauses:
        now_s += pause
        wait_s = bucket.take(now_s=now_s)
        assert 0 <= bucket.tokens <= burst
        if wait_s == 0:
            times.append(now_s)
    for first in range(len(times)):
        for last in range(first, len(times)):
            assert last - first + 1 <= burst + (times[last] - times[first]) * per_s + 1e-6


@given(steps, st.floats(0.1, 50), st.integers(1, 20))
def test_caller_who_waits_as_long_as_told_is_served(pauses: list[float], per_s: float, burst: int) -> None:
    bucket, now_s = Bucket(burst, 0.0, per_s, burst), 0.0
    for pause in pauses:
        now_s += pause / 100
        wait_s = bucket.take(now_s=now_s)
        if wait_s > 0:
            now_s += wait_s * (1 + 1e-9) + 1e-9
            wait_s = bucket.take(now_s=now_s)
            assert wait_s == 0


@given(st.floats(0, 100), st.floats(0, 100))
def test_clock_that_goes_back_grants_nothing(at_s: float, back_s: float) -> None:
    bucket = Bucket(1.0, at_s, 1.0, 1)
    bucket.take(now_s=at_s)
    assert bucket.take(now_s=at_s - back_s) > 0
    assert bucket.at_s == at_s


def test_bucket_counts_what_other_processes_and_meanwhile_this_one_spent() -> None:
    rates = RateLimiter(per_s=1.0, burst=10)
    rates.spent = {}
    for _ in range(3):
        assert rates.wait_s("a", now_s=0.0) == 0
    assert rates.take_spent() == {"a": (3.0, 1.0)}
    rates.charge("a", 2)
    # Others spent four.
    rates.set_missing("a", 7.0, now_s=0.0)
    assert rates.wait_s("a", now_s=0.0) == 0
    assert rates.wait_s("a", now_s=0.0) == pytest.approx(1.0)
    assert rates.take_spent() == {"a": (3.0, 1.0)}


def test_rate_limits_are_separate_and_can_be_disabled() -> None:
    rates = RateLimiter(per_s=1.0, burst=2)
    assert [rates.wait_s("a", now_s=0.0) > 0 for _ in range(3)] == [False, False, True]
    assert rates.wait_s("b", now_s=0.0) == 0
    assert rates.wait_s("slow", now_s=0.0, per_s=0.1) == 0
    assert rates.wait_s("slow", now_s=0.0, per_s=0.1) == pytest.approx(10.0)
    free = RateLimiter(per_s=0.0, burst=1)
    assert {free.wait_s("a", now_s=0.0) for _ in range(100)} == {0.0}
