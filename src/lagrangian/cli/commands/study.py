"""`lagrangian study`: a mechanism simulated for many values of its parameters, starts and gains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lagrangian.cli.command import Json
from lagrangian.cli.sweeping import Workers, studied
from lagrangian.errors import ArgumentError
from lagrangian.files import checked_target

STUDY = """
lagrangian study reach.toml
lagrangian study reach.toml --workers 8 --save reach.csv
lagrangian study reach.toml --scheduler tcp://head-node:8786 -o /shared/reach
"""


def study_starter(name: str, target: Path, mechanism: str) -> str:
    """A commented file of a study of a mechanism, with names that it has."""
    import os
    from importlib.resources import files

    from lagrangian.cli.given import mechanism_of
    from lagrangian.cli.reading import Reading
    from lagrangian.model.expression.parser import written

    m = mechanism_of(mechanism, Reading())
    plain = [n for n, x in m.parameters.items() if str(x) == n and float(x) > 0 and n != "g"][:2]
    over = [f'{n} = "uniform(0.9*{n}, 1.1*{n})"' for n in plain] or [
        f'{_key(n)} = "normal(0, 0.1)"' for n in m.coordinate_names[:2]
    ]
    frames = [f"{frame.name}.x" for frame in m.frames[:1]]
    keep = [f'way{k + 1} = "rows({written(n)})"' for k, n in enumerate(m.coordinate_names[:2])]
    keep += [f'speed{k + 1} = "peak({written(f"qd_{n}")})"' for k, n in enumerate(m.speed_names[:2])]
    keep += [f'reach = "max({written(x)})"' for x in frames]
    first = m.speed_names[0] if m.speed_names else "theta1"
    quantities = [f"{first}, qd_{first}, qdd_{first}, tau_{first}, force_{first}", *frames, "energy, kinetic_energy, t"]
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


def _key(name: str) -> str:
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
    workers: Workers = None,
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
    browse: Annotated[bool, typer.Option("--open", metavar="", help="Open the report in the browser.")] = False,
    json: Json = False,
) -> int:
    """Run a design study: many simulations, with plots and a report.

    A study that was stopped continues where it stopped and computes nothing twice. The exit code is 1 if no sample has a result.
    """
    from lagrangian.studies import toml

    if save is not None:
        if save.suffix not in (".nc", ".csv"):
            raise ArgumentError(f"--save is {save}; a file name that ends in .nc or .csv is needed")
        checked_target(save)
    if workers is not None and scheduler is not None:
        raise ArgumentError("--workers and --scheduler exclude each other: a cluster has its own workers")
    given = toml.read(file)
    options = {**given.options, "name": given.name}
    folder = out if out is not None else options.pop("folder", Path(file.stem))
    options.pop("folder", None)
    options |= {name: x for name, x in (("samples", samples), ("seed", seed)) if x is not None}
    return studied(given.mechanism, given.over, folder, save, json, browse, workers=workers, scheduler=scheduler, **options)
