"""The studio as an application: which address is answered by what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lagrangian.errors import LagrangianError
from lagrangian.studio import assets, shelf
from lagrangian.studio.bodies import Json, asked_by
from lagrangian.studio.check import checked
from lagrangian.studio.complete import completions
from lagrangian.studio.conversion import converted, received
from lagrangian.studio.drawing.routes import ANSWERS as DRAWING
from lagrangian.studio.heard import everywhere
from lagrangian.studio.jobs import Jobs
from lagrangian.studio.kinds import KINDS
from lagrangian.studio.models import Model, Models
from lagrangian.studio.posing import posed, stands
from lagrangian.studio.refused import Refused
from lagrangian.studio.stretch import stretched
from lagrangian.studio.workspace import Workspace

PATIENCE = 0.3  # s that a check waits for what is compiled, before it says that it is preparing
THREADS = 4
Answer = Callable[["Studio", dict[str, Any], Request], Awaitable[Any]]


class Studio:
    """One workspace, the models of its texts, and its jobs."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.models, self.jobs = workspace, Models(), Jobs()
        self._threads = ThreadPoolExecutor(THREADS, "studio")
        self._desk = ThreadPoolExecutor(1, "workspace")  # texts are kept at once, whatever is being compiled
        self._looks: dict[int, asyncio.Future[Any]] = {}

    async def aside(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call it in a thread: the server goes on answering."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def at_desk(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call what reads or writes texts, one after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._desk, function, *arguments)

    async def model(self, asked: dict[str, Any]) -> Model:
        text, format = asked.get("text"), asked.get("format", "toml")  # noqa: A001
        known = self.models.known(text, format) if isinstance(text, str) and isinstance(format, str) else None
        found: Model = known or await self.aside(self.models.model, text, format)
        return found

    async def look(self, model: Model, patience: float | None = None) -> bool:
        """Have the model looked at; whether that is done within the time."""
        if model.ready:
            return True
        future = self._looks.get(id(model))
        if future is None:
            future = asyncio.ensure_future(self.aside(model.look))
            self._looks[id(model)] = future
            future.add_done_callback(lambda done: (self._looks.pop(id(model), None), done.exception()))
        done, _ = await asyncio.wait([future], timeout=patience)
        if done:
            future.result()
        return bool(done)

    @asynccontextmanager
    async def running(self, _: Any) -> AsyncIterator[None]:
        with everywhere():
            self.jobs.warm()
            try:
                yield
            finally:
                await self.jobs.close()
                self._threads.shutdown(wait=False, cancel_futures=True)
                self._desk.shutdown(wait=True)  # what is under way to the disk gets there


# -- answers -----------------------------------------------------------------------------------------------------------


async def alive(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return {"alive": True}


async def document(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return await studio.at_desk(studio.workspace.document)


async def switch(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return await studio.at_desk(studio.workspace.open, asked.get("path") or "")


async def draft(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    revision, basis = asked.get("revision", 0), asked.get("digest") or ""
    if not isinstance(revision, int) or not isinstance(basis, str):
        raise Refused(400, "the revision must be a whole number")
    given = (asked.get("text"), asked.get("format", "toml"), revision, basis, asked.get("path", ...), asked.get("called"))
    return {"revision": await studio.at_desk(studio.workspace.keep, *given)}


async def kept(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    given = request.query_params
    return await studio.at_desk(studio.workspace.kept, given.get("path"), given.get("format", "toml"))


async def save(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    drafts = asked.get("drafts") or []
    if not isinstance(drafts, list) or not all(isinstance(x, dict) for x in drafts):
        raise Refused(400, "drafts must be a list of entries with path, format and revision")
    given = (asked.get("path"), asked.get("text"), asked.get("format", "toml"), asked.get("expected"), drafts)
    return await studio.at_desk(studio.workspace.save, *given)


async def check(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    model = await studio.model(asked)
    ready = await studio.look(model, PATIENCE)
    found: bytes = await studio.aside(_checked, model, ready)
    if ready and asked.get("q") is not None:  # where the page's mechanism stands, if it still can
        found = found[:-1] + b',"posed":' + Json.written(await studio.aside(stands, model, asked["q"])) + b"}"
    return Response(found, media_type="application/json")


def _checked(model: Model, ready: bool) -> bytes:
    """The answer as it is sent, which is kept once it is whole."""
    if model.answer is None or not ready:
        found = Json.written(checked(model, ready))
        if not ready:
            return found
        model.answer = found
    return model.answer


async def pose(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    model = await studio.model(asked)
    await studio.look(model)
    return await studio.aside(posed, model, asked)


async def stretch(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    model = await studio.model(asked)
    await studio.look(model)
    return await studio.aside(stretched, model, asked)


async def complete(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    text = asked.get("text")
    if not isinstance(text, str):
        raise Refused(400, "a text is needed")
    return await studio.aside(completions, text, asked.get("format", "toml"), asked.get("offset"))


async def dropped(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return await studio.aside(received, asked.get("name"), asked.get("content"))


async def convert(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    model = await studio.model(asked)
    return await studio.aside(converted, model, asked.get("to", "toml"))


async def library(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return await studio.aside(shelf.library)


async def from_library(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return {"text": await studio.aside(shelf.text, request.path_params["name"]), "format": "toml"}


async def templates(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    return await studio.aside(shelf.templates)


async def targets(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    from lagrangian.studio.kinds.export import targets as known

    return await studio.aside(known)


async def made(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    name = request.path_params["path"]
    if name not in studio.jobs.files():
        raise Refused(404, "the studio wrote no such file")
    return await studio.aside(assets.made, studio.workspace.place(name))


async def start(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    kind, text, format, options = (asked.get(x) for x in ("kind", "text", "format", "options"))  # noqa: A001
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refused(400, f"there is no job of the kind {str(kind)[:40]!r}", f"there are {', '.join(KINDS)}")
    if not isinstance(options or {}, dict):
        raise Refused(400, "options must be a table of names and values")
    job = studio.jobs.start(
        {
            "kind": kind,
            "text": text if isinstance(text, str) else "",
            "format": format or "toml",
            "options": options or {},
            "folder": str(studio.workspace.folder),
        }
    )
    return {"id": job.id}


async def stop(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    studio.jobs.stop(request.path_params["number"])
    return {"stopped": True}


async def events(studio: Studio, asked: dict[str, Any], request: Request) -> Any:
    number = studio.jobs.job(request.path_params["number"]).id

    async def stream() -> AsyncIterator[str]:
        yield "retry: 1000\n\n"
        async with aclosing(studio.jobs.listen(number)) as told:  # who hangs up listens no more
            async for event in told:
                yield f"data: {json.dumps(event, separators=(',', ':'))}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


ANSWERS: list[tuple[str, str, Answer]] = [
    ("GET", "/api/alive", alive),
    ("GET", "/api/document", document),
    ("POST", "/api/document", switch),
    ("GET", "/api/draft", kept),
    ("PUT", "/api/draft", draft),
    ("POST", "/api/save", save),
    ("POST", "/api/check", check),
    ("POST", "/api/pose", pose),
    ("POST", "/api/stretch", stretch),
    ("POST", "/api/complete", complete),
    ("POST", "/api/open", dropped),
    ("POST", "/api/convert", convert),
    ("GET", "/api/library", library),
    ("GET", "/api/library/{name}", from_library),
    ("GET", "/api/templates", templates),
    ("GET", "/api/targets", targets),
    ("GET", "/made/{path:path}", made),
    ("POST", "/api/jobs", start),
    ("GET", "/api/jobs/{number}/events", events),
    ("DELETE", "/api/jobs/{number}", stop),
]


def application(workspace: Workspace) -> Starlette:
    """What answers requests that the guard has admitted."""
    studio = Studio(workspace)
    routes = [Route(path, _endpoint(studio, answer), methods=[method]) for method, path, answer in (*ANSWERS, *DRAWING)]
    app = Starlette(routes=[*routes, *assets.ROUTES], lifespan=studio.running)
    app.state.studio = studio
    return app


def _endpoint(studio: Studio, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            found = await answer(studio, await asked_by(request), request)
        except Refused as refused:
            return Json(refused.answer, refused.status)
        except LagrangianError as error:
            remedy, error.remedy = error.remedy, ""
            return Json({"error": str(error), "remedy": remedy}, 400)
        except OSError as error:
            told = f"{error.filename or 'a file'} cannot be read or written: {error.strerror or error}"
            return Json({"error": told, "remedy": "your text is still in the editor; make a copy to be safe"}, 500)
        except ClientDisconnect:
            return Json({"error": "the request is too large", "remedy": ""}, 413)
        except Exception as error:  # whatever it is, the page is told, and the next request is answered
            return Json({"error": f"an unexpected error occurred: {type(error).__name__}: {error}", "remedy": ""}, 500)
        return found if isinstance(found, Response) else Json(found)

    return endpoint
