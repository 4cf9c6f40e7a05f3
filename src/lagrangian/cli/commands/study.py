"""`lagrangian study`: a mechanism simulated for many values of its parameters, starts and gains."""

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
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, LagrangianError
from lagrangian.files import as_target_path

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.studies.result import Study


# MERGED lagrangian.cli.sweeping: Studies on the command line: the options of a sweep, how a study is watched and told of, and
# the files it leaves.

PANEL = "Many runs"
_MAX_RESULTS = 20  # results in the terminal

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", help="The number of processes on this machine. Default: one per core.", rich_help_panel=PANEL
    ),
]


@dataclass(frozen=True)
class SweepOptions:
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
    workers: WorkersOption = None

    @property
    def is_set(self) -> bool:
        """Whether there is a sweep; the other options mean nothing without one."""
        if self.sweep is None and (self.keep is not None or self.workers is not None):
            raise ArgumentError("--keep and --workers need --sweep, such as --sweep l1=0.2:0.4:20")
        return self.sweep is not None


def run_sweep(
    m: Mechanism, sweep_options: SweepOptions, results: ResultOptions, stem: str, json: bool, options: Mapping[str, Any]
) -> int:
    """A sweep of simulations: a study on a grid, in a folder that -o names, or else named after the mechanism."""
    from lagrangian.model.expression import quantity
    from lagrangian.studies.distributions import as_varied_input
    from lagrangian.studies.study import make_job

    for option, value in (("--animate", results.animate), ("--angles", results.angles)):
        if value:
            raise ArgumentError(f"{option} cannot be used with --sweep: it applies to a single run")
    over = {
        name: as_varied_input(text, ("--sweep", name), m.parameters)
        for name, text in quantity.collect_assignments(sweep_options.sweep or [], "--sweep").items()
    }
    run = {name: x for name, x in options.items() if x is not None}
    table = results.out if results.out is not None and results.out.suffix in TABLE_SUFFIXES else None
    try:
        key = make_job(m, over, run, sweep_options.keep).key
    except LagrangianError as error:
        raise error.without_place(ArgumentName("run")) from None  # whose arguments are options here
    if results.out is not None and table is None:
        folder = results.out
        if not _is_free(folder, key):
            raise ArgumentError(
                f"-o is {folder}, which contains another sweep, or one that another version of lagrangian began; "
                "choose another folder, or delete this one"
            )
    else:
        folder = _free_folder(Path(f"{stem}-sweep") if table is None else table.parent / f"{table.stem}-sweep", key)
    return run_study(
        m, over, folder, table, json, results.open_pages, run=run, keep=sweep_options.keep, workers=sweep_options.workers
    )


def _free_folder(folder: Path, key: str) -> Path:
    """The first of folder, folder-2, folder-3 and so on that holds no other sweep."""
    numbered = (folder.with_name(f"{folder.name}-{k}") for k in count(2))
    return next(path for path in chain([folder], numbered) if _is_free(path, key))


def _is_free(path: Path, key: str) -> bool:
    """Whether a folder is not there, is empty, or holds this very sweep, which then goes on from there."""
    from lagrangian.studies.folder import StudyFolder

    if not path.exists():
        return True
    try:
        return bool(StudyFolder(path).read_about().get("key") == key)
    except DescriptionError:
        return path.is_dir() and not any(path.iterdir())


def run_study(
    m: Mechanism, over: Mapping[str, Any], folder: Path, table: Path | None, json: bool, open_report: bool, **options: Any
) -> int:
    """Compute a study with a bar that has the time left, tell of it, and write its figure, page and table; the exit code."""
    import lagrangian as lg

    try:
        with progress_bar(f"studying {m.name}") as progress:
            study = lg.study(m, over, folder=folder, progress=progress, **options)
    except KeyboardInterrupt as interrupt:
        if not (folder / "study.json").exists():
            raise
        output.stderr().print(str(interrupt), markup=False, highlight=False, soft_wrap=True)
        study = lg.read_study(folder)
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


def print_study(study: Study) -> None:
    """The summary of a study in the terminal."""
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
    """The figure and the page in the study's folder, and the table where it was asked for."""
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
            write_file(study.folder / "plot.png", "the plot", "", lambda place: study.plot(path=place))
            page = study.folder / "report.html"
            write_file(page, "the report", "" if open_report else "open it in a browser", study.report)
        if open_report:
            open_in_browser(page)
    return written_files


def study_data(study: Study, files: list[str]) -> dict[str, Any]:
    """A study as data. Its samples and results are in its folder, or in the table that was asked for."""
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
            name: {"kind": x.kind, "inputs": x.names, "first": x.first, "total": x.total}
            for name, x in (indices.items() if isinstance(indices, dict) else ())
        },
        "files": files,
    }


STUDY_EXAMPLES = """
lagrangian study reach.toml
lagrangian study reach.toml --workers 8 --save reach.csv
lagrangian study reach.toml --scheduler tcp://head-node:8786 -o /shared/reach
"""


def study_starter(name: str, target: Path, mechanism: str) -> str:
    """A commented file of a study of a mechanism, with names that it has."""
    import os
    from importlib.resources import files

    from lagrangian.cli.mechanism_options import ReaderOptions, load_mechanism
    from lagrangian.model.expression.parser import quote_name

    m = load_mechanism(mechanism, ReaderOptions())
    plain = [n for n, x in m.parameters.items() if str(x) == n and float(x) > 0 and n != "g"][:2]
    over = [f'{n} = "uniform(0.9*{n}, 1.1*{n})"' for n in plain] or [
        f'{_toml_key(n)} = "normal(0, 0.1)"' for n in m.coordinate_names[:2]
    ]
    frames = [f"{frame.name}.x" for frame in m.frames[:1]]
    keep = [f'way{k + 1} = "rows({quote_name(n)})"' for k, n in enumerate(m.coordinate_names[:2])]
    keep += [f'speed{k + 1} = "peak({quote_name(f"qd_{n}")})"' for k, n in enumerate(m.speed_names[:2])]
    keep += [f'reach = "max({quote_name(x)})"' for x in frames]
    first_speed = m.speed_names[0] if m.speed_names else "theta1"
    quantities = [
        f"{first_speed}, qd_{first_speed}, qdd_{first_speed}, tau_{first_speed}, force_{first_speed}",
        *frames,
        "energy, kinetic_energy, t",
    ]
    file = Path(mechanism)
    text = (files("lagrangian.cli.commands") / "study_starter.toml").read_text(encoding="utf-8")
    return text.format(
        name=name,
        file=target.name,
        mechanism=os.path.relpath(file, target.parent) if file.suffix else mechanism,
        over="\n".join(over),
        time=m.initial.t_span[1] if m.initial.t_span is not None else 10.0,
        keep="\n".join(keep),
        quantities="Quantities are " + ", ".join(quantities) + " and others.",
    )


def _toml_key(name: str) -> str:
    """A name as a key of TOML."""
    import json
    import re

    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)


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
