"""Serves the built viewer, with the headers that keep foreign code out of it."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

VIEWER_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
        " worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
        # Text can become markup or script only through a policy of these names: Vue's own, for its templates, and the
        # one that names the worker which keeps the page for when the service is gone.
        " require-trusted-types-for 'script'; trusted-types vue mnemograph"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# The build puts a hash of the content into the names below this folder.
HASHED_FOLDER = "assets/"
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Mnemograph</title>
<body>
<h1>Mnemograph is running; its viewer is not built</h1>
<p>The doors for programs work: <code>/graphql</code>, <code>/live</code>, <code>/api</code>, <code>/ready</code>.</p>
<p>The viewer is built when the package is installed: <code>pip install --no-deps -e .</code> in the checkout.
<code>mnemograph doctor</code> says what hinders it.</p></body></html>
"""


class ViewerFiles(StaticFiles):
    """Static files, cached for a year when their name tells their content, asked for again otherwise."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, or a 404."""
        response = await super().get_response(path, scope)
        hashed = path.replace("\\", "/").startswith(HASHED_FOLDER)
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        for name, value in VIEWER_HEADERS.items():
            response.headers[name] = value
        return response


def add_viewer(app: FastAPI, dist: Path) -> None:
    """Put the viewer at `/`, below all other routes; a page that explains when it is not built."""
    if (dist / "index.html").is_file():
        app.mount("/", ViewerFiles(directory=dist, html=True), name="viewer")
        return

    @app.get("/", include_in_schema=False)
    async def not_built() -> HTMLResponse:
        return HTMLResponse(NOT_BUILT, headers=VIEWER_HEADERS)
