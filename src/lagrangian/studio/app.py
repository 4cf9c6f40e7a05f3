"""The studio as a web application: the handler of each address. Requests and answers are JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lagrangian.errors import LagrangianError
from lagrangian.studio import assets, open_files
from lagrangian.studio.check import check_data
from lagrangian.studio.completions import completions
from lagrangian.studio.drawing.routes import HANDLERS as DRAWING_HANDLERS
from lagrangian.studio.jobs import JobQueue
from lagrangian.studio.models import ModelCache, StudioModel
from lagrangian.studio.open_files import convert_description, read_dropped_file
from lagrangian.studio.pose import pose_if_possible, pose_mechanism
from lagrangian.studio.request_error import RequestError
from lagrangian.studio.resize_link import resize_link
from lagrangian.studio.tasks import TASKS
from lagrangian.studio.thread_warnings import route_warnings_by_thread
from lagrangian.studio.workspace import StudioWorkspace

PATIENCE = 0.3  # s that a check waits for compilation before it answers `preparing`
THREADS = 4
Handler = Callable[["Studio", dict[str, Any], Request], Awaitable[Any]]


def application(workspace: StudioWorkspace) -> Starlette:
    """The application behind the guard: it answers the requests that the guard admits."""
    studio = Studio(workspace)
    routes = [Route(path, _endpoint(studio, answer), methods=[method]) for method, path, answer in (*HANDLERS, *DRAWING_HANDLERS)]
    app = Starlette(routes=[*routes, *assets.ROUTES], lifespan=studio.lifespan)
    app.state.studio = studio
    return app


def _endpoint(studio: Studio, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            content = await handler(studio, await request_body(request), request)
        except RequestError as error:
            return JsonResponse(error.content, error.status)
        except LagrangianError as error:
            remedy, error.remedy = error.remedy, ""
            return JsonResponse({"error": str(error), "remedy": remedy}, 400)
        except OSError as error:
            problem = f"{error.filename or 'a file'} cannot be read or written: {error.strerror or error}"
            return JsonResponse({"error": problem, "remedy": "your text is still in the editor; make a copy to be safe"}, 500)
        except ClientDisconnect:
            return JsonResponse({"error": "the request is too large", "remedy": ""}, 413)
        except Exception as error:  # the page shows it, and the next request is answered
            return JsonResponse({"error": f"an unexpected error occurred: {type(error).__name__}: {error}", "remedy": ""}, 500)
        return content if isinstance(content, Response) else JsonResponse(content)

    return endpoint


async def request_body(request: Request) -> dict[str, Any]:
    """The body of a request, which is a JSON object."""
    body = await request.body()
    if not body:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RequestError(415, "a JSON body is needed", "Content-Type: application/json")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError(400, "the body is not JSON") from None
    if not isinstance(content, dict):
        raise RequestError(400, "the body is not a JSON object")
    return content


class JsonResponse(JSONResponse):
    """JSON in ASCII: a text may have lone surrogates, which UTF-8 cannot encode."""

    @staticmethod
    def encode(content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")

    def render(self, content: Any) -> bytes:
        return self.encode(content)


class Studio:
    """One workspace, the models of its texts, and its jobs."""

    def __init__(self, workspace: StudioWorkspace) -> None:
        self.workspace, self.models, self.jobs = workspace, ModelCache(), JobQueue()
        self._threads = ThreadPoolExecutor(THREADS, "studio")
        self._workspace_thread = ThreadPoolExecutor(1, "workspace")  # texts are kept at once, even during a compilation
        self._pending_views: dict[int, asyncio.Future[Any]] = {}

    async def run_in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in a thread, so that the server goes on answering."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def run_in_workspace_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that reads or writes texts in the one thread for them: one call after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._workspace_thread, function, *arguments)

    async def model(self, body: dict[str, Any]) -> StudioModel:
        text, format = body.get("text"), body.get("format", "toml")  # noqa: A001
        cached = self.models.cached_model(text, format) if isinstance(text, str) and isinstance(format, str) else None
        model: StudioModel = cached or await self.run_in_thread(self.models.get_or_read, text, format)
        return model

    async def prepare_view(self, model: StudioModel, patience: float | None = None) -> bool:
        """Have the view of the model computed, and return whether that is done within `patience` seconds."""
        if model.ready:
            return True
        future = self._pending_views.get(id(model))
        if future is None:
            future = asyncio.ensure_future(self.run_in_thread(model.view))
            self._pending_views[id(model)] = future
            future.add_done_callback(lambda done: (self._pending_views.pop(id(model), None), done.exception()))
        done, _ = await asyncio.wait([future], timeout=patience)
        if done:
            future.result()
        return bool(done)

    @asynccontextmanager
    async def lifespan(self, _: Any) -> AsyncIterator[None]:
        with route_warnings_by_thread():
            self.jobs.ensure_idle_worker()
            try:
                yield
            finally:
                await self.jobs.close()
                self._threads.shutdown(wait=False, cancel_futures=True)
                self._workspace_thread.shutdown(wait=True)  # texts that are being written reach the disk


# -- answers -----------------------------------------------------------------------------------------------------------


async def alive(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return {"alive": True}


async def document(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return await studio.run_in_workspace_thread(studio.workspace.document)


async def switch_document(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return await studio.run_in_workspace_thread(studio.workspace.open, body.get("path") or "")


async def write_draft(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    revision, basis = body.get("revision", 0), body.get("digest") or ""
    if not isinstance(revision, int) or not isinstance(basis, str):
        raise RequestError(400, "the revision must be a whole number")
    arguments = (body.get("text"), body.get("format", "toml"), revision, basis, body.get("path", ...), body.get("called"))
    return {"revision": await studio.run_in_workspace_thread(studio.workspace.write_draft, *arguments)}


async def read_draft(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    query = request.query_params
    return await studio.run_in_workspace_thread(studio.workspace.read_draft, query.get("path"), query.get("format", "toml"))


async def save(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    drafts = body.get("drafts") or []
    if not isinstance(drafts, list) or not all(isinstance(x, dict) for x in drafts):
        raise RequestError(400, "drafts must be a list of entries with path, format and revision")
    arguments = (body.get("path"), body.get("text"), body.get("format", "toml"), body.get("expected"), drafts)
    return await studio.run_in_workspace_thread(studio.workspace.save, *arguments)


async def check(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    model = await studio.model(body)
    ready = await studio.prepare_view(model, PATIENCE)
    content: bytes = await studio.run_in_thread(_check_content, model, ready)
    if ready and body.get("q") is not None:  # the configuration of the page, if the new text still allows it
        content = (
            content[:-1]
            + b',"posed":'
            + JsonResponse.encode(await studio.run_in_thread(pose_if_possible, model, body["q"]))
            + b"}"
        )
    return Response(content, media_type="application/json")


def _check_content(model: StudioModel, ready: bool) -> bytes:
    """The answer as it is sent, which is kept once it is complete."""
    if model.check_content is None or not ready:
        content = JsonResponse.encode(check_data(model, ready))
        if not ready:
            return content
        model.check_content = content
    return model.check_content


async def pose(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    model = await studio.model(body)
    await studio.prepare_view(model)
    return await studio.run_in_thread(pose_mechanism, model, body)


async def resize(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    model = await studio.model(body)
    await studio.prepare_view(model)
    return await studio.run_in_thread(resize_link, model, body)


async def complete(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    text = body.get("text")
    if not isinstance(text, str):
        raise RequestError(400, "a text is needed")
    return await studio.run_in_thread(completions, text, body.get("format", "toml"), body.get("offset"))


async def open_dropped_file(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return await studio.run_in_thread(read_dropped_file, body.get("name"), body.get("content"))


async def convert(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    model = await studio.model(body)
    return await studio.run_in_thread(convert_description, model, body.get("to", "toml"))


async def library(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return await studio.run_in_thread(open_files.library)


async def send_library_text(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return {"text": await studio.run_in_thread(open_files.library_text, request.path_params["name"]), "format": "toml"}


async def templates(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    return await studio.run_in_thread(open_files.templates)


async def targets(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    from lagrangian.studio.tasks.export import targets as export_targets

    return await studio.run_in_thread(export_targets)


async def send_job_file(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    name = request.path_params["path"]
    if name not in studio.jobs.written_files():
        raise RequestError(404, "the studio wrote no such file")
    return await studio.run_in_thread(assets.job_file, studio.workspace.resolve_path(name))


async def start_job(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    kind, text, format, options = (body.get(x) for x in ("kind", "text", "format", "options"))  # noqa: A001
    if not isinstance(kind, str) or kind not in TASKS:
        raise RequestError(400, f"there is no job of the kind {str(kind)[:40]!r}", f"there are {', '.join(TASKS)}")
    if not isinstance(options or {}, dict):
        raise RequestError(400, "options must be a table of names and values")
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


async def stop_job(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    studio.jobs.stop(request.path_params["number"])
    return {"stopped": True}


async def job_events(studio: Studio, body: dict[str, Any], request: Request) -> Any:
    number = studio.jobs.job(request.path_params["number"]).id

    async def stream() -> AsyncIterator[str]:
        yield "retry: 1000\n\n"
        async with aclosing(studio.jobs.listen(number)) as job_stream:  # a client that hangs up stops listening
            async for event in job_stream:
                yield f"data: {json.dumps(event, separators=(',', ':'))}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


HANDLERS: list[tuple[str, str, Handler]] = [
    ("GET", "/api/alive", alive),
    ("GET", "/api/document", document),
    ("POST", "/api/document", switch_document),
    ("GET", "/api/draft", read_draft),
    ("PUT", "/api/draft", write_draft),
    ("POST", "/api/save", save),
    ("POST", "/api/check", check),
    ("POST", "/api/pose", pose),
    ("POST", "/api/stretch", resize),
    ("POST", "/api/complete", complete),
    ("POST", "/api/open", open_dropped_file),
    ("POST", "/api/convert", convert),
    ("GET", "/api/library", library),
    ("GET", "/api/library/{name}", send_library_text),
    ("GET", "/api/templates", templates),
    ("GET", "/api/targets", targets),
    ("GET", "/made/{path:path}", send_job_file),
    ("POST", "/api/jobs", start_job),
    ("GET", "/api/jobs/{number}/events", job_events),
    ("DELETE", "/api/jobs/{number}", stop_job),
]
