"""The job `export`: the mechanism for other programs, its equations as a document, its motion as a file; into the folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lagrangian.errors import ArgumentError, one_of, shown
from lagrangian.motion.files import file_stem
from lagrangian.studio.heard import hearing
from lagrangian.studio.kinds import Asked
from lagrangian.studio.kinds.motion import simulated


def _equations(ending: str) -> Callable[[Asked, Path], list[Path]]:
    def made(asked: Asked, stem: Path) -> list[Path]:
        from lagrangian.closed_form.derive import derive

        target = stem.with_name(f"{stem.name}-equations{ending}")
        derive(asked.model.read, progress=lambda done, total: asked.progress(done, total, "deriving")).save(target)
        return [target]

    return made


def _animation(asked: Asked, stem: Path) -> list[Path]:
    from lagrangian.viewer.animate import animate

    motion, _ = simulated(asked)
    return [animate(motion, stem.with_name(f"{stem.name}-animation.html"))]


def _motion(asked: Asked, stem: Path) -> list[Path]:
    motion, _ = simulated(asked)
    target = stem.with_name(f"{stem.name}-motion.nc")
    motion.save(target)
    return [target]


# beside the targets of `lagrangian.export`
DOCUMENTS: dict[str, tuple[str, Callable[[Asked, Path], list[Path]]]] = {
    "latex": ("The equations of motion as a LaTeX document.", _equations(".tex")),
    "markdown": ("The equations of motion as Markdown with formulas.", _equations(".md")),
    "animation": ("The motion as an animated page that works offline.", _animation),
    "motion": ("The motion as a file of numbers (netCDF), which lagrangian.read reads.", _motion),
}


def targets() -> list[dict[str, Any]]:
    """What there is to export to, for the page's buttons."""
    from lagrangian.exports.functions.catalogue import FUNCTIONS
    from lagrangian.exports.targets import targets as known

    functions = [{"name": f.name, "about": f.about, "framed": f.framed} for f in FUNCTIONS.values()]
    found = [
        {
            "name": t.name,
            "about": t.about,
            "functions": functions if not t.single else [],
            "options": [
                {"name": n, "about": o.about, "usual": str(o.usual), "choices": [str(x) for x in o.choices]}
                for n, o in t.options.items()
            ],
        }
        for t in known()
        if t.writes
    ]
    return found + [{"name": n, "about": about, "functions": [], "options": []} for n, (about, _) in DOCUMENTS.items()]


def export(asked: Asked) -> dict[str, Any]:
    from lagrangian.exports.export import export as exported
    from lagrangian.exports.targets import target_of

    m, options, to = asked.model.read, asked.options, asked.options.get("target")
    stem = Path(asked.folder) / file_stem(m.name)
    notes: list[str] = []
    asked.progress(0, 1, "writing")
    with hearing() as heard:
        if not isinstance(to, str):
            raise ArgumentError(one_of("target", to, [x["name"] for x in targets()]))
        if to in DOCUMENTS:
            paths = DOCUMENTS[to][1](asked, stem)
        else:
            target = target_of(to)
            if not target.writes:
                raise ArgumentError(f"{to} makes functions in Python and writes no files", remedy="export to another target")
            place = stem.with_name(f"{stem.name}{target.single}" if target.single else f"{stem.name}-{target.name}")
            made = exported(m, to, _free(place), functions=_functions(options.get("functions")), **_options(target, options))
            paths, notes = list(made.paths), list(made.notes)
    return {
        "path": str(paths[0].parent if len(paths) > 1 else paths[0]),
        "files": [p.relative_to(asked.folder).as_posix() for p in paths],
        "warnings": [*notes, *(str(x) for x in heard)],
    }


def _free(place: Path) -> Path:
    """A name that no description has: the one that was opened may be called so."""
    if place.suffix.lower() not in (".toml", ".urdf", ".xml", ".mjcf", ".sdf"):
        return place
    others = (place.with_name(f"{place.stem}-{k}{place.suffix}") for k in range(2, 1000))
    return place if not place.exists() else next(x for x in others if not x.exists())


def _functions(given: Any) -> list[str] | None:
    if not given:
        return None
    if not isinstance(given, list) or not all(isinstance(x, str) for x in given):
        raise ArgumentError(f"is {shown(given)}", argument="functions", remedy="a list of names is needed")
    return given


def _options(target: Any, options: dict[str, Any]) -> dict[str, Any]:
    given = options.get("options") or {}
    if not isinstance(given, dict):
        raise ArgumentError(f"is {shown(given)}", argument="options", remedy="a table of names and values is needed")
    return {str(name): target.read(str(name), str(text)) for name, text in given.items()}
