"""Serve the built viewer with security headers."""

import stat
from pathlib import Path

import anyio
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import Headers
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

VIEWER_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
        " worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
        # Only these Trusted Types policies are allowed: Vue's for its templates, and ours for the service worker.
        " require-trusted-types-for 'script'; trusted-types vue mnemoscene"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# File names in this folder contain a content hash.
HASHED_FOLDER = "assets/"
# Names of encodings, best first, with the endings of the files that the build stores beside the others.
ENCODINGS = {"br": ".br", "gzip": ".gz"}
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Mnemoscene</title>
<body>
<h1>Mnemoscene is running; its viewer is not built</h1>
<p>The APIs work: <code>/graphql</code>, <code>/live</code>, <code>/api</code>, <code>/ready</code>.</p>
<p>The viewer is built when the package is installed: <code>pip install --no-deps -e .</code> in the checkout.
<code>mnemoscene doctor</code> shows what prevents it.</p></body></html>
"""


class ViewerFiles(StaticFiles):
    """Static files, compressed when built; cached for a year if their name contains a hash, revalidated otherwise."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, compressed if the client accepts that, or a 404."""
        response = await self._compressed(path, scope) or await super().get_response(path, scope)
        hashed = path.replace("\\", "/").startswith(HASHED_FOLDER)
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        response.headers["vary"] = "accept-encoding"
        for name, value in VIEWER_HEADERS.items():
            response.headers[name] = value
        return response

    async def _compressed(self, path: str, scope: Scope) -> Response | None:
        """Return the compressed copy of a file; None without one, or if the client accepts none."""
        if scope["method"] not in {"GET", "HEAD"}:
            return None
        accepted = _accepted(Headers(scope=scope).get("accept-encoding", ""))
        for encoding in (one for one in ENCODINGS if one in accepted):
            name = ("index.html" if path == "." else path) + ENCODINGS[encoding]
            found, status = await anyio.to_thread.run_sync(self.lookup_path, name)
            if status is not None and stat.S_ISREG(status.st_mode):
                response = self.file_response(found, status, scope)
                response.headers["content-encoding"] = encoding
                return response
        return None


def _accepted(header: str) -> set[str]:
    """Return the encodings that a header `Accept-Encoding` names, without those of weight 0."""
    parts = [part.replace(" ", "").lower().partition(";q=") for part in header.split(",")]
    return {name for name, _, weight in parts if weight.rstrip("0.") or not weight}


def add_viewer(app: FastAPI, dist: Path) -> None:
    """Mount the viewer at `/`, or a page that explains how to build it; call it after adding all other routes."""
    if (dist / "index.html").is_file():
        app.mount("/", ViewerFiles(directory=dist, html=True), name="viewer")
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> HTMLResponse:
        return HTMLResponse(NOT_BUILT, headers=VIEWER_HEADERS)
