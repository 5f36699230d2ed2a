"""Signing in from a browser: a key once, then a cookie that no script can read and no other site sends."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from graph_service.auth.access import access_of
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.keys import CREDENTIAL_CHARS_MAX
from graph_service.auth.sign_in import cookie_name


def sign_in_router(auth: Authenticator) -> APIRouter:
    """Return the routes `/api/sign-in`, `/api/sign-out`, and `/api/access`."""
    router = APIRouter(prefix="/api")

    @router.post("/sign-in")
    async def sign_in(
        request: Request, key: Annotated[str, Body(embed=True, min_length=1, max_length=CREDENTIAL_CHARS_MAX)]
    ) -> Response:
        """Take an API key or a token and set the cookie that stands for it; says what it opens."""
        access = await auth.authenticate(request, token=key.strip())
        auth.check_rate(access)
        told: dict[str, Any] = {"tenant": access.tenant, "role": access.role}
        answer = JSONResponse(told, headers={"Cache-Control": "no-store"})
        if auth.locked:
            text, lasts_s = auth.new_session(access)
            answer.set_cookie(
                cookie_name(request.headers.get("host", "")),
                text,
                max_age=int(lasts_s),
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )
            await auth.write_audit(access, tenant=access.tenant, door="rest", what=("sign-in",))
        return answer

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        """Take the cookie away."""
        answer = Response(status_code=204)
        answer.delete_cookie(cookie_name(request.headers.get("host", "")), httponly=True, samesite="strict")
        return answer

    @router.get("/access")
    async def access(request: Request) -> Response:
        """Return what the credential is good for, so that a viewer offers nothing that would be refused."""
        found = access_of(request)
        told = {"tenant": found.tenant, "role": found.role.value}
        return JSONResponse(told, headers={"Cache-Control": "no-store"})

    return router
