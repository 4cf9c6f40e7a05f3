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
        Path, typer.Argument(metavar="FILE", help="What to vary, run and keep (.toml): see docs/howto/run_a_study.md.")
    ],
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="The study's folder. Default: the file's name.")
    ] = None,
    samples: Annotated[int | None, typer.Option("--samples", metavar="N", help="How many, instead of the file's.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Of random samples, instead of the file's.")] = None,
    workers: Workers = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Of a running Dask cluster, which sees the folder: tcp://host:8786."),
    ] = None,
    save: Annotated[Path | None, typer.Option("--save", metavar="FILE", help="All samples and results: .nc or .csv.")] = None,
    browse: Annotated[bool, typer.Option("--open", metavar="", help="Open the report in the browser.")] = False,
    json: Json = False,
) -> int:
    """Run a design study: many simulations, with plots and a report of what they say.

    A study that was stopped goes on where it was, and computes nothing twice. Exit code 1 if no sample has a result.
    """
    from lagrangian.studies import toml

    if save is not None:
        if save.suffix not in (".nc", ".csv"):
            raise ArgumentError(f"--save is {save}; a name that ends with .nc or .csv is needed")
        checked_target(save)
    if workers is not None and scheduler is not None:
        raise ArgumentError("--workers are of this machine; a cluster has its own: give --workers or --scheduler")
    given = toml.read(file)
    options = {**given.options, "name": given.name}
    folder = out if out is not None else options.pop("folder", Path(file.stem))
    options.pop("folder", None)
    options |= {name: x for name, x in (("samples", samples), ("seed", seed)) if x is not None}
    return studied(given.mechanism, given.over, folder, save, json, browse, workers=workers, scheduler=scheduler, **options)
