"""`lagrangian study`, and the sweeps of `lagrangian simulate`: a mechanism simulated for many values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILURE, INTERRUPTED, SUCCESS, JsonOption
from lagrangian.cli.output import progress_bar, spinner
from lagrangian.cli.result_options import TABLE_SUFFIXES, ResultOptions, open_in_browser
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, LagrangianError, StudyWarning, warn
from lagrangian.files import as_target_path
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.studies.job import StudyJob
    from lagrangian.studies.result import Study

STUDY_EXAMPLES = """
lagrangian study reach.toml
lagrangian study reach.toml --workers 8 --save reach.csv
lagrangian study reach.toml --scheduler tcp://head-node:8786 -o /shared/reach
"""
SWEEP_PANEL = "Many runs"
_MAX_RESULTS = 20  # results that are printed

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        help="The number of processes on this machine. Default: one per core.",
        rich_help_panel=SWEEP_PANEL,
    ),
]


def study(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The study (.toml): values to vary, the simulation, results to keep. See the guide on design studies.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="The folder of the study. Default: the name of FILE.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="N", help="The number of samples. Default: the number in FILE.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="The seed of the random samples. Default: the seed in FILE.")
    ] = None,
    workers: WorkersOption = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="The address of a Dask cluster that can access the folder, such as tcp://host:8786.",
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Write all samples and results to FILE: .nc or .csv.")
    ] = None,
    open_report: Annotated[bool, typer.Option("--open", metavar="", help="Open the report in the browser.")] = False,
    json: JsonOption = False,
) -> int:
    """Run a design study: many simulations, with plots and a report.

    A study that was stopped continues where it stopped and computes nothing twice. The exit code is 1 if no sample has a result.
    """
    from lagrangian.studies import toml

    if save is not None:
        if save.suffix not in (".nc", ".csv"):
            raise ArgumentError(f"--save is {save}; a file name that ends in .nc or .csv is needed")
        as_target_path(save)
    if workers is not None and scheduler is not None:
        raise ArgumentError("--workers and --scheduler exclude each other: a cluster has its own workers")
    study_file = toml.read_study_file(file)
    options = {**study_file.options, "name": study_file.name}
    folder = out if out is not None else options.pop("folder", Path(file.stem))
    options.pop("folder", None)
    options |= {name: x for name, x in (("samples", samples), ("seed", seed)) if x is not None}
    return run_study(
        study_file.mechanism, study_file.over, folder, save, json, open_report, workers=workers, scheduler=scheduler, **options
    )


def run_study(
    m: Mechanism, over: Mapping[str, Any], folder: Path, table: Path | None, json: bool, open_report: bool, **options: Any
) -> int:
    """Compute a study, print it, write its plot, report and table, and return the exit code."""
    study = compute_study(m, over, folder, **options)
    if not json:
        print_study(study)
    if not study.complete:
        if json:
            output.print_json(study_data(study, []))
        return INTERRUPTED
    files = write_study_files(study, table, quiet=json, open_report=open_report)
    if json:
        output.print_json(study_data(study, files))
    return SUCCESS if len(study.failed) < len(study) else FAILURE


def compute_study(m: Mechanism, over: Mapping[str, Any], folder: Path, **options: Any) -> Study:
    """Compute a study with a progress bar. After Ctrl-C it is the study as far as its folder has it."""
    import lagrangian as lg

    try:
        with progress_bar(f"studying {m.name}") as progress:
            return lg.study(m, over, folder=folder, progress=progress, **options)
    except KeyboardInterrupt as interrupt:
        if not (folder / "study.json").exists():
            raise
        output.stderr().print(str(interrupt), markup=False, highlight=False, soft_wrap=True)
        return lg.read_study(folder)


def print_study(study: Study) -> None:
    """Print the summary of a study and the statistics of its results."""
    head, *lines = [line for line in study.summary().splitlines() if not line.startswith("  ")]
    output.print_text(head, "bold green" if study.complete and not study.failed else "bold yellow")
    for line in lines:
        output.print_text(line)
    statistics = study.statistics()
    names = ("mean", "deviation", "min", "median", "max")
    rows = [(name, *(f"{x[k]:.5g}" for k in names)) for name, x in list(statistics.items())[:_MAX_RESULTS]]
    if rows:
        output.stdout().print(output.table(("result", *names), rows, right_aligned=(1, 2, 3, 4, 5)))
    if len(statistics) > _MAX_RESULTS:
        output.print_text(f"... and {len(statistics) - _MAX_RESULTS} more results in the report")


def write_study_files(study: Study, table: Path | None, quiet: bool, open_report: bool) -> list[str]:
    """Write the plot and the report to the folder of a study, and the table to its file; return the names of the files."""
    written_files: list[str] = []

    def write_file(path: Path, content: str, hint: str, write_to: Any) -> None:
        replaced = path.exists()
        write_to(path)
        written_files.append(str(path))
        if not quiet:
            output.print_written_file(path, content, hint, replaced=replaced)

    if table is not None:
        write_file(table, "all samples and results", "", study.save)
    if study.outputs:
        with spinner("plotting"):
            write_file(study.folder / "plot.png", "the plot", "", lambda path: study.plot(path=path))
            page = study.folder / "report.html"
            write_file(page, "the report", "" if open_report else "open it in a browser", study.report)
        if open_report:
            open_in_browser(page)
    return written_files


def study_data(study: Study, files: list[str]) -> dict[str, Any]:
    """A study as data. Its samples and results are in its folder, and in its table."""
    indices = study.indices() if study.complete and study.scalar_outputs else {}
    return {
        "study": study.name,
        "folder": study.folder,
        "samples": len(study),
        "done": study.completed_count,
        "failed": len(study.failed),
        "reasons": [reason for reason, _, _ in study.failure_reasons()[:10]],
        "inputs": study.inputs,
        "results": study.statistics(),
        "indices": {
            name: {"kind": index.kind, "inputs": index.names, "first": index.first, "total": index.total}
            for name, index in (indices.items() if isinstance(indices, dict) else ())
        },
        "files": files,
    }


# -- a sweep of `lagrangian simulate` ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SweepOptions:
    """The values that a sweep of simulations varies, and the results that it keeps."""

    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=A:B:N",
            help="Simulate N values, from A to B, of a parameter or of a coordinate at the start. You can repeat this option.",
            rich_help_panel=SWEEP_PANEL,
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="EXPR",
            help='Keep this result of every run, such as "max(tip.x)". You can repeat this option.',
            rich_help_panel=SWEEP_PANEL,
        ),
    ] = None
    workers: WorkersOption = None

    @property
    def is_set(self) -> bool:
        """Whether there is a sweep; the other options raise an error without one."""
        if self.sweep is None and (self.keep is not None or self.workers is not None):
            raise ArgumentError("--keep and --workers need --sweep, such as --sweep l1=0.2:0.4:20")
        return self.sweep is not None


def run_sweep(
    m: Mechanism, sweep_options: SweepOptions, results: ResultOptions, stem: str, json: bool, options: Mapping[str, Any]
) -> int:
    """Run a sweep as a study on a grid and return the exit code. Its folder is that of -o, or is named after the mechanism."""
    from lagrangian.studies.distributions import as_varied_input
    from lagrangian.studies.study import make_job

    for option, value in (("--animate", results.animate), ("--angles", results.angles)):
        if value:
            raise ArgumentError(f"{option} cannot be used with --sweep: it applies to a single run")
    over = {
        name: as_varied_input(text, ("--sweep", name), m.parameters)
        for name, text in quantity.collect_assignments(sweep_options.sweep or [], "--sweep").items()
    }
    run_options = {name: x for name, x in options.items() if x is not None}
    table = results.out if results.out is not None and results.out.suffix in TABLE_SUFFIXES else None
    try:
        job = make_job(m, over, run_options, sweep_options.keep)
    except LagrangianError as error:
        raise error.without_place(ArgumentName("run")) from None  # here the arguments of `run` are options of the command
    if results.out is not None and table is None:
        folder = results.out
        if not _is_free(folder, job.key):
            raise ArgumentError(
                f"-o is {folder}, which contains another sweep, or one that another version of lagrangian began; "
                "choose another folder, or delete this one"
            )
    else:
        folder = _free_folder(Path(f"{stem}-sweep") if table is None else table.parent / f"{table.stem}-sweep", job)
    return run_study(
        m, over, folder, table, json, results.open_pages, run=run_options, keep=sweep_options.keep, workers=sweep_options.workers
    )


def _free_folder(folder: Path, job: StudyJob) -> Path:
    """The first of folder, folder-2, folder-3 and so on that holds no other sweep.

    It warns if a folder holds this sweep, but another version of the package began it.
    """
    from lagrangian.studies.folder import StudyFolder
    from lagrangian.studies.study import OTHER_VERSION_MESSAGE, describe_job, was_begun_by_another_version

    numbered_folders = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    passed = []
    for path in chain([folder], numbered_folders):
        if _is_free(path, job.key):
            break
        passed.append(path)
    for other in passed:
        if was_begun_by_another_version(StudyFolder(other), describe_job(job)):
            warn(f"the sweep in {other} {OTHER_VERSION_MESSAGE}; it is computed again in {path}", StudyWarning)
    return path


def _is_free(path: Path, key: str) -> bool:
    """Whether a folder does not exist, is empty, or holds the sweep of this key, which then continues."""
    from lagrangian.studies.folder import StudyFolder

    if not path.exists():
        return True
    try:
        return bool(StudyFolder(path).read_about().get("key") == key)
    except DescriptionError:
        return path.is_dir() and not any(path.iterdir())
