"""The files of the studio's pages: they are looked up in the package, so that no path leads out of it."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lagrangian.viewer import page as viewer_page

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
FOLDERS = {"page": ("lagrangian.studio", "page"), "vendored": ("lagrangian.vendored", "")}
# a page that a job wrote runs in an origin of its own, which cannot reach the studio
SANDBOX_POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; "
    "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
    "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def package_asset(package: str, folder: str, path: str) -> Response:
    """A file in a folder of the package, if it is there and of a type that pages use."""
    resource: Traversable = files(package)
    for name in filter(None, [folder, *path.split("/")]):
        if name.startswith(".") or "\\" in name or "\0" in name or ":" in name:
            return Response(status_code=404)
        resource = resource / name
    kind = TYPES.get(path.rpartition(".")[2])
    if kind is None or not resource.is_file():
        return Response(status_code=404)
    return Response(resource.read_bytes(), media_type=kind)


def job_file(path: Path) -> Response:
    """A file that a job wrote: a page is shown, anything else is downloaded."""
    if not path.is_file():
        return Response(status_code=404)
    if path.suffix == ".html":
        return Response(path.read_bytes(), media_type=TYPES["html"], headers={"content-security-policy": SANDBOX_POLICY})
    name = quote(path.name)
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{name}", "content-security-policy": "sandbox"}
    return Response(path.read_bytes(), media_type="application/octet-stream", headers=headers)


async def index(request: Request) -> Response:
    return package_asset(*FOLDERS["page"], "index.html")


async def draw(request: Request) -> Response:
    return package_asset(*FOLDERS["page"], "draw/draw.html")


async def page(request: Request) -> Response:
    return package_asset(*FOLDERS["page"], request.path_params["path"])


async def vendored_asset(request: Request) -> Response:
    return package_asset(*FOLDERS["vendored"], request.path_params["path"])


async def script(request: Request) -> Response:
    return Response(viewer_page.player_module(), media_type=TYPES["js"])


async def style(request: Request) -> Response:
    return Response(viewer_page.player_style(), media_type=TYPES["css"])


async def icon(request: Request) -> Response:
    return Response(status_code=204)


ROUTES = [
    Route("/", index),
    Route("/draw", draw),
    Route("/page/{path:path}", page),
    Route("/vendored/{path:path}", vendored_asset),
    Route("/player.js", script),
    Route("/player.css", style),
    Route("/favicon.ico", icon),
]
