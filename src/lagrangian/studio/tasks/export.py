"""The jobs `export` and `report`, which write files into the folder.

`export` writes the mechanism for other programs, its equations as a document, or its motion as a file; `report` writes one
offline page about a motion.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError, format_value, unknown_name_message
from lagrangian.motion.files import file_stem
from lagrangian.studio.request_checks import read_text
from lagrangian.studio.tasks import TaskRequest
from lagrangian.studio.tasks.motion import simulate_task
from lagrangian.studio.thread_warnings import collect_warnings

TITLE_FIELDS = ("title", "author", "date", "notes")


def export(request: TaskRequest) -> dict[str, Any]:
    """Write the mechanism for the target that the page names."""
    from lagrangian.exports.export import export as export_mechanism
    from lagrangian.exports.targets import find_target

    m, options, to = request.model.valid_mechanism, request.options, request.options.get("target")
    stem = Path(request.folder) / file_stem(m.name)
    notes: list[str] = []
    request.progress(0, 1, "writing")
    with collect_warnings() as caught_warnings:
        if not isinstance(to, str):
            raise ArgumentError(unknown_name_message("target", to, [x["name"] for x in targets()]))
        if to in DOCUMENTS:
            paths = DOCUMENTS[to][1](request, stem)
        else:
            target = find_target(to)
            if not target.writes_files:
                raise ArgumentError(f"{to} makes functions in Python and writes no files", remedy="export to another target")
            path = stem.with_name(f"{stem.name}{target.file_suffix}" if target.file_suffix else f"{stem.name}-{target.name}")
            result = export_mechanism(
                m, to, _unused_path(path), functions=_read_functions(options.get("functions")), **_read_options(target, options)
            )
            paths, notes = list(result.paths), list(result.notes)
    return {
        "path": str(paths[0].parent if len(paths) > 1 else paths[0]),
        "files": [p.relative_to(request.folder).as_posix() for p in paths],
        "warnings": [*notes, *(str(x) for x in caught_warnings)],
    }


def _unused_path(path: Path) -> Path:
    """The path, or a numbered one where a description has this name: it may be the one that is open."""
    if path.suffix.lower() not in (".toml", ".urdf", ".xml", ".mjcf", ".sdf"):
        return path
    candidates = (path.with_name(f"{path.stem}-{k}{path.suffix}") for k in range(2, 1000))
    return path if not path.exists() else next(x for x in candidates if not x.exists())


def _read_functions(names: Any) -> list[str] | None:
    if not names:
        return None
    if not isinstance(names, list) or not all(isinstance(x, str) for x in names):
        raise ArgumentError(f"is {format_value(names)}", argument="functions", remedy="a list of names is needed")
    return names


def _read_options(target: Any, options: dict[str, Any]) -> dict[str, Any]:
    values = options.get("options") or {}
    if not isinstance(values, dict):
        raise ArgumentError(f"is {format_value(values)}", argument="options", remedy="a table of names and values is needed")
    return {str(name): target.parse_option(str(name), str(text)) for name, text in values.items()}


def report(request: TaskRequest) -> dict[str, Any]:
    """Write one offline page about a motion of the mechanism into the folder."""
    from lagrangian.report.page import TitleBlock
    from lagrangian.report.write import write_report

    motion, warnings = simulate_task(request)
    title_block = TitleBlock.from_arguments(*(read_text(request.options, name) or None for name in TITLE_FIELDS))
    target = Path(request.folder) / f"{file_stem(motion.name)}-report.html"
    with collect_warnings() as caught_warnings:
        progress = lambda done, total: request.progress(done, total, "writing the report")  # noqa: E731
        path = write_report(motion, target, progress=progress, title_block=title_block)
    return {"path": str(path), "files": [path.name], "warnings": [str(x) for x in (*warnings, *caught_warnings)]}


def targets() -> list[dict[str, Any]]:
    """The targets and documents that the mechanism can be exported to, for the page's buttons."""
    from lagrangian.exports.targets import targets as export_targets
    from lagrangian.functions.catalogue import FUNCTIONS

    functions = [{"name": f.name, "about": f.about, "framed": f.of_frame} for f in FUNCTIONS.values()]
    entries = [
        {
            "name": t.name,
            "about": t.about,
            "functions": functions if not t.file_suffix else [],
            "options": [
                {"name": n, "about": o.about, "default": str(o.default), "choices": [str(x) for x in o.choices]}
                for n, o in t.options.items()
            ],
        }
        for t in export_targets()
        if t.writes_files
    ]
    return entries + [{"name": n, "about": about, "functions": [], "options": []} for n, (about, _) in DOCUMENTS.items()]


def _equations_writer(ending: str) -> Callable[[TaskRequest, Path], list[Path]]:
    def write_equations(request: TaskRequest, stem: Path) -> list[Path]:
        from lagrangian.closed_form.derive import derive

        target = stem.with_name(f"{stem.name}-equations{ending}")
        derive(request.model.valid_mechanism, progress=lambda done, total: request.progress(done, total, "deriving")).save(target)
        return [target]

    return write_equations


def _write_animation(request: TaskRequest, stem: Path) -> list[Path]:
    from lagrangian.viewer.animate import animate

    motion, _ = simulate_task(request)
    return [animate(motion, stem.with_name(f"{stem.name}-animation.html"))]


def _write_motion(request: TaskRequest, stem: Path) -> list[Path]:
    motion, _ = simulate_task(request)
    target = stem.with_name(f"{stem.name}-motion.nc")
    motion.save(target)
    return [target]


# beside the targets of `lagrangian.export`
DOCUMENTS: dict[str, tuple[str, Callable[[TaskRequest, Path], list[Path]]]] = {
    "latex": ("The equations of motion as a LaTeX document.", _equations_writer(".tex")),
    "markdown": ("The equations of motion as Markdown with formulas.", _equations_writer(".md")),
    "animation": ("The motion as an animated page that works offline.", _write_animation),
    "motion": ("The motion as a file of numbers (netCDF), which lagrangian.read reads.", _write_motion),
}
