"""Studies on the command line: the options of a sweep, how a study is watched and told of, and the files it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILED, FINE, INTERRUPTED
from lagrangian.cli.progress import bar, spinner
from lagrangian.cli.results import TABLES, Results, browse
from lagrangian.errors import Argument, ArgumentError, DescriptionError, LagrangianError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.studies.result import Study

PANEL = "Many runs"
_SHOWN = 20  # results in the terminal

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", help="The number of processes on this machine. Default: one per core.", rich_help_panel=PANEL
    ),
]


@dataclass(frozen=True)
class Sweeping:
    """What a sweep of simulations varies and keeps."""

    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=A:B:N",
            help="Simulate N values, from A to B, of a parameter or of a coordinate at the start. You can repeat this option.",
            rich_help_panel=PANEL,
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="EXPR",
            help='Keep this result of every run, such as "max(tip.x)". You can repeat this option.',
            rich_help_panel=PANEL,
        ),
    ] = None
    workers: Workers = None

    @property
    def given(self) -> bool:
        """Whether there is a sweep; the other options mean nothing without one."""
        if self.sweep is None and (self.keep is not None or self.workers is not None):
            raise ArgumentError("--keep and --workers need --sweep, such as --sweep l1=0.2:0.4:20")
        return self.sweep is not None


def swept(m: Mechanism, sweeping: Sweeping, results: Results, stem: str, json: bool, options: Mapping[str, Any]) -> int:
    """A sweep of simulations: a study on a grid, in a folder that -o names, or else named after the mechanism."""
    from lagrangian.model.expression import quantity
    from lagrangian.studies.distributions import varied
    from lagrangian.studies.study import job_of

    for option, given in (("--animate", results.animate), ("--angles", results.angles)):
        if given:
            raise ArgumentError(f"{option} cannot be used with --sweep: it applies to a single run")
    over = {
        name: varied(text, ("--sweep", name), m.parameters)
        for name, text in quantity.pairs(sweeping.sweep or [], "--sweep").items()
    }
    run = {name: x for name, x in options.items() if x is not None}
    table = results.out if results.out is not None and results.out.suffix in TABLES else None
    try:
        key = job_of(m, over, run, sweeping.keep).key
    except LagrangianError as error:
        raise error.without(Argument("run")) from None  # whose arguments are options here
    if results.out is not None and table is None:
        folder = results.out
        if not _is_free(folder, key):
            raise ArgumentError(f"-o is {folder}, which contains another sweep; choose another folder, or delete this one")
    else:
        folder = _free(Path(f"{stem}-sweep") if table is None else table.parent / f"{table.stem}-sweep", key)
    return studied(m, over, folder, table, json, results.browse, run=run, keep=sweeping.keep, workers=sweeping.workers)


def _free(folder: Path, key: str) -> Path:
    """The first of folder, folder-2, folder-3 and so on that holds no other sweep."""
    numbered = (folder.with_name(f"{folder.name}-{k}") for k in count(2))
    return next(path for path in chain([folder], numbered) if _is_free(path, key))


def _is_free(path: Path, key: str) -> bool:
    """Whether a folder is not there, is empty, or holds this very sweep, which then goes on from there."""
    from lagrangian.studies.folder import Folder

    if not path.exists():
        return True
    try:
        return bool(Folder(path).read_about().get("key") == key)
    except DescriptionError:
        return path.is_dir() and not any(path.iterdir())


def studied(
    m: Mechanism, over: Mapping[str, Any], folder: Path, table: Path | None, json: bool, opened: bool, **options: Any
) -> int:
    """Compute a study with a bar that has the time left, tell of it, and write its figure, page and table; the exit code."""
    import lagrangian as lg

    try:
        with bar(f"studying {m.name}") as shown:
            study = lg.study(m, over, folder=folder, progress=shown, **options)
    except KeyboardInterrupt as interrupt:
        if not (folder / "study.json").exists():
            raise
        output.stderr().print(str(interrupt), markup=False, highlight=False, soft_wrap=True)
        study = lg.read_study(folder)
    if not json:
        told(study)
    if not study.complete:
        if json:
            output.document(data(study, []))
        return INTERRUPTED
    files = written(study, table, quiet=json, opened=opened)
    if json:
        output.document(data(study, files))
    return FINE if len(study.failed) < len(study) else FAILED


def told(study: Study) -> None:
    """The summary of a study in the terminal."""
    head, *rest = [line for line in study.summary().splitlines() if not line.startswith("  ")]
    output.plain(head, "bold green" if study.complete and not study.failed else "bold yellow")
    for line in rest:
        output.plain(line)
    found = study.statistics()
    names = ("mean", "deviation", "min", "median", "max")
    rows = [(name, *(f"{x[k]:.5g}" for k in names)) for name, x in list(found.items())[:_SHOWN]]
    if rows:
        output.stdout().print(output.table(("result", *names), rows, right=(1, 2, 3, 4, 5)))
    if len(found) > _SHOWN:
        output.plain(f"... and {len(found) - _SHOWN} more results in the report")


def written(study: Study, table: Path | None, quiet: bool, opened: bool) -> list[str]:
    """The figure and the page in the study's folder, and the table where it was asked for."""
    made: list[str] = []

    def write(path: Path, what: str, how: str, make: Any) -> None:
        again = path.exists()
        make(path)
        made.append(str(path))
        if not quiet:
            output.wrote(path, what, how, again=again)

    if table is not None:
        write(table, "all samples and results", "", study.save)
    if study.outputs:
        with spinner("plotting"):
            write(study.folder / "plot.png", "the plot", "", lambda place: study.plot(path=place))
            page = study.folder / "report.html"
            write(page, "the report", "" if opened else "open it in a browser", study.report)
        if opened:
            browse(page)
    return made


def data(study: Study, files: list[str]) -> dict[str, Any]:
    """A study as data. Its samples and results are in its folder, or in the table that was asked for."""
    found = study.indices() if study.complete and study.numbers else {}
    return {
        "study": study.name,
        "folder": study.folder,
        "samples": len(study),
        "done": study.done,
        "failed": len(study.failed),
        "reasons": [why for why, _, _ in study.reasons()[:10]],
        "inputs": study.inputs,
        "results": study.statistics(),
        "indices": {
            name: {"kind": x.kind, "inputs": x.names, "first": x.first, "total": x.total}
            for name, x in (found.items() if isinstance(found, dict) else ())
        },
        "files": files,
    }
