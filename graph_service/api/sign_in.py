"""Sign-in routes: exchange an API key or token for a session cookie (HttpOnly, SameSite=Strict)."""

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
        """Set a session cookie for an API key or token; return its tenant and role."""
        access = await auth.authenticate(request, token=key.strip())
        auth.check_rate(access)
        body: dict[str, Any] = {"tenant": access.tenant, "role": access.role}
        answer = JSONResponse(body, headers={"Cache-Control": "no-store"})
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
            await auth.write_audit(access, tenant=access.tenant, interface="rest", what=("sign-in",))
        return answer

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        """Delete the cookie."""
        answer = Response(status_code=204)
        answer.delete_cookie(cookie_name(request.headers.get("host", "")), httponly=True, samesite="strict")
        return answer

    @router.get("/access")
    async def access(request: Request) -> Response:
        """Return tenant and role of the credential, so that the viewer offers only allowed actions."""
        found = access_of(request)
        body = {"tenant": found.tenant, "role": found.role.value}
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    return router
